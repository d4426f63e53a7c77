import type { Choice } from '../../../../nodes/shared/gateway/text/formats/completion';
import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { JSON_OBJECT, NO_CHOICE, NO_USAGE, read } from './support';
import { WHOLE } from './whole';

const saying = (...content: JsonObject[]): Choice => read('messages', { content }).first;

it('reads all fields of a completion', () => {
	const body = WHOLE.messages;
	const first = {
		...NO_CHOICE,
		text: 'Hello there',
		toolCalls: [{ id: 't1', name: 'look', arguments: { a: 1 } }],
		reasoning: 'Hm',
		reasoningParts: [body.content[0]],
		sources: [{ url: 'https://a.test', title: 'A' }, body.content[1]?.citations?.[1]],
		otherOutput: [{ type: 'brand_new', text: 'no' }],
		finishReason: 'tool_calls',
	};
	expect(read('messages', body)).toStrictEqual({
		id: 'm1',
		model: 'acme/writer',
		choices: [first],
		usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3, cachedInputTokens: 3, reasoningTokens: null },
		costRub: null,
		first,
	});
});

it('a completion without text is empty', () => {
	expect(saying({ type: 'text', text: null })).toStrictEqual(NO_CHOICE);
});

it.each<[JsonObject, Array<number | null>]>([
	[{ input_tokens: 0, output_tokens: 0 }, [0, 0, 0]],
	[{ input_tokens: 1 }, [1, null, null]],
	[{ output_tokens: 1 }, [null, 1, null]],
	[{}, [null, null, null]],
])('the tokens of %j are %j', (usage, [inputTokens, outputTokens, totalTokens]) => {
	expect(read('messages', { content: [{}], usage }).usage).toStrictEqual({
		...NO_USAGE,
		inputTokens,
		outputTokens,
		totalTokens,
	});
});

describe('JSON output', () => {
	const json = (input: unknown, name = 'answer'): JsonObject => ({
		type: 'tool_use',
		id: 't',
		name,
		input: input as string,
	});
	const reading = (output: typeof JSON_OBJECT, stop_reason: string, ...content: JsonObject[]) =>
		read('messages', { content, stop_reason }, output).first;

	it.each([
		['an object', { a: [1] }, '{"a":[1]}'],
		['text that is cut off', '{"a":', '{"a":'],
		['nothing', null, 'null'],
		['no input', undefined, 'null'],
	])('is the text of the choice: %s', (_, input, text) => {
		const textBlock = { type: 'text', text: 'Here it is' };
		expect(reading(JSON_OBJECT, 'tool_use', textBlock, json(input))).toStrictEqual({
			...NO_CHOICE,
			text,
			finishReason: 'stop',
		});
	});

	it('leaves the calls of other tools', () => {
		const other = json({ b: 2 }, 'look');
		expect(reading(JSON_OBJECT, 'tool_use', other, json({ a: 1 }))).toStrictEqual({
			...NO_CHOICE,
			text: '{"a":1}',
			toolCalls: [{ id: 't', name: 'look', arguments: { b: 2 } }],
			finishReason: 'tool_calls',
		});
	});

	it('may be replaced by the call of another tool', () => {
		const textBlock = { type: 'text', text: 'Wait' };
		expect(reading(JSON_OBJECT, 'tool_use', textBlock, json({}, 'look'))).toStrictEqual({
			...NO_CHOICE,
			text: 'Wait',
			toolCalls: [{ id: 't', name: 'look', arguments: {} }],
			finishReason: 'tool_calls',
		});
	});
});
