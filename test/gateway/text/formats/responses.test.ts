import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { errorDetailsOf, NO_OUTPUT, read, streamed, streamedChoice } from './support';

describe('responses response', () => {
	const completed = (...output: JsonObject[]) => read('responses', { status: 'completed', output }).output;

	it('a response that was cancelled in the middle is what there is of it', () => {
		const output = [{ type: 'message', content: [{ text: 'Hel' }] }];
		expect(read('responses', { status: 'cancelled', output }).output).toMatchObject({
			text: 'Hel',
			finishReason: 'cancelled',
		});
	});

	it.each([
		[{ status: 'failed', output: [], error: { code: 'server_error', message: 'boom' } }, 'server_error'],
		[{ status: 'failed', output: [], error: null }, 'generation_failed'],
		[{ status: 'failed' }, 'generation_failed'],
	])('%j is an error: %s', (body, code) => {
		expect(errorDetailsOf(() => read('responses', body)).code).toBe(code);
	});

	it.each([
		[{ id: 'fc', call_id: 'c1' }, 'c1'],
		[{ id: 'fc' }, 'fc'],
		[{}, null],
	])('the id of a tool call of %j is %s', (ids, id) => {
		const call = { type: 'function_call', name: 'f', arguments: '', ...ids };
		expect(completed(call).toolCalls).toStrictEqual([{ id, name: 'f', arguments: {} }]);
	});

	it('an image call without an image has no file, and is as received', () => {
		const call = { type: 'image_generation_call', result: null };
		const body = { status: 'completed', output: [call] };
		const { output, raw } = read('responses', body);
		expect([output, raw]).toStrictEqual([{ ...NO_OUTPUT, finishReason: 'stop' }, body]);
	});
});

describe('responses stream', () => {
	const run = (...events: JsonObject[]) => streamed('responses', events);
	/** Events of one stream, numbered from 0. */
	const numbered = (...events: JsonObject[]) =>
		events.map((event, index) => ({ ...event, sequence_number: index }));
	const created = { type: 'response.created', response: { id: 'r1', status: 'in_progress', output: [] } };
	const item = (action: string, output_index: number, fields: JsonObject): JsonObject => {
		return { type: `response.output_item.${action}`, output_index, item: fields };
	};
	/** A part of the arguments of a tool call. */
	const args = (output_index: number, text: string): JsonObject => {
		return { type: 'response.function_call_arguments.delta', output_index, delta: text };
	};
	const delta = (text: string, type = 'output_text'): JsonObject => {
		return { type: `response.${type}.delta`, output_index: 0, content_index: 0, delta: text };
	};
	const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }];
	const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3, cost: { total_cost: 0.5 } };
	const response = { id: 'r1', status: 'completed', output, usage };
	const completed = (fields: JsonObject = {}): JsonObject => ({
		type: 'response.completed',
		response: { ...response, ...fields },
	});
	const failed = { type: 'error', error: { message: 'boom', type: 'server_error' } };

	const textDone = { type: 'response.output_text.done', output_index: 0 };
	const unreadable = { type: 'response.completed', response: null };

	it.each<[string, JsonObject]>([
		['a text that has ended', textDone],
		['a closing event that cannot be read', unreadable],
	])('after %s the stream is not complete, even with [DONE]', (_, last) => {
		const stream = run(...numbered(created, delta('Hel'), last));
		expect(stream).toMatchObject({ isComplete: [false, false], isFinished: false });
	});

	it.each<[string, JsonObject, JsonObject]>([
		['an error event', failed, { code: 'generation_failed', type: 'server_error' }],
		['its fields at the top', { type: 'error', code: 'x1', message: 'boom' }, { code: 'x1' }],
		['response.failed', { type: 'response.failed', response: { error: { code: 'x2' } } }, { code: 'x2' }],
		['one without an error', { type: 'response.failed', response: null }, { code: 'generation_failed' }],
	])('an error is thrown for %s', (_, event, expected) => {
		const details = errorDetailsOf(() => run(...numbered(created, delta('Hel'), event)));
		expect(details).toMatchObject(expected);
	});

	it.each([
		{ code: 'server_error', message: 'The model had an error' },
		{ code: 'rate_limit_exceeded', message: 'Too many tokens' },
		{ code: 'invalid_prompt', type: 'invalid_request_error', message: 'Not this prompt' },
	])('a failure is the same error, streamed or not: $code', (error) => {
		const failure = { id: 'r1', status: 'failed', error, output: [], usage: null };
		const whole = errorDetailsOf(() => read('responses', failure));
		expect(whole.code).toBe(error.code);
		const event = { type: 'response.failed', response: failure };
		expect(errorDetailsOf(() => run(...numbered(created, event)))).toStrictEqual(whole);
	});

	it.each([{}, { status: null }])('a response that ends as incomplete is cut off, also with %j', (status) => {
		const event = { type: 'response.incomplete', response: { output, ...status } };
		expect(streamedChoice('responses', numbered(event)).finishReason).toBe('length');
	});

	describe('sequence numbers (§6.1)', () => {
		const at = (sequence_number: unknown, event: JsonObject): JsonObject => ({
			...event,
			sequence_number: sequence_number as number,
		});
		const none = completed({ output: [] });

		it('drop a duplicate event', () => {
			const events = [
				at(0, delta('a')),
				at(0, delta('a')),
				at(1, delta('b')),
				at(0, delta('a')),
				at(2, none),
			];
			const { shown, body } = run(...events);
			expect(shown).toStrictEqual(['a', '', 'b', '', '']);
			expect(read('responses', body).output.text).toBe('ab');
		});

		it('never drop the closing event', () => {
			expect(run(at(3, delta('a')), at(0, completed())).body).toStrictEqual(response);
		});

		it.each<[string, JsonObject[], boolean]>([
			['no number is missing', [at(0, delta('a')), at(1, none)], true],
			['the first is missing', [at(1, delta('a')), at(2, none)], false],
			['one in the middle is missing', [at(0, delta('a')), at(2, delta('a')), at(3, none)], false],
			['the last before the closing event is missing', [at(0, delta('a')), at(2, none)], false],
			['one is a duplicate', [at(0, delta('a')), at(0, delta('a')), at(1, none)], true],
			['no event has a number', [delta('a'), none], true],
			['the closing event has the output', [at(0, delta('a')), at(5, completed())], true],
		])('show whether a completion is complete: %s', (_, events, complete) => {
			expect(run(...events).isComplete).toStrictEqual([complete, complete]);
		});
	});

	describe('output that the closing event does not repeat', () => {
		const call = { type: 'function_call', call_id: 'c', name: 'look', arguments: '{"a":1}' };

		it.each<[string, JsonObject[], boolean]>([
			['has ended', [item('added', 0, { ...call, arguments: '' }), item('done', 0, call)], true],
			['has not ended', [item('added', 0, { ...call, arguments: '' })], false],
		])('is complete if each tool call has ended: one that %s', (_, events, complete) => {
			const { isComplete } = run(created, ...events, completed({ output: [] }));
			expect(isComplete).toStrictEqual([complete, complete]);
		});

		it('is shown without anything but the text and the refusal', () => {
			const others = [
				delta('No', 'refusal'),
				delta('Hm', 'reasoning_summary_text'),
				args(1, '{}'),
				{ type: 'response.output_text.done', output_index: 0, text: 'no', delta: 'no' },
				{ type: 'output_text.delta', output_index: 0, delta: 'no' },
				{ output_index: 0, delta: 'no' },
				delta('Hello'),
				{ ...delta(''), delta: 5 },
			];
			expect(run(...others).shown).toStrictEqual(['No', '', '', '', '', '', 'Hello', '']);
		});
	});
});
