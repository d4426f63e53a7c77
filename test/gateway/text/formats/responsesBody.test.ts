import type {
	TextRequest,
	ToolMessage,
	ChatMessage,
} from '../../../../nodes/shared/gateway/text/formats/request';
import type { Json, JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { bodyOf, inline, fromUrl, lookWith, messages } from './support';

const sent = (parts: Partial<TextRequest>) => {
	const { model, ...rest } = bodyOf('responses', parts);
	expect(model).toBe('acme/writer');
	return rest;
};
const sentMessages = (...list: Array<ChatMessage | ToolMessage>) => sent({ conversation: messages(...list) });
const schema = { type: 'object', properties: {} };
const user = (text: string): ChatMessage => ({ role: 'user', text });

it('a plain request has only the model and the input', () => {
	expect(sent({})).toStrictEqual({ input: 'Hi' });
});

it('a streamed request has the field stream', () => {
	expect(sent({ stream: true })).toStrictEqual({ input: 'Hi', stream: true });
});

describe('the conversation', () => {
	it('has a system message at the beginning as instructions', () => {
		expect(sentMessages({ role: 'system', text: 'Be brief' }, user('Hi'))).toStrictEqual({
			instructions: 'Be brief',
			input: 'Hi',
		});
	});

	it('has no instructions for an empty system message', () => {
		expect(sentMessages({ role: 'system', text: '' }, user('Hi'))).toStrictEqual({ input: 'Hi' });
	});

	it('keeps later system messages, and developer messages, in their place', () => {
		expect(
			sentMessages({ role: 'developer', text: 'In English' }, user('Hi'), {
				role: 'system',
				text: 'Be brief',
			}),
		).toStrictEqual({
			input: [
				{ role: 'developer', content: 'In English' },
				{ role: 'user', content: 'Hi' },
				{ role: 'system', content: 'Be brief' },
			],
		});
	});

	it('has instructions also with a list', () => {
		expect(
			sentMessages({ role: 'system', text: 'Be brief' }, user('Hi'), { role: 'assistant', text: 'Hello' }),
		).toStrictEqual({
			instructions: 'Be brief',
			input: [
				{ role: 'user', content: 'Hi' },
				{ role: 'assistant', content: 'Hello' },
			],
		});
	});

	it('has a list for a single message that is not the user’s', () => {
		expect(sentMessages({ role: 'assistant', text: 'Hello' })).toStrictEqual({
			input: [{ role: 'assistant', content: 'Hello' }],
		});
	});

	it('has tool calls and their results as separate items', () => {
		const toolCalls = [{ id: 'c1', name: 'look', arguments: '{"a":1}' }];
		const call = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"a":1}' };
		expect(
			sentMessages(
				user('Hi'),
				{ role: 'assistant', text: '', toolCalls },
				{ role: 'tool', callId: 'c1', text: 'seen' },
				{ role: 'assistant', text: 'Wait', toolCalls },
				{ role: 'assistant', text: '' },
			).input,
		).toStrictEqual([
			{ role: 'user', content: 'Hi' },
			call,
			{ type: 'function_call_output', call_id: 'c1', output: 'seen' },
			{ role: 'assistant', content: 'Wait' },
			call,
			{ role: 'assistant', content: '' },
		]);
	});

	it('sends the result of a tool unchanged where its call is missing', () => {
		expect(sentMessages({ role: 'tool', callId: 'c9', text: 'seen' })).toStrictEqual({
			input: [{ type: 'function_call_output', call_id: 'c9', output: 'seen' }],
		});
	});

	it('has tool calls after attachments', () => {
		const toolCalls = [{ id: 'c1', name: 'look', arguments: '' }];
		expect(
			sentMessages({ role: 'assistant', text: 'See', attachments: [fromUrl('image')], toolCalls }).input,
		).toStrictEqual([
			{
				role: 'assistant',
				content: [
					{ type: 'input_text', text: 'See' },
					{ type: 'input_image', image_url: 'https://files.test/a' },
				],
			},
			{ type: 'function_call', call_id: 'c1', name: 'look', arguments: '' },
		]);
	});

	const wireMessages = [{ type: 'function_call_output', call_id: 'c9', output: 'seen' }];

	it.each<[string, TextRequest['conversation'], JsonObject]>([
		['messages as they are', { kind: 'wire', messages: wireMessages }, { input: wireMessages }],
		['a text as it is', { kind: 'wire', messages: 'Hi' }, { input: 'Hi' }],
		[
			'the system prompt as instructions',
			{ kind: 'wire', messages: wireMessages, systemPrompt: 'Be brief' },
			{ instructions: 'Be brief', input: wireMessages },
		],
		[
			'no instructions for an empty system prompt',
			{ kind: 'wire', messages: 'Hi', systemPrompt: '' },
			{ input: 'Hi' },
		],
	])('sends %s', (_, conversation, expected) => {
		expect(sent({ conversation })).toStrictEqual(expected);
	});
});

describe('attachments', () => {
	it.each<[string, Parameters<typeof lookWith>[0], Json]>([
		[
			'an image',
			inline('image', 'image/png'),
			{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
		],
		['the address of an image', fromUrl('image'), { type: 'input_image', image_url: 'https://files.test/a' }],
		[
			'audio',
			inline('audio', 'audio/x-wav'),
			{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
		],
		[
			'a file',
			inline('file', 'application/pdf', 'a.pdf'),
			{ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
		],
		['the address of a file', fromUrl('file'), { type: 'input_file', file_url: 'https://files.test/a' }],
	])('%s is a part after the text', (_, attachment, part) => {
		expect(sent(lookWith(attachment))).toStrictEqual({
			input: [{ role: 'user', content: [{ type: 'input_text', text: 'Look' }, part] }],
		});
	});

	it('are sent without a text', () => {
		expect(sentMessages({ role: 'user', text: '', attachments: [fromUrl('image')] })).toStrictEqual({
			input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://files.test/a' }] }],
		});
	});

	it('may be an empty list', () => {
		expect(sentMessages({ role: 'user', text: 'Hi', attachments: [] })).toStrictEqual({ input: 'Hi' });
	});
});

describe('tools', () => {
	it('are functions with the fields of this format', () => {
		const tools = [
			{ name: 'look', description: 'Looks', parameters: schema, strict: true },
			{ name: 'go', description: '', parameters: {} },
		];
		expect(sent({ tools })).toStrictEqual({
			input: 'Hi',
			tools: [
				{ type: 'function', name: 'look', description: 'Looks', parameters: schema },
				{ type: 'function', name: 'go', parameters: {} },
			],
		});
	});

	it.each(['auto', 'none', 'required'] as const)('the choice %s is a string', (toolChoice) => {
		expect(sent({ toolChoice })).toStrictEqual({ input: 'Hi', tool_choice: toolChoice });
	});

	it('the choice of one tool names it', () => {
		expect(sent({ toolChoice: { name: 'look' } })).toStrictEqual({
			input: 'Hi',
			tool_choice: { type: 'function', name: 'look' },
		});
	});
});

it.each<[string, TextRequest['output'], JsonObject]>([
	['a JSON object', { kind: 'jsonObject', name: 'a' }, { type: 'json_object' }],
	['a schema', { kind: 'jsonSchema', name: 'book', schema }, { type: 'json_schema', name: 'book', schema }],
	[
		'a schema that must be followed',
		{ kind: 'jsonSchema', name: 'book', schema, strict: true },
		{ type: 'json_schema', name: 'book', schema, strict: true },
	],
	[
		'a schema that need not be followed',
		{ kind: 'jsonSchema', name: 'book', schema, strict: false },
		{ type: 'json_schema', name: 'book', schema, strict: false },
	],
])('JSON by %s', (_, output, format) => {
	expect(sent({ output })).toStrictEqual({ input: 'Hi', text: { format } });
});
