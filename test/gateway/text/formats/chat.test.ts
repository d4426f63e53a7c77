import type { ModelOutput, ToolCall } from '../../../../nodes/shared/gateway/text/formats/completion';
import { asObject, asText, type Json, type JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { errorDetailsOf, read, streamed, streamedChoice } from './support';

describe('chat response', () => {
	const completion = (body: JsonObject) => read('chat', body);
	const message = (fields: JsonObject): ModelOutput => completion({ choices: [{ message: fields }] }).output;

	it.each([
		['of two parts', { content: [{ text: 'a' }, { type: 'text', text: 'b' }] }, 'ab'],
		[
			'next to parts of other kinds',
			{ content: [{ type: 'new', data: 'x' }, { text: 'a' }, 'b', null] },
			'a',
		],
		['of a content that is not text', { content: 5 }, ''],
		['of audio', { content: null, audio: { transcript: 'Heard' } }, 'Heard'],
	])('the text is read: %s', (_, fields, text) => {
		expect(message(fields).text).toBe(text);
	});

	const reasoning_details = [
		{ text: 'a' },
		{ summary: 'b', text: '' },
		{ type: 'reasoning.encrypted', data: 'x' },
		{ text: 'c' },
	];

	it.each<[string, JsonObject, string]>([
		['of the details alone (§2.4)', { reasoning_details, message: {} }, 'abc'],
		['of the details inside the message', { message: { reasoning_details } }, 'abc'],
		['of their own field', { reasoning_details, message: { reasoning: 'Hm' } }, 'Hm'],
		['of the details next to an empty field', { reasoning_details, message: { reasoning: '' } }, 'abc'],
	])('the reasoning is read: %s', (_, choice, reasoning) => {
		expect(completion({ choices: [choice] }).output.reasoning).toBe(reasoning);
	});

	describe('tool calls', () => {
		const call = (args?: Json, id: Json = 't') => ({ id, function: { name: 'f', arguments: args } });
		const read = (args: Json, id = 't') => ({ id, name: 'f', arguments: args });

		it.each<[string, JsonObject, ModelOutput['toolCalls'][number]]>([
			['empty arguments', call(''), read({})],
			['no arguments', call(), read({})],
			['arguments that are an object already', call({ a: 1 }), read({ a: 1 })],
			['arguments that are cut off', call('{"a":'), { ...read('{"a":'), invalidArguments: true }],
			['a number as the id', call('{}', 7), read({}, '7')],
		])('are read with %s', (_, received, expected) => {
			expect(message({ tool_calls: [received] }).toolCalls).toStrictEqual([expected]);
		});

		it.each<JsonObject>([
			{ tool_calls: [{ id: '' }] },
			{ tool_calls: [{ id: 't', type: 'custom', custom: { name: 'run', input: 'print(1)' } }] },
			{ function_call: { name: 'look', arguments: '{}' } },
		])('are only those of functions, others are in the body: %j', (fields) => {
			const body = { choices: [{ message: { content: 'Hi', ...fields } }] };
			const { output, raw } = completion(body);
			expect([output.text, output.toolCalls, raw]).toStrictEqual(['Hi', [], body]);
		});
	});

	it('each source is listed once, wherever its address is; one without an address is as received', () => {
		const annotations = [
			{ type: 'url_citation', url_citation: { url: 'https://a.test', title: 'A' } },
			{ url: 'https://b.test', title: '' },
			{ url: 'https://a.test', title: 'Again' },
			{ type: 'file_citation', file_id: 'f' },
			{ url: '', url_citation: { url: 'https://c.test' } },
		];
		expect(message({ annotations }).sources).toStrictEqual([
			{ url: 'https://a.test', title: 'A' },
			{ url: 'https://b.test' },
			{ type: 'file_citation', file_id: 'f' },
			{ url: 'https://c.test' },
		]);
	});

	it.each<[string, JsonObject]>([
		...[
			'https://files.test/a.png',
			'x data:image/png;base64,AAAA',
			'data:image/png;base64,',
			'data:image/png;base64,A',
			'data:image/png',
			null,
		].map((url): [string, JsonObject] => [`the address ${url}`, { images: [{ image_url: { url } }] }]),
		['audio without data', { audio: { id: 'a', data: '' } }],
	])('files are not read from %s', (_, fields) => {
		expect(message(fields).files).toStrictEqual([]);
	});
});

describe('chat stream', () => {
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

	/** The body of a stream of these events, and its end. */
	const bodyOf = (...events: JsonObject[]) => run(...events, stop, usageOf(usage)).body;
	const choiceOf = (...events: JsonObject[]) => (bodyOf(...events).choices as JsonObject[])[0];

	describe('whether the completion is complete, without and with [DONE]', () => {
		const other = chunk({ content: 'b' }, { index: 1 });
		const otherStop = chunk({}, { index: 1, finish_reason: 'length' });

		it.each<[string, JsonObject[], [boolean, boolean]]>([
			['cut before the finish reason', [hello], [false, true]],
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

	it('of two choices, the first one is shown, whichever comes first; the body has both', () => {
		const [first, other] = [chunk({ content: 'a' }), chunk({ content: 'b' }, { index: 1 })];
		const both = { choices: [other, first].flatMap(({ choices }) => choices as JsonObject[]) };
		const { shown, body } = run(other, first, { ...first, ...both }, other);
		expect(shown).toStrictEqual(['', 'a', 'a', '']);
		const contents = ['aa', 'bbb'].map((content, index) => ({ index, message: { content } }));
		expect(body).toMatchObject({ choices: contents });
	});

	it('an error frame may be a text', () => {
		expect(errorDetailsOf(() => run({ error: 'boom' })).description).toContain('boom');
	});

	describe('the usage', () => {
		const first = { ...usage, cost: 0.6, prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1 } };
		const more = { completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 5 } };
		const nulls = { cost_rub: null, total_tokens: null, prompt_tokens_details: { cached_tokens: null } };
		const other = { cost_rub: 0.7, total_tokens: 0, prompt_tokens_details: { cached_tokens: 2 } };
		const replaced = {
			...first,
			cost_rub: 0.7,
			prompt_tokens_details: { cached_tokens: 2, audio_tokens: 1 },
		};

		it.each<[string, JsonObject | null, JsonObject]>([
			['is kept by a later chunk without it', null, first],
			['is completed by a later chunk', more, { ...first, ...more }],
			['is not replaced by nulls in a later chunk', nulls, first],
			['is replaced where a later chunk has another value', other, replaced],
		])('%s', (_, later, expected) => {
			expect(run(hello, stop, usageOf(first), usageOf(later)).body.usage).toStrictEqual(expected);
		});
	});

	describe('the message', () => {
		const image = (data: string) => ({ image_url: { url: `data:image/png;base64,${data}` } });
		const page = (url: string) => ({ type: 'url_citation', url_citation: { url } });

		it('has the annotations and images of all chunks', () => {
			const images = [image('AAAA'), image('BBBB')];
			const annotations = [page('https://a.test'), page('https://b.test')];
			const chunks = images.map((one, n) => chunk({ images: [one], annotations: [annotations[n] ?? null] }));
			expect(choiceOf(...chunks)).toMatchObject({ message: { content: '', images, annotations } });
		});

		it.each([
			['each padded', ['c291bmQ=', 'MTI=', 'Mw==', 'NDU2']],
			['cut anywhere', ['c29', '1bmQxMj', 'M0NTY=']],
			['one', ['c291bmQxMjM0NTY=']],
		])('has the bytes of audio whose pieces of base64 are %s', (_, pieces) => {
			const { files } = read('chat', bodyOf(...pieces.map((data) => chunk({ audio: { data } }))));
			expect(files).toStrictEqual([{ kind: 'audio', base64: 'c291bmQxMjM0NTY=' }]);
		});

		it.each<[string, JsonObject, string]>([
			['the transcript of audio', { audio: { transcript: 'la' } }, 'la'],
			['the text rather than a transcript', { content: 'Hello', audio: { transcript: 'la' } }, 'Hello'],
			['the texts of parts', { content: [{ type: 'text', text: 'Hel' }, { text: 'lo' }] }, 'Hello'],
		])('shows %s', (_, delta, shown) => {
			expect(run(chunk(delta)).shown).toStrictEqual([shown]);
			expect(read('chat', bodyOf(chunk(delta))).output.text).toBe(shown);
		});

		it('keeps its finish reason in later chunks', () => {
			expect(run(hello, stop, chunk({}, { finish_reason: null })).body).toMatchObject({
				choices: [{ finish_reason: 'stop' }],
			});
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
			for (const events of [inChoice, inDelta, inBoth])
				expect(choiceOf(hello, ...events)?.reasoning_details).toStrictEqual(details);
		});
	});
});

describe('chat tool calls', () => {
	const chunk = (delta: JsonObject): JsonObject => ({ choices: [{ index: 0, delta }] });
	const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
	const delta = (...calls: JsonObject[]) => chunk({ tool_calls: calls });
	/** A part of a tool call. */
	type Part = [index: number | undefined, id?: string | undefined, name?: string | undefined, args?: Json];
	const call = (...[index, id, name, args]: Part): JsonObject => ({
		index,
		id,
		function: { name, arguments: args },
	});
	const look = (args: Json): ToolCall => ({ id: 't1', name: 'look', arguments: args });
	const go = (args: Json): ToolCall => ({ id: 't2', name: 'go', arguments: args });

	const whole: Part = [0, 't1', 'look', '{}'];
	const begin: Part = [0, 't1', 'look', '{"a"'];
	const cutOff = { ...look('{"a"'), invalidArguments: true as const };

	it.each<[string, deltas: Part[][], ToolCall[]]>([
		['arguments in several deltas', [[[0, 't1', 'look', '']], [[0, '', '', '{}']]], [look({})]],
		[
			'alternating deltas of two calls',
			[
				[begin, [1, 't2', 'go', '{"b"']],
				[
					[1, '', '', ':2}'],
					[0, '', '', ':1}'],
				],
			],
			[look({ a: 1 }), go({ b: 2 })],
		],
		['a gap between the indexes', [[whole], [[5, 't2', 'go', '{}']]], [look({}), go({})]],
		['the id and the name in each delta', [[begin], [[0, 't1', 'look', ':1}']]], [look({ a: 1 })]],
		['no id and no name in later deltas', [[begin], [[0, undefined, undefined, ':1}']]], [look({ a: 1 })]],
		['the id after the first delta', [[[0, '', 'look', '{"a"']], [[0, 't1', '', ':1}']]], [look({ a: 1 })]],
		[
			'one index for all, and different ids',
			[[whole], [[0, 't2', 'go', '{"b"']], [[0, '', '', ':2}']]],
			[look({}), go({ b: 2 })],
		],
		[
			'two calls of one tool without arguments',
			[[[0, 't1', 'look', '']], [[1, 't2', 'look', '']]],
			[look({}), { ...look({}), id: 't2' }],
		],
		['arguments that are cut off', [[begin]], [cutOff]],
	])('tool calls are assembled with %s', (_, deltas, calls) => {
		const events = deltas.map((parts) => delta(...parts.map((part) => call(...part))));
		expect(streamedChoice('chat', [...events, stop]).toolCalls).toStrictEqual(calls);
	});

	it('an ID that is a list is none, and ends', () => {
		const first = { index: 0, id: ['x'], function: { name: 'look', arguments: '{' } };
		const events = [delta(first), delta(call(0, undefined, undefined, '}')), stop];
		expect(streamedChoice('chat', events).toolCalls).toStrictEqual([{ ...look({}), id: null }]);
	});

	describe('calls that no ID and no index tell apart', () => {
		const [KAZAN, PERM] = ['{"city":"Казань"}', '{"city":"Пермь"}'];
		/** A part of a call in a chunk of its own. */
		const part = (name: string | undefined, args: Json | undefined, place: JsonObject = { index: 0 }) =>
			delta({ ...place, function: { name, arguments: args } });
		const weather = (args: Json, place?: JsonObject) => part('weather', args, place);
		const at = (id: string | null) => ({ index: 0, id });
		const both = ['weather Казань', 'weather Пермь'];

		it.each<[string, JsonObject[], string[]]>([
			['no ID', [weather(KAZAN), weather(PERM)], both],
			['an empty ID', [weather(KAZAN, at('')), weather(PERM, at(''))], both],
			['null for the ID', [weather(KAZAN, at(null)), weather(PERM, at(null))], both],
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
				[weather('{"city"', at('a')), part('', ':"Казань', at('b')), part('', '"}', at('c'))],
			],
			['a new ID and the name in each chunk', [weather('{"city"', at('a')), weather(':"Казань"}', at('b'))]],
			[
				'a new ID and the name also at the end',
				[weather(KAZAN, at('a')), weather('', at('b')), weather('', at('c'))],
			],
			['a new ID before the first argument', [weather('', at('a')), weather(KAZAN, at('b'))]],
			['the ID, then the name', [delta(at('a')), weather(KAZAN)]],
			['a last chunk without anything', [weather(KAZAN, at('a')), part(undefined, '')]],
		])('%s: it is one call, with the first ID', (_, events) => {
			expect(streamedChoice('chat', [...events, stop]).toolCalls).toStrictEqual([
				{ id: 'a', name: 'weather', arguments: { city: 'Казань' } },
			]);
		});

		const cityIn = (args: Json) => asText(asObject(args)?.city) ?? '?';
	});
});

describe('chat errors', () => {
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
		expect(read('chat', whole({ finish_reason: 'stop', error })).output.text).toBe(TEXT);
		const { body } = streamed('chat', chunks({ finish_reason: 'stop', error }, COST));
		expect(read('chat', body).output).toMatchObject({ text: TEXT, finishReason: 'stop' });
	});
});
