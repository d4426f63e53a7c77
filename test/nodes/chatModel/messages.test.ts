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
const calling = (id: string, name: string, args = {}, content = '') =>
	new AIMessage({ content, tool_calls: [{ id, name, args }] });
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

describe('the conversation of an agent in each format', () => {
	it('chat: tool calls are in the assistant’s message, results are messages', () =>
		expect(bodyOf('chat', run).messages).toStrictEqual([
			{ role: 'system', content: 'Be brief' },
			{ role: 'user', content: 'Weather and time?' },
			{
				role: 'assistant',
				content: 'One moment',
				tool_calls: [
					{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Omsk"}' } },
					{ id: 'b', type: 'function', function: { name: 'time', arguments: '{}' } },
				],
			},
			{ role: 'tool', tool_call_id: 'a', content: '[{"t":3}]' },
			{ role: 'tool', tool_call_id: 'b', content: '12:00\nUTC' },
		]));

	it('responses: tool calls and results are items', () =>
		expect(bodyOf('responses', run)).toStrictEqual({
			model: 'm',
			instructions: 'Be brief',
			input: [
				{ role: 'user', content: 'Weather and time?' },
				{ role: 'assistant', content: 'One moment' },
				{ type: 'function_call', call_id: 'a', name: 'weather', arguments: '{"city":"Omsk"}' },
				{ type: 'function_call', call_id: 'b', name: 'time', arguments: '{}' },
				{ type: 'function_call_output', call_id: 'a', output: '[{"t":3}]' },
				{ type: 'function_call_output', call_id: 'b', output: '12:00\nUTC' },
			],
		}));

	it('messages: results of parallel tool calls are one message', () =>
		expect(bodyOf('messages', run)).toStrictEqual({
			model: 'm',
			max_tokens: 4096,
			system: 'Be brief',
			messages: [
				{ role: 'user', content: 'Weather and time?' },
				{
					role: 'assistant',
					content: [
						{ type: 'text', text: 'One moment' },
						{ type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Omsk' } },
						{ type: 'tool_use', id: 'b', name: 'time', input: {} },
					],
				},
				{
					role: 'user',
					content: [
						{ type: 'tool_result', tool_use_id: 'a', content: '[{"t":3}]' },
						{ type: 'tool_result', tool_use_id: 'b', content: '12:00\nUTC' },
					],
				},
			],
		}));

	it.each(['chat', 'responses', 'messages'])('%s: a tool call without text is sent alone', (format) =>
		expect(JSON.stringify(bodyOf(format, [new HumanMessage('?'), calling('a', 'time')]))).not.toMatch(
			/"(content|text)":""/,
		),
	);

	it('through n8n’s SDK', async () => {
		const { lc, requests } = modelWith(whole({ content: 'Hi' }));
		await lc.invoke(run);
		expect(requests()[0]?.messages).toStrictEqual(bodyOf('chat', run).messages);
	});
});

describe('text', () => {
	it('messages: empty text is not sent, because models of this format reject it', () =>
		expect(
			bodyOf('messages', [said('Hello'), new AIMessage(''), said(text(' \n')), said('Again')]).messages,
		).toStrictEqual([
			{ role: 'user', content: 'Hello' },
			{ role: 'user', content: 'Again' },
		]));

	const none = { attachments: [], toolCalls: [], reasoning: [] };

	it.each<[string, BaseMessage, string, string]>([
		['of a user in parts is in lines', said(text('a'), text(''), 'b'), 'user', 'a\nb'],
		['of a model may be in chunks', new AIMessage(parts(text('a'), text('b'))), 'assistant', 'ab'],
		['of the system', new SystemMessage('Be brief'), 'system', 'Be brief'],
		['of somebody else is the user’s', new ChatMessage('Hi', 'critic'), 'user', 'Hi'],
		['of no parts is empty', said(), 'user', ''],
		[
			'is next to parts that are left out',
			new AIMessage(parts({ type: 'reasoning', text: 'hm' }, null, 5, text('Hi'))),
			'assistant',
			'Hi',
		],
		[
			'may be a file',
			said({ type: 'text-plain', text: 'a' }, { type: 'file', source_type: 'text', text: 'b' }),
			'user',
			'a\nb',
		],
		['may be null', said({ type: 'text', text: null }), 'user', ''],
	])('%s', (_, message, role, expected) =>
		expect(converted(message)).toStrictEqual([{ role, text: expected, ...none }]),
	);

	it('of several system messages is all sent, in its place if the format allows it', () => {
		const messages = [new SystemMessage('A'), said('One'), new SystemMessage(parts('B', 'C')), said('Two')];
		expect(bodyOf('chat', messages).messages).toStrictEqual([
			{ role: 'system', content: 'A' },
			{ role: 'user', content: 'One' },
			{ role: 'system', content: 'B\nC' },
			{ role: 'user', content: 'Two' },
		]);
		expect(bodyOf('messages', messages).system).toBe('A\n\nB\nC');
	});
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

	it.each<[string, object, object]>([
		[
			'image_url',
			{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==', detail: 'low' } },
			png,
		],
		[
			'image_url as text',
			{ type: 'image_url', image_url: 'https://x.test/a.pdf' },
			url('image', 'https://x.test/a.pdf'),
		],
		[
			'image_url at an address that holds the beginning of a data URL',
			{ type: 'image_url', image_url: { url: 'https://x.test/a?data:video/mp4,' } },
			url('image', 'https://x.test/a?data:video/mp4,'),
		],
		[
			'input_image in capitals',
			{ type: 'input_image', image_url: 'DATA:image/gif;base64,R0lG' },
			file('image', 'R0lG', 'image/gif', 'file.gif'),
		],
		['image at a URL', { type: 'image', url: 'https://x.test/a' }, url('image', 'https://x.test/a')],
		[
			'image in the former shape',
			{ type: 'image', source_type: 'base64', mime_type: 'image/png', data: 'iVBORw==' },
			png,
		],
		['image without a type', { type: 'image', data: 'AAAA' }, file('image', 'AAAA', 'image/*', 'file')],
		[
			'input_audio',
			{ type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
			file('audio', 'SUQz', 'audio/mpeg', 'file.mp3'),
		],
		[
			'input_audio in an unknown format',
			{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'amr' } },
			file('audio', 'AAAA', 'audio/amr', 'file'),
		],
		[
			'audio with a type',
			{ type: 'audio', mimeType: 'audio/wav', data: 'UklG' },
			file('audio', 'UklG', 'audio/wav', 'file.wav'),
		],
		['video at a URL', { type: 'video', url: 'https://x.test/a' }, url('video', 'https://x.test/a')],
		['OpenAI’s file', { type: 'file', file: { filename, file_data: fileData } }, pdf],
		[
			'OpenAI’s file that is a picture',
			{ type: 'file', file: { file_data: 'data:image/png;base64,iVBORw==' } },
			png,
		],
		['input_file', { type: 'input_file', filename, file_data: fileData }, pdf],
		['input_file in plain base64', { type: 'input_file', filename, file_data: data }, pdf],
		[
			'input_file at a URL that names a picture',
			{ type: 'input_file', file_url: 'https://x.test/cat.png?x=1' },
			url('image', 'https://x.test/cat.png?x=1'),
		],
		[
			'input_file whose name takes precedence over its URL’s',
			{ type: 'input_file', filename: 'cat.mp4', file_url: 'https://x.test/a.png' },
			url('video', 'https://x.test/a.png'),
		],
		[
			'file in LangChain’s former shape, as n8n’s agent writes it',
			{ type: 'file', source_type: 'base64', mime_type: 'application/pdf', data, metadata: { filename } },
			pdf,
		],
		[
			'file with a type in either spelling',
			{ type: 'file', mimeType: 'application/pdf', mime_type: 'a/b', data, metadata: { filename } },
			pdf,
		],
		['file whose type follows from its name', { type: 'file', data, metadata: { filename } }, pdf],
		[
			'file with neither name nor type',
			{ type: 'file', data: 'YQ==' },
			file('file', 'YQ==', 'application/octet-stream', 'file'),
		],
		[
			'file whose data URL says another type',
			{ type: 'audio', data: 'data:audio/wav;base64,YQ==', mimeType: 'audio/mpeg' },
			file('audio', 'YQ==', 'audio/wav', 'file.wav'),
		],
		[
			'file whose type only begins like a picture’s',
			{ type: 'file', data: 'YQ==', mimeType: 'imagery/x' },
			file('file', 'YQ==', 'imagery/x', 'file'),
		],
		[
			'text-plain of bytes',
			{ type: 'text-plain', data: 'YQ==', metadata: { filename: 'a.txt' } },
			file('file', 'YQ==', 'text/plain', 'a.txt'),
		],
		['a part of an unknown kind', { type: 'thing', data: 'YQ==' }, {}],
	])('%s', (_, part, attachment) => {
		const attachments = 'kind' in attachment ? [attachment] : [];
		expect(converted(said(text('q'), part))).toMatchObject([{ text: 'q', attachments }]);
	});

	it.each<[string, object]>([
		['at another provider', { type: 'file', fileId: 'f_1', mimeType: 'application/pdf' }],
		['by OpenAI’s ID', { type: 'file', file: { file_id: 'f_1' } }],
		['that is empty', { type: 'file', mimeType: 'application/pdf', data: '' }],
		['that is an empty data URL', { type: 'file', data: 'data:application/pdf;base64,' }],
		['that is no base64', { type: 'image_url', image_url: 'data:image/png;base64,no base64!' }],
		['in a data URL of text', { type: 'image_url', image_url: 'data:image/svg+xml,<svg/>' }],
		['of a picture without a URL', { type: 'image_url' }],
		['of audio without bytes', { type: 'input_audio' }],
		['in Anthropic’s shape', { type: 'image', source: { type: 'base64', data: 'iVBORw==' } }],
		['in a document of Anthropic’s', { type: 'document', source: { type: 'text', data: 'long' } }],
	])('%s is rejected', (_, part) =>
		expect(() => converted(said(text('q'), part))).toThrow('contains a file that it cannot read'),
	);

	it('is a part of the format, and the message stays as it is', async () => {
		const content = [
			text('What is this?'),
			{ type: 'image_url', image_url: 'data:image/png;base64,iVBORw==' },
		];
		const message = said(...content);
		const { lc, requests } = modelWith(whole({ content: 'A cat' }));
		await lc.invoke([message]);
		expect(requests()[0]?.messages).toStrictEqual([
			{
				role: 'user',
				content: [
					text('What is this?'),
					{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
				],
			},
		]);
		expect(message.content).toStrictEqual(content);
		expect(bodyOf('responses', [message]).input).toMatchObject([
			{ content: [{}, { type: 'input_image', image_url: 'data:image/png;base64,iVBORw==' }] },
		]);
		expect(bodyOf('messages', [message]).messages).toMatchObject([
			{ content: [{ type: 'image', source: { media_type: 'image/png', data: 'iVBORw==' } }, {}] },
		]);
	});
});

describe('tool calls', () => {
	it('may have neither IDs nor input', () => {
		const calls = [{ name: 'one' }, { name: 'two', args: null }] as unknown as AIMessage['tool_calls'];
		expect(converted(Object.assign(new AIMessage(''), { tool_calls: calls }))).toMatchObject([
			{
				toolCalls: [
					{ id: '', name: 'one', arguments: '{}' },
					{ id: '', name: 'two', arguments: '{}' },
				],
			},
		]);
	});

	it.each(['chat', 'responses', 'messages'])(
		'%s: the result of one that the memory has dropped is sent',
		(format) => {
			const { messages, input } = bodyOf(format, [result('lost', '1'), said('Go')]);
			expect(JSON.stringify((messages ?? input) as JsonObject[])).toContain('"lost"');
		},
	);

	const resource = { type: 'resource', resource: { text: 'abc', none: null } };

	it.each<[string, unknown, string]>([
		['text', 'text', 'text'],
		['texts', [text('a'), { type: 'text' }, 'b'], 'a\nb'],
		['nothing', '', ''],
		['JSON next to text', [resource, text('hi')], `${JSON.stringify(resource)}\nhi`],
		[
			'a picture at a URL',
			[{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }],
			'{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}',
		],
		['a long text', [text('A'.repeat(5_000))], 'A'.repeat(5_000)],
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
