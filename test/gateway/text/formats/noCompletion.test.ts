import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { errorDetailsOf, NO_USAGE, read, streamed } from './support';

const used = {
	inputTokens: 7,
	outputTokens: 0,
	totalTokens: 7,
	cachedInputTokens: null,
	reasoningTokens: null,
};
const chatUsage = { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7, cost_rub: 0.5 };
const tokens = { input_tokens: 7, output_tokens: 0 };

describe('a response without any output is an error with what it cost', () => {
	it.each<[string, string, JsonObject]>([
		['chat: no choice that is an object', 'chat', { choices: [null, 'Hello'] }],
		['responses: no items, and no status', 'responses', { output: [] }],
		['responses: no item that is an object', 'responses', { status: 'completed', output: [null] }],
		['messages: no content, and no stop reason', 'messages', { content: [] }],
		['messages: a stop reason that is null', 'messages', { content: [], stop_reason: null }],
		...['chat', 'responses', 'messages'].flatMap((format) =>
			[undefined, null, 'Hello', {}, 7].map((list): [string, string, JsonObject] => [
				`${format}: ${JSON.stringify(list)} for the list`,
				format,
				{ status: 'completed', stop_reason: 'end_turn', choices: list, output: list, content: list },
			]),
		),
	])('%s', (_, format, body) => {
		expect(errorDetailsOf(() => read(format, { id: 'r1', ...body }))).toStrictEqual({
			message: 'The model returned nothing',
			description: expect.stringMatching(/is missing or empty/) as string,
			outcome: 'unknown',
			status: 200,
			code: 'no_completion',
			retryable: false,
			extra: { id: 'r1', usage: NO_USAGE, costRub: null },
		});
	});

	it.each<[string, JsonObject, number | null]>([
		['chat', { choices: [], usage: chatUsage }, 0.5],
		[
			'responses',
			{ status: 'completed', usage: { ...tokens, total_tokens: 7, cost: { total_cost: 0.5 } } },
			0.5,
		],
		['messages', { content: [], usage: tokens }, null],
	])('%s', (format, body, costRub) => {
		const details = errorDetailsOf(() => read(format, body));
		expect(details.extra).toStrictEqual({ id: null, usage: used, costRub });
		expect(details.outcome).toBe(costRub === null ? 'unknown' : 'charged');
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
		['responses: queued', 'responses', { status: 'queued' }, 'queued'],
		['responses: in progress', 'responses', { status: 'in_progress' }, 'in_progress'],
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
