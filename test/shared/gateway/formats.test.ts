import fc from 'fast-check';

import { ApiFailure } from '../../../nodes/shared/gateway/failure';
import { textFormat, textFormats } from '../../../nodes/shared/gateway/formats';
import type { JsonObject } from '../../../nodes/shared/gateway/json';

/** The lists that an answer has at the least. */
const EMPTY: JsonObject = { choices: [], output: [], content: [] };

function read(name: string, body: JsonObject) {
	const format = textFormat(name);
	const answer = format.readAnswer({ ...EMPTY, ...body }, { kind: 'text' });
	const [choice] = answer.choices;
	if (!choice) throw new Error('an answer has at least one choice');
	return { ...answer, ...choice };
}

describe('why an answer ended, in the same words for each format', () => {
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
	])('%s %j → %s', (format, body, reason) => expect(read(format, body).finishReason).toBe(reason));
});

describe('where the text stands', () => {
	it('responses: in all message items, wherever they stand (§2.3)', () => {
		const message = (text: string) => ({ type: 'message', content: [{ type: 'output_text', text }] });
		const output = [
			{ type: 'function_call', content: [{ text: 'no' }] },
			message('a'),
			{ type: 'mcp_call' },
			message('b'),
		];
		expect(read('responses', { status: 'completed', output }).text).toBe('ab');
	});
	it('chat: in content that is an array of parts', () => {
		expect(
			read('chat', { choices: [{ message: { content: [{ type: 'text', text: 'a' }, { text: 'b' }] } }] })
				.text,
		).toBe('ab');
	});
});

describe('the cost', () => {
	it('chat: takes either field, and a cost given as text', () => {
		expect(read('chat', { usage: { cost: '0.5' } }).costRub).toBe(0.5);
		expect(read('chat', { usage: { cost_rub: 0.25, cost: 0.5 } }).costRub).toBe(0.25);
		expect(read('chat', { usage: {} }).costRub).toBeNull();
	});
	it('a cost of nothing is not an unknown one', () => {
		expect(read('chat', { usage: { cost_rub: 0 } }).costRub).toBe(0);
		expect(read('responses', { status: 'completed', usage: { cost: { total_cost: 0 } } }).costRub).toBe(0);
	});
});

test('a status that is no text is none', () => {
	expect(read('responses', { status: { toString: 0 } }).finishReason).toBeNull();
});

test.each(textFormats.map(({ name }) => name))(
	'%s reads any JSON object, or tells a failed generation',
	(name) => {
		fc.assert(
			fc.property(
				fc.dictionary(
					fc.constantFrom('id', 'choices', 'output', 'content', 'usage', 'status', 'error', 'stop_reason'),
					fc.jsonValue(),
				),
				(body) => {
					try {
						expect(typeof read(name, body as JsonObject).text).toBe('string');
					} catch (error) {
						expect(error).toBeInstanceOf(ApiFailure);
					}
				},
			),
			{ numRuns: 500 },
		);
	},
);
