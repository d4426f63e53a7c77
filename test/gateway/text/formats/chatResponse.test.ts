import type { Choice, Completion } from '../../../../nodes/shared/gateway/text/formats/completion';
import type { Json, JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { NO_CHOICE, read } from './support';
import { WHOLE } from './whole';

const completion = (body: JsonObject) => read('chat', body);
const message = (fields: JsonObject): Choice => completion({ choices: [{ message: fields }] }).first;
const usage = (fields: JsonObject): Completion => completion({ choices: [{}], usage: fields });

it('reads all fields of a completion', () => {
	expect(completion(WHOLE.chat)).toStrictEqual({
		id: 'c1',
		model: 'acme/writer',
		provider: 'Acme Cloud',
		choices: [expect.anything()],
		usage: {
			inputTokens: 1,
			outputTokens: 2,
			totalTokens: 3,
			cachedInputTokens: 4,
			reasoningTokens: 5,
			webSearchRequests: 6,
		},
		costRub: 0.5,
		first: {
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
			otherOutput: [],
			finishReason: 'stop',
		},
	});
});

it('several choices are in the order of the response', () => {
	const choices = ['c', 'a', 'b'].map((content) => ({ message: { content } }));
	expect(completion({ choices }).choices.map(({ text }) => text)).toStrictEqual(['c', 'a', 'b']);
});

describe('the text', () => {
	it.each([
		[
			'of two parts',
			{
				content: [
					{ type: 'text', text: 'a' },
					{ type: 'text', text: 'b' },
				],
			},
			'ab',
		],
		[
			'next to parts of other kinds',
			{ content: [{ type: 'brand_new', data: 'x' }, { text: 'a' }, 'b', null] },
			'a',
		],
		['of a content that is not text', { content: 5 }, ''],
		['of audio', { content: null, audio: { transcript: 'Heard' } }, 'Heard'],
	])('is read: %s', (_, fields, text) => {
		expect(message(fields).text).toBe(text);
	});
});

describe('the reasoning', () => {
	const reasoningDetails = [
		{ text: 'a' },
		{ summary: 'b', text: '' },
		{ type: 'reasoning.encrypted', data: 'x' },
		{ text: 'c' },
	];

	it.each<[string, JsonObject, string]>([
		['of the details alone (§2.4)', { reasoning_details: reasoningDetails, message: {} }, 'abc'],
		['of the details inside the message', { message: { reasoning_details: reasoningDetails } }, 'abc'],
		[
			'of their own field rather than the details',
			{ reasoning_details: reasoningDetails, message: { reasoning: 'Hm' } },
			'Hm',
		],
		[
			'of the details next to an empty field',
			{ reasoning_details: reasoningDetails, message: { reasoning: '' } },
			'abc',
		],
	])('is read: %s', (_, choice, reasoning) => {
		expect(completion({ choices: [choice] }).first.reasoning).toBe(reasoning);
	});
});

describe('tool calls', () => {
	const call = (args?: Json, id: Json = 't') => ({ id, function: { name: 'f', arguments: args } });
	const read = (args: Json, id = 't') => ({ id, name: 'f', arguments: args });

	it.each<[string, JsonObject, Choice['toolCalls'][number]]>([
		['empty arguments', call(''), read({})],
		['no arguments', call(), read({})],
		['arguments that are an object already', call({ a: 1 }), read({ a: 1 })],
		['arguments that are cut off', call('{"a":'), { ...read('{"a":'), invalidArguments: true }],
		['a number as the id', call('{}', 7), read({}, '7')],
		['no function', { id: '' }, { id: null, name: '', arguments: {} }],
	])('are read with %s', (_, received, expected) => {
		expect(message({ tool_calls: [received] }).toolCalls).toStrictEqual([expected]);
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

it('output of another kind is as received: pictures by URL, and parts of unknown types', () => {
	const linked = { type: 'image_url', image_url: { url: 'https://files.test/a.png' } };
	const unknown = { type: 'brand_new', data: 'x' };
	const content = [{ type: 'text', text: 'Hello' }, linked, { type: 'text', text: null }, unknown];
	expect(message({ content, images: [linked] })).toMatchObject({
		text: 'Hello',
		files: [],
		otherOutput: [linked, unknown, linked],
	});
});

describe('files', () => {
	const image = (url: unknown): JsonObject => ({ image_url: { url: url as string } });

	it('are images in parts of the content and in a list next to it', () => {
		const fields = {
			content: [{ type: 'text', text: 'See' }, image('data:image/png;base64,AA\nAA')],
			images: [image('data:image/webp;base64,BBBB')],
		};
		expect(message(fields)).toStrictEqual({
			...NO_CHOICE,
			text: 'See',
			files: [
				{ kind: 'image', base64: 'AAAA', mimeType: 'image/png' },
				{ kind: 'image', base64: 'BBBB', mimeType: 'image/webp' },
			],
		});
	});

	it.each([
		'https://files.test/a.png',
		'x data:image/png;base64,AAAA',
		'data:image/png;base64,',
		'data:image/png;base64,A',
		'data:image/png',
		null,
	])('are not read from the address %s', (url) => {
		expect(message({ images: [image(url)] }).files).toStrictEqual([]);
	});

	it('are not read from audio without data', () => {
		expect(message({ audio: { id: 'a', data: '' } }).files).toStrictEqual([]);
	});
});

describe('the cost', () => {
	it.each<[string, JsonObject, number | null]>([
		['of cost_rub', { cost_rub: 0.25 }, 0.25],
		['of cost', { cost: 0.5 }, 0.5],
		['of cost_rub before cost', { cost_rub: 0.25, cost: 0.5 }, 0.25],
		['zero', { cost_rub: 0, cost: 0.5 }, 0],
		['of cost next to an unknown cost_rub', { cost_rub: null, cost: 0.5 }, 0.5],
		['unknown', {}, null],
	])('is read: %s', (_, fields, costRub) => {
		expect(usage(fields).costRub).toBe(costRub);
	});
});
