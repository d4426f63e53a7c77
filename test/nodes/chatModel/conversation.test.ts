import {
	AIMessage,
	type BaseMessage,
	ChatMessage,
	HumanMessage,
	SystemMessage,
	ToolMessage,
} from '@langchain/core/messages';

import { toChatMessages, withToolMedia } from '../../../nodes/ChatModel/messages';
import { callInfoOf, toClosingChunks, toResult } from '../../../nodes/ChatModel/result';
import type {
	ModelOutput,
	Completion,
	ToolCall,
} from '../../../nodes/shared/gateway/text/formats/completion';
import type {
	ToolMessage as ToolResult,
	ChatMessage as WireMessage,
} from '../../../nodes/shared/gateway/text/formats/request';
import { NO_OUTPUT, NO_USAGE } from '../../gateway/text/formats/support';

describe('messages', () => {
	// The messages of agents and chains, and of other nodes and models, as LangChain has them.

	const parts = (...content: unknown[]) => ({ content: content as Array<{ type: string }> });
	const text = (said: string) => ({ type: 'text', text: said });
	const said = (...content: unknown[]) => new HumanMessage(parts(...content));
	const result = (id: string, content: unknown) =>
		new ToolMessage({ tool_call_id: id, content: content as string });
	const converted = (...messages: BaseMessage[]) => toChatMessages(messages, 'chat m');

	const none = { attachments: [], toolCalls: [], reasoning: [] };

	it('a model calls tools, next to text or to reasoning, which is left out', () => {
		const tool_calls = [{ id: 'a', name: 'weather', args: { city: 'Omsk' } }];
		const content = parts(text('One '), text('moment'), { type: 'reasoning', reasoning: 'a tool' });
		const toolCalls = [{ id: 'a', name: 'weather', arguments: '{"city":"Omsk"}' }];
		expect(converted(new AIMessage({ ...content, tool_calls }))).toStrictEqual([
			{ ...none, role: 'assistant', text: 'One moment', toolCalls },
		]);
	});

	const textFile = { type: 'file', source_type: 'text', text: 'b' };

	it.each<[string, BaseMessage, string, string]>([
		['of a user in parts is in lines', said(text('a'), text(''), 'b'), 'user', 'a\nb'],
		['of the system', new SystemMessage('Be brief'), 'system', 'Be brief'],
		['of somebody else is the user’s', new ChatMessage('Hi', 'critic'), 'user', 'Hi'],
		['of no parts is empty', said(), 'user', ''],
		['may be a file', said({ type: 'text-plain', text: 'a' }, textFile), 'user', 'a\nb'],
	])('text %s', (_, message, role, expected) =>
		expect(converted(message)).toStrictEqual([{ role, text: expected, ...none }]),
	);

	describe('a file', () => {
		const url = (kind: string, address: string) => ({ kind, source: { url: address } });
		const file = (kind: string, base64: string, mimeType: string, fileName: string) => ({
			kind,
			source: { base64, mimeType, fileName },
		});
		const png = file('image', 'iVBORw==', 'image/png', 'file.png');
		const pdf = file('file', 'JVBERg==', 'application/pdf', 'a.pdf');
		const wav = (base64: string) => file('audio', base64, 'audio/wav', 'file.wav');
		const svg = file('image', 'PHN2Zz4=', 'image/svg+xml', 'file.svg');
		const mp3 = file('audio', 'SUQz', 'audio/mpeg', 'file.mp3');
		const webp = Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1').toString('base64');
		const data = 'JVBERg==';
		const filename = 'a.pdf';
		const fileData = `data:application/pdf;base64,${data}`;

		const LINK = 'https://x.test/a';
		const PICTURE = 'https://x.test/a.png?x=1';
		const PNG = 'data:image/png;base64,iVBORw==';
		const named = { metadata: { filename } };

		it.each<[string, object, object]>([
			['with OpenAI’s fields', { type: 'image_url', image_url: { url: PNG, detail: 'low' } }, png],
			['as text', { type: 'image_url', image_url: LINK }, url('image', LINK)],
			['at a URL', { type: 'image', url: LINK }, url('image', LINK)],
			['at a URL in capitals', { type: 'image', url: 'HTTPS://X.TEST' }, url('image', 'HTTPS://X.TEST')],
			['once', { type: 'image', source_type: 'base64', mime_type: 'image/svg+xml', data: 'PHN2Zz4=' }, svg],
			['without a type', { type: 'image', data: 'AAAA' }, file('image', 'AAAA', 'image/*', 'file')],
			['with a format', { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } }, mp3],
			['with a type', { type: 'audio', mimeType: 'audio/wav', data: 'UklG' }, wav('UklG')],
			['at a URL', { type: 'video', url: LINK }, url('video', LINK)],
			['of OpenAI', { type: 'file', file: { filename, file_data: fileData } }, pdf],
			['that is a picture', { type: 'file', file: { file_data: PNG } }, png],
			['in a data URL', { type: 'input_file', filename, file_data: fileData }, pdf],
			['in plain base64', { type: 'input_file', filename, file_data: data }, pdf],
			['at the URL of a picture', { type: 'input_file', file_url: PICTURE }, url('image', PICTURE)],
			[
				'of n8n’s agent',
				{ type: 'file', source_type: 'base64', mime_type: 'application/pdf', data, ...named },
				pdf,
			],
			['whose type follows from its name', { type: 'file', data, ...named }, pdf],
			[
				'of another type',
				{ type: 'audio', data: 'data:audio/wav;base64,YQ==', mimeType: 'audio/mpeg' },
				wav('YQ=='),
			],
			[
				'of another type by its first bytes',
				{ type: 'image', mimeType: 'image/png', data: webp },
				file('image', webp, 'image/webp', 'file.webp'),
			],
			[
				'of an unknown type',
				{ type: 'file', data: 'YQ==' },
				file('file', 'YQ==', 'application/octet-stream', 'file'),
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
	});

	describe('tool calls', () => {
		const resource = { type: 'resource', resource: { text: 'abc', none: null } };

		it.each<[string, unknown, string]>([
			['text in lines', [text('12:00'), text('UTC')], '12:00\nUTC'],
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
			['base64url, with padding', `${'Aa0-_'.repeat(200)}==`, true],
			['base64 with slashes', '/'.repeat(1_000), true],
			['long text that ends in a data URL', `see: data:image/png;base64,${'A'.repeat(2_000)}`, false],
			['long base64 and a remark', `${'A'.repeat(2_000)} (cut)`, false],
		])('return no bytes of files, which would be charged as text: %s', (_, content, isFile) => {
			const sent = { type: 'json', json: { text: isFile ? '(a file, left out)' : content } };
			expect(converted(result('a', [{ type: 'json', json: { text: content } }]))).toMatchObject([
				{ text: JSON.stringify(sent) },
			]);
		});
	});
});

describe('tool media', () => {
	// Images in the results of media tools, as the model sees them.

	const call = (id: string): WireMessage => ({
		role: 'assistant',
		text: '',
		toolCalls: [{ id, name: 'draw', arguments: '{}' }],
	});
	const result = (value: unknown, callId = 'a'): ToolResult => ({
		role: 'tool',
		callId,
		text: typeof value === 'string' ? value : JSON.stringify(value),
	});
	const task = (...resultUrls: unknown[]) => ({ taskId: 't1', state: 'success', resultUrls });
	const user: WireMessage = { role: 'user', text: 'Draw' };
	const [cat, dog] = ['https://files.test/cat.png', 'https://files.test/dog.webp'];

	/** The messages, as role and URLs of images. */
	function shown(...messages: Array<WireMessage | ToolResult>) {
		return withToolMedia(messages).map((message) => [
			message.role,
			...('attachments' in message ? (message.attachments ?? []) : []).map(({ source }) =>
				'url' in source ? source.url : 'a file',
			),
		]);
	}

	/** The URLs that the model sees of a result. */
	const imagesOf = (value: unknown) => shown(result(value)).slice(1).flat().slice(1);

	it('an image comes right after the result of its tool', () =>
		expect(shown(user, call('a'), result([task(cat)]), call('b'), result('{}', 'b'))).toStrictEqual([
			['user'],
			['assistant'],
			['tool'],
			['user', cat],
			['assistant'],
			['tool'],
		]));

	it('images of tools that were called together come after all results', () =>
		expect(shown(call('a'), result([task(cat)]), result([task(dog)], 'b'))).toStrictEqual([
			['assistant'],
			['tool'],
			['tool'],
			['user', cat, dog],
		]));

	it('an image that several results have comes once', () =>
		expect(
			shown(result([task(cat, cat)]), user, call('b'), result([task(cat, dog)], 'b'), result([task(dog)])),
		).toStrictEqual([['tool'], ['user', cat], ['user'], ['assistant'], ['tool'], ['tool'], ['user', dog]]));

	it.each<[string, unknown]>([
		['the output of a tool', [task(cat)]],
		['one task', task(cat)],
		['a task whose ID is a number', { taskId: 5, resultUrls: [cat] }],
		['the output of a tool in an older n8n', [{ response: [task(cat)] }]],
		['a URL with a query', task(`${cat}?sign=1`)],
		['a URL without an extension', task('https://files.test/cat?sign=1.5')],
		['a URL in capital letters', task(cat.replace('https', 'HTTP').replace('png', 'PNG'))],
	])('the image of %s is shown', (_, value) => expect(imagesOf(value)).toHaveLength(1));

	it.each<[string, unknown]>([
		['of a task without results', task()],
		['in other text', `see ${cat}`],
		['of another tool', [{ resultUrls: [cat] }]],
		['of another field', [{ taskId: 't1', url: cat }]],
		['that are videos', task('https://files.test/cat.mp4')],
		['of an unknown type', task('https://files.test/cat.bin')],
		['at other addresses', task('data:image/png;base64,AAAA', 'file:///cat.png', 'ftp://files.test/cat.png')],
	])('results %s are not shown as images', (_, value) => expect(imagesOf(value)).toStrictEqual([]));

	it('what a user writes about a task is not shown as images', () =>
		expect(shown({ ...user, text: JSON.stringify(task(cat)) }, call('a'))).toStrictEqual([
			['user'],
			['assistant'],
		]));

	it('at most ten images of a result are shown', () => {
		const urls = Array.from({ length: 30 }, (_, index) => `https://files.test/${index}.png`);
		expect(imagesOf(urls.map((url) => task(url)))).toStrictEqual(urls.slice(0, 10));
	});
});

const response = (output: Partial<ModelOutput>, more: Partial<Completion> = {}): Completion => ({
	id: 'id-1',
	model: 'm',
	...NO_OUTPUT,
	finishReason: 'stop',
	...output,
	usage: { ...NO_USAGE, inputTokens: 3, outputTokens: 4 },
	costRub: 0.25,
	...more,
});
const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
const finish = { type: 'finish', finishReason: 'stop', usage };

describe('the text', () => {
	it.each<[string, Partial<ModelOutput>, string]>([
		['is that of the model', { text: 'Hello' }, 'Hello'],
		['may be empty', {}, ''],
	])('%s', (_, choice, text) => {
		expect(toResult(response(choice), [])).toStrictEqual({
			usage,
			message: { role: 'assistant', content: [{ type: 'text', text }] },
		});
		const rest = text === '' ? [] : [{ type: 'text-delta', delta: text }];
		expect(toClosingChunks(response(choice), '', [])).toStrictEqual([...rest, finish]);
	});

	it.each([
		['Hel', [{ type: 'text-delta', delta: 'lo' }]],
		['Hello', []],
		['Hello\n', []],
		[
			'Good day',
			[{ type: 'text-delta', delta: '\n\nThe text above is not complete. The whole text:\n\nHello' }],
		],
	])('that a stream has not shown comes at its end: after %s', (shown, rest) =>
		expect(toClosingChunks(response({ text: 'Hello' }), shown, [])).toStrictEqual([...rest, finish]),
	);
});

describe('n8n’s log', () => {
	const { usage } = response({});
	const facts = { finish_reason: 'stop', id: 'id-1', model: 'm', costRub: 0.25, usage };
	const sources = [{ url: 'https://a.test/' }];

	const hint = { hint: 'Raise it' };

	it.each<[string, Partial<ModelOutput>, Partial<Completion>, object]>([
		['has the cost', {}, {}, {}],
		['has the reasoning', { reasoning: 'hm' }, {}, { reasoning: 'hm' }],
		['has the provider and citations', { sources }, { provider: 'Acme' }, { provider: 'Acme', sources }],
		['marks a computed cost', {}, { costIsComputed: true }, { costIsComputed: true }],
		['has the models before', {}, { fallbackFrom: ['a'] }, { fallbackFrom: ['a'] }],
		['has no models before when there are none', {}, { fallbackFrom: [] }, {}],
		['says that it is cut off', { finishReason: 'length' }, hint, { ...hint, finish_reason: 'length' }],
	])('%s', (_, choice, more, info) =>
		expect(callInfoOf(response(choice, more))).toStrictEqual({ ...facts, ...info }),
	);
});

it.each<[string | null, string]>([
	['stop', 'stop'],
	['tool_calls', 'tool-calls'],
	['length', 'length'],
	['content_filter', 'content-filter'],
	['eos_token', 'other'],
])('a stream that ended by %s has the reason %s', (finishReason, word) =>
	expect(toClosingChunks(response({ text: 'Hi', finishReason }), 'Hi', [])).toMatchObject([
		{ finishReason: word },
	]),
);

it.each<[string, ToolCall['arguments'], string]>([
	['null for none', null, '{}'],
	['JSON text that is encoded twice', '{"city":"Omsk"}', '{"city":"Omsk"}'],
])('a tool call may have arguments with %s', (_, args, input) => {
	const completion = response({ toolCalls: [{ id: 'a', name: 't', arguments: args }] });
	const [call] = toResult(completion, []).message.content.slice(-1);
	expect(call).toStrictEqual({ type: 'tool-call', toolCallId: 'a', toolName: 't', input });
	const [delta] = toClosingChunks(completion, '', []);
	expect(delta).toStrictEqual({ type: 'tool-call-delta', id: 'a', name: 't', argumentsDelta: input });
});
