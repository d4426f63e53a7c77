import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { z } from 'zod';

import { rejection } from '../helpers/client';
import { streamed } from '../nodes/chatModel/support';
import { streamOf, useReports } from './support';

// What a completion says of itself: its fields, its end, its reasoning, and that it is empty or not masked.

const { ask: askText, gateway, respond, respondText } = useReports();

type Format = 'chat' | 'responses' | 'messages';

const ask = async (format: Format, parameters: object = {}, asTool = false) =>
	await askText({ format, ...parameters }, asTool);

const STREAM = { options: { stream: true } };
const DONE = 'data: [DONE]\n\n';

const chatUsage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost_rub: 0.5 };
const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7, cost: { total_cost: 0.5 } };
const chat = (message: object, finish_reason = 'stop', more: object = {}) => ({
	id: 'c1',
	model: 'm',
	choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
	usage: { ...chatUsage, ...more },
});
const chunk = (delta: object, end: object = {}) => ({ choices: [{ index: 0, delta, ...end }] });
const finish = chunk({}, { finish_reason: 'stop' });
const costs = { choices: [], usage: chatUsage };
const response = (output: object[], more: object = {}) => ({
	id: 'r1',
	model: 'm',
	status: 'completed',
	output,
	usage,
	...more,
});
const created = {
	type: 'response.created',
	response: { id: 'r1', model: 'm', status: 'in_progress', output: [] },
};
const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] };
const message = (content: object[], stop_reason: string | null = 'end_turn') => ({
	id: 'm1',
	type: 'message',
	role: 'assistant',
	model: 'm',
	content,
	stop_reason,
	usage: { input_tokens: 3, output_tokens: 4 },
});
const start = message([], null);
const block = (index: number, content_block: object) => ({
	type: 'content_block_start',
	index,
	content_block,
});
const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } };

describe('the first value of a field that is there counts', () => {
	test.each<[title: string, format: Format, events: object[], json: object]>([
		[
			'chat: a first chunk with empty fields',
			'chat',
			[
				{ id: '', model: '', provider: null, choices: [] },
				{ id: 'c1', model: 'm', ...chunk({ content: 'Hi' }) },
				{ id: 'c1', model: 'm', provider: 'Acme', ...finish },
				costs,
			],
			{ id: 'c1', model: 'm', provider: 'Acme' },
		],
		[
			'chat: fields that only the last chunk has',
			'chat',
			[chunk({ content: 'Hi' }), finish, { id: 'c1', model: 'm', provider: 'Acme', ...costs }],
			{ id: 'c1', model: 'm', provider: 'Acme' },
		],
		[
			'chat: a model that changes',
			'chat',
			[
				{ id: 'c1', model: 'm', provider: 'Acme', ...chunk({ content: 'Hi' }) },
				{ id: 'c2', model: 'm-2025', provider: 'Other', ...finish },
				costs,
			],
			{ id: 'c1', model: 'm', provider: 'Acme' },
		],
		[
			'Responses: fields that only the first event has',
			'responses',
			[created, { type: 'response.completed', response: response([said], { id: '', model: null }) }],
			{ id: 'r1', model: 'm', costRub: 0.5 },
		],
		[
			'Responses: fields that only a later event has',
			'responses',
			[
				{ type: 'response.created', response: { id: '', status: 'in_progress', output: [] } },
				{
					type: 'response.in_progress',
					response: { id: 'r1', model: 'm', status: 'in_progress', output: [] },
				},
				{ type: 'response.completed', response: response([said], { id: undefined, model: undefined }) },
			],
			{ id: 'r1', model: 'm', finishReason: 'stop' },
		],
		[
			'Messages: a first event with empty fields',
			'messages',
			[
				{ type: 'message_start', message: { ...start, id: '', model: '', usage: null } },
				{ type: 'message_start', message: start },
				block(0, { type: 'text', text: 'Hi' }),
				ended,
			],
			{ id: 'm1', model: 'm', usage: { inputTokens: 3, outputTokens: 4 } },
		],
	])('%s', async (_, format, events, json) => {
		respond(events);
		const result = await ask(format, STREAM);
		expect(result.json).toMatchObject({ text: 'Hi', ...json });
		expect(result.json).not.toHaveProperty('error');
	});
});

const toolCall = { id: 'f1', type: 'function', function: { name: 'look', arguments: '{"a":7}' } };
const toolCalls = [{ id: 'f1', name: 'look', arguments: { a: 7 } }];
const NO_END = 'does not say why it ended';

describe('a stream of Chat Completions that ends with [DONE]', () => {
	test.each<[title: string, events: object[], json: object, hasHint: boolean]>([
		['alone', [chunk({ content: 'Hi ' }), chunk({ content: 'there' })], { text: 'Hi there' }, true],
		['after a tool call', [chunk({ tool_calls: [toolCall] })], { text: '', toolCalls }, true],
		['after thoughts', [chunk({ reasoning: 'Hm' }), chunk({ content: 'Hi' })], { text: 'Hi' }, true],
		['after usage', [chunk({ content: 'Hi' }), costs], { text: 'Hi', costRub: 0.5 }, false],
		['after a cost', [chunk({ content: 'Hi' }), { usage: { cost_rub: 0.5 } }], { costRub: 0.5 }, false],
		['after tokens', [chunk({ content: 'Hi' }), { usage: { completion_tokens: 4 } }], { text: 'Hi' }, false],
		['after a reason', [chunk({ content: 'Hi' }), finish], { text: 'Hi', finishReason: 'stop' }, false],
	])('%s, without more, is a result', async (_, events, json, hasHint) => {
		for (const parameters of [STREAM, {}]) {
			respondText(streamOf(events) + DONE, 'text/event-stream');
			const result = await ask('chat', parameters);
			expect(result.json).toMatchObject(json);
			expect(result.json).not.toHaveProperty('error');
			expect(result.hints.join('\n').includes(NO_END)).toBe(hasHint);
		}
	});

	test('is complete for an agent', async () => {
		const { lc } = await gateway.chatModel();
		respondText(streamOf([chunk({ content: 'Hi' })]) + DONE, 'text/event-stream');
		expect((await streamed(lc)).text).toBe('Hi');
	});

	test('is an error without [DONE]: a part may be missing', async () => {
		respond([chunk({ content: 'Hi ' })]);
		const { json } = await ask('chat', STREAM);
		expect(json).toMatchObject({ error: { code: 'stream_incomplete', receivedText: 'Hi ' } });
	});
});

const thoughts = { type: 'reasoning', id: 's1', summary: [{ type: 'summary_text', text: 'Moscow.' }] };
const thinking = { type: 'thinking', thinking: 'Moscow.', signature: 'x' };

/** Complete, and without a text: whole, and as events. */
const EMPTY: Array<[title: string, format: Format, whole: object, events: object[], reasoning: string]> = [
	[
		'chat, only reasoning',
		'chat',
		chat({ content: null, reasoning: 'Moscow.' }),
		[chunk({ reasoning: 'Mos' }), chunk({ reasoning: 'cow.' }), finish, costs],
		'Moscow.',
	],
	['chat, nothing', 'chat', chat({ content: '' }), [chunk({ content: '' }), finish, costs], ''],
	[
		'Responses, only reasoning',
		'responses',
		response([thoughts]),
		[created, { type: 'response.completed', response: response([thoughts]) }],
		'Moscow.',
	],
	[
		'Responses, a message without a text',
		'responses',
		response([{ ...said, content: [] }]),
		[created, { type: 'response.completed', response: response([{ ...said, content: [] }]) }],
		'',
	],
	[
		'Messages, only thinking',
		'messages',
		message([thinking]),
		[{ type: 'message_start', message: start }, block(0, thinking), ended],
		'Moscow.',
	],
	['Messages, nothing', 'messages', message([]), [{ type: 'message_start', message: start }, ended], ''],
	[
		'chat, white space beside reasoning',
		'chat',
		chat({ content: '\n\n', reasoning: 'Moscow.' }),
		[chunk({ reasoning: 'Moscow.' }), chunk({ content: '\n' }), chunk({ content: '\n' }), finish, costs],
		'Moscow.',
	],
	['chat, white space', 'chat', chat({ content: ' \t' }), [chunk({ content: ' \t' }), finish, costs], ''],
	[
		'chat, only thoughts in the text',
		'chat',
		chat({ content: '<think>Moscow.</think>\n' }),
		[chunk({ content: '<think>Mos' }), chunk({ content: 'cow.</think>\n' }), finish, costs],
		'Moscow.',
	],
	[
		'Responses, white space beside reasoning',
		'responses',
		response([thoughts, { ...said, content: [{ type: 'output_text', text: '\n\n' }] }]),
		[
			created,
			{ type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: '\n\n' },
			{ type: 'response.completed', response: response([thoughts]) },
		],
		'Moscow.',
	],
	[
		'Messages, white space beside thinking',
		'messages',
		message([thinking, { type: 'text', text: '\n\n' }]),
		[
			{ type: 'message_start', message: start },
			block(0, thinking),
			block(1, { type: 'text', text: '\n\n' }),
			ended,
		],
		'Moscow.',
	],
];
const WAYS = [
	{ way: 'whole', stream: false },
	{ way: 'streamed', stream: true },
];

describe.each(WAYS)('a response that is complete but empty, $way', ({ stream }) => {
	test.each(EMPTY)('%s: the node says so', async (_, format, whole, events, reasoning) => {
		respond(stream ? events : whole);
		const { json, hints, sent } = await ask(format, { options: { stream } });
		expect(json).toMatchObject({ text: '', finishReason: 'stop', costRub: expect.any(Number) as number });
		expect(json.reasoning ?? '').toBe(reasoning);
		expect(hints[1]).toBe(
			reasoning === ''
				? 'The response is complete, but it has no text. Change the prompt, or choose another model.'
				: 'The response is complete, but it has no text, only reasoning. Change the prompt, or choose another model.',
		);
		expect(sent).toHaveLength(1);
	});

	test.each(EMPTY)('%s: an agent gets an error', async (_, format, whole, events, reasoning) => {
		const { lc } = await gateway.chatModel({ parameters: { format } });
		respond(stream ? events : whole);
		const go = [new HumanMessage('Go')];
		const error = await rejection(stream ? streamed(lc, go) : lc.invoke(go));
		expect(error).toMatchObject({ message: 'The model responded with no text' });
		const { description } = error as { description: string };
		expect(description).toMatch(/^The response is complete, but it has no text.*The call cost ₽/s);
		expect(description.includes('It reasoned: “Moscow.”')).toBe(reasoning !== '');
	});

	test.each(EMPTY)('%s: so does an agent whose tool it is', async (_, format, whole, events, reasoning) => {
		respond(stream ? events : whole);
		const { json } = await ask(format, { options: { stream } }, true);
		expect(json).toMatchObject({
			text: '',
			note: expect.stringMatching(/^The response is complete, but it has no text/) as string,
		});
		expect(json.reasoning ?? '').toBe(reasoning);
	});

	test('with a tool call or a refusal it is not empty', async () => {
		const messages = [
			{ content: null, tool_calls: [toolCall] },
			{ content: '\n\n', tool_calls: [toolCall] },
			{ content: null, refusal: 'No' },
		];
		for (const one of messages) {
			respond(stream ? [chunk(one), finish, costs] : chat(one));
			const { hints } = await ask('chat', { options: { stream } });
			expect(hints.join()).not.toContain('it has no text');
		}
	});
});

test.each(['queued', 'in_progress', 'cancelled'])(
	'Responses: %s without output is an error that does not ask for another run (§2.3)',
	async (status) => {
		respond(response([], { status, usage: null }));
		const { json, sent } = await ask('responses');
		const { description, ...error } = json.error as Record<string, unknown>;
		expect(error).toMatchObject({
			code: 'no_completion',
			message: `The gateway responded before the model: the status of the response is “${status}”`,
			mayBeCharged: true,
			retryable: false,
		});
		expect(description).not.toMatch(/run this item again/i);
		expect(description).toMatch(/the field background/);
		expect(sent).toHaveLength(1);
	},
);

test('a response without output that may be charged does not ask for another run', async () => {
	respond({ id: 'c1', choices: [] });
	const { json } = await ask('chat');
	const { description, mayBeCharged } = json.error as Record<string, unknown>;
	expect([mayBeCharged, /run this item again/i.test(String(description))]).toStrictEqual([true, false]);
});

describe('reasoning_content, a vendor’s name of reasoning,', () => {
	test.each<[title: string, body: object | object[], json: object]>([
		['is reasoning', chat({ content: 'Hi', reasoning_content: 'Hm' }), { text: 'Hi', reasoning: 'Hm' }],
		[
			'is reasoning, streamed',
			[
				chunk({ reasoning_content: 'H' }),
				chunk({ reasoning_content: 'm' }),
				chunk({ content: 'Hi' }),
				finish,
				costs,
			],
			{ text: 'Hi', reasoning: 'Hm' },
		],
		[
			'beside an empty one is reasoning',
			chat({ content: 'Hi', reasoning: '', reasoning_content: 'Hm' }),
			{ reasoning: 'Hm' },
		],
		[
			'that repeats it counts once',
			[chunk({ reasoning: 'Hm', reasoning_content: 'Hm' }), chunk({ content: 'Hi' }), finish, costs],
			{ reasoning: 'Hm' },
		],
	])('%s', async (_, body, json) => {
		respond(body);
		const result = await ask('chat', { options: { stream: Array.isArray(body) } });
		expect(result.json).toMatchObject(json);
	});
});

const tools = [{ name: 'look', description: 'Looks', schema: z.object({}), invoke: () => '' }];

/** What the second request of an agent has of the first completion, whose tools it has called. */
async function sentBack(format: Format, body: object | object[]) {
	const { lc } = await gateway.chatModel({ parameters: { format } });
	const agent = lc.bindTools(tools);
	respond(body);
	const first = Array.isArray(body) ? await streamed(agent) : await agent.invoke([new HumanMessage('Go')]);
	const { tool_calls: calls = [] } = first;
	// As n8n's agent does: a message of each tool call.
	const messages = calls.flatMap((call): BaseMessage[] => [
		new AIMessage({ content: '', tool_calls: [call], additional_kwargs: first.additional_kwargs }),
		new ToolMessage({ tool_call_id: call.id ?? '', content: 'seen' }),
	]);
	respond(
		format === 'chat'
			? chat({ content: 'Hi' })
			: format === 'messages'
				? message([{ type: 'text', text: 'Hi' }])
				: response([said]),
	);
	await agent.invoke([new HumanMessage('Go'), ...messages]);
	const { json } = gateway.control.requests({ method: 'POST' })[1]?.body ?? {};
	return json as { messages?: object[]; input?: object[] };
}

describe('what an agent sends back with the results of tools', () => {
	const wire = { reasoning_content: 'Hm' };
	test.each<[title: string, body: object | object[]]>([
		['whole', chat({ content: null, ...wire, tool_calls: [toolCall] }, 'tool_calls')],
		['streamed', [chunk(wire), chunk({ tool_calls: [{ index: 0, ...toolCall }] }), finish, costs]],
	])('is the reasoning under the name that it came with: %s', async (_, body) => {
		const { messages } = await sentBack('chat', body);
		expect(messages?.[1]).toMatchObject({ role: 'assistant', ...wire });
		expect(messages?.[1]).not.toHaveProperty('reasoning');
	});

	const think = (text: string) => ({ type: 'thinking', thinking: text, signature: text });
	const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
	const mixed = [think('A'), use('1'), think('B'), use('2')];
	const mixedEvents = [
		{ type: 'message_start', message: start },
		...mixed.map((part, index) => block(index, part)),
		{ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } },
	];

	test.each<[title: string, body: object | object[], content: object[]]>([
		['thinking and calls', message(mixed, 'tool_use'), mixed],
		['thinking and calls, streamed', mixedEvents, mixed],
		[
			'a text between them',
			message([think('A'), { type: 'text', text: 'Hi' }, use('1'), think('B'), use('2')], 'tool_use'),
			[think('A'), { type: 'text', text: 'Hi' }, use('1'), think('B'), use('2')],
		],
		[
			'calls first',
			message([use('1'), think('A'), use('2'), use('3'), think('B')], 'tool_use'),
			[use('1'), think('A'), use('2'), use('3'), think('B')],
		],
	])('keeps the order of Messages: %s', async (_, body, content) => {
		const { messages } = await sentBack('messages', body);
		expect(messages?.[1]).toStrictEqual({ role: 'assistant', content });
	});

	const reason = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: id });
	const called = (call_id: string) => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' });

	test('keeps the order of Responses', async () => {
		const output = [reason('A'), called('1'), reason('B'), said, called('2')];
		const { input } = await sentBack('responses', response(output));
		expect(input?.slice(1, -2)).toStrictEqual([
			reason('A'),
			called('1'),
			reason('B'),
			{ role: 'assistant', content: 'Hi' },
			called('2'),
		]);
	});
});

describe('plugin_post_process_error (§2.4)', () => {
	const NOT_MASKED = /^A plugin failed after the model had answered/;
	const failed = { plugin_post_process_error: true };
	const streamedWith = (more: object) => [
		chunk({ content: 'Hi' }),
		finish,
		{ choices: [], usage: { ...chatUsage, ...more } },
	];

	test.each<[title: string, body: object | object[]]>([
		['whole', chat({ content: 'Hi' }, 'stop', failed)],
		['streamed', streamedWith(failed)],
	])('%s: a hint, and a line for agents', async (_, body) => {
		const options = { stream: Array.isArray(body) };
		respond(body);
		const { json, hints } = await ask('chat', { options });
		expect(json).toMatchObject({ text: 'Hi', costRub: 0.5 });
		expect(hints[1]).toMatch(NOT_MASKED);
		respond(body);
		const tool = await ask('chat', { options }, true);
		expect(tool.json).toMatchObject({ text: 'Hi', note: expect.stringMatching(NOT_MASKED) as string });
	});

	test('beside a text that is cut off, both are said', async () => {
		respond(chat({ content: 'Hi' }, 'length', failed));
		const { hints } = await ask('chat');
		expect(hints[1]).toMatch(/^The text is cut off.* A plugin failed/);
	});

	test('is in the log of the chat model, and its JSON is checked', async () => {
		const { lc } = await gateway.chatModel({ parameters: { outputFormat: 'jsonObject' } });
		respond(chat({ content: 'Hi' }, 'stop', failed));
		const answer = await lc.invoke([new HumanMessage('Go')]);
		expect(answer.text).toBe('Hi');
		expect(JSON.stringify(answer.response_metadata)).toContain('A plugin failed');
	});

	test.each([false, null, undefined])('%s says nothing', async (value) => {
		respond(chat({ content: 'Hi' }, 'stop', { plugin_post_process_error: value }));
		const { hints } = await ask('chat');
		expect(hints).toStrictEqual([expect.stringMatching(/^Cost/)]);
	});
});
