import fc from 'fast-check';

import type { Completion } from '../../../../nodes/shared/gateway/text/formats/completion';
import { parseJsonOutput } from '../../../../nodes/shared/gateway/text/formats/jsonOutput';
import type { Conversation, OutputRequest } from '../../../../nodes/shared/gateway/text/formats/request';
import { parseJson, type Json, type JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { chargeText } from '../../../../nodes/shared/run/charge/words';
import { growth, LINEAR as LINEAR_GROWTH } from '../../../helpers/growth';
import { bodyOf, errorDetailsOf, JSON_OBJECT, messages, NO_OUTPUT, NO_USAGE, TEXT } from './support';

const SCHEMA: OutputRequest = { kind: 'jsonSchema', name: 'answer', schema: {} };
const call = { id: 't', name: 'look', arguments: { a: 1 } };

function completionOf(fields: Partial<Completion>): Completion {
	const receipt = { id: 'r1', model: 'acme/writer', usage: { ...NO_USAGE, inputTokens: 3 }, costRub: 0.5 };
	return { ...receipt, ...NO_OUTPUT, finishReason: 'stop', ...fields };
}

function jsonOf(fields: Partial<Completion>, output = SCHEMA): Json | undefined {
	return parseJsonOutput(completionOf(fields), output);
}

function errorDetails(fields: Partial<Completion>, output = SCHEMA) {
	return errorDetailsOf(() => jsonOf(fields, output));
}

it('returns nothing where text was requested', () => {
	expect(jsonOf({ text: '{}' }, TEXT)).toBeUndefined();
});

it('a Markdown block may have any value inside', () => {
	fc.assert(
		fc.property(fc.jsonValue(), fc.constantFrom('', 'json', 'JSON'), (value, word) => {
			const text = JSON.stringify(value, null, 2);
			expect(jsonOf({ text: `\`\`\`${word}\n${text}\n\`\`\`` })).toStrictEqual(parseJson(text));
		}),
	);
});

describe('a tool call instead of JSON', () => {
	it.each(['', 'Wait', '"Wait"', 'I look at {"a":1}', 'I look at {"a'])(
		'with the text %j returns nothing',
		(text) => {
			expect(jsonOf({ text, toolCalls: [call] }, JSON_OBJECT)).toBeUndefined();
		},
	);

	it('with JSON text returns the JSON, and nothing if it does not fit the schema', () => {
		expect(jsonOf({ text: '{}', toolCalls: [call] })).toStrictEqual({});
		const listed: OutputRequest = { ...SCHEMA, schema: { type: 'array' } };
		expect(jsonOf({ text: '{}', toolCalls: [call] }, listed)).toBeUndefined();
	});

	it('of a completion that was cut off is an error that names Max Tokens', () => {
		expect(errorDetails({ toolCalls: [call], finishReason: 'length' })).toMatchObject({
			code: 'json_cut_off',
			description: expect.stringContaining('Max Tokens') as string,
			extra: { toolCalls: [call] },
		});
	});
});

describe('the error for a completion that is not JSON', () => {
	it('is not retryable, and has the completion and its cost', () => {
		expect(errorDetails({ text: 'Sorry.' })).toStrictEqual({
			code: 'not_json',
			message: expect.stringContaining('not JSON') as string,
			description: expect.stringContaining('“Sorry.”') as string,
			outcome: 'charged',
			kind: 'charge',
			status: 200,
			retryable: false,
			extra: {
				id: 'r1',
				text: 'Sorry.',
				finishReason: 'stop',
				usage: { ...NO_USAGE, inputTokens: 3 },
				costRub: 0.5,
			},
		});
	});

	it('has the body, if a field has not all of it', () => {
		const raw = { choices: [{ message: { content: 'a' } }, { message: { content: 'b' } }] };
		expect(errorDetails({ text: 'a', raw }).extra?.raw).toStrictEqual(raw);
	});

	it('says what it cost, and quotes no text that is empty', () => {
		expect(errorDetails({ text: '' }).description).not.toContain('“');
		expect(chargeText(errorDetails({ text: '' }))).toBe('The call cost ₽0.50.');
		expect(chargeText(errorDetails({ text: '', costRub: null }))).toBe('The call was charged.');
	});

	it('says what the hint about the completion says', () => {
		const details = errorDetails({ text: '{}', finishReason: 'content_filter', hint: 'A content filter' });
		expect(details.description).toMatch(/^A content filter/);
	});

	// report: a filter that leaves no text has cut nothing off.
	it.each<[string, string, code: string, message: string]>([
		['content_filter', '', 'refused', 'The model refused to respond, or a content filter stopped it'],
		['SAFETY', ' \n', 'refused', 'The model refused to respond, or a content filter stopped it'],
		['refusal', '', 'refused', 'The model refused to respond, or a content filter stopped it'],
		['content_filter', '{"a":', 'json_cut_off', 'The JSON was cut off'],
		['length', '', 'json_cut_off', 'The JSON was cut off'],
	])('with the finish reason %s and the text %j says what happened', (finishReason, text, code, message) => {
		expect(errorDetails({ text, finishReason, hint: 'Rephrase' })).toMatchObject({ code, message });
		expect(errorDetails({ text, finishReason, hint: 'Rephrase' }).description).toMatch(/^Rephrase/);
	});

	it.each(['stop', 'length'])(
		'quotes the refusal of the model, with the finish reason %s',
		(finishReason) => {
			const details = errorDetails({ text: 'Hm', refusal: 'I must not', finishReason });
			expect(details).toMatchObject({ code: 'refused', extra: { refusal: 'I must not', text: 'Hm' } });
			expect(details.description).toContain('“I must not”');
		},
	);
});

// Answers as models give them, and which of them become values.

const OBJECT = JSON_OBJECT;
/** Requires a title. */
const TITLE: OutputRequest = {
	kind: 'jsonSchema',
	name: 'book',
	schema: {
		type: 'object',
		properties: { title: { type: 'string' }, pages: { type: 'integer' } },
		required: ['title'],
	},
};
const LIST: OutputRequest = { kind: 'jsonSchema', name: 'list', schema: { type: 'array' } };
const NUMBER: OutputRequest = { kind: 'jsonSchema', name: 'age', schema: { type: 'number' } };

const read = (text: string, output: OutputRequest, finishReason = 'stop') =>
	jsonOf({ text, finishReason }, output);

/** A text, what was asked for, and its value. */
const VALUES: Array<[kind: string, text: string, output: OutputRequest, value: Json]> = [
	['clean', '{"title":"Sea"}', TITLE, { title: 'Sea' }],
	['clean', '\n  {\n  "title": "Sea"\n}\n', OBJECT, { title: 'Sea' }],
	['clean', '[1, 2]', OBJECT, [1, 2]],
	['clean', '42', NUMBER, 42],
	['clean, with text like a thought', '{"title":"<think>{}</think>"}', TITLE, { title: '<think>{}</think>' }],
	['fenced', '```json\n{"title":"Sea"}\n```', TITLE, { title: 'Sea' }],
	['fenced', '```javascript\n{"title":"Sea"}\n```', OBJECT, { title: 'Sea' }],
	['fenced', '```json {"title":"Sea"} ```', OBJECT, { title: 'Sea' }],
	['fenced', '```{"title":"Sea"}```', OBJECT, { title: 'Sea' }],
	['fenced', '```\n[1, 2,]\n```', OBJECT, [1, 2]],
	[
		'fenced, with a fence',
		'```json\n{"title":"```js\\nlet a;\\n```"}\n```',
		OBJECT,
		{ title: '```js\nlet a;\n```' },
	],
	['not fenced, with a fence', '{"title":"```js```"}', OBJECT, { title: '```js```' }],
	['fenced, without the end', '```json\n{"title":"Sea"}', OBJECT, { title: 'Sea' }],
	['chatty', 'Here it is:\n```json\n{"title":"Sea"}\n```\nAnything else?', OBJECT, { title: 'Sea' }],
	['chatty', 'Конечно! Вот объект: {"title":"Море"}', OBJECT, { title: 'Море' }],
	['chatty', 'He said "use {"title":"Sea"}', OBJECT, { title: 'Sea' }],
	[
		'chatty, with brackets',
		'As in [the source]: {"title":"a } \\" ] b"} (see [1]).',
		OBJECT,
		{ title: 'a } " ] b' },
	],
	['chatty, with a footnote', 'As [1] says: {"title":"Sea"}', OBJECT, { title: 'Sea' }],
	['chatty, with code', '```json\n{"title":"Sea"}\n```\n```bash\necho {1}\n```', OBJECT, { title: 'Sea' }],
	[
		'chatty, with a draft',
		'```\n{"title":"La"}\n```\nNo:\n```\n{"title":"Sea"}\n```',
		TITLE,
		{ title: 'Sea' },
	],
	['chatty, with a list', 'The list: [1, 2]', LIST, [1, 2]],
	['thinking', 'Maybe the sea\n</think>\n{"title":"Sea"}', TITLE, { title: 'Sea' }],
	['thinking', 'It is: {"title":"</think>","pages":1}', TITLE, { title: '</think>', pages: 1 }],
	['invisible', '\ufeff{"title":"Sea"}', OBJECT, { title: 'Sea' }],
	['invisible', '\u200b{"title":"Sea"}', OBJECT, { title: 'Sea' }],
	['invisible', '\u00a0[1]', OBJECT, [1]],
	['invisible', '{\n\u00a0\u00a0"title": "a\u00a0b"\n}', TITLE, { title: 'a\u00a0b' }],
	['trailing comma', '{"title":"Sea",\n}', OBJECT, { title: 'Sea' }],
	['trailing comma', 'It is {"title":",}","tags":["a","b",],}.', OBJECT, { title: ',}', tags: ['a', 'b'] }],
	[
		'comments',
		'{\n  "title": "Sea", // the "name\n  "pages": 3 /* guessed */\n}',
		TITLE,
		{ title: 'Sea', pages: 3 },
	],
	['comments', '```json\n{\n  // the book\n  "title": "Sea", // or:\n}\n```', OBJECT, { title: 'Sea' }],
	['no comments', '{"a":"https://a.b/c","d":"a /* b */",}', OBJECT, { a: 'https://a.b/c', d: 'a /* b */' }],
	['lone bracket', 'The range is [0; 10) so: {"title":"Sea"}', OBJECT, { title: 'Sea' }],
	['lone bracket', '{"title":"Sea"}\n\nSorry that it took so long :[', TITLE, { title: 'Sea' }],
	['lone bracket', 'Prices are in [RUB.\n{"title":"Sea"}', OBJECT, { title: 'Sea' }],
	['lone bracket', '```json\n{"title":"Sea"}\n```\nby the template {title, price.', TITLE, { title: 'Sea' }],
	['lone bracket', 'In {range\n[{"a":1}]', LIST, [{ a: 1 }]],
	['twice', '{"title":"Sea"} or:\n```json\n{ "title": "Sea" }\n```', OBJECT, { title: 'Sea' }],
	[
		'line breaks',
		'Here:\n{\n\t"title": "Sea\n\n\tand \\"land\\""\n}',
		OBJECT,
		{ title: 'Sea\n\n\tand "land"' },
	],
	['unknown field is null', '{"title":"Sea","pages":null}', TITLE, { title: 'Sea', pages: null }],
];

it.each(VALUES)('%s: %j has a value', (_, text, output, value) => {
	expect(read(text, output)).toStrictEqual(value);
});

/** A text, what was asked for, and the code of the error. */
const ERRORS: Array<[kind: string, text: string, output: OutputRequest, code: string]> = [
	['cut', '{"items":[{"name":"A"},{"na', OBJECT, 'json_cut_off'],
	['cut', '```json\n{"title":"Sea","tags":["a"]\n```', OBJECT, 'json_cut_off'],
	['not JSON', "{'title': 'Sea', 'tags': {}}", OBJECT, 'not_json'],
	['not JSON, cut', '{\n  # the book\n  "part": {"title":"Intro"},\n  "ti', TITLE, 'json_cut_off'],
	['not JSON, cut', '{title: "Sea", part: {"title":"Intro"}, ti', TITLE, 'json_cut_off'],
	['cut', 'Here:\n```json\n{\n', OBJECT, 'json_cut_off'],
	['footnote', 'It is the sea, see [1]', OBJECT, 'not_json'],
	['footnote', 'It is the sea, see [1]', TITLE, 'not_json'],
	['words', 'Sorry, I cannot.', OBJECT, 'not_json'],
	['words', '"Sorry."', OBJECT, 'not_json'],
	['words', 'The answer is 42', NUMBER, 'not_json'],
	['lone bracket', 'Sorry :-{ here: {"a":1}', OBJECT, 'not_json'],
	['encoded twice', JSON.stringify('{"title":"Sea"}'), OBJECT, 'not_json'],
	['several', '{"a":1}\n{"a":2}', OBJECT, 'not_json'],
	['several', 'Input: {"title":"Free","price":0}\nAnswer: {"title":"Boots","price":"12"}', TITLE, 'not_json'],
	['several', 'Maybe {"title":"Land"}\n</think>\n{"title":"Sea"}', TITLE, 'not_json'],
	['several', '{"title":"Sea"} or {"title":"Land"}', TITLE, 'not_json'],
	['wrong', "{'title': 'Sea'}", TITLE, 'not_json'],
	['wrong', '{"name":1}', TITLE, 'json_does_not_fit'],
	['wrong', 'Here: {"title":1}', TITLE, 'json_does_not_fit'],
	['wrong', '[{"title":"Sea"}]', TITLE, 'json_does_not_fit'],
	['wrong', '"Sorry."', TITLE, 'json_does_not_fit'],
];

it.each(ERRORS)('%s: %j is an error with the text', (_, text, output, code) => {
	const details = errorDetailsOf(() => read(text, output));
	expect(details).toMatchObject({ code, outcome: 'charged', extra: { text, costRub: 0.5 } });
});

it.each([
	'length',
	'max_tokens',
	'MAX_TOKENS',
	'max_output_tokens',
	'model_context_window_exceeded',
	'content_filter',
	'refusal',
	'SAFETY',
])('no answer is a value when it ended with %s', (finishReason) => {
	for (const [, text, output] of VALUES)
		expect(errorDetailsOf(() => read(text, output, finishReason)).code).toBe('json_cut_off');
});

it('no beginning of an answer is a value that the whole does not have', () => {
	// A shorter number is a number, and a draft a value.
	const answers = VALUES.filter(([kind, text]) => /[{[]/.test(text) && !kind.includes('draft'));
	for (const [, text, output, value] of answers) {
		for (let end = 0; end < text.length; end += 1) {
			let cut: Json | undefined;
			try {
				cut = read(text.slice(0, end), output);
			} catch {
				continue;
			}
			// Only what comes after the JSON is missing.
			expect([text, end, cut]).toStrictEqual([text, end, value]);
		}
	}
});

it('a long text is read in one go', () => {
	const long = 'x'.repeat(3_000_000);
	expect(read(`Here: {"title":"${long}",}`, TITLE)).toStrictEqual({ title: long });
	for (const part of ['[1] ', '{a} ', '{"a', '``` ', ', '])
		expect(errorDetailsOf(() => read(`${part.repeat(200_000)}{"`, OBJECT)).code).toMatch(/json/);
});

it.each(['{a} ', '[1] ', '{"a', '``` ', ', ', '/* ', '// ', '"\\', '<think>', '[{', '\u200b,'])(
	'a text of many %j is read in linear time',
	async (part) => {
		const reading = (size: number) => {
			const text = part.repeat(size);
			return () => expect(errorDetailsOf(() => read(text, OBJECT)).code).toMatch(/json/);
		};
		expect(await growth(reading, 5_000)).toBeLessThan(LINEAR_GROWTH);
	},
);

// Vendors answer 400 to a request for a JSON object without the word "json" in the messages; in Responses, the input.

const LINE = 'Respond with a JSON object.';
const PROMPT = 'Верни объект с полями город и население для Казани';
const user = (text: string) => ({ role: 'user' as const, text });
const said = (content: string, role = 'user') => ({ role, content });

const sent = (format: string, conversation: Conversation, output: OutputRequest = OBJECT) => {
	const { messages: list, input, instructions } = bodyOf(format, { conversation, output });
	return { content: list ?? input, instructions };
};
const system = { role: 'system' as const, text: 'Return JSON' };
const asked = `${PROMPT}\n\n${LINE}`;

it('the line is at the end of what the user says last, before the results of tools', () => {
	const conversation = messages(
		user('Hi'),
		{ role: 'assistant', text: 'Hello' },
		user(PROMPT),
		{ role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'look', arguments: '{}' }] },
		{ role: 'tool', callId: 'c', text: 'seen' },
	);
	const list = sent('chat', conversation).content as JsonObject[];
	expect(list.map(({ content }) => content)).toStrictEqual(['Hi', 'Hello', asked, null, 'seen']);
});

it.each([
	['chat', [said('List three books', 'system'), said(LINE)]],
	['responses', LINE],
])('the line is the prompt when there is no other (%s)', (format, content) => {
	const conversation = messages({ role: 'system', text: 'List three books' }, user(''));
	expect(sent(format, conversation).content).toStrictEqual(content);
	const alone = messages({ role: 'system', text: 'List three books' });
	expect(sent(format, alone).content).toStrictEqual([said('List three books', 'system'), said(LINE)]);
});

it('where the system prompt has the word, only Responses need the line, in the input', () => {
	const conversation = messages(system, user(PROMPT));
	expect(sent('responses', conversation)).toStrictEqual({ content: asked, instructions: 'Return JSON' });
	expect(sent('chat', conversation).content).toStrictEqual([said('Return JSON', 'system'), said(PROMPT)]);
});

const wire: Conversation = { kind: 'wire', messages: [said(PROMPT)] };
const bySchema: OutputRequest = { kind: 'jsonSchema', name: 'a', schema: {} };

it.each<[string, string, Conversation, OutputRequest?]>([
	...['Return json', 'Верни JSON-объект', 'A .jsonl file'].flatMap(
		(text): Array<[string, string, Conversation]> => [
			[`“${text}”`, 'chat', messages(user(text))],
			[`“${text}”`, 'responses', messages(user(text))],
		],
	),
	['messages in the shape of the format', 'chat', wire],
	['messages in the shape of the format', 'responses', wire],
	['text', 'chat', messages(user(PROMPT)), TEXT],
	['JSON by a schema', 'chat', messages(user(PROMPT)), bySchema],
	['any prompt', 'messages', messages(user(PROMPT))],
])('no line is added to %s (%s)', (_, format, conversation, output = OBJECT) => {
	expect(JSON.stringify(sent(format, conversation, output))).not.toContain(LINE);
});
