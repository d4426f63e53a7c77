import fc from 'fast-check';

import { ApiError } from '../../../../nodes/shared/gateway/errors/errors';
import { textFormat, textFormats } from '../../../../nodes/shared/gateway/text/formats';
import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { errorDetailsOf } from './support';

/** The required lists of a response, with one element that says nothing. */
const SILENT: JsonObject = { choices: [{}], output: [{}], content: [{}] };

function read(name: string, body: JsonObject) {
	const format = textFormat(name);
	const completion = format.readCompletion({ ...SILENT, ...body }, { kind: 'text' });
	const [choice] = completion.choices;
	if (!choice) throw new Error('a completion has at least one choice');
	return { ...completion, ...choice };
}

describe('the finish reason, in the same words for each format', () => {
	test.each<[string, JsonObject, string | null]>([
		['chat', { choices: [{ finish_reason: 'stop' }] }, 'stop'],
		['chat', { choices: [{ finish_reason: 'length' }] }, 'length'],
		['chat', { choices: [{ finish_reason: 'eos_token' }] }, 'eos_token'],
		['chat', {}, null],
		['responses', { status: 'completed' }, 'stop'],
		[
			'responses',
			{ status: 'completed', output: [{ type: 'function_call' }, { type: 'message' }] },
			'tool_calls',
		],
		['responses', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
		['responses', { status: 'incomplete', incomplete_details: null }, 'length'],
		[
			'responses',
			{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
			'content_filter',
		],
		['responses', { status: 'queued' }, 'queued'],
		['messages', { stop_reason: 'end_turn' }, 'stop'],
		['messages', { stop_reason: 'stop_sequence' }, 'stop'],
		['messages', { stop_reason: 'max_tokens' }, 'length'],
		['messages', { stop_reason: 'tool_use' }, 'tool_calls'],
		['messages', { stop_reason: 'refusal' }, 'content_filter'],
		['messages', { stop_reason: 'pause_turn' }, 'pause_turn'],
		['messages', { stop_reason: 'constructor' }, 'constructor'],
	])('%s %j → %s', (format, body, reason) => expect(read(format, body).finishReason).toBe(reason));
});

describe.each(textFormats)('$name: an error with the status 200', (format) => {
	const codeOf = (body: JsonObject) =>
		errorDetailsOf(() =>
			format.readCompletion({ error: { code: 'x1', message: 'boom' }, ...body }, { kind: 'text' }),
		).code;

	it('is thrown, with or without the list of outputs', () => {
		expect(codeOf({})).toBe('x1');
		expect(codeOf(SILENT)).toBe('x1');
	});

	it('is not thrown when it is null; then a missing list is the error', () => {
		expect(codeOf({ error: null })).toBe('no_completion');
		expect(read(format.name, { error: null }).text).toBe('');
	});
});

test('a status that is not text is ignored', () => {
	expect(read('responses', { status: { toString: 0 } }).finishReason).toBeNull();
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
		{ numRuns: 500 },
	);
	expect([...outcomes].sort()).toStrictEqual(['error', 'string']);
});
