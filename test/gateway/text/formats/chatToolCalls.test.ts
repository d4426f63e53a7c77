import type { ToolCall } from '../../../../nodes/shared/gateway/text/formats/completion';
import { asObject, asText, type Json, type JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { streamed, streamedChoice } from './support';

const chunk = (delta: JsonObject): JsonObject => ({ choices: [{ index: 0, delta }] });
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
const delta = (...calls: JsonObject[]) => chunk({ tool_calls: calls });
/** A part of a tool call. */
const call = (index: number | undefined, id?: string, name?: string, args?: Json): JsonObject => ({
	index,
	id,
	function: { name, arguments: args },
});
const look = (args: Json): ToolCall => ({ id: 't1', name: 'look', arguments: args });
const go = (args: Json): ToolCall => ({ id: 't2', name: 'go', arguments: args });

it('tool calls in a chat stream are assembled as in an unstreamed response', () => {
	const { body } = streamed('chat', [delta(call(0, 't1', 'look', '{}')), delta(call(1)), stop]);
	expect(JSON.parse(JSON.stringify(body.choices))).toStrictEqual([
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

it('tool calls leave the text as it is', () => {
	const events = [chunk({ content: 'Hello' }), delta(call(0, 't1', 'look', '{}')), stop];
	expect(streamedChoice('chat', events).text).toBe('Hello');
});

const whole = call(0, 't1', 'look', '{}');
const begin = call(0, 't1', 'look', '{"a"');
const otherBegin = call(1, 't2', 'go', '{"b"');

it.each<[string, JsonObject[], ToolCall[]]>([
	[
		'arguments in several deltas',
		[delta(call(0, 't1', 'look', '')), delta(call(0, '', '', '{}'))],
		[look({})],
	],
	[
		'alternating deltas of two calls',
		[delta(begin, otherBegin), delta(call(1, '', '', ':2}'), call(0, '', '', ':1}'))],
		[look({ a: 1 }), go({ b: 2 })],
	],
	['a gap between the indexes', [delta(whole), delta(call(5, 't2', 'go', '{}'))], [look({}), go({})]],
	[
		'the id and the name in each delta',
		[delta(begin), delta(call(0, 't1', 'look', ':1}'))],
		[look({ a: 1 })],
	],
	[
		'no id and no name in later deltas',
		[delta(begin), delta(call(0, undefined, undefined, ':1}'))],
		[look({ a: 1 })],
	],
	[
		'the id after the first delta',
		[delta(call(0, '', 'look', '{"a"')), delta(call(0, 't1', '', ':1}'))],
		[look({ a: 1 })],
	],
	[
		'one index for all, and different ids',
		[delta(whole), delta(call(0, 't2', 'go', '{"b"')), delta(call(0, '', '', ':2}'))],
		[look({}), go({ b: 2 })],
	],
	[
		'no indexes: the place counts',
		[
			delta(call(undefined, 't1', 'look', '{"a"'), call(undefined, 't2', 'go', '{"b"')),
			delta(call(undefined, '', '', ':1}'), call(undefined, '', '', ':2}')),
		],
		[look({ a: 1 }), go({ b: 2 })],
	],
	['no arguments at all', [delta(call(0, 't1', 'look'))], [look({})]],
	['no function', [delta({ index: 0, id: 't1' })], [{ id: 't1', name: '', arguments: {} }]],
	['arguments that are an object already', [delta(call(0, 't1', 'look', { a: 1 }))], [look({ a: 1 })]],
	['arguments that are cut off', [delta(begin)], [{ ...look('{"a"'), invalidArguments: true }]],
])('tool calls are assembled with %s', (_, events, calls) => {
	expect(streamedChoice('chat', [...events, stop]).toolCalls).toStrictEqual(calls);
});

describe('calls that no ID and no index tell apart', () => {
	const [KAZAN, PERM] = ['{"city":"Казань"}', '{"city":"Пермь"}'];
	/** A part of a call in a chunk of its own. */
	const part = (name: string | undefined, args: Json | undefined, place: JsonObject = { index: 0 }) =>
		delta({ ...place, function: { name, arguments: args } });
	const weather = (args: Json, place?: JsonObject) => part('weather', args, place);
	const both = ['weather Казань', 'weather Пермь'];

	it.each<[string, JsonObject[], string[]]>([
		['no ID', [weather(KAZAN), weather(PERM)], both],
		['an empty ID', [weather(KAZAN, { index: 0, id: '' }), weather(PERM, { index: 0, id: '' })], both],
		[
			'null for the ID',
			[weather(KAZAN, { index: 0, id: null }), weather(PERM, { index: 0, id: null })],
			both,
		],
		['no index', [weather(KAZAN, {}), weather(PERM, {})], both],
		['no index, and an ID', [weather(KAZAN, { id: 'a' }), weather(PERM, { id: 'b' })], both],
		['the same ID', [weather(KAZAN, { id: 'a' }), weather(PERM, { id: 'a' })], both],
		[
			'one chunk for both',
			[delta({ index: 0, ...call(0, '', 'weather', KAZAN) }, call(0, '', 'weather', PERM))],
			both,
		],
		['white space after the arguments', [weather(`${KAZAN}\n`), weather(PERM)], both],
		['arguments as objects', [weather({ city: 'Казань' }), weather({ city: 'Пермь' })], both],
		[
			'the name first, then the arguments',
			[weather(''), part('', KAZAN), weather(''), part('', '{"city":'), part('', '"Пермь"}')],
			both,
		],
		[
			'the name in each chunk',
			[weather('{"city":'), weather('"Казань"}'), weather('{"city":'), weather('"Пермь"}')],
			both,
		],
		['three calls', [weather(KAZAN), weather(PERM), weather(KAZAN)], [...both, 'weather Казань']],
		['names that differ', [part('time', ''), weather(PERM)], ['time ?', 'weather Пермь']],
		['a call without arguments last', [weather(KAZAN), part('time', '')], ['weather Казань', 'time ?']],
		['braces in a text', [weather('{"city":"}'), weather('Казань"}')], ['weather }Казань']],
	])('%s', (_, events, expected) => {
		const calls = streamedChoice('chat', [...events, stop]).toolCalls;
		expect(calls.map(({ name, arguments: args }) => `${name} ${cityIn(args)}`)).toStrictEqual(expected);
		expect(calls.every(({ invalidArguments }) => !invalidArguments)).toBe(true);
	});

	it.each<[string, JsonObject[]]>([
		[
			'a new ID in each chunk',
			[
				weather('{"city"', { index: 0, id: 'a' }),
				part('', ':"Казань', { index: 0, id: 'b' }),
				part('', '"}', { index: 0, id: 'c' }),
			],
		],
		[
			'a new ID and the name in each chunk',
			[weather('{"city"', { index: 0, id: 'a' }), weather(':"Казань"}', { index: 0, id: 'b' })],
		],
		[
			'a new ID and the name also at the end',
			[
				weather(KAZAN, { index: 0, id: 'a' }),
				weather('', { index: 0, id: 'b' }),
				weather('', { index: 0, id: 'c' }),
			],
		],
		[
			'a new ID before the first argument',
			[weather('', { index: 0, id: 'a' }), weather(KAZAN, { index: 0, id: 'b' })],
		],
		['the ID, then the name', [delta({ index: 0, id: 'a' }), weather(KAZAN)]],
		['a last chunk without anything', [weather(KAZAN, { index: 0, id: 'a' }), part(undefined, '')]],
	])('%s: it is one call, with the first ID', (_, events) => {
		expect(streamedChoice('chat', [...events, stop]).toolCalls).toStrictEqual([
			{ id: 'a', name: 'weather', arguments: { city: 'Казань' } },
		]);
	});

	const cityIn = (args: Json) => asText(asObject(args)?.city) ?? '?';
});
