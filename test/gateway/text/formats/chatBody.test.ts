import type { TextRequest } from '../../../../nodes/shared/gateway/text/formats/request';
import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { bodyOf, inline, fromUrl, lookWith, messages } from './support';

const bare = { model: 'acme/writer', messages: [{ role: 'user', content: 'Hi' }] };
const sent = (parts: Partial<TextRequest>) => bodyOf('chat', parts);
const extra = (parts: Partial<TextRequest>): JsonObject => {
	const { model, messages, ...rest } = sent(parts);
	expect({ model, messages }).toStrictEqual(bare);
	return rest;
};
const schema = { type: 'object', properties: {} };

it('a plain request has only the model and the messages', () => {
	expect(sent({})).toStrictEqual(bare);
});

it('a streamed request has the field stream', () => {
	expect(extra({ stream: true })).toStrictEqual({ stream: true });
});

describe('the conversation', () => {
	it('keeps each role in its place', () => {
		const conversation = messages(
			{ role: 'system', text: 'Be brief' },
			{ role: 'user', text: 'Hi' },
			{ role: 'assistant', text: 'Hello' },
			{ role: 'developer', text: 'In English' },
			{ role: 'user', text: '' },
		);
		expect(sent({ conversation }).messages).toStrictEqual([
			{ role: 'system', content: 'Be brief' },
			{ role: 'user', content: 'Hi' },
			{ role: 'assistant', content: 'Hello' },
			{ role: 'developer', content: 'In English' },
			{ role: 'user', content: '' },
		]);
	});

	it('has tool calls and their results', () => {
		const conversation = messages(
			{ role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'look', arguments: '{"a":1}' }] },
			{ role: 'tool', callId: 'c1', text: 'seen' },
			{ role: 'assistant', text: 'Wait', toolCalls: [{ id: 'c2', name: 'go', arguments: '' }] },
		);
		expect(sent({ conversation }).messages).toStrictEqual([
			{
				role: 'assistant',
				content: null,
				tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } }],
			},
			{ role: 'tool', tool_call_id: 'c1', content: 'seen' },
			{
				role: 'assistant',
				content: 'Wait',
				tool_calls: [{ id: 'c2', type: 'function', function: { name: 'go', arguments: '' } }],
			},
		]);
	});

	it('sends the result of a tool unchanged where its call is missing', () => {
		const conversation = messages({ role: 'tool', callId: 'c9', text: 'seen' });
		expect(sent({ conversation }).messages).toStrictEqual([
			{ role: 'tool', tool_call_id: 'c9', content: 'seen' },
		]);
	});

	const wireMessages = [{ role: 'tool', tool_call_id: 'c9', content: 'seen' }];

	it.each<[string, TextRequest['conversation'], JsonObject]>([
		['messages unchanged', { kind: 'wire', messages: wireMessages }, { messages: wireMessages }],
		[
			'the system prompt before them',
			{ kind: 'wire', messages: wireMessages, systemPrompt: 'Be brief' },
			{ messages: [{ role: 'system', content: 'Be brief' }, ...wireMessages] },
		],
		[
			'messages under an empty system prompt',
			{ kind: 'wire', messages: wireMessages, systemPrompt: '' },
			{ messages: wireMessages },
		],
		['a text as the prompt', { kind: 'wire', messages: 'Hi' }, { prompt: 'Hi' }],
		[
			'a text after the system prompt as a message',
			{ kind: 'wire', messages: 'Hi', systemPrompt: 'Be brief' },
			{
				messages: [
					{ role: 'system', content: 'Be brief' },
					{ role: 'user', content: 'Hi' },
				],
			},
		],
	])('sends %s', (_, conversation, expected) => {
		expect(sent({ conversation })).toStrictEqual({ model: 'acme/writer', ...expected });
	});
});

describe('attachments', () => {
	it.each([
		[
			'an image',
			inline('image', 'image/png'),
			{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
		],
		[
			'the address of an image',
			fromUrl('image'),
			{ type: 'image_url', image_url: { url: 'https://files.test/a' } },
		],
		[
			'a video',
			inline('video', 'video/mp4'),
			{ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } },
		],
		[
			'the address of a video',
			fromUrl('video'),
			{ type: 'video_url', video_url: { url: 'https://files.test/a' } },
		],
		[
			'audio',
			inline('audio', 'audio/mpeg'),
			{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
		],
		[
			'a file',
			inline('file', 'application/pdf', 'a.pdf'),
			{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
		],
	])('%s is a part after the text', (_, attachment, part) => {
		expect(sent(lookWith(attachment)).messages).toStrictEqual([
			{ role: 'user', content: [{ type: 'text', text: 'Look' }, part] },
		]);
	});

	it('are sent in their order, without a text', () => {
		const conversation = messages({
			role: 'user',
			text: '',
			attachments: [fromUrl('video'), fromUrl('image')],
		});
		expect(sent({ conversation }).messages).toStrictEqual([
			{
				role: 'user',
				content: [
					{ type: 'video_url', video_url: { url: 'https://files.test/a' } },
					{ type: 'image_url', image_url: { url: 'https://files.test/a' } },
				],
			},
		]);
	});

	it.each([
		['audio/mpeg', 'mp3'],
		['audio/mp3', 'mp3'],
		['audio/wav', 'wav'],
		['audio/x-wav', 'wav'],
		['audio/wave', 'wav'],
		['audio/vnd.wave', 'wav'],
		['audio/mp4', 'm4a'],
		['audio/x-m4a', 'm4a'],
		['audio/flac', 'flac'],
		['audio/x-flac', 'flac'],
		['audio/OGG ; codecs=opus', 'ogg'],
		['audio/constructor', 'constructor'],
		['audio', ''],
		['', ''],
	])('audio of the type "%s" has the format "%s"', (mimeType, format) => {
		expect(sent(lookWith(inline('audio', mimeType))).messages).toStrictEqual([
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'Look' },
					{ type: 'input_audio', input_audio: { data: 'AAAA', format } },
				],
			},
		]);
	});
});

describe('tools', () => {
	it('are functions, without fields that are not set', () => {
		const tools = [
			{ name: 'look', description: 'Looks', parameters: schema, strict: true },
			{ name: 'go', description: '', parameters: {}, strict: false },
		];
		expect(extra({ tools })).toStrictEqual({
			tools: [
				{
					type: 'function',
					function: { name: 'look', description: 'Looks', parameters: schema, strict: true },
				},
				{ type: 'function', function: { name: 'go', parameters: {} } },
			],
		});
	});

	it.each(['auto', 'none', 'required'] as const)('the choice %s is a string', (toolChoice) => {
		expect(extra({ toolChoice })).toStrictEqual({ tool_choice: toolChoice });
	});

	it('the choice of one tool names it', () => {
		expect(extra({ toolChoice: { name: 'look' } })).toStrictEqual({
			tool_choice: { type: 'function', function: { name: 'look' } },
		});
	});
});

it.each<[string, TextRequest['output'], JsonObject]>([
	['a JSON object', { kind: 'jsonObject', name: 'a' }, { type: 'json_object' }],
	[
		'a schema',
		{ kind: 'jsonSchema', name: 'book', schema },
		{ type: 'json_schema', json_schema: { name: 'book', schema } },
	],
	[
		'a schema that must be followed',
		{ kind: 'jsonSchema', name: 'book', schema, strict: true },
		{ type: 'json_schema', json_schema: { name: 'book', schema, strict: true } },
	],
	[
		'a schema that need not be followed',
		{ kind: 'jsonSchema', name: 'book', schema, strict: false },
		{ type: 'json_schema', json_schema: { name: 'book', schema, strict: false } },
	],
])('JSON by %s', (_, output, responseFormat) => {
	expect(extra({ output })).toStrictEqual({ response_format: responseFormat });
});

describe('a prompt that is cached', () => {
	const long = 'x'.repeat(4_000);
	const mark = { cache_control: { type: 'ephemeral' } };
	const marked = (text: string) => [{ type: 'text', text, ...mark }];
	const contents = (parts: Partial<TextRequest>) =>
		(sent({ cachesPrompt: true, ...parts }).messages as JsonObject[]).map(({ content }) => content);
	const system = { role: 'system' as const, text: 'Be brief' };
	const user = (text: string) => ({ role: 'user' as const, text });

	it('has a mark after the system prompt', () =>
		expect(contents({ conversation: messages(system, user('Hi')) })).toStrictEqual([
			marked('Be brief'),
			'Hi',
		]));

	it('has a mark after the last of several system prompts', () => {
		const developer = { role: 'developer' as const, text: 'In English' };
		expect(contents({ conversation: messages(system, developer, user('Hi')) })).toStrictEqual([
			'Be brief',
			marked('In English'),
			'Hi',
		]);
	});

	it('has a mark after a long text of the user', () =>
		expect(contents({ conversation: messages(user(long)) })).toStrictEqual([marked(long)]));

	it('has a mark after the user’s last message in a conversation', () => {
		const conversation = messages(
			system,
			user('Hi'),
			{ role: 'assistant', text: 'Hello' },
			user('Look'),
			{ role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }] },
			{ role: 'tool', callId: 'c1', text: 'seen' },
		);
		expect(contents({ conversation })).toStrictEqual([
			marked('Be brief'),
			'Hi',
			'Hello',
			marked('Look'),
			null,
			'seen',
		]);
	});

	it('has a mark only after system prompts, and after a question that was answered', () => {
		expect(contents({ conversation: messages(system) })).toStrictEqual([marked('Be brief')]);
		const answered = messages(user('Hi'), { role: 'assistant', text: 'Hello' });
		expect(contents({ conversation: answered })).toStrictEqual([marked('Hi'), 'Hello']);
	});

	it('has its mark on the text, not on files', () => {
		const message = { ...user(long), attachments: [fromUrl('image')] };
		expect(contents({ conversation: messages(message) })).toStrictEqual([
			[...marked(long), { type: 'image_url', image_url: { url: 'https://files.test/a' } }],
		]);
	});

	it('has no mark on an empty text', () =>
		expect(contents({ conversation: messages({ role: 'system', text: ' ' }, user('')) })).toStrictEqual([
			' ',
			'',
		]));

	it('has a mark after the system prompt with messages as JSON', () => {
		const own = [{ role: 'user', content: 'Hi' }];
		expect(contents({ conversation: { kind: 'wire', systemPrompt: 'S', messages: own } })).toStrictEqual([
			marked('S'),
			'Hi',
		]);
	});

	it('without the option, has only the marks of the messages', () => {
		const conversation = messages(system, { ...user('Hi'), isCachePoint: true }, user(long));
		expect(contents({ cachesPrompt: false, conversation })).toStrictEqual(['Be brief', marked('Hi'), long]);
	});
});
