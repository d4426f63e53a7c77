import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { Message } from '@n8n/ai-node-sdk';

import {
	decodeReasoning,
	encodeReasoning,
	joinCompletions,
	type KeptReasoning,
} from '../../../nodes/ChatModel/reasoning';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { assistant, bodyOf, text, tool, toolCall, toolResult, user } from './conversations';
import { callOf, modelWith, streamed, streamOf, whole } from './support';

// Reasoning that goes back to the model with the results of its tool calls.

const kept: KeptReasoning = {
	format: 'chat',
	model: 'm',
	id: 'one',
	text: '',
	parts: [{ wire: { reasoning: 'Hm' }, callsBefore: 0 }],
	isRejected: false,
};
const part = (more: Partial<KeptReasoning> = {}) => ({
	type: 'provider' as const,
	value: JSON.parse(encodeReasoning({ ...kept, ...more })) as JsonObject,
});
const sent = (messages: Message[], format = 'chat') => {
	const { messages: list, input } = bodyOf(format, messages);
	return (list ?? input) as JsonObject[];
};

const go = user(text('Go'));
const result = tool(toolResult('a', 'x'));

describe('what agents keep', () => {
	it('is read as it was written', () => expect(decodeReasoning(encodeReasoning(kept))).toStrictEqual(kept));

	it.each([
		['the reasoning of another model', 'I think'],
		['other JSON', '{"format":"chat"}'],
		['an incomplete record', '{"aiGatewayReasoning":{"format":"chat"}}'],
		['nothing', undefined],
	])('%s is not read', (_, value) => expect(decodeReasoning(value)).toBeUndefined());

	it('leaves out parts that are not objects', () => {
		const stored = { ...kept, parts: [null, {}, { wire: { a: 1 } }] };
		expect(decodeReasoning({ aiGatewayReasoning: stored })?.parts).toStrictEqual([
			{ wire: { a: 1 }, callsBefore: 0 },
		]);
	});
});

describe('a message', () => {
	it('goes back with its reasoning', () => {
		const [, message] = sent([go, assistant(part(), toolCall('a', 'f', '{}')), result]);
		expect(message).toStrictEqual({
			role: 'assistant',
			content: null,
			tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
			reasoning: 'Hm',
		});
	});

	it.each([
		['of another format', { format: 'responses' }],
		['of another model', { model: 'other' }],
		['that the gateway has rejected', { isRejected: true }],
	])('goes back without reasoning %s', (_, more) => {
		const [, message] = sent([go, assistant(part(more), toolCall('a', 'f', '{}')), result]);
		expect(message).not.toHaveProperty('reasoning');
	});

	it('before the user’s last message goes back without its reasoning', () => {
		const [, message] = sent([go, assistant(part(), toolCall('a', 'f', '{}')), result, user(text('And?'))]);
		expect(message).not.toHaveProperty('reasoning');
	});

	it('has the text of its completion, which n8n does not keep', () => {
		const said = part({ text: 'Let me see' });
		const [, message] = sent([go, assistant(said, toolCall('a', 'f', '{}')), result]);
		expect(message?.content).toBe('Let me see');
	});

	it('has its text once', () => {
		const said = part({ text: 'Let me see' });
		const [, message] = sent([go, assistant(text('Let me see'), said, toolCall('a', 'f', '{}')), result]);
		expect(message?.content).toBe('Let me see');
	});

	it('has all tool calls of its completion before their results', () => {
		const messages = [
			go,
			assistant(part(), toolCall('a', 'f', '{}')),
			tool(toolResult('a', 'x')),
			assistant(part(), toolCall('b', 'g', '{}')),
			tool(toolResult('b', 'y')),
			assistant(part({ id: 'two' }), toolCall('c', 'h', '{}')),
			tool(toolResult('c', 'z')),
		];
		expect(
			sent(messages).map(({ role, tool_calls: calls }) => [role, (calls as JsonObject[])?.length]),
		).toStrictEqual([
			['user', undefined],
			['assistant', 2],
			['tool', undefined],
			['tool', undefined],
			['assistant', 1],
			['tool', undefined],
		]);
	});

	it('stays unchanged when others are joined to it', () => {
		const first = assistant(part(), toolCall('a', 'f', '{}'));
		joinCompletions([first, assistant(part(), toolCall('b', 'g', '{}'))]);
		expect(first.content).toHaveLength(2);
	});
});

describe('in the responses format', () => {
	it('reasoning has its place before the text and among the tool calls', () => {
		const wire = (id: string) => ({ type: 'reasoning', id, encrypted_content: '…' });
		const reasoning = part({
			format: 'responses',
			text: 'Two steps',
			parts: [
				{ wire: wire('r1'), callsBefore: 0 },
				{ wire: wire('r2'), callsBefore: 1 },
				{ wire: wire('r3'), callsBefore: 2 },
			],
		});
		const calls = [toolCall('a', 'f', '{}'), toolCall('b', 'g', '{}')];
		const items = sent([go, assistant(reasoning, ...calls), result], 'responses');
		expect(items.slice(1, 7)).toStrictEqual([
			wire('r1'),
			{ role: 'assistant', content: 'Two steps' },
			{ type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
			wire('r2'),
			{ type: 'function_call', call_id: 'b', name: 'g', arguments: '{}' },
			wire('r3'),
		]);
	});
});

test('in the messages format thinking blocks come first, as they were', () => {
	const blocks = [
		{ type: 'thinking', thinking: 'Hm', signature: 's' },
		{ type: 'redacted_thinking', data: 'd' },
	];
	const parts = blocks.map((wire) => ({ wire, callsBefore: 0 }));
	const reasoning = part({ format: 'messages', parts });
	const [, message] = sent(
		[go, assistant(text('So'), reasoning, toolCall('a', 'f', '{}')), result],
		'messages',
	);
	expect(message?.content).toStrictEqual([
		...blocks,
		{ type: 'text', text: 'So' },
		{ type: 'tool_use', id: 'a', name: 'f', input: {} },
	]);
});

describe('a LangChain message', () => {
	const reply = { reasoning: 'Hm', content: null, tool_calls: [callOf('a', 'f', '{}')] };
	const stored = (message: AIMessage) => decodeReasoning(message.additional_kwargs.reasoning_content);

	it('stores the reasoning of a completion that calls tools', async () => {
		const message = await modelWith(whole(reply, 'tool_calls')).lc.invoke([new HumanMessage('Go')]);
		expect(stored(message)).toStrictEqual({ ...kept, id: expect.any(String) as string });
	});

	it('stores it streamed, too', async () => {
		const body = streamOf({ reasoning: 'H' }, { reasoning: 'm' }, { tool_calls: [callOf('a', 'f', '{}')] });
		const message = await streamed(modelWith(body).lc);
		expect(stored(message)).toStrictEqual({ ...kept, id: expect.any(String) as string });
	});

	it.each([
		['calls no tools', { ...reply, tool_calls: [], content: 'Hi' }],
		['has no reasoning', { ...reply, reasoning: null }],
	])('stores nothing of a completion that %s', async (_, message) => {
		const response = await modelWith(whole(message)).lc.invoke([new HumanMessage('Go')]);
		expect(response.additional_kwargs).toStrictEqual({});
	});

	it.each([
		['text', 'So', 'So'],
		['empty text', '', null],
		['parts', [{ type: 'text', text: 'So' }], 'So'],
	])('with %s is sent with what it has stored', async (_, content, expected) => {
		const { lc, requests } = modelWith(whole({ content: 'Hi' }));
		const message = new AIMessage({
			content,
			tool_calls: [{ id: 'a', name: 'f', args: {} }],
			additional_kwargs: { reasoning_content: encodeReasoning(kept) },
		});
		await lc.invoke([new HumanMessage('Go'), message, new ToolMessage({ tool_call_id: 'a', content: 'x' })]);
		expect((requests()[0]?.messages as JsonObject[])[1]).toMatchObject({
			reasoning: 'Hm',
			content: expected,
		});
		expect(message.content).toStrictEqual(content);
	});
});
