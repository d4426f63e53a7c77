import fc from 'fast-check';

import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { parseJsonOutput } from '../../../nodes/shared/gateway/text/formats/jsonOutput';
import type { OutputRequest } from '../../../nodes/shared/gateway/text/formats/request';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import { chunksOf, events, readStream } from '../../helpers/streams';
import { FORMATS } from '../../helpers/values';
import { JSON_OBJECT, TEXT } from './formats/support';

// Responses as no server should send them: each gives a result or an error that says what happened, and all of its text.

const RUNS = Number(process.env.FUZZ_RUNS ?? 100);
const SEED = Number(process.env.FUZZ_SEED ?? 20_260);

const OUTPUTS: OutputRequest[] = [
	TEXT,
	JSON_OBJECT,
	{ kind: 'jsonSchema', name: 'answer', schema: { type: 'object', required: ['a'] } },
];

/** What becomes of a response, as JSON. Throws for an error that is not of the gateway. */
async function outcomeOf(format: string, source: Uint8Array[], output: OutputRequest): Promise<string> {
	try {
		const { body } = await readStream(format, source, { output });
		const completion = textFormat(format).readCompletion(body, output);
		return JSON.stringify([completion, parseJsonOutput(completion, output) ?? null]);
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		const { message, description, code } = error.details;
		expect([message, description, code]).not.toContain(undefined);
		expect(`${message} ${description}`).not.toMatch(/undefined|\[object|RangeError|TypeError/);
		return JSON.stringify(error.details);
	}
}

/** The words of the model in a text, each once: `w1x`. */
const wordsIn = (text: string) => [...new Set(text.match(/w\d+x/g))];
const missing = (sent: string, outcome: string) => wordsIn(sent).filter((word) => !outcome.includes(word));

/** Texts of models: words, with what is read as JSON. */
const texts = fc
	.array(
		fc.constantFrom('W', '{"a":"W"}', '[1] ', '```json\n', '```', '{', '}', '<think>', '"', '\\', '\n', '👋'),
		{
			maxLength: 6,
		},
	)
	.map((parts) => parts.join(''));
/** Values of the wrong kind. */
const oddValues: fc.Arbitrary<Json> = fc.constantFrom(null, 0, '', false, [], {}, 'odd', [null], { a: [] });

/** Gives each word of a value its number. */
function numbered<T>(value: T): T {
	let count = 0;
	return JSON.parse(JSON.stringify(value).replace(/W/g, () => `w${(count += 1)}x`)) as T;
}

const call = (text: string) => ({ name: 'look', arguments: JSON.stringify({ a: text }) });

/** The whole response of a format, with these texts. */
const BODIES: Record<string, (text: string, reasoning: string, args: string) => JsonObject> = {
	chat: (content, reasoning, args) => ({
		id: 'c1',
		choices: [
			{
				index: 0,
				message: { content, reasoning, tool_calls: [{ id: 't1', type: 'function', function: call(args) }] },
				finish_reason: 'stop',
			},
		],
		usage: { prompt_tokens: 1, completion_tokens: 2, cost_rub: 0.5 },
	}),
	responses: (text, reasoning, args) => ({
		id: 'r1',
		status: 'completed',
		output: [
			{ type: 'reasoning', summary: [{ type: 'summary_text', text: reasoning }] },
			{ type: 'message', content: [{ type: 'output_text', text }] },
			{ type: 'function_call', call_id: 't1', ...call(args) },
		],
		usage: { input_tokens: 1, output_tokens: 2, cost: { total_cost: 0.5 } },
	}),
	messages: (text, reasoning, args) => ({
		id: 'm1',
		type: 'message',
		content: [
			{ type: 'thinking', thinking: reasoning },
			{ type: 'text', text },
			{ type: 'tool_use', id: 't1', name: 'look', input: { a: args } },
		],
		stop_reason: 'end_turn',
		usage: { input_tokens: 1, output_tokens: 2 },
	}),
};

/** The events of a format, with these texts. */
const EVENTS: Record<string, (text: string[], reasoning: string[], args: string) => JsonObject[]> = {
	chat: (text, reasoning, args) => [
		...reasoning.map((part) => ({ choices: [{ index: 0, delta: { reasoning: part } }] })),
		...text.map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
		{ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 't1', function: call(args) }] } }] },
		{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
		{ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, cost_rub: 0.5 } },
	],
	responses: (text, reasoning, args) => [
		{ type: 'response.created', response: { id: 'r1', status: 'in_progress', output: [] } },
		...reasoning.map((delta) => ({ type: 'response.reasoning_summary_text.delta', output_index: 0, delta })),
		...text.map((delta) => ({
			type: 'response.output_text.delta',
			output_index: 1,
			content_index: 0,
			delta,
		})),
		{ type: 'response.output_text.done', output_index: 1, content_index: 0, text: text.join('') },
		{
			type: 'response.output_item.added',
			output_index: 2,
			item: { type: 'function_call', call_id: 't1', name: 'look' },
		},
		{ type: 'response.function_call_arguments.done', output_index: 2, ...call(args) },
		{
			type: 'response.completed',
			response: { id: 'r1', status: 'completed', output: [], usage: { cost: { total_cost: 0.5 } } },
		},
	],
	messages: (text, reasoning, args) => [
		{ type: 'message_start', message: { id: 'm1', content: [], usage: { input_tokens: 1 } } },
		{ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
		...reasoning.map((thinking) => ({
			type: 'content_block_delta',
			index: 0,
			delta: { type: 'thinking_delta', thinking },
		})),
		{ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
		...text.map((part) => ({
			type: 'content_block_delta',
			index: 1,
			delta: { type: 'text_delta', text: part },
		})),
		{ type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't1', name: 'look' } },
		{
			type: 'content_block_delta',
			index: 2,
			delta: { type: 'input_json_delta', partial_json: JSON.stringify({ a: args }) },
		},
		{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
		{ type: 'message_stop' },
	],
};

/** The value with another one at one of its places, if that has no word. Events of an unknown type are ignored (§6.1). */
function changed(value: Json, place: number, odd: Json): Json {
	let count = 0;
	const change = (inner: Json): Json => {
		count += 1;
		if (count === place && !/w\d+x/.test(JSON.stringify(inner))) return odd;
		if (Array.isArray(inner)) return inner.map(change);
		if (typeof inner !== 'object' || inner === null) return inner;
		return Object.fromEntries(
			Object.entries(inner).map(([name, field]) => [name, name === 'type' ? field : change(field ?? null)]),
		);
	};
	return change(value);
}

const shared = {
	format: fc.constantFrom(...FORMATS),
	output: fc.constantFrom(...OUTPUTS),
	size: fc.integer({ min: 1, max: 200 }),
	args: texts,
	place: fc.nat({ max: 40 }),
	odd: oddValues,
	/** How much arrives, in thousandths. */
	arrives: fc.oneof(fc.constant(1_000), fc.nat({ max: 999 })),
	noise: fc.constantFrom('', ': ping\n\n', '\n\n', 'data: [DONE]\n\n', '\uFEFF'),
};
const parameters = { numRuns: RUNS, seed: SEED };

/** The part of a text that arrives. */
const arrived = (text: string, thousandths: number) =>
	[...text].slice(0, Math.ceil(([...text].length * thousandths) / 1_000)).join('');

it(`${RUNS} responses give a result or an error, and all of their text`, async () => {
	await fc.assert(
		fc.asyncProperty(fc.record({ ...shared, text: texts, reasoning: texts }), async (given) => {
			const { format, output, size, text, reasoning, args, place, odd, arrives, noise } = given;
			const body = BODIES[format]?.(...numbered([text, reasoning, args] as const)) ?? {};
			const sent = noise + arrived(JSON.stringify(changed(body, place, odd)), arrives) + noise;
			const outcome = await outcomeOf(format, chunksOf(Buffer.from(sent), size), output);
			expect(missing(sent, outcome)).toStrictEqual([]);
		}),
		parameters,
	);
});

it(`${Math.ceil(RUNS / 5)} streams give a result or an error, and all of their text`, async () => {
	const parts = fc.array(texts, { maxLength: 4 });
	const dropped = fc.array(fc.nat({ max: 14 }), { maxLength: 3 });
	await fc.assert(
		fc.asyncProperty(fc.record({ ...shared, text: parts, reasoning: parts, dropped }), async (given) => {
			const { format, output, size, text, reasoning, args, place, odd, arrives, noise } = given;
			const all = EVENTS[format]?.(...numbered([text, reasoning, args] as const)) ?? [];
			const kept = all.filter((_, index) => !given.dropped.includes(index));
			const list = kept.map((event, index) =>
				index === place % 12 ? changed(event, place % 7, odd) : event,
			);
			const sent = noise + arrived(events(...(list as JsonObject[])), arrives);
			const outcome = await outcomeOf(format, chunksOf(Buffer.from(sent), size), output);
			expect(missing(sent, outcome)).toStrictEqual([]);
		}),
		{ ...parameters, numRuns: Math.ceil(RUNS / 5) },
	);
});
