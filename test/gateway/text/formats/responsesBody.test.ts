import type {
	TextRequest,
	ToolMessage,
	ChatMessage,
} from '../../../../nodes/shared/gateway/text/formats/request';
import type { Json, JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { bodyOf, inline, pairWithItem, looking, refusalOf, messages } from './support';

const sent = (parts: Partial<TextRequest>) => {
	const { model, ...rest } = bodyOf('responses', parts);
	expect(model).toBe('acme/writer');
	return rest;
};
const said = (...list: Array<ChatMessage | ToolMessage>) => sent({ conversation: messages(...list) });
const schema = { type: 'object', properties: {} };
const user = (text: string): ChatMessage => ({ role: 'user', text });

it('a plain call carries the model and the input alone', () => {
	expect(sent({})).toStrictEqual({ input: 'Hi' });
});

it('a streamed call says so', () => {
	expect(sent({ stream: true })).toStrictEqual({ input: 'Hi', stream: true });
});

describe('the conversation', () => {
	it('a system turn at the beginning is the instructions', () => {
		expect(said({ role: 'system', text: 'Be brief' }, user('Hi'))).toStrictEqual({
			instructions: 'Be brief',
			input: 'Hi',
		});
	});

	it('an empty system turn is no instructions', () => {
		expect(said({ role: 'system', text: '' }, user('Hi'))).toStrictEqual({ input: 'Hi' });
	});

	it('later system turns, and those of the developer, keep their place', () => {
		expect(
			said({ role: 'developer', text: 'In English' }, user('Hi'), { role: 'system', text: 'Be brief' }),
		).toStrictEqual({
			input: [
				{ role: 'developer', content: 'In English' },
				{ role: 'user', content: 'Hi' },
				{ role: 'system', content: 'Be brief' },
			],
		});
	});

	it('the instructions stand beside a list, too', () => {
		expect(
			said({ role: 'system', text: 'Be brief' }, user('Hi'), { role: 'assistant', text: 'Hello' }),
		).toStrictEqual({
			instructions: 'Be brief',
			input: [
				{ role: 'user', content: 'Hi' },
				{ role: 'assistant', content: 'Hello' },
			],
		});
	});

	it('a single turn that is not the user’s is a list', () => {
		expect(said({ role: 'assistant', text: 'Hello' })).toStrictEqual({
			input: [{ role: 'assistant', content: 'Hello' }],
		});
	});

	it.each([
		['nothing', []],
		['a system turn alone', [{ role: 'system', text: 'Be brief' } as const]],
	])('%s is refused', (_, list) => {
		const { param, description } = refusalOf(() => said(...list));
		expect(param).toBe('messages');
		expect(description).toContain('Responses');
	});

	it('calls of tools and their results are items of their own', () => {
		const toolCalls = [{ id: 'c1', name: 'look', arguments: '{"a":1}' }];
		const call = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"a":1}' };
		expect(
			said(
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

	it('sends the result of a tool without its call as it stands', () => {
		expect(said({ role: 'tool', callId: 'c9', text: 'seen' })).toStrictEqual({
			input: [{ type: 'function_call_output', call_id: 'c9', output: 'seen' }],
		});
	});

	it('calls of tools stand after attachments', () => {
		const toolCalls = [{ id: 'c1', name: 'look', arguments: '' }];
		expect(
			said({ role: 'assistant', text: 'See', attachments: [pairWithItem('image')], toolCalls }).input,
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

	const given = [{ type: 'function_call_output', call_id: 'c9', output: 'seen' }];

	it.each<[string, TextRequest['conversation'], JsonObject]>([
		['messages as they are', { kind: 'wire', messages: given }, { input: given }],
		['a text as it is', { kind: 'wire', messages: 'Hi' }, { input: 'Hi' }],
		[
			'the system prompt as instructions',
			{ kind: 'wire', messages: given, systemPrompt: 'Be brief' },
			{ instructions: 'Be brief', input: given },
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
	it.each<[string, Parameters<typeof looking>[0], Json]>([
		[
			'an image',
			inline('image', 'image/png'),
			{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
		],
		[
			'the address of an image',
			pairWithItem('image'),
			{ type: 'input_image', image_url: 'https://files.test/a' },
		],
		[
			'a sound',
			inline('audio', 'audio/x-wav'),
			{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
		],
		[
			'a file',
			inline('file', 'application/pdf', 'a.pdf'),
			{ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
		],
		['the address of a file', pairWithItem('file'), { type: 'input_file', file_url: 'https://files.test/a' }],
	])('%s is a part after the text', (_, attachment, part) => {
		expect(sent(looking(attachment))).toStrictEqual({
			input: [{ role: 'user', content: [{ type: 'input_text', text: 'Look' }, part] }],
		});
	});

	it('stand alone without a text', () => {
		expect(said({ role: 'user', text: '', attachments: [pairWithItem('image')] })).toStrictEqual({
			input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://files.test/a' }] }],
		});
	});

	it('an empty list is none', () => {
		expect(said({ role: 'user', text: 'Hi', attachments: [] })).toStrictEqual({ input: 'Hi' });
	});
});

describe('tools', () => {
	it('are functions of the fields of this format', () => {
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

	it.each(['auto', 'none', 'required'] as const)('the choice %s is a word', (toolChoice) => {
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
		{ kind: 'jsonSchema', name: 'book', schema, description: 'A book', strict: true },
		{ type: 'json_schema', name: 'book', description: 'A book', schema, strict: true },
	],
	[
		'a schema that need not be followed',
		{ kind: 'jsonSchema', name: 'book', schema, description: '', strict: false },
		{ type: 'json_schema', name: 'book', schema, strict: false },
	],
])('JSON by %s', (_, output, format) => {
	expect(sent({ output })).toStrictEqual({ input: 'Hi', text: { format } });
});
