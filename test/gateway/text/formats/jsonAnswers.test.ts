import type { Choice } from '../../../../nodes/shared/gateway/text/formats/completion';
import { parseJsonOutput } from '../../../../nodes/shared/gateway/text/formats/jsonOutput';
import type { OutputRequest } from '../../../../nodes/shared/gateway/text/formats/request';
import type { Json } from '../../../../nodes/shared/gateway/util/json';
import { errorDetailsOf, JSON_OBJECT, NO_CHOICE, NO_USAGE } from './support';

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

const read = (text: string, output: OutputRequest, finishReason: string | null) => {
	const choice: Choice = { ...NO_CHOICE, text, finishReason };
	const receipt = { id: 'r1', model: 'acme/writer', usage: NO_USAGE, costRub: 0.5 };
	return parseJsonOutput(choice, output, { ...receipt, choices: [choice] });
};

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
	['chatty, with a draft', 'Not {"name":"Sea"} but {"title":"Sea"}', TITLE, { title: 'Sea' }],
	['chatty, with a list', 'The list: [1, 2]', LIST, [1, 2]],
	['thinking', '<think>{"title":"Land"}?</think>{"title":"Sea"}', TITLE, { title: 'Sea' }],
	['thinking', '<think>\nOr {"a":1}\n</think>\n\n```json\n{"title":"Sea"}\n```', OBJECT, { title: 'Sea' }],
	['thinking', 'Maybe {"title":"Land"}\n</think>\n{"title":"Sea"}', TITLE, { title: 'Sea' }],
	['thinking', '{"title":"Sea"}<think>Was {"title":"Land"} right?</think>', TITLE, { title: 'Sea' }],
	['thinking', '<think>Hm</think>42', NUMBER, 42],
	['invisible', '\ufeff{"title":"Sea"}', OBJECT, { title: 'Sea' }],
	['invisible', '\u200b{"title":"Sea"}', OBJECT, { title: 'Sea' }],
	['invisible', '\u00a0[1]', OBJECT, [1]],
	['invisible', '{\n\u00a0\u00a0"title": "a\u00a0b"\n}', TITLE, { title: 'a\u00a0b' }],
	['trailing comma', '{"title":"Sea",\n}', OBJECT, { title: 'Sea' }],
	['trailing comma', 'It is {"title":",}","tags":["a","b",],}.', OBJECT, { title: ',}', tags: ['a', 'b'] }],
	['unknown field is null', '{"title":"Sea","pages":null}', TITLE, { title: 'Sea', pages: null }],
];

it.each(VALUES)('%s: %j has a value', (_, text, output, value) => {
	expect(read(text, output, 'stop')).toStrictEqual(value);
});

/** A text, what was asked for, and the code of the error. */
const ERRORS: Array<[kind: string, text: string, output: OutputRequest, code: string]> = [
	['cut', '{"items":[{"name":"A"},{"na', OBJECT, 'json_cut_off'],
	['cut', '```json\n{"title":"Sea","tags":["a"]\n```', OBJECT, 'json_cut_off'],
	['cut', '{"title":"Sea"}\n{"title":"La', TITLE, 'json_cut_off'],
	['cut', '<think>Maybe {"title":"Land"}, or', TITLE, 'not_json'],
	['footnote', 'It is the sea, see [1]', OBJECT, 'not_json'],
	['footnote', 'It is the sea, see [1]', TITLE, 'not_json'],
	['words', 'Sorry, I cannot.', OBJECT, 'not_json'],
	['words', '"Sorry."', OBJECT, 'not_json'],
	['words', 'The answer is 42', NUMBER, 'not_json'],
	['several', '{"a":1}\n{"a":2}', OBJECT, 'not_json'],
	['several', '{"title":"Sea"} or {"title":"Land"}', TITLE, 'not_json'],
	['wrong', "{'title': 'Sea'}", TITLE, 'not_json'],
	['wrong', '{"name":1}', TITLE, 'json_does_not_fit'],
	['wrong', 'Here: {"title":1}', TITLE, 'json_does_not_fit'],
	['wrong', '[{"title":"Sea"}]', TITLE, 'json_does_not_fit'],
	['wrong', '"Sorry."', TITLE, 'json_does_not_fit'],
];

it.each(ERRORS)('%s: %j is an error with the text', (_, text, output, code) => {
	const details = errorDetailsOf(() => read(text, output, 'stop'));
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
	// A shorter number is a number; before the first tag comes, nothing tells thoughts.
	const answers = VALUES.filter(([, text]) => /^(?!Maybe)[^]*[{[]/.test(text));
	for (const [, text, output, value] of answers) {
		for (let end = 0; end < text.length; end += 1) {
			let cut: Json | undefined;
			try {
				cut = read(text.slice(0, end), output, 'stop');
			} catch {
				continue;
			}
			// Only what comes after the JSON is missing.
			expect([text, end, cut]).toStrictEqual([text, end, value]);
		}
	}
});

it('a long text is read in one go', () => {
	const long = 'x'.repeat(30_000_000);
	expect(read(`Here: {"title":"${long}",}`, TITLE, 'stop')).toStrictEqual({ title: long });
	expect(errorDetailsOf(() => read(`${'[1] '.repeat(100_000)}{`, OBJECT, 'stop')).code).toBe('json_cut_off');
});
