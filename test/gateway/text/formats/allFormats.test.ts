import fc from 'fast-check';

import { ApiError } from '../../../../nodes/shared/gateway/errors/errors';
import { textFormat, textFormats } from '../../../../nodes/shared/gateway/text/formats';
import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import type { ModelOutput, Completion } from '../../../../nodes/shared/gateway/text/formats/completion';
import { growth, LINEAR } from '../../../helpers/growth';
import { errorDetailsOf, NO_OUTPUT, NO_USAGE, read, streamed } from './support';
import { WHOLE } from './whole';

describe('formats', () => {
	/** The required lists of a response, with one element that says nothing. */
	const SILENT: JsonObject = { choices: [{}], output: [{}], content: [{}] };

	function read(name: string, body: JsonObject) {
		const format = textFormat(name);
		return format.readCompletion({ ...SILENT, ...body }, { kind: 'text' });
	}

	const chat = (reason: string) => ({ choices: [{ finish_reason: reason }] });
	const incomplete = (reason?: string) => ({
		status: 'incomplete',
		incomplete_details: reason === undefined ? null : { reason },
	});
	const call = { type: 'function_call', name: 'look' };
	const withCall = { status: 'completed', output: [call, { type: 'message' }] };

	test.each<[string, JsonObject, string | null]>([
		['chat', chat('stop'), 'stop'],
		['chat', chat('length'), 'length'],
		['chat', chat('eos_token'), 'eos_token'],
		['chat', {}, null],
		['responses', { status: 'completed' }, 'stop'],
		['responses', withCall, 'tool_calls'],
		['responses', incomplete('max_output_tokens'), 'length'],
		['responses', incomplete(), 'length'],
		['responses', incomplete('content_filter'), 'content_filter'],
		['responses', { status: { toString: 0 } }, null],
		...Object.entries({
			end_turn: 'stop',
			stop_sequence: 'stop',
			max_tokens: 'length',
			tool_use: 'tool_calls',
			refusal: 'content_filter',
			pause_turn: 'pause_turn',
			constructor: 'constructor',
		}).map(([word, reason]): [string, JsonObject, string] => ['messages', { stop_reason: word }, reason]),
	])('the finish reason is in the same words for each format: %s %j → %s', (format, body, reason) =>
		expect(read(format, body).finishReason).toBe(reason),
	);

	describe.each(textFormats)('$name: an error with the status 200', (format) => {
		const codeOf = (body: JsonObject) =>
			errorDetailsOf(() =>
				format.readCompletion({ error: { code: 'x1', message: 'boom' }, ...body }, { kind: 'text' }),
			).code;

		it('is thrown, with or without the list of outputs', () => {
			expect(codeOf({})).toBe('x1');
			expect(codeOf(SILENT)).toBe('x1');
		});

		it.each([null, {}, { code: '', message: null }])(
			'is not thrown when it is %j; then a missing list is the error',
			(error) => {
				expect(codeOf({ error })).toBe('no_completion');
				expect(read(format.name, { error }).text).toBe('');
			},
		);
	});

	/** The type of the text, or `error`. */
	function outcome(name: string, body: JsonObject): string {
		try {
			return typeof read(name, body).text;
		} catch (error) {
			if (error instanceof ApiError) return 'error';
			throw error;
		}
	}

	test.each(textFormats)('$name reads any JSON object, or throws ApiError', ({ name }) => {
		const outcomes = new Set<string>();
		fc.assert(
			fc.property(
				fc.dictionary(
					fc.constantFrom('id', 'choices', 'output', 'content', 'usage', 'status', 'error', 'stop_reason'),
					fc.jsonValue(),
				),
				(body) => {
					outcomes.add(outcome(name, body));
				},
			),
			{ numRuns: 200 },
		);
		expect([...outcomes].sort()).toStrictEqual(['error', 'string']);
	});
});

it('the formats are those of the specification, the most widely supported first', () => {
	expect(textFormats.map(({ name, label, path, headers }) => [name, label, path, headers])).toStrictEqual([
		['chat', 'Chat Completions', '/chat/completions', {}],
		['responses', 'Responses', '/responses', {}],
		['messages', 'Messages', '/messages', { 'anthropic-version': '2023-06-01' }],
	]);
});

it.each<[string, JsonObject, Partial<Completion>, Array<number | null>, Partial<ModelOutput>]>([
	[
		'chat',
		WHOLE.chat,
		{ id: 'c1', provider: 'Acme Cloud', costRub: 0.5 },
		[1, 2, 30, 4, 5],
		{
			text: 'Hello',
			toolCalls: [{ id: 't1', name: 'look', arguments: { a: 1 } }],
			reasoning: 'Hm',
			reasoningParts: [{ reasoning: 'Hm' }],
			refusal: 'No',
			sources: [{ url: 'https://a.test', title: 'A' }],
			files: [
				{ kind: 'audio', base64: 'AAAA' },
				{ kind: 'image', base64: 'BBBB', mimeType: 'image/png' },
			],
			audio: { id: 'a' },
			finishReason: 'stop',
		},
	],
	[
		'responses',
		WHOLE.responses,
		{ id: 'r1', costRub: 0.3 },
		[1, 2, 30, 4, 5],
		{
			text: 'Hello there',
			toolCalls: [{ id: 'c1', name: 'look', arguments: { a: 1 } }],
			reasoning: 'Hm, well',
			reasoningParts: [{ ...WHOLE.responses.output[0] }],
			refusal: 'No',
			sources: [
				{ url: 'https://a.test', title: 'A' },
				{ url: 'https://b.test', title: 'Again' },
			],
			files: [{ kind: 'image', base64: 'AAAA' }],
			finishReason: 'tool_calls',
		},
	],
	[
		'messages',
		WHOLE.messages,
		{ id: 'm1', costRub: null },
		[1, 2, 3, 3, null],
		{
			text: 'Hello there',
			toolCalls: [{ id: 't1', name: 'look', arguments: { a: 1 } }],
			reasoning: 'Hm',
			reasoningParts: [{ ...WHOLE.messages.content[0] }],
			sources: [
				{ url: 'https://a.test', title: 'A' },
				{ type: 'char_location', cited_text: 'a' },
			],
			finishReason: 'tool_calls',
		},
	],
])('%s: all fields of a completion are read', (format, body, fields, counts, output) => {
	const names = Object.keys(NO_USAGE);
	const usage = Object.fromEntries<number | null>(counts.map((count, index) => [names[index] ?? '', count]));
	expect(textFormat(format).readCompletion(body, { kind: 'text' })).toStrictEqual({
		...fields,
		model: 'acme/writer',
		...NO_OUTPUT,
		...output,
		usage,
		// The others have something of a kind that is not known.
		...(format === 'chat' ? {} : { raw: body }),
	});
});

it.each<[string, JsonObject, number | null]>([
	['chat', { cost_rub: 0.25 }, 0.25],
	['chat', { cost: 0.5 }, 0.5],
	['chat', { cost_rub: 0.25, cost: 0.5 }, 0.25],
	['chat', { cost_rub: 0, cost: 0.5 }, 0],
	['chat', { cost_rub: null, cost: 0.5 }, 0.5],
	['chat', {}, null],
	['responses', { cost: { total_cost: 0.5 } }, 0.5],
	['responses', { cost: { total_cost: 0 } }, 0],
	['responses', { cost: { input_cost: 1 } }, null],
	['responses', {}, null],
])('%s: the cost in the usage %j is %j', (format, usage, costRub) => {
	expect(read(format, { status: 'completed', choices: [{}], output: [{}], usage }).costRub).toBe(costRub);
});

it.each([
	['chat', { image: 'url or file', audio: 'file', video: 'url or file', file: 'file' }],
	['responses', { image: 'url or file', audio: 'file', file: 'url or file' }],
	['messages', { image: 'url or file', file: 'url or file' }],
])('%s accepts these kinds of attachments', (format, attachments) => {
	expect(textFormat(format).attachments).toStrictEqual(attachments);
});

it.each<[string, string, JsonObject]>([
	['chat: no choice that is an object', 'chat', { choices: [null, 'Hello'] }],
	['responses: no items, and no status', 'responses', { output: [] }],
	['responses: no item that is an object', 'responses', { status: 'completed', output: [null] }],
	['messages: no content, and no stop reason', 'messages', { content: [] }],
	['messages: a stop reason that is null', 'messages', { content: [], stop_reason: null }],
	...textFormats.flatMap(({ name: format }) =>
		[undefined, null, 'Hello', {}, 7].map((list): [string, string, JsonObject] => [
			`${format}: ${JSON.stringify(list)} for the list`,
			format,
			{ status: 'completed', stop_reason: 'end_turn', choices: list, output: list, content: list },
		]),
	),
])('a response without any output is an error: %s', (_, format, body) => {
	expect(errorDetailsOf(() => read(format, { id: 'r1', ...body }))).toStrictEqual({
		message: 'The model returned nothing',
		description: expect.stringMatching(/is missing or empty/) as string,
		outcome: 'unknown',
		kind: 'charge',
		status: 200,
		code: 'no_completion',
		retryable: false,
		extra: { id: 'r1', usage: NO_USAGE, costRub: null },
	});
});

const REASONING = { type: 'reasoning' };

it.each<[string, string, JsonObject, string | null]>([
	['chat: empty text', 'chat', { choices: [{ message: { content: '' }, finish_reason: 'stop' }] }, 'stop'],
	['chat: cut off', 'chat', { choices: [{ message: {}, finish_reason: 'length' }] }, 'length'],
	['chat: filtered', 'chat', { choices: [{ finish_reason: 'content_filter' }] }, 'content_filter'],
	['chat: only reasoning', 'chat', { choices: [{ message: { reasoning: 'Hm' } }] }, null],
	['chat: a tool call', 'chat', { choices: [{ message: { tool_calls: [{ id: 't' }] } }] }, null],
	['responses: only reasoning', 'responses', { status: 'completed', output: [REASONING] }, 'stop'],
	['responses: cut off', 'responses', { status: 'incomplete', output: [] }, 'length'],
	['messages: nothing to say', 'messages', { content: [], stop_reason: 'end_turn' }, 'stop'],
	['messages: cut off', 'messages', { content: [], stop_reason: 'max_tokens' }, 'length'],
	['messages: refused', 'messages', { content: [], stop_reason: 'refusal' }, 'content_filter'],
	['messages: only reasoning', 'messages', { content: [{ type: 'thinking', thinking: 'Hm' }] }, null],
])('a completion without text is no error: %s', (_, format, body, finishReason) => {
	expect(read(format, body).output).toMatchObject({ text: '', finishReason });
});

it.each<[string, string, JsonObject[]]>([
	['chat: nothing', 'chat', []],
	['chat: only the usage', 'chat', [{ choices: [], usage: { cost_rub: 0.5 } }]],
	['responses', 'responses', [{ type: 'response.completed', response: { status: 'completed', output: [] } }]],
	['messages', 'messages', [{ type: 'message_start', message: { content: [] } }, { type: 'message_stop' }]],
])('a stream that ends without any output is complete, and an error: %s', (_, format, events) => {
	const { isComplete, body } = streamed(format, events);
	expect(isComplete[1]).toBe(true);
	expect(errorDetailsOf(() => read(format, body)).code).toBe('no_completion');
});

describe('linear', () => {
	// As it is not when each delta copies the list so far.

	const page = (n: number) => ({ type: 'url_citation', url: `https://a.test/${n}`, title: 'A' });
	const token = (n: number) => ({ token: `t${n}`, logprob: -1, top_logprobs: [{ token: 'a', logprob: -1 }] });
	const chunk = (delta: JsonObject = {}, choice: JsonObject = {}): JsonObject => ({
		choices: [{ index: 0, delta: { content: 'word ', ...delta }, ...choice }],
	});
	const called = (name: string, args: string) => ({
		tool_calls: [{ index: 0, function: { name, arguments: args } }],
	});
	const text = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'word ' };
	const annotation = { type: 'response.output_text.annotation.added', output_index: 0, content_index: 0 };
	const block = (delta: JsonObject) => ({ type: 'content_block_delta', index: 0, delta });
	const closed = { type: 'response.completed', response: { status: 'completed', output: [] } };

	it.each<[string, string, (n: number) => JsonObject[]]>([
		['annotations', 'chat', (n) => [chunk({ annotations: [page(n)] })]],
		['log probabilities', 'chat', (n) => [chunk({}, { logprobs: { content: [token(n)], refusal: null } })]],
		['images', 'chat', () => [chunk({ images: [{ image_url: { url: 'data:image/png;base64,AAAA' } }] })]],
		[
			'details of reasoning',
			'chat',
			() => [chunk({ reasoning_details: [{ type: 'a', text: 'a', index: 0 }] })],
		],
		['arguments and a name', 'chat', (n) => [chunk(called('look', n === 0 ? '{"a":"' : 'word}'))]],
		['annotations', 'responses', (n) => [text, { ...annotation, annotation: page(n) }]],
		['citations', 'messages', (n) => [block({ text: 'word ' }), block({ citation: page(n) })]],
	])('a long stream with %s in each delta takes linear time (%s)', async (_, format, eventsOf) => {
		const reading = (count: number) => {
			const events = Array.from({ length: count }, (_none, n) => eventsOf(n)).flat();
			const all = format === 'responses' ? [...events, closed] : events;
			return () => read(format, streamed(format, all).body);
		};
		expect(await growth(reading, 5_000)).toBeLessThan(LINEAR);
	});
});
