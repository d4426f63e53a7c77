import type {
	TextRequest,
	ToolMessage,
	ChatMessage,
} from '../../../../nodes/shared/gateway/text/formats/request';
import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { bodyOf, inline, fromUrl, lookWith, messages } from './support';

const sent = (parts: Partial<TextRequest>) => {
	const { model, max_tokens, ...rest } = bodyOf('messages', parts);
	expect({ model, max_tokens }).toStrictEqual({ model: 'acme/writer', max_tokens: 4096 });
	return rest;
};
const extra = (parts: Partial<TextRequest>): JsonObject => {
	const { messages, ...rest } = sent(parts);
	expect(messages).toStrictEqual([{ role: 'user', content: 'Hi' }]);
	return rest;
};
const sentMessages = (...list: Array<ChatMessage | ToolMessage>) => sent({ conversation: messages(...list) });
const schema = { type: 'object', properties: {} };
const look = { name: 'look', parameters: schema };

it('a plain request has only the model, the messages and the required max_tokens', () => {
	expect(bodyOf('messages')).toStrictEqual({
		model: 'acme/writer',
		messages: [{ role: 'user', content: 'Hi' }],
		max_tokens: 4096,
	});
});

it('a streamed request has the field stream', () => {
	expect(extra({ stream: true })).toStrictEqual({ stream: true });
});

it('max_tokens of the user replaces the default', () => {
	expect(bodyOf('messages', { options: { maxTokens: 5 } }).max_tokens).toBe(5);
});

describe('the conversation', () => {
	it('has the system and developer messages as its system text', () => {
		expect(
			sentMessages(
				{ role: 'system', text: 'Be brief' },
				{ role: 'user', text: 'Hi' },
				{ role: 'developer', text: 'In English' },
				{ role: 'assistant', text: 'Hello' },
			),
		).toStrictEqual({
			system: 'Be brief\n\nIn English',
			messages: [
				{ role: 'user', content: 'Hi' },
				{ role: 'assistant', content: 'Hello' },
			],
		});
	});

	it('has no system text for an empty system message', () => {
		expect(sentMessages({ role: 'system', text: '' }, { role: 'user', text: 'Hi' })).toStrictEqual({
			messages: [{ role: 'user', content: 'Hi' }],
		});
	});

	it('leaves out an empty message', () => {
		expect(sentMessages({ role: 'user', text: 'Hi' }, { role: 'assistant', text: ' \n' })).toStrictEqual({
			messages: [{ role: 'user', content: 'Hi' }],
		});
	});

	it('has tool calls after the text, with objects as arguments', () => {
		const toolCalls = [
			{ id: 'c1', name: 'look', arguments: '{"a":1}' },
			{ id: 'c2', name: 'go', arguments: '' },
			{ id: 'c3', name: 'go', arguments: '[1]' },
		];
		expect(sentMessages({ role: 'assistant', text: 'Wait', toolCalls }).messages).toStrictEqual([
			{
				role: 'assistant',
				content: [
					{ type: 'text', text: 'Wait' },
					{ type: 'tool_use', id: 'c1', name: 'look', input: { a: 1 } },
					{ type: 'tool_use', id: 'c2', name: 'go', input: {} },
					{ type: 'tool_use', id: 'c3', name: 'go', input: {} },
				],
			},
		]);
	});

	it('has only tool calls without a text', () => {
		const toolCalls = [{ id: 'c1', name: 'look', arguments: '{}' }];
		expect(sentMessages({ role: 'assistant', text: '  ', toolCalls }).messages).toStrictEqual([
			{ role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
		]);
	});

	it('has attachments first and tool calls last', () => {
		const toolCalls = [{ id: 'c1', name: 'look', arguments: '{}' }];
		expect(
			sentMessages({ role: 'assistant', text: 'See', attachments: [fromUrl('image')], toolCalls }).messages,
		).toStrictEqual([
			{
				role: 'assistant',
				content: [
					{ type: 'image', source: { type: 'url', url: 'https://files.test/a' } },
					{ type: 'text', text: 'See' },
					{ type: 'tool_use', id: 'c1', name: 'look', input: {} },
				],
			},
		]);
	});

	it('has the results of tools that were called together in one message', () => {
		const result = (callId: string): ToolMessage => ({ role: 'tool', callId, text: `seen ${callId}` });
		const part = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `seen ${id}` });
		expect(
			sentMessages(
				{ role: 'user', text: 'Hi' },
				result('a'),
				result('b'),
				result('c'),
				{ role: 'user', text: 'And?' },
				result('d'),
				{ role: 'user', text: 'Look', attachments: [fromUrl('image')] },
				result('e'),
				result('f'),
			).messages,
		).toStrictEqual([
			{ role: 'user', content: 'Hi' },
			{ role: 'user', content: [part('a'), part('b'), part('c')] },
			{ role: 'user', content: 'And?' },
			{ role: 'user', content: [part('d')] },
			{
				role: 'user',
				content: [
					{ type: 'image', source: { type: 'url', url: 'https://files.test/a' } },
					{ type: 'text', text: 'Look' },
				],
			},
			{ role: 'user', content: [part('e'), part('f')] },
		]);
	});

	it('sends the result of a tool unchanged where its call is missing', () => {
		expect(sentMessages({ role: 'tool', callId: 'c9', text: 'seen' }).messages).toStrictEqual([
			{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c9', content: 'seen' }] },
		]);
	});

	const wireMessages = [
		{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c9', content: 'seen' }] },
	];

	it.each<[string, TextRequest['conversation'], JsonObject]>([
		['messages as they are', { kind: 'wire', messages: wireMessages }, { messages: wireMessages }],
		[
			'the system prompt as the system text',
			{ kind: 'wire', messages: wireMessages, systemPrompt: 'Be brief' },
			{ system: 'Be brief', messages: wireMessages },
		],
		[
			'no system text for an empty prompt',
			{ kind: 'wire', messages: wireMessages, systemPrompt: '' },
			{ messages: wireMessages },
		],
	])('sends %s', (_, conversation, expected) => {
		expect(sent({ conversation })).toStrictEqual(expected);
	});

	it('has a text instead of messages as a message of the user', () => {
		expect(sent({ conversation: { kind: 'wire', messages: 'Hi' } }).messages).toStrictEqual([
			{ role: 'user', content: 'Hi' },
		]);
	});
});

describe('attachments', () => {
	it.each([
		[
			'an image',
			inline('image', 'image/png'),
			{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
		],
		[
			'the address of an image',
			fromUrl('image'),
			{ type: 'image', source: { type: 'url', url: 'https://files.test/a' } },
		],
		[
			'a file',
			inline('file', 'application/pdf', 'a.pdf'),
			{
				type: 'document',
				source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
				title: 'a.pdf',
			},
		],
		[
			'the address of a file',
			fromUrl('file'),
			{ type: 'document', source: { type: 'url', url: 'https://files.test/a' } },
		],
	])('%s is a part before the text', (_, attachment, part) => {
		expect(sent(lookWith(attachment)).messages).toStrictEqual([
			{ role: 'user', content: [part, { type: 'text', text: 'Look' }] },
		]);
	});
});

describe('tools', () => {
	it('have the fields of this format', () => {
		const tools = [
			{ ...look, description: 'Looks', strict: true },
			{ name: 'go', description: '', parameters: {} },
		];
		expect(extra({ tools })).toStrictEqual({
			tools: [
				{ name: 'look', description: 'Looks', input_schema: schema },
				{ name: 'go', input_schema: {} },
			],
		});
	});

	it.each([
		['auto', { type: 'auto' }],
		['none', { type: 'none' }],
		['required', { type: 'any' }],
		[{ name: 'look' }, { type: 'tool', name: 'look' }],
	] as const)('the choice %j is %j', (toolChoice, wire) => {
		expect(extra({ toolChoice })).toStrictEqual({ tool_choice: wire });
	});
});

describe('JSON output', () => {
	const output = { kind: 'jsonSchema', name: 'book', schema } as const;
	const description = 'Gives the answer as JSON. Always answer by calling it.';
	const jsonTool = { name: 'book', description, input_schema: schema };
	const forced = { type: 'tool', name: 'book' };

	it('is requested with a tool that must be called', () => {
		expect(extra({ output })).toStrictEqual({ tools: [jsonTool], tool_choice: forced });
	});

	it.each([
		[{ type: 'adaptive' }, { type: 'auto' }],
		[{ type: 'brand_new', budget_tokens: 5 }, { type: 'auto' }],
		[{ type: 'disabled' }, forced],
		[{}, forced],
	])('is requested with a tool that need not be called by a model that thinks: %j', (thinking, choice) => {
		for (const tools of [[], [look]])
			expect(extra({ output, tools, toolChoice: 'none', options: { thinking } }).tool_choice).toStrictEqual(
				choice,
			);
	});

	it('may be any object, without a schema', () => {
		expect(extra({ output: { kind: 'jsonObject', name: 'book' } })).toStrictEqual({
			tools: [{ ...jsonTool, input_schema: { type: 'object' } }],
			tool_choice: forced,
		});
	});

	it('is an object, where the schema has no type', () => {
		expect(extra({ output: { ...output, schema: { required: ['a'] } } }).tools).toStrictEqual([
			{ ...jsonTool, input_schema: { required: ['a'], type: 'object' } },
		]);
	});

	it.each([undefined, 'auto', 'required'] as const)(
		'may be replaced by another tool, with the choice %s',
		(toolChoice) => {
			expect(extra({ output, tools: [look], toolChoice })).toStrictEqual({
				tools: [{ name: 'look', input_schema: schema }, jsonTool],
				tool_choice: { type: 'any' },
			});
		},
	);

	it('allows no other tool, with the choice none', () => {
		expect(extra({ output, tools: [look], toolChoice: 'none' })).toStrictEqual({
			tools: [{ name: 'look', input_schema: schema }, jsonTool],
			tool_choice: forced,
		});
	});

	it('gives way to a tool that must be called', () => {
		const parts = { output, tools: [look], toolChoice: { name: 'look' } };
		expect(extra(parts).tool_choice).toStrictEqual({ type: 'tool', name: 'look' });
	});
});
