import type { ToolCall } from '../../../../nodes/shared/gateway/text/formats/completion';
import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { streamed, streamedChoice } from './support';

const chunk = (delta: JsonObject): JsonObject => ({ choices: [{ index: 0, delta }] });
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
const choiceOf = (...events: JsonObject[]) => streamedChoice('chat', events);

describe('tool calls in a chat stream', () => {
	const delta = (...calls: JsonObject[]) => chunk({ tool_calls: calls });
	const call = (fields: JsonObject, args?: unknown, name?: string): JsonObject => ({
		...fields,
		function: { name, arguments: args as string },
	});

	it('are assembled as in an unstreamed response', () => {
		const { body } = streamed('chat', [
			delta(call({ index: 0, id: 't1' }, '{}', 'look')),
			delta(call({ index: 1 }, '')),
			stop,
		]);
		expect(body.choices).toStrictEqual([
			{
				index: 0,
				message: {
					role: 'assistant',
					content: null,
					tool_calls: [
						{ id: 't1', type: 'function', function: { name: 'look', arguments: '{}' } },
						{ type: 'function', function: { name: '', arguments: '' } },
					],
					refusal: null,
					reasoning: null,
					annotations: [],
				},
				finish_reason: 'tool_calls',
				reasoning_details: [],
				logprobs: null,
			},
		]);
	});

	it('leave the text as it is', () => {
		expect(choiceOf(chunk({ content: 'Hello' }), delta(call({ id: 't1' }, '{}', 'look')), stop).text).toBe(
			'Hello',
		);
	});

	it.each<[string, JsonObject[], ToolCall[]]>([
		[
			'arguments in several deltas',
			[
				delta(call({ index: 0, id: 't1' }, '', 'look')),
				delta(call({ index: 0 }, '{"a"')),
				delta(call({ index: 0 }, ':1}')),
			],
			[{ id: 't1', name: 'look', arguments: { a: 1 } }],
		],
		[
			'alternating deltas of two calls',
			[
				delta(call({ index: 0, id: 't1' }, '{"a"', 'look'), call({ index: 1, id: 't2' }, '{"b"', 'go')),
				delta(call({ index: 1 }, ':2}'), call({ index: 0 }, ':1}')),
			],
			[
				{ id: 't1', name: 'look', arguments: { a: 1 } },
				{ id: 't2', name: 'go', arguments: { b: 2 } },
			],
		],
		[
			'a gap between the indexes',
			[delta(call({ index: 0, id: 't1' }, '{}', 'look')), delta(call({ index: 5, id: 't2' }, '{}', 'go'))],
			[
				{ id: 't1', name: 'look', arguments: {} },
				{ id: 't2', name: 'go', arguments: {} },
			],
		],
		[
			'the id and the name in each delta',
			[
				delta(call({ index: 0, id: 't1' }, '{"a"', 'look')),
				delta(call({ index: 0, id: 't1' }, ':1}', 'look')),
			],
			[{ id: 't1', name: 'look', arguments: { a: 1 } }],
		],
		[
			'empty IDs and names in later deltas',
			[delta(call({ index: 0, id: 't1' }, '{"a"', 'look')), delta(call({ index: 0, id: '' }, ':1}', ''))],
			[{ id: 't1', name: 'look', arguments: { a: 1 } }],
		],
		[
			'the id after the first delta',
			[delta(call({ index: 0 }, '{"a"', 'look')), delta(call({ index: 0, id: 't1' }, ':1}'))],
			[{ id: 't1', name: 'look', arguments: { a: 1 } }],
		],
		[
			'one index for all, and different ids',
			[
				delta(call({ index: 0, id: 't1' }, '{}', 'look')),
				delta(call({ index: 0, id: 't2' }, '{"b"', 'go')),
				delta(call({ index: 0 }, ':2}')),
			],
			[
				{ id: 't1', name: 'look', arguments: {} },
				{ id: 't2', name: 'go', arguments: { b: 2 } },
			],
		],
		[
			'no indexes: the place counts',
			[
				delta(call({ id: 't1' }, '{"a"', 'look'), call({ id: 't2' }, '{"b"', 'go')),
				delta(call({}, ':1}'), call({}, ':2}')),
			],
			[
				{ id: 't1', name: 'look', arguments: { a: 1 } },
				{ id: 't2', name: 'go', arguments: { b: 2 } },
			],
		],
		[
			'no arguments at all',
			[delta({ index: 0, id: 't1', function: { name: 'look' } })],
			[{ id: 't1', name: 'look', arguments: {} }],
		],
		['no function', [delta({ index: 0, id: 't1' })], [{ id: 't1', name: '', arguments: {} }]],
		[
			'arguments that are an object already',
			[delta(call({ index: 0, id: 't1' }, { a: 1 }, 'look'))],
			[{ id: 't1', name: 'look', arguments: { a: 1 } }],
		],
		[
			'arguments that are cut off',
			[delta(call({ index: 0, id: 't1' }, '{"a"', 'look'))],
			[{ id: 't1', name: 'look', arguments: '{"a"', invalidArguments: true }],
		],
	])('are assembled with %s', (_, events, calls) => {
		expect(choiceOf(...events, stop).toolCalls).toStrictEqual(calls);
	});
});
