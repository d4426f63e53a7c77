import type { Json, JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { errorDetailsOf, read, streamed } from './support';

// Status 200, and an error in a choice: what came before it may be charged.

const TEXT = 'Дорогие покупатели, в эту пятницу мы';
const IDLE = { code: 502, message: 'Upstream idle timeout exceeded' };
const ERROR: JsonObject = { finish_reason: 'error', error: IDLE };
const usage = (cost: JsonObject = {}): { usage: JsonObject } => ({
	usage: { prompt_tokens: 9, completion_tokens: 12, ...cost },
});
const COST = usage({ cost_rub: 0.5 });
const [FREE, UNKNOWN] = [usage({ cost_rub: 0 }), usage()];

/** A response with a text and this end. */
const whole = (end: JsonObject, more: JsonObject = {}) => ({
	id: 'c1',
	choices: [{ index: 0, message: { content: TEXT }, ...end }],
	...more,
});
/** The same as a stream, whose last chunk may have the usage. */
const chunks = (end: JsonObject, more?: JsonObject): JsonObject[] => [
	{ id: 'c1', choices: [{ index: 0, delta: { content: TEXT } }] },
	{ id: 'c1', choices: [{ index: 0, delta: { content: '' }, ...end }] },
	...(more ? [{ id: 'c1', choices: [], ...more }] : []),
];

it.each<[string, JsonObject, ReturnType<typeof usage> | undefined, string, string]>([
	['and a cost', ERROR, COST, 'charged', '502'],
	['and no cost', ERROR, UNKNOWN, 'unknown', '502'],
	['and a cost of 0', ERROR, FREE, 'rejected', '502'],
	['and no usage', ERROR, undefined, 'unknown', '502'],
	['without a finish reason', { error: IDLE }, COST, 'charged', '502'],
	['with another finish reason', { ...ERROR, finish_reason: 'stop' }, COST, 'charged', '502'],
	['as a text', { finish_reason: 'error', error: IDLE.message }, COST, 'charged', 'generation_failed'],
	['that is null', { finish_reason: 'error', error: null }, COST, 'charged', 'generation_failed'],
	['that only the finish reason tells', { finish_reason: 'ERROR' }, COST, 'charged', 'generation_failed'],
])('an error in a choice %s is an error with the text so far', (_, end, cost, outcome, code) => {
	const unstreamed = errorDetailsOf(() => read('chat', whole(end, cost)));
	const paid = cost && { usage: { outputTokens: 12 }, costRub: cost.usage.cost_rub ?? null };
	expect(unstreamed).toMatchObject({
		message: 'The model did not finish its response',
		description: expect.stringContaining(`Received so far: “${TEXT}”`) as string,
		outcome,
		code,
		retryable: false,
		extra: { receivedText: TEXT, ...paid },
	});
	const words =
		typeof end.error === 'string' || end.error ? IDLE.message : 'reports the generation as failed';
	expect(unstreamed.description).toContain(words);
	const { body, isComplete } = streamed('chat', chunks(end, cost));
	expect(isComplete).toStrictEqual([true, true]);
	expect(errorDetailsOf(() => read('chat', body))).toStrictEqual(unstreamed);
});

it.each<[string, Json[], string]>([
	[
		'the second of two choices',
		[{ message: { content: 'One' } }, { message: { content: 'Tw' }, ...ERROR }],
		'One\nTw',
	],
	['a choice without text', [{ message: { content: null }, ...ERROR }], ''],
	['a choice that has only an end', [ERROR], ''],
	['spoken text', [{ message: { audio: { transcript: 'la' } }, ...ERROR }], 'la'],
])('%s: the error has all that came', (_, choices, receivedText) => {
	expect(errorDetailsOf(() => read('chat', { choices })).extra).toStrictEqual({ receivedText });
});

it('an error beside the choices has their text, too', () => {
	const body = whole({ finish_reason: 'error' }, { ...COST, error: IDLE });
	const details = errorDetailsOf(() => read('chat', body));
	expect(details).toMatchObject({
		code: '502',
		outcome: 'charged',
		extra: { receivedText: TEXT, costRub: 0.5 },
	});
});

it.each([null, undefined, ''])('an error that is %j is none', (error) => {
	expect(read('chat', whole({ finish_reason: 'stop', error })).first.text).toBe(TEXT);
	const { body } = streamed('chat', chunks({ finish_reason: 'stop', error }, COST));
	expect(read('chat', body).first).toMatchObject({ text: TEXT, finishReason: 'stop' });
});
