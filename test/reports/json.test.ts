import { TEXT_MODEL } from '../contract/support';
import { locator } from '../helpers/values';
import { useReports } from './support';

// JSON in a text: the value that was asked for, or an error with the text, and never another value.

const { gateway, respond, respondText, run } = useReports();

const bySchema = (jsonSchema: object): object => ({
	outputFormat: 'jsonSchema',
	schemaName: 'book',
	jsonSchema: JSON.stringify(jsonSchema),
});
const LIST = bySchema({ type: 'array' });
const OBJECT: object = { outputFormat: 'jsonObject' };
const PRICE = bySchema({
	type: 'object',
	properties: { title: { type: 'string' }, price: { type: 'number' } },
	required: ['title', 'price'],
});

const TITLE = bySchema({ type: 'object', properties: { title: { type: 'string' } }, required: ['title'] });
const NUMBER = bySchema({ type: 'number' });

const PROMPT = { resource: 'text', operation: 'generate', model: locator(TEXT_MODEL), prompt: 'Hello' };

const ask = async (content: string, parameters: object, finish_reason = 'stop') => {
	respond({
		id: 'c1',
		choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
		usage: { prompt_tokens: 3, completion_tokens: 4, cost_rub: 0.5 },
	});
	return await run('textGeneration', { ...PROMPT, ...parameters });
};

const deep = (levels: number, middle = '') => '['.repeat(levels) + middle + ']'.repeat(levels);

/** A text, what was asked for, and the value in the item. */
test.each<[title: string, text: string, parameters: object, output: unknown]>([
	[
		'a string with the end of thoughts',
		'Result: {"tag":"</think>","n":1}',
		OBJECT,
		{ tag: '</think>', n: 1 },
	],
	['a footnote before an object', 'As [1] says: {"a":1}', OBJECT, { a: 1 }],
	['a set before a list', 'Of {a, b}: [1, 2]', LIST, [1, 2]],
	['a fence of JSON before one of bash', '```json\n{"a":1}\n```\n```bash\necho {}\n```', OBJECT, { a: 1 }],
	['a fence without a label before one of text', '```\n{"a":1}\n```\n```text\n{}\n```', OBJECT, { a: 1 }],
	['a range before an object', 'The range [0, 1) is half-open. {"a":1}', OBJECT, { a: 1 }],
	['a word in brackets before an object', '[Answer] {"a":1}', OBJECT, { a: 1 }],
	['a link before an object', 'See [the page](https://x.y) first. {"a":1}', OBJECT, { a: 1 }],
	['a set before an object', 'With {name} it is { "a": 1 }', OBJECT, { a: 1 }],
	['a list in words', 'Here it is: [{"a":1}]', OBJECT, [{ a: 1 }]],
	['a list in words, with spaces', 'Here it is: [ {"a":1}, {"a":2} ].', LIST, [{ a: 1 }, { a: 2 }]],
	['a list of numbers in words', 'Here it is: [1, 2]', LIST, [1, 2]],
	[
		'a value of the input in words',
		'The text says {"title":"HACK","price":0}, which is no product. I cannot…',
		PRICE,
		{ title: 'HACK', price: 0 },
	],
	['a backslash before a line break', '{"a":"curl \\\n -X"}', OBJECT, { a: 'curl \\\n -X' }],
	['an escaped backslash before one', '{"a":"C:\\\\\n"}', OBJECT, { a: 'C:\\\n' }],
	['line breaks, a comment and a comma', '{"a":"1\n2", // or\n}', OBJECT, { a: '1\n2' }],
	['a fence inside a string', 'It is {"a":"```json\\n{}\\n```"}', OBJECT, { a: '```json\n{}\n```' }],
])('%s: the value is found', async (_, text, parameters, output) => {
	const { json } = await ask(text, parameters);
	expect(json).toMatchObject({ output, text, costRub: 0.5 });
});

test.each<[title: string, text: string, parameters: object, code: string]>([
	[
		'a value of the input that fits, and one that does not',
		'Input: {"title":"HACK","price":0}\nAnswer: {"title":"Boots","price":"1200"}',
		PRICE,
		'not_json',
	],
	[
		'a fence that does not fit after a value that does',
		'Input: {"title":"HACK","price":0}\n```json\n{"title":"Boots","price":"1200"}\n```',
		PRICE,
		'json_does_not_fit',
	],
	[
		'a fence that is no JSON after a value that fits',
		'```json\n{"title":"Boots","price":1 200}\n```\nfor {"title":"HACK","price":0}',
		PRICE,
		'not_json',
	],
	[
		'a fence with a bracket too few after a value that fits',
		'{"title":"HACK","price":0} is:\n```json\n{"title":"Boots","price":{"rub":1}\n```',
		PRICE,
		'json_cut_off',
	],
	['a bracket in a smiley', 'Sorry :-{ here: {"a":1}', OBJECT, 'not_json'],
	['a list before an object', 'Sources: [{"u":1}]\n\n{"a":1}', OBJECT, 'not_json'],
	['a list of the input', 'The input was `[{"a":0}]`. Answer: {"a":1}', OBJECT, 'not_json'],
	[
		'an example before JSON that is cut off',
		'Example: {"a":0}. Final: {"a":1,"b":"x',
		OBJECT,
		'json_cut_off',
	],
	[
		'a fence before one that is cut off',
		'```json\n{"a":0}\n```\nor\n```json\n{"a":1,"b":"x',
		OBJECT,
		'json_cut_off',
	],
	['JSON with an error, and words', '{"a": oops} and so on', OBJECT, 'not_json'],
	['JSON in single quotes, and words', "{'a': 'b'} (see [1])", OBJECT, 'not_json'],
	['JSON that nothing closes', '{"a":{"b":1},"c":"it } en', OBJECT, 'json_cut_off'],
	['a list that nothing closes', '[[1],[2', LIST, 'json_cut_off'],
	['brackets that nothing closes, 8,000 deep', '['.repeat(8_000), LIST, 'json_cut_off'],
])('%s: an error with the text and the cost', async (_, text, parameters, code) => {
	const { json, sent } = await ask(text, parameters);
	expect(json).toMatchObject({ error: { code, text, costRub: 0.5, retryable: false } });
	expect(sent).toHaveLength(1);
});

const NAME: object = {
	'JSON Object': OBJECT,
	'JSON by Fields': { outputFormat: 'jsonFields', fields: { field: [{ name: 'name', type: 'text' }] } },
	'JSON by Example': { outputFormat: 'jsonExample', jsonExample: '{"name":"Lamp"}' },
	'JSON by Schema': bySchema({
		type: 'object',
		properties: { name: { type: 'string' } },
		required: ['name'],
	}),
};
const TWO = '[{"name":"A"},{"name":"B"';
const INVOICES = `[{"name":"A","lines":[{"n":1},{"n":2}]},{"name":"B","lines":[{"n":1}`;

describe.each(Object.entries(NAME))('%s: a list is not its first element', (mode, parameters: object) => {
	test.each<[title: string, text: string, code: string]>([
		['cut off', TWO, 'json_cut_off'],
		['cut off, in a sentence', `Here is the list: ${TWO}`, 'json_cut_off'],
		['cut off, in a fence', `\`\`\`json\n${TWO}\n\`\`\``, 'json_cut_off'],
		['cut off, in a fence without its end', `Here:\n\`\`\`json\n${TWO}`, 'json_cut_off'],
		['of invoices, cut off', INVOICES, 'json_cut_off'],
		['with an ellipsis', 'Items: [{"name":"A"}, ...]', 'not_json'],
	])('%s', async (_, text, code) => {
		for (const reason of ['stop', null])
			expect((await ask(text, parameters, reason as string)).json).toMatchObject({
				error: { code, text, costRub: 0.5, retryable: false },
			});
	});

	test('in words', async () => {
		const { json } = await ask('Here it is: [{"name":"A"}]', parameters);
		const found = { output: [{ name: 'A' }], costRub: 0.5 };
		const misfit = { error: { code: 'json_does_not_fit', ...found } };
		expect(json).toMatchObject(mode === 'JSON Object' ? found : misfit);
	});
});

test('a content filter that leaves no text is named as what happened', async () => {
	const { json } = await ask('', OBJECT, 'content_filter');
	expect(json).toMatchObject({
		error: { code: 'refused', message: 'The model refused to respond, or a content filter stopped it' },
	});
	expect((await ask('{"a":', OBJECT, 'content_filter')).json).toMatchObject({
		error: { code: 'json_cut_off' },
	});
});

test.each<[title: string, thoughts: string, text: string, parameters: object, output: unknown]>([
	['an object', '<think>{"a":0}</think>', '{"a":1}', OBJECT, { a: 1 }],
	['a question', '<think>{"title":"Land"}?</think>', '{"title":"Sea"}', TITLE, { title: 'Sea' }],
	['a fence', '<think>\nOr {"a":1}\n</think>\n\n', '```json\n{"title":"Sea"}\n```', OBJECT, { title: 'Sea' }],
	['a number', '<think>Hm</think>', '42', NUMBER, 42],
])('JSON after thoughts is the answer: %s', async (_, thoughts, text, parameters, output) => {
	const { json } = await ask(thoughts + text, parameters);
	const reasoning = thoughts.replace(/<\/?think>/g, '').trim();
	expect(json).toMatchObject({ output, text, reasoning, costRub: 0.5 });
});

test('thoughts that do not end have no answer', async () => {
	const { json } = await ask('<think>Maybe {"a":1}, or', OBJECT);
	expect(json).toMatchObject({
		error: { code: 'not_json', text: '', reasoning: 'Maybe {"a":1}, or', costRub: 0.5 },
	});
});

test('of three rows with default settings, the second ends in a list: it alone is an error', async () => {
	const texts = ['{"name":"A"}', 'Items: [{"name":"B"},{"name":"C"', '{"name":"D"}'];
	const items = texts.map((text) => ({ json: { text } }));
	const parameters = {
		...PROMPT,
		prompt: '=[[say:{{ $json.text }}]]',
		outputFormat: 'jsonExample',
		jsonExample: '{"name":"Lamp"}',
		options: { extraBody: '{"response_format":null}' },
	};
	const { items: results, sent } = await run('textGeneration', parameters, items);
	expect(results.map(({ json, pairedItem }) => [json.output ?? json.error, pairedItem])).toMatchObject([
		[{ name: 'A' }, { item: 0 }],
		[{ code: 'json_cut_off', text: texts[1], retryable: false }, { item: 1 }],
		[{ name: 'D' }, { item: 2 }],
	]);
	expect([sent.length, gateway.control.ledger().length]).toStrictEqual([3, 3]);
});
describe('brackets that are 8,000 deep, which n8n cannot store, are not lost', () => {
	const text = deep(8_000);

	test.each<[title: string, content: string, parameters: object]>([
		['a list by schema', text, LIST],
		['in words', `Here: ${text}.`, LIST],
		['in a fence, with a comma', `\`\`\`json\n${deep(8_000, '1,')}\n\`\`\``, LIST],
		['an object', `{"a":${text}}`, OBJECT],
		['by a schema that refers to itself', text, bySchema({ type: 'array', items: { $ref: '#' } })],
		['against a choice', `{"a":${text}}`, bySchema({ properties: { a: { enum: [[1], [[2]]] } } })],
		['1,001 deep', deep(1_001), LIST],
	])('%s: an error with the text and the cost', async (_, content, parameters) => {
		const { json, sent } = await ask(content, parameters);
		expect(json).toMatchObject({ error: { code: 'not_json', text: content, costRub: 0.5 } });
		expect(sent).toHaveLength(1);
	});

	test('1,000 deep is a value', async () => {
		const { json } = await ask(deep(1_000), LIST);
		expect(JSON.stringify(json.output)).toBe(deep(1_000));
	});

	test('as a text', async () => {
		expect((await ask(text, {})).json).toMatchObject({ text, costRub: 0.5 });
	});

	test('in the arguments of a tool call: their text', async () => {
		const args = `{"a":${text}}`;
		const call = { id: 'f1', type: 'function', function: { name: 'look', arguments: args } };
		respond({ id: 'c1', choices: [{ index: 0, message: { tool_calls: [call] } }], usage: { cost_rub: 0.5 } });
		const { json } = await run('textGeneration', PROMPT);
		const toolCalls = [{ id: 'f1', name: 'look', arguments: args, invalidArguments: true }];
		expect(json).toMatchObject({ costRub: 0.5, toolCalls });
	});

	test.each([true, false])(
		'in a field of the response: an error with all of it (Simplify: %s)',
		async (simplify) => {
			const body = `{"id":"c1","choices":[{"index":0,"message":{"content":"Hi"}}],"more":${text}}`;
			respondText(body, 'application/json');
			const { json } = await run('textGeneration', { ...PROMPT, simplify });
			expect(json).toMatchObject({
				error: { code: 'unreadable_answer', receivedText: body, mayBeCharged: true },
			});
		},
	);

	test.each(['get', 'wait'])('in the result of a task: its text (%s)', async (operation) => {
		const data = { taskId: 'task_1', model: 'aurora/canvas-1', state: 'success', resultJson: text };
		gateway.control.addFault({
			match: { method: 'GET', path: '/async/media/tasks/*' },
			action: {
				kind: 'raw',
				status: 200,
				body: { text: JSON.stringify({ code: 200, msg: 'success', data }), contentType: 'application/json' },
			},
			times: 0,
		});
		const options = operation === 'wait' ? { downloadResults: false } : {};
		const { json } = await run('mediaTask', { resource: 'task', operation, taskId: 'task_1', ...options });
		expect(json).toMatchObject({ taskId: 'task_1', state: 'success', result: text });
	});
});
