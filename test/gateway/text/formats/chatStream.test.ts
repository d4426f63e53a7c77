import { asObjects, type JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { errorDetailsOf, read, streamed, streamedChoice } from './support';

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
const choiceOf = (...events: JsonObject[]) => streamedChoice('chat', events);

const message = {
	role: 'assistant',
	content: 'Hello',
	refusal: null,
	reasoning: null,
	annotations: [],
};
const whole = {
	id: 'c1',
	object: 'chat.completion',
	created: 5,
	model: 'acme/writer',
	choices: [{ index: 0, message, finish_reason: 'stop', reasoning_details: [], logprobs: null }],
	usage,
};

it('assembles the chunks into a chat completion', () => {
	expect(run(hello, stop, usageOf(usage))).toStrictEqual({
		shown: ['Hello', '', ''],
		isComplete: [true, true],
		isFinished: false,
		body: whole,
	});
});

it('a stream without chunks is complete only with [DONE], and has no choices', () => {
	expect(run()).toStrictEqual({
		shown: [],
		isComplete: [false, true],
		isFinished: false,
		body: { object: 'chat.completion', choices: [] },
	});
});

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
		['no finish reason and no usage', [hello], [false, false]],
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
	const completion = (...usages: Array<JsonObject | null>) =>
		read('chat', run(hello, stop, ...usages.map(usageOf)).body);
	const first = { ...usage, cost: 0.6, prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1 } };

	it.each<[string, Array<JsonObject | null>, JsonObject]>([
		['is kept by a later chunk without it', [first, null], first],
		['is kept by a later chunk with nothing in it', [first, {}], first],
		[
			'is completed by a later chunk',
			[first, { completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 5 } }],
			{ ...first, completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 5 } },
		],
		[
			'is not replaced by nulls in a later chunk',
			[first, { cost_rub: null, total_tokens: null, prompt_tokens_details: { cached_tokens: null } }],
			first,
		],
		[
			'is replaced where a later chunk has another value',
			[first, { cost_rub: 0.7, prompt_tokens_details: { cached_tokens: 0 } }],
			{ ...first, cost_rub: 0.7, prompt_tokens_details: { cached_tokens: 0, audio_tokens: 1 } },
		],
	])('%s', (_, usages, expected) => {
		expect(run(hello, stop, ...usages.map(usageOf)).body.usage).toStrictEqual(expected);
	});

	it('has the tokens and the cost of the whole request', () => {
		const { usage: tokens, costRub } = completion(first, { completion_tokens: 7 });
		expect(tokens).toStrictEqual({
			inputTokens: 1,
			outputTokens: 7,
			totalTokens: 3,
			cachedInputTokens: 4,
			reasoningTokens: null,
		});
		expect(costRub).toBe(0.5);
	});

	it('is left out where it is not known', () => {
		expect(run({ ...hello, usage: null }, stop).body).toStrictEqual({
			id: 'c1',
			object: 'chat.completion',
			created: 5,
			model: 'acme/writer',
			choices: whole.choices,
		});
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

	it('have their common fields in the first chunk', () => {
		const first = { ...hello, provider: 'a', error: null };
		const later = { ...stop, id: 'c2', provider: 'b' };
		expect(run(first, later, usageOf(usage)).body).toStrictEqual({ ...whole, provider: 'a', error: null });
	});
});

describe('several choices', () => {
	const events = [
		chunk({ content: 'c' }, { index: 2 }),
		chunk({ content: 'b' }, { index: 1, finish_reason: 'length' }),
		{
			...hello,
			choices: [
				{ index: 2, delta: { content: 'C' } },
				{ index: 0, delta: { content: 'a' } },
			],
		},
		{ ...hello, choices: [{ index: '0', delta: { content: 'A' } }, { delta: { content: '!' } }] },
	];

	it('are in the order of their indexes, each with its own text and end', () => {
		const { body } = run(...events);
		const { choices } = read('chat', body);
		expect(asObjects(body.choices).map(({ index }) => index)).toStrictEqual([0, 1, 2]);
		expect(choices.map(({ text, finishReason }) => [text, finishReason])).toStrictEqual([
			['aA!', null],
			['b', 'length'],
			['cC', null],
		]);
	});

	it('are shown only for the first one', () => {
		expect(run(...events).shown).toStrictEqual(['', '', 'a', 'A!']);
	});
});

describe('the message', () => {
	it('has the role of the deltas', () => {
		const roleOf = (...events: JsonObject[]) => run(...events).body.choices;
		expect(roleOf(chunk({ role: 'critic', content: 'Hello' }), chunk({ role: null }), stop)).toStrictEqual([
			{ ...whole.choices[0], message: { ...message, role: 'critic' } },
		]);
	});

	it('may have parts as its content', () => {
		const parts = [{ type: 'text', text: 'Hel' }, { text: 'lo' }];
		const { shown, body } = run(chunk({ content: parts }), stop, usageOf(usage));
		expect(shown).toStrictEqual(['Hello', '', '']);
		expect(body).toStrictEqual(whole);
	});

	it('has parts that are not text', () => {
		const parts = [{ type: 'text', text: 'Hello' }, { type: 'brand_new' }];
		const { body } = run(chunk({ content: parts }), stop, usageOf(usage));
		expect(read('chat', body).first).toMatchObject({ text: 'Hello', otherOutput: [{ type: 'brand_new' }] });
	});

	it('is empty where there is no text', () => {
		expect(run(chunk({ content: '' }), stop, usageOf(usage)).body).toStrictEqual({
			...whole,
			choices: [{ ...whole.choices[0], message: { ...message, content: '' } }],
		});
	});

	it('has the assembled reasoning, and the refusal, which is shown', () => {
		const events = [
			chunk({ reasoning: 'Hm' }),
			chunk({ reasoning: ', well', refusal: 'I must' }),
			chunk({ refusal: ' not' }),
			stop,
		];
		expect(run(...events).shown).toStrictEqual(['', 'I must', ' not', '']);
		expect(choiceOf(...events)).toMatchObject({ text: '', reasoning: 'Hm, well', refusal: 'I must not' });
	});

	it('has the annotations and images of all chunks', () => {
		const image = (data: string) => ({ image_url: { url: `data:image/png;base64,${data}` } });
		const page = (url: string) => ({ type: 'url_citation', url_citation: { url } });
		const { body } = run(
			chunk({ annotations: [page('https://a.test')], images: [image('AAAA')] }),
			chunk({ annotations: [page('https://b.test')], images: [image('BBBB')] }),
			stop,
		);
		expect(body.choices).toStrictEqual([
			{
				...whole.choices[0],
				message: {
					...message,
					content: '',
					images: [image('AAAA'), image('BBBB')],
					annotations: [page('https://a.test'), page('https://b.test')],
				},
			},
		]);
	});

	it('keeps its finish reason in later chunks', () => {
		expect(choiceOf(hello, stop, chunk({}, { finish_reason: null })).finishReason).toBe('stop');
	});
});

describe('reasoning only in details (§2.4)', () => {
	const detail = (text: string): JsonObject => ({ type: 'reasoning.text', text });

	it.each<[string, JsonObject[]]>([
		[
			'of the choice',
			[chunk({}, { reasoning_details: [detail('H')] }), chunk({}, { reasoning_details: [detail('m')] })],
		],
		[
			'of the delta',
			[chunk({ reasoning_details: [detail('H')] }), chunk({ reasoning_details: [detail('m')] })],
		],
		[
			'of both, which are the same',
			[chunk({ reasoning_details: [detail('Hm')] }, { reasoning_details: [detail('Hm')] })],
		],
	])('is read from those %s', (_, events) => {
		const { reasoning } = choiceOf(...events, stop);
		expect(reasoning).toBe('Hm');
	});
});

describe('audio', () => {
	it('is assembled, and its transcript is shown', () => {
		const { shown, body } = run(
			chunk({ audio: { id: 'a1', transcript: 'la ' } }),
			chunk({ audio: { data: 'AA', expires_at: 5 } }),
			chunk({ audio: { id: null, data: 'BB', transcript: 'la' } }),
			stop,
		);
		expect(shown).toStrictEqual(['la ', '', 'la', '']);
		expect(body.choices).toStrictEqual([
			{
				...whole.choices[0],
				message: {
					...message,
					content: null,
					audio: { id: 'a1', data: 'AABB', transcript: 'la la', expires_at: 5 },
				},
			},
		]);
	});

	it('does not hide a text', () => {
		const events = [chunk({ content: 'Hello', audio: { transcript: 'la' } }), stop];
		expect(run(...events).shown).toStrictEqual(['Hello', '']);
		expect(choiceOf(...events).text).toBe('Hello');
	});
});

it('log probabilities are collected', () => {
	const token = (text: string) => ({ token: text, logprob: -1 });
	const { body } = run(
		chunk({ content: 'Hel' }, { logprobs: { content: [token('Hel')], refusal: null } }),
		chunk({ content: 'lo' }, { logprobs: { content: [token('lo')], refusal: [token('no')] } }),
		chunk({}, { logprobs: null }),
		stop,
	);
	expect(body.choices).toStrictEqual([
		{ ...whole.choices[0], logprobs: { content: [token('Hel'), token('lo')], refusal: [token('no')] } },
	]);
});

it('log probabilities without a token are an empty list', () => {
	expect(run(chunk({ content: 'Hello' }, { logprobs: {} }), stop, usageOf(usage)).body).toStrictEqual({
		...whole,
		choices: [{ ...whole.choices[0], logprobs: { content: [], refusal: [] } }],
	});
});

describe('details of the reasoning', () => {
	const detailsOf = (...lists: JsonObject[][]) => {
		const events = lists.map((list) => chunk({ reasoning_details: list }));
		const { body } = run(hello, ...events, stop, usageOf(usage));
		return asObjects(body.choices)[0]?.reasoning_details;
	};
	const type = 'reasoning.text';

	it('that come in parts are joined by their index', () => {
		const details = detailsOf(
			[{ type, text: 'I ', index: 0 }],
			[
				{ type, text: 'think', index: 0 },
				{ type, text: 'More', index: 1 },
			],
			[{ type, signature: 's', index: 0 }],
		);
		expect(details).toStrictEqual([
			{ type, text: 'I think', index: 0, signature: 's' },
			{ type, text: 'More', index: 1 },
		]);
	});

	it.each([
		[
			'without an index',
			[
				{ type, text: 'a' },
				{ type, text: 'b' },
			],
		],
		[
			'of different types',
			[
				{ type, text: 'a', index: 0 },
				{ type: 'reasoning.encrypted', data: 'b', index: 0 },
			],
		],
	])('%s stay apart', (_, details) =>
		expect(detailsOf(...details.map((detail) => [detail as JsonObject]))).toStrictEqual(details),
	);
});
