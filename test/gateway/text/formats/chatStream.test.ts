import { type JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { errorDetailsOf, read, streamed } from './support';

const chunk = (delta: JsonObject, choice: JsonObject = {}): JsonObject => ({
	id: 'c1',
	object: 'chat.completion.chunk',
	created: 5,
	model: 'acme/writer',
	choices: [{ index: 0, delta, ...choice }],
});
const hello = chunk({ role: 'assistant', content: 'Hello' });
const stop = chunk({}, { finish_reason: 'stop' });
const usageOf = (usage: JsonObject | null): JsonObject => ({ ...chunk({}), choices: [], usage });
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost_rub: 0.5 };
const run = (...events: JsonObject[]) => streamed('chat', events);

/** A whole completion, with other fields in its message and its choice. */
function completion(message: JsonObject = {}, choice: JsonObject = {}): JsonObject {
	return {
		id: 'c1',
		object: 'chat.completion',
		created: 5,
		model: 'acme/writer',
		choices: [
			{
				index: 0,
				message: {
					role: 'assistant',
					content: 'Hello',
					refusal: null,
					reasoning: null,
					annotations: [],
					...message,
				},
				finish_reason: 'stop',
				reasoning_details: [],
				logprobs: null,
				...choice,
			},
		],
		usage,
	};
}
const whole = completion();
/** The body of a stream of these events, and its end. */
const bodyOf = (...events: JsonObject[]) => run(...events, stop, usageOf(usage)).body;

describe('whether the completion is complete, without and with [DONE]', () => {
	const other = chunk({ content: 'b' }, { index: 1 });
	const otherStop = chunk({}, { index: 1, finish_reason: 'length' });

	it.each<[string, JsonObject[], [boolean, boolean]]>([
		['cut before the finish reason', [hello], [false, false]],
		['cut after the finish reason', [hello, stop], [false, true]],
		['cut after the usage', [hello, stop, usageOf(usage)], [true, true]],
		['the usage before the finish reason', [hello, usageOf(usage), stop], [true, true]],
		// §6.2 shows no finish reason.
		['the usage without a finish reason', [hello, usageOf(usage)], [false, true]],
		['only the usage', [usageOf(usage)], [false, true]],
		['an unknown usage', [hello, stop, usageOf(null)], [false, true]],
		['one of two choices has ended', [hello, other, stop, usageOf(usage)], [false, true]],
		['both choices have ended', [hello, other, otherStop, stop, usageOf(usage)], [true, true]],
	])('%s', (_, events, complete) => {
		expect(run(...events).isComplete).toStrictEqual(complete);
	});
});

describe('an error frame', () => {
	it.each<[string, JsonObject[]]>([
		['at the beginning', []],
		['in the middle', [hello]],
		['after the usage', [hello, stop, usageOf(usage)]],
	])('%s throws an error', (_, before) => {
		const frame = { error: { message: 'boom', type: 'server_error', code: 'x1' } };
		expect(errorDetailsOf(() => run(...before, frame))).toMatchObject({
			code: 'x1',
			type: 'server_error',
			retryable: false,
			message: expect.stringContaining('did not finish') as string,
		});
	});

	it('may be a text', () => {
		expect(errorDetailsOf(() => run({ error: 'boom' })).description).toContain('boom');
	});
});

describe('the usage', () => {
	const first = { ...usage, cost: 0.6, prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1 } };
	const more = { completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 5 } };
	const nulls = { cost_rub: null, total_tokens: null, prompt_tokens_details: { cached_tokens: null } };
	const other = { cost_rub: 0.7, prompt_tokens_details: { cached_tokens: 0 } };
	const replaced = { ...first, cost_rub: 0.7, prompt_tokens_details: { cached_tokens: 0, audio_tokens: 1 } };

	it.each<[string, JsonObject | null, JsonObject]>([
		['is kept by a later chunk without it', null, first],
		['is completed by a later chunk', more, { ...first, ...more }],
		['is not replaced by nulls in a later chunk', nulls, first],
		['is replaced where a later chunk has another value', other, replaced],
	])('%s', (_, later, expected) => {
		expect(run(hello, stop, usageOf(first), usageOf(later)).body.usage).toStrictEqual(expected);
	});
});

describe('chunks', () => {
	it('of another kind are ignored', () => {
		const ping = { object: 'ping', id: 'p', choices: hello.choices ?? [] };
		const { shown, body } = run(ping, hello, stop, usageOf(usage));
		expect({ shown, body }).toStrictEqual({ shown: ['', 'Hello', '', ''], body: whole });
	});

	it.each([null, undefined])('of the kind %s are read', (object) => {
		expect(run({ ...hello, object }, stop, usageOf(usage)).body).toStrictEqual(whole);
	});
});

describe('the message', () => {
	const image = (data: string) => ({ image_url: { url: `data:image/png;base64,${data}` } });
	const page = (url: string) => ({ type: 'url_citation', url_citation: { url } });

	it.each<[string, JsonObject[], JsonObject]>([
		['parts as its content', [chunk({ content: [{ type: 'text', text: 'Hel' }, { text: 'lo' }] })], {}],
		[
			'the annotations and images of all chunks',
			[
				chunk({ annotations: [page('https://a.test')], images: [image('AAAA')] }),
				chunk({ annotations: [page('https://b.test')], images: [image('BBBB')] }),
			],
			{
				content: '',
				images: [image('AAAA'), image('BBBB')],
				annotations: [page('https://a.test'), page('https://b.test')],
			},
		],
	])('has %s', (_, events, message) => {
		expect(bodyOf(...events)).toStrictEqual(completion(message));
	});

	it.each([
		['each padded', ['c291bmQ=', 'MTI=', 'Mw==', 'NDU2']],
		['cut anywhere', ['c29', '1bmQxMj', 'M0NTY=']],
		['one', ['c291bmQxMjM0NTY=']],
	])('has the bytes of audio whose pieces of base64 are %s', (_, pieces) => {
		const { first } = read('chat', bodyOf(...pieces.map((data) => chunk({ audio: { data } }))));
		expect(first.files).toStrictEqual([{ kind: 'audio', base64: 'c291bmQxMjM0NTY=' }]);
	});

	it.each<[string, JsonObject, string]>([
		['the transcript of audio', { audio: { transcript: 'la' } }, 'la'],
		['the text rather than a transcript', { content: 'Hello', audio: { transcript: 'la' } }, 'Hello'],
		['the texts of parts', { content: [{ type: 'text', text: 'Hel' }, { text: 'lo' }] }, 'Hello'],
	])('shows %s', (_, delta, shown) => {
		expect(run(chunk(delta)).shown).toStrictEqual([shown]);
	});

	it('keeps its finish reason in later chunks', () => {
		expect(bodyOf(hello, stop, chunk({}, { finish_reason: null }))).toStrictEqual(whole);
	});
});

describe('details of the reasoning (§2.4)', () => {
	const type = 'reasoning.text';
	const detail = (text: string, index?: number): JsonObject => ({
		type,
		text,
		...(index === undefined ? {} : { index }),
	});
	const signed = { type, signature: 's', index: 0 };
	const encrypted = { type: 'reasoning.encrypted', data: 'b', index: 0 };

	it.each<[string, JsonObject[], JsonObject[]]>([
		[
			'in parts are joined by their index',
			[detail('I ', 0), detail('think', 0), detail('More', 1), signed],
			[{ ...detail('I think', 0), signature: 's' }, detail('More', 1)],
		],
		['without an index stay apart', [detail('a'), detail('b')], [detail('a'), detail('b')]],
		['of different types stay apart', [detail('a', 0), encrypted], [detail('a', 0), encrypted]],
	])('%s', (_, received, details) => {
		const inChoice = received.map((one) => chunk({}, { reasoning_details: [one] }));
		const inDelta = received.map((one) => chunk({ reasoning_details: [one] }));
		const inBoth = received.map((one) => chunk({ reasoning_details: [one] }, { reasoning_details: [one] }));
		const expected = completion({}, { reasoning_details: details });
		for (const events of [inChoice, inDelta, inBoth])
			expect(bodyOf(hello, ...events)).toStrictEqual(expected);
	});
});
