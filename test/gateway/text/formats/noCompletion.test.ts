import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { errorDetailsOf, NO_USAGE, read, streamed } from './support';

const usage = { inputTokens: 7, outputTokens: 0, totalTokens: 7, cachedInputTokens: null };

describe('a response without any output', () => {
	it.each<[string, string, JsonObject]>([
		['chat: no choices', 'chat', { choices: [] }],
		['chat: no choice that is an object', 'chat', { choices: [null, 'Hello'] }],
		['responses: no items', 'responses', { status: 'completed', output: [] }],
		['responses: no items, and no status', 'responses', { output: [] }],
		['responses: no item that is an object', 'responses', { status: 'completed', output: [null] }],
		['messages: no content, and no stop reason', 'messages', { content: [] }],
		['messages: a stop reason that is null', 'messages', { content: [], stop_reason: null }],
	])('%s', (_, format, body) => {
		const details = errorDetailsOf(() => read(format, { id: 'r1', ...body }));
		expect(details).toStrictEqual({
			message: 'The model returned nothing',
			description: expect.stringMatching(/is empty/) as string,
			outcome: 'unknown',
			status: 200,
			code: 'no_completion',
			retryable: false,
			extra: { id: 'r1', usage: NO_USAGE, costRub: null },
		});
	});

	it.each<[string, JsonObject, JsonObject]>([
		[
			'chat',
			{ choices: [], usage: { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7, cost_rub: 0.5 } },
			{ usage: { ...usage, reasoningTokens: null }, costRub: 0.5 },
		],
		[
			'responses',
			{
				output: [],
				usage: { input_tokens: 7, output_tokens: 0, total_tokens: 7, cost: { total_cost: 0.5 } },
			},
			{ usage: { ...usage, reasoningTokens: null }, costRub: 0.5 },
		],
		[
			'messages',
			{ content: [], usage: { input_tokens: 7, output_tokens: 0 } },
			{ usage: { ...usage, reasoningTokens: null }, costRub: null },
		],
	])('%s: the error has the tokens and the cost', (format, body, extra) => {
		const details = errorDetailsOf(() => read(format, body));
		expect(details.extra).toStrictEqual({ id: null, ...extra });
		expect(details.outcome).toBe(extra.costRub === null ? 'unknown' : 'charged');
	});
});

describe.each([
	['chat', 'choices'],
	['responses', 'output'],
	['messages', 'content'],
])('%s: a response without the list of outputs', (format, list) => {
	it.each([undefined, null, 'Hello', {}, 7])('but %j', (value) => {
		const body = { [list]: value, usage: { cost_rub: 0.5, cost: { total_cost: 0.5 } } };
		const details = errorDetailsOf(() => read(format, body));
		expect(details).toMatchObject({ code: 'unreadable_answer', retryable: false, outcome: 'unknown' });
		expect(details.extra).toStrictEqual({
			id: null,
			usage: NO_USAGE,
			costRub: format === 'messages' ? null : 0.5,
		});
	});
});

describe('a completion without text', () => {
	it.each<[string, string, JsonObject, string | null]>([
		['chat: empty text', 'chat', { choices: [{ message: { content: '' }, finish_reason: 'stop' }] }, 'stop'],
		['chat: cut off', 'chat', { choices: [{ message: {}, finish_reason: 'length' }] }, 'length'],
		['chat: filtered', 'chat', { choices: [{ finish_reason: 'content_filter' }] }, 'content_filter'],
		['chat: only reasoning', 'chat', { choices: [{ message: { reasoning: 'Hm' } }] }, null],
		['chat: a tool call', 'chat', { choices: [{ message: { tool_calls: [{ id: 't' }] } }] }, null],
		[
			'responses: only reasoning',
			'responses',
			{ status: 'completed', output: [{ type: 'reasoning' }] },
			'stop',
		],
		['responses: cut off', 'responses', { status: 'incomplete', output: [] }, 'length'],
		['messages: nothing to say', 'messages', { content: [], stop_reason: 'end_turn' }, 'stop'],
		['messages: cut off', 'messages', { content: [], stop_reason: 'max_tokens' }, 'length'],
		['messages: refused', 'messages', { content: [], stop_reason: 'refusal' }, 'content_filter'],
		['messages: only reasoning', 'messages', { content: [{ type: 'thinking', thinking: 'Hm' }] }, null],
	])('%s', (_, format, body, finishReason) => {
		expect(read(format, body).first).toMatchObject({ text: '', finishReason });
	});
});

describe('a stream that ends without any output', () => {
	it.each<[string, string, JsonObject[]]>([
		['chat: nothing', 'chat', []],
		['chat: only the usage', 'chat', [{ choices: [], usage: { cost_rub: 0.5 } }]],
		[
			'responses',
			'responses',
			[{ type: 'response.completed', response: { status: 'completed', output: [] } }],
		],
		['messages', 'messages', [{ type: 'message_start', message: { content: [] } }, { type: 'message_stop' }]],
	])('%s: it is complete, and an error', (_, format, events) => {
		const { isComplete, body } = streamed(format, events);
		expect(isComplete[1]).toBe(true);
		expect(errorDetailsOf(() => read(format, body)).code).toBe('no_completion');
	});
});
