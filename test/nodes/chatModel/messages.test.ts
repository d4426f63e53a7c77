import {
	AIMessage,
	ChatMessage,
	HumanMessage,
	SystemMessage,
	ToolMessage,
	type BaseMessage,
} from '@langchain/core/messages';

import { toChatMessages } from '../../../nodes/ChatModel/messages';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { modelWith, whole } from './support';

// The messages of agents and chains, and of other nodes and models, as LangChain has them.

const parts = (...content: unknown[]) => ({ content: content as Array<{ type: string }> });
const text = (said: string) => ({ type: 'text', text: said });
const said = (...content: unknown[]) => new HumanMessage(parts(...content));
const result = (id: string, content: unknown) =>
	new ToolMessage({ tool_call_id: id, content: content as string });
const converted = (...messages: BaseMessage[]) => toChatMessages(messages, 'chat m');

/** The request body of a conversation. */
function bodyOf(name: string, messages: BaseMessage[]): JsonObject {
	return textFormat(name).toBody({
		model: 'm',
		conversation: { kind: 'messages', messages: converted(...messages) },
		tools: [],
		output: { kind: 'text' },
		options: {},
		stream: false,
	});
}

const none = { attachments: [], toolCalls: [], reasoning: [] };

/** A run of an agent: two parallel tool calls, their results. */
const run: BaseMessage[] = [
	new SystemMessage('Be brief'),
	new HumanMessage('Weather and time?'),
	new AIMessage({
		...parts(text('One '), text('moment'), { type: 'reasoning', reasoning: 'both tools' }),
		tool_calls: [
			{ id: 'a', name: 'weather', args: { city: 'Omsk' } },
			{ id: 'b', name: 'time', args: {} },
		],
	}),
	result('a', '[{"t":3}]'),
	result('b', [text('12:00'), text('UTC')]),
];

describe('the conversation of an agent', () => {
	it('has the tool calls of a message, and their results', () =>
		expect(converted(...run)).toStrictEqual([
			{ role: 'system', text: 'Be brief', ...none },
			{ role: 'user', text: 'Weather and time?', ...none },
			{
				...none,
				role: 'assistant',
				text: 'One moment',
				toolCalls: [
					{ id: 'a', name: 'weather', arguments: '{"city":"Omsk"}' },
					{ id: 'b', name: 'time', arguments: '{}' },
				],
			},
			{ role: 'tool', callId: 'a', text: '[{"t":3}]' },
			{ role: 'tool', callId: 'b', text: '12:00\nUTC' },
		]));

	it('is sent through n8n’s SDK', async () => {
		const { lc, requests } = modelWith(whole({ content: 'Hi' }));
		await lc.invoke(run);
		expect(requests()[0]?.messages).toStrictEqual(bodyOf('chat', run).messages);
	});
});

describe('text', () => {
	it.each<[string, BaseMessage, string, string]>([
		['of a user in parts is in lines', said(text('a'), text(''), 'b'), 'user', 'a\nb'],
		['of a model may be in chunks', new AIMessage(parts(text('a'), text('b'))), 'assistant', 'ab'],
		['of the system', new SystemMessage('Be brief'), 'system', 'Be brief'],
		['of somebody else is the user’s', new ChatMessage('Hi', 'critic'), 'user', 'Hi'],
		['of no parts is empty', said(), 'user', ''],
		[
			'may be a file',
			said({ type: 'text-plain', text: 'a' }, { type: 'file', source_type: 'text', text: 'b' }),
			'user',
			'a\nb',
		],
	])('%s', (_, message, role, expected) =>
		expect(converted(message)).toStrictEqual([{ role, text: expected, ...none }]),
	);
});

describe('a file', () => {
	const url = (kind: string, address: string) => ({ kind, source: { url: address } });
	const file = (kind: string, base64: string, mimeType: string, fileName: string) => ({
		kind,
		source: { base64, mimeType, fileName },
	});
	const png = file('image', 'iVBORw==', 'image/png', 'file.png');
	const pdf = file('file', 'JVBERg==', 'application/pdf', 'a.pdf');
	const data = 'JVBERg==';
	const filename = 'a.pdf';
	const fileData = `data:application/pdf;base64,${data}`;

	const LINK = 'https://x.test/a';
	const PNG = 'data:image/png;base64,iVBORw==';
	const named = { metadata: { filename } };

	it.each<[string, object, object]>([
		['with OpenAI’s fields', { type: 'image_url', image_url: { url: PNG, detail: 'low' } }, png],
		['as text', { type: 'image_url', image_url: LINK }, url('image', LINK)],
		['at a URL', { type: 'image', url: LINK }, url('image', LINK)],
		[
			'in the former shape',
			{ type: 'image', source_type: 'base64', mime_type: 'image/png', data: 'iVBORw==' },
			png,
		],
		['without a type', { type: 'image', data: 'AAAA' }, file('image', 'AAAA', 'image/*', 'file')],
		[
			'with a format',
			{ type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
			file('audio', 'SUQz', 'audio/mpeg', 'file.mp3'),
		],
		[
			'with a type',
			{ type: 'audio', mimeType: 'audio/wav', data: 'UklG' },
			file('audio', 'UklG', 'audio/wav', 'file.wav'),
		],
		['at a URL', { type: 'video', url: LINK }, url('video', LINK)],
		['of OpenAI', { type: 'file', file: { filename, file_data: fileData } }, pdf],
		['that is a picture', { type: 'file', file: { file_data: PNG } }, png],
		['in a data URL', { type: 'input_file', filename, file_data: fileData }, pdf],
		['in plain base64', { type: 'input_file', filename, file_data: data }, pdf],
		[
			'at a URL that names a picture',
			{ type: 'input_file', file_url: `${LINK}.png?x=1` },
			url('image', `${LINK}.png?x=1`),
		],
		[
			'as n8n’s agent writes it',
			{ type: 'file', source_type: 'base64', mime_type: 'application/pdf', data, ...named },
			pdf,
		],
		['whose type follows from its name', { type: 'file', data, ...named }, pdf],
		[
			'whose data URL says another type',
			{ type: 'audio', data: 'data:audio/wav;base64,YQ==', mimeType: 'audio/mpeg' },
			file('audio', 'YQ==', 'audio/wav', 'file.wav'),
		],
		['of an unknown kind', { type: 'thing', data: 'YQ==' }, {}],
	])('%s: %j', (_, part, attachment) => {
		const attachments = 'kind' in attachment ? [attachment] : [];
		expect(converted(said(text('q'), part))).toMatchObject([{ text: 'q', attachments }]);
	});

	it.each<[string, object]>([
		['at another provider', { type: 'file', fileId: 'f_1', mimeType: 'application/pdf' }],
		['by OpenAI’s ID', { type: 'file', file: { file_id: 'f_1' } }],
		['that is empty', { type: 'file', mimeType: 'application/pdf', data: '' }],
		['that is no base64', { type: 'image_url', image_url: 'data:image/png;base64,no base64!' }],
		['of a picture without a URL', { type: 'image_url' }],
		['in Anthropic’s shape', { type: 'image', source: { type: 'base64', data: 'iVBORw==' } }],
	])('%s is rejected', (_, part) =>
		expect(() => converted(said(text('q'), part))).toThrow('contains a file that it cannot read'),
	);

	it('is sent through n8n’s SDK, and the message stays as it is', async () => {
		const content = [text('What is this?'), { type: 'image_url', image_url: PNG }];
		const message = said(...content);
		const { lc, requests } = modelWith(whole({ content: 'A cat' }));
		await lc.invoke([message]);
		const sent = [text('What is this?'), { type: 'image_url', image_url: { url: PNG } }];
		expect(requests()[0]?.messages).toStrictEqual([{ role: 'user', content: sent }]);
		expect(message.content).toStrictEqual(content);
	});
});

describe('tool calls', () => {
	const resource = { type: 'resource', resource: { text: 'abc', none: null } };

	it.each<[string, unknown, string]>([
		['text', 'text', 'text'],
		['JSON next to text', [resource, text('hi')], `${JSON.stringify(resource)}\nhi`],
		[
			'a picture at a URL',
			[{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }],
			'{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}',
		],
	])('may return %s', (_, content, sent) =>
		expect(converted(result('a', content))).toStrictEqual([{ role: 'tool', callId: 'a', text: sent }]),
	);

	it.each<[string, string, boolean]>([
		['a data URL', `data:image/png;base64,${'A'.repeat(5_000)}`, true],
		['base64', 'Aa0+'.repeat(250), true],
		['base64url, with padding', `${'Aa0-_'.repeat(200)}==`, true],
		['base64 with slashes', '/'.repeat(1_000), true],
		['short base64', 'A'.repeat(999), false],
		['long text', 'word '.repeat(400), false],
		['long text that ends in a data URL', `see: data:image/png;base64,${'A'.repeat(2_000)}`, false],
		['long base64 and a remark', `${'A'.repeat(2_000)} (cut)`, false],
	])('return no bytes of files, which would be charged as text: %s', (_, content, isFile) => {
		const sent = { type: 'json', json: { text: isFile ? '(a file, left out)' : content } };
		expect(converted(result('a', [{ type: 'json', json: { text: content } }]))).toMatchObject([
			{ text: JSON.stringify(sent) },
		]);
	});
});
