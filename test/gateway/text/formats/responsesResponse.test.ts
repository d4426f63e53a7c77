import type { Completion } from '../../../../nodes/shared/gateway/text/formats/completion';
import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { errorDetailsOf, NO_CHOICE, read } from './support';
import { WHOLE } from './whole';

const completed = (...output: JsonObject[]) => read('responses', { status: 'completed', output }).first;
const usage = (fields: JsonObject): Completion =>
	read('responses', { status: 'completed', output: [{}], usage: fields });

it('reads all fields of a completion', () => {
	const body = WHOLE.responses;
	const first = {
		text: 'Hello there',
		toolCalls: [{ id: 'c1', name: 'look', arguments: { a: 1 } }],
		reasoning: 'Hm, well',
		reasoningParts: [body.output[0]],
		refusal: 'No',
		sources: [
			{ url: 'https://a.test', title: 'A' },
			{ url: 'https://b.test', title: 'Again' },
		],
		files: [{ kind: 'image', base64: 'AAAA' }],
		otherOutput: [{ type: 'brand_new', data: 'x' }, body.output[5], body.output[6]],
		finishReason: 'tool_calls',
	};
	expect(read('responses', body)).toStrictEqual({
		id: 'r1',
		model: 'acme/writer',
		choices: [first],
		usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3, cachedInputTokens: 4, reasoningTokens: 5 },
		costRub: 0.3,
		first,
	});
});

it('a response that was cancelled in the middle is what there is of it', () => {
	const output = [{ type: 'message', content: [{ text: 'Hel' }] }];
	expect(read('responses', { status: 'cancelled', output }).first).toMatchObject({
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

describe('the id of a tool call', () => {
	it.each([
		[{ id: 'fc', call_id: 'c1' }, 'c1'],
		[{ id: 'fc' }, 'fc'],
		[{}, null],
	])('of %j is %s', (ids, id) => {
		const call = { type: 'function_call', name: 'f', arguments: '', ...ids };
		expect(completed(call).toolCalls).toStrictEqual([{ id, name: 'f', arguments: {} }]);
	});
});

it('an image call without an image has no file, and is as received', () => {
	const call = { type: 'image_generation_call', result: null };
	expect(completed(call)).toStrictEqual({
		...NO_CHOICE,
		otherOutput: [call],
		finishReason: 'stop',
	});
});

it.each<[string, JsonObject, number | null]>([
	['total_cost', { cost: { total_cost: 0.5 } }, 0.5],
	['zero', { cost: { total_cost: 0 } }, 0],
	['unknown without total_cost', { cost: { input_cost: 1 } }, null],
	['unknown', {}, null],
])('the cost is %s', (_, fields, costRub) => {
	expect(usage(fields).costRub).toBe(costRub);
});
