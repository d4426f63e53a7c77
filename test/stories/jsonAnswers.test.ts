import { CONTINUE, prompts, rubles, text, useStories } from './support';

// Models put JSON beside other words, cut it off, or leave out what the schema requires. All answers are paid.

const { gateway, execute, spent } = useStories();

const ANSWERS = [
	'{"title":"Sea"}',
	'Конечно! Вот объект: {"title":"Море"}',
	'<think>{"title":"Land"}?</think>\n```javascript\n{"title":"Sea",}\n```\nAnything else?',
	'{"name":1}',
	'{"items":[{"name":"A"},{"na',
	'It is the sea. See {2}',
];
const asked = () => prompts(...ANSWERS.map((answer) => `JSON: [[say:${answer}]]`));

it('JSON Object: what was paid for is in output, or in an error with its text and cost', async () => {
	const execution = await execute(text({ outputFormat: 'jsonObject' }, CONTINUE), asked());
	expect(execution.items().map(({ json }) => json.output)).toStrictEqual([
		{ title: 'Sea' },
		{ title: 'Море' },
		{ title: 'Sea' },
		{ name: 1 },
		undefined,
		undefined,
	]);
	const errors = execution.errors();
	expect(errors).toMatchObject([
		{ code: 'json_cut_off', text: ANSWERS[4] },
		{ code: 'not_json', text: ANSWERS[5] },
	]);
	for (const { costRub } of errors) expect(costRub).toBeGreaterThan(0);
	expect(gateway.charges()).toBe(ANSWERS.length);
});

it.each(['chat', 'responses'])('%s: JSON Object needs no word in the prompt', async (format) => {
	const items = prompts(
		'Верни объект с полями город и население для Казани',
		'An object with a city in JSON',
	);
	const execution = await execute(text({ format, outputFormat: 'jsonObject' }), items);
	expect(execution.items().map(({ json }) => typeof json.output)).toStrictEqual(['object', 'object']);
	const bodies = gateway.control.requests({ method: 'POST' }).map(({ body }) => JSON.stringify(body.json));
	expect(bodies.filter((body) => body.includes('Respond with a JSON object.'))).toHaveLength(1);
});

it('JSON by Schema: JSON that does not fit is an error with the JSON, its text and its cost', async () => {
	const jsonSchema = '{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}';
	const node = text({ outputFormat: 'jsonSchema', jsonSchema }, CONTINUE);
	const execution = await execute(node, asked().slice(0, 4));
	expect(execution.items().map(({ json }) => json.output)).toStrictEqual([
		{ title: 'Sea' },
		{ title: 'Море' },
		{ title: 'Sea' },
		undefined,
	]);
	const [error] = execution.errors();
	expect(error).toMatchObject({
		message: 'The response does not fit the schema: output.title is missing',
		output: { name: 1 },
		text: '{"name":1}',
		retryable: false,
	});
	expect(error?.description).toMatch(rubles(String(error?.costRub)));
	expect(execution.hints()).toContain('1 response does not fit the schema');
	expect(gateway.charges()).toBe(4);
});

it.each(['chat', 'responses', 'messages'])(
	'%s: fields, and an example, give a value for each item without a schema by hand',
	async (format) => {
		const fields = { field: [{ name: 'title' }, { name: 'pages', type: 'number' }] };
		const jsonExample = '{"title":"The Old Lighthouse","pages":320}';
		const nodes = [
			text({ format, outputFormat: 'jsonFields', fields }),
			text({ format, outputFormat: 'jsonExample', jsonExample }),
		];
		for (const node of nodes) {
			const execution = await execute(node, prompts('A book about the sea', 'A book about rivers'));
			expect(execution.error).toBeUndefined();
			const values = execution.items().map(({ json }) => json.output);
			const book = { title: expect.any(String) as string, pages: expect.any(Number) as number };
			expect(values).toStrictEqual([book, book]);
		}
		expect(gateway.charges()).toBe(4);
	},
);

/** The gateway's next response, as it is. */
function respond(message: object, finishReason: string): void {
	const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, cost_rub: 0.5 };
	const choices = [{ index: 0, message, finish_reason: finishReason }];
	const body = { id: 'c1', object: 'chat.completion', model: 'm', choices, usage };
	gateway.control.addFault({
		match: { path: '/chat/completions' },
		action: {
			kind: 'raw',
			status: 200,
			body: { text: JSON.stringify(body), contentType: 'application/json' },
		},
	});
}

it.each([
	['length', /cut off/],
	['max_tokens', /cut off/],
	['MAX_TOKENS', /cut off/],
	['model_context_window_exceeded', /cut off/],
	['content_filter', /content filter/],
])('JSON that ended with %s is no value, even where it can be read', async (finishReason, words) => {
	for (const content of ['42', '{"title":"Sea"}']) respond({ role: 'assistant', content }, finishReason);
	const node = text({ outputFormat: 'jsonSchema', jsonSchema: '{"type":["number","object"]}' }, CONTINUE);
	const execution = await execute(node, prompts('a', 'b'));
	const errors = execution.errors();
	expect(errors).toHaveLength(2);
	for (const error of errors) {
		expect(error).toMatchObject({ code: 'json_cut_off', costRub: 0.5, retryable: false });
		expect(error.description).toMatch(words);
	}
});

it('a workflow that stops names the field and the cost, and its retry does not pay for the other item', async () => {
	const jsonSchema = '{"type":"object","required":["title"]}';
	const node = text({ outputFormat: 'jsonSchema', jsonSchema, options: { concurrency: 1 } });
	const items = prompts('[[say:{"title":"Sea"}]]', '[[say:{"name":1}]]');
	const stopped = await execute(node, items);
	expect(stopped.errorText).toContain('output.title is missing');
	expect(stopped.errorText).toMatch(rubles(spent(1, 2)));
	expect(gateway.charges()).toBe(2);
	const retried = await stopped.retry();
	expect(retried.errorText).toContain('output.title is missing');
	expect(gateway.charges()).toBe(3);
});
