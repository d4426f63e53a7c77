import type { ModelOutput } from '../../../../nodes/shared/gateway/text/formats/completion';
import type { Json, JsonObject } from '../../../../nodes/shared/gateway/util/json';
import {
	errorDetailsOf,
	JSON_OBJECT,
	NO_OUTPUT,
	NO_USAGE,
	read,
	streamed,
	streamedChoice,
	TEXT,
} from './support';

const saying = (...content: JsonObject[]): ModelOutput => read('messages', { content }).output;

it('a completion without text is empty', () => {
	expect(saying({ type: 'text', text: null })).toStrictEqual(NO_OUTPUT);
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
		read('messages', { content, stop_reason }, output).output;

	it.each([
		['an object', { a: [1] }, '{"a":[1]}'],
		['text that is cut off', '{"a":', '{"a":'],
		['nothing', null, 'null'],
		['no input', undefined, 'null'],
	])('is the text of the choice: %s', (_, input, text) => {
		const textBlock = { type: 'text', text: 'Here it is' };
		expect(reading(JSON_OBJECT, 'tool_use', textBlock, json(input))).toStrictEqual({
			...NO_OUTPUT,
			text,
			finishReason: 'stop',
		});
	});

	it('is the text of all calls: parseJsonOutput says which one is the answer', () => {
		const calls = [json({ title: 'Sea' }), json({ title: 'Land' })];
		expect(reading(JSON_OBJECT, 'tool_use', ...calls).text).toBe('{"title":"Sea"}\n{"title":"Land"}');
	});

	it.each<[string, string, JsonObject[], string]>([
		['leaves the calls of other tools', '', [json({ b: 2 }, 'look'), json({ a: 1 })], '{"a":1}'],
		['may be replaced by the call of another tool', 'Wait', [json({ b: 2 }, 'look')], 'Wait'],
	])('%s', (_, said, calls, shown) => {
		expect(reading(JSON_OBJECT, 'tool_use', { type: 'text', text: said }, ...calls)).toStrictEqual({
			...NO_OUTPUT,
			text: shown,
			toolCalls: [{ id: 't', name: 'look', arguments: { b: 2 } }],
			finishReason: 'tool_calls',
		});
	});
});

const run = (...events: JsonObject[]) => streamed('messages', events);
const start: JsonObject = {
	type: 'message_start',
	message: {
		id: 'm1',
		model: 'acme/writer',
		content: [],
		stop_reason: null,
		usage: { input_tokens: 1, output_tokens: 0 },
	},
};
const block = (index: number, content_block: JsonObject | null): JsonObject => ({
	type: 'content_block_start',
	index,
	content_block,
});
const delta = (index: number | null, fields: JsonObject | null): JsonObject => ({
	type: 'content_block_delta',
	index,
	delta: fields,
});
const json = (part: string) => delta(0, { type: 'input_json_delta', partial_json: part });
const call = (input: Json, name = 'look') => ({ type: 'tool_use', id: 't', name, input });
const use = (input: Json, name?: string) => block(0, call(input, name));
const text = (index: number | null, content: string) => delta(index, { type: 'text_delta', text: content });
const end = (fields: JsonObject = {}): JsonObject => ({
	type: 'message_delta',
	delta: { stop_reason: 'end_turn', stop_sequence: null },
	usage: { output_tokens: 2 },
	...fields,
});
const stop = { type: 'message_stop' };
const hello = [start, block(0, { type: 'text', text: '' }), text(0, 'Hel'), text(0, 'lo')];

it('after the stop reason the stream is complete, and goes on to its end', () => {
	expect(run(...hello)).toMatchObject({ isComplete: [false, false] });
	expect(run(...hello, end())).toMatchObject({ isComplete: [true, true], isFinished: false });
});

it('an error event without an error throws an error', () => {
	expect(errorDetailsOf(() => run({ type: 'error', error: null })).code).toBe('generation_failed');
});

describe('the usage', () => {
	const usageOf = (...events: JsonObject[]) => run(...hello, ...events, stop).body.usage;

	const told = { input_tokens: 1, output_tokens: 2 };
	const cached = { output_tokens: 2, cache_read_input_tokens: 3 };

	it.each<[string, JsonObject[], JsonObject]>([
		['has no output tokens without a later one', [], { input_tokens: 1 }],
		['is completed', [end({ usage: cached })], { input_tokens: 1, ...cached }],
		['is kept by a later event without it', [end(), end({ usage: null })], told],
		['is kept by a later event with nothing in it', [end(), end({ usage: {} })], told],
		['is not replaced by nulls', [end({ usage: { input_tokens: null, output_tokens: 2 } })], told],
	])('%s', (_, events, usage) => {
		expect(usageOf(...events)).toStrictEqual(usage);
	});

	it('may be without a start event', () => {
		expect(read('messages', run(text(0, 'Hello'), end(), stop).body)).toMatchObject({
			usage: { inputTokens: null, outputTokens: 2 },
			text: 'Hello',
			finishReason: 'stop',
		});
	});
});

describe('the content', () => {
	const contentOf = (...events: JsonObject[]) => run(start, ...events, end(), stop).body.content;

	const hello = [{ type: 'text', text: 'Hello' }];
	const [page, other] = [{ url: 'https://a.test' }, { url: 'https://b.test' }];
	const thinking = (thought: string, signature: string) => ({
		type: 'thinking',
		thinking: thought,
		signature,
	});
	const unsigned = { type: 'thinking', thinking: '' };
	const unknown = { type: 'brand_new', data: 'x' };

	it.each<[string, JsonObject[], JsonObject[]]>([
		['a text without a start event', [text(1, 'Hel'), text(1, 'lo')], hello],
		['a text whose start is unknown', [block(0, null), text(0, 'Hello')], hello],
		['a text without an index', [text(null, 'Hel'), text(0, 'lo')], hello],
		['a text that begins in its start', [block(0, { type: 'text', text: 'Hel' }), text(0, 'lo')], hello],
		[
			'thinking with its signature',
			[block(0, thinking('H', 's')), delta(0, { thinking: 'm' }), delta(0, { signature: 't' })],
			[thinking('Hm', 'st')],
		],
		[
			'thinking that is signed later',
			[block(0, unsigned), delta(0, { signature: 's' })],
			[thinking('', 's')],
		],
		['a tool call that is cut off', [use({}), json('{"a"')], [call('{"a"')]],
		[
			'citations of the start and of later events',
			[block(0, { type: 'text', text: 'a', citations: [page] }), delta(0, { citation: other })],
			[{ type: 'text', text: 'a', citations: [page, other] }],
		],
		['a block of an unknown kind', [block(0, unknown), delta(0, { data: 'y' })], [unknown]],
	])('is assembled: %s', (_, events, content) => {
		expect(contentOf(...events)).toStrictEqual(content);
	});
});

describe('streamed JSON output', () => {
	const events = (name: string) => [
		start,
		use({}, name),
		json('{"a"'),
		json(':1}'),
		end({ delta: { stop_reason: 'tool_use' } }),
		stop,
	];

	it.each([
		['of another tool', 'look', JSON_OBJECT],
		['where text was requested', 'answer', TEXT],
	])('is not shown when it is the call %s', (_, name, output) => {
		expect(streamed('messages', events(name), output).shown.join('')).toBe('');
		expect(streamedChoice('messages', events(name), output)).toMatchObject({
			text: '',
			toolCalls: [{ id: 't', name, arguments: { a: 1 } }],
			finishReason: 'tool_calls',
		});
	});
});
