import { CONTINUE, FORMATS } from '../helpers/values';
import { attach, fromField, withFiles } from '../nodes/text/files';
import { image, prompts, respondJson, rubles, says, text, useStories } from './support';

describe('answers in JSON', () => {
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

	it('what stands elsewhere than in the text is in the error: it is paid for', async () => {
		const part = { type: 'json', json: { title: 'Sea' } };
		const message = { content: [part], reasoning: 'The title is Sea.' };
		const raw = { choices: [{ message }] };
		gateway.control.addFault({ match: { method: 'POST' }, action: respondJson(raw) });
		const execution = await execute(text({ outputFormat: 'jsonObject' }, CONTINUE), prompts('a title'));
		expect(execution.errors()).toMatchObject([{ reasoning: message.reasoning, raw }]);
	});

	it.each(FORMATS)(
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

	it('a retry with more *Max Tokens*, after one JSON was cut off, pays only for that', async () => {
		const node = text({ outputFormat: 'jsonObject', options: { concurrency: 1, maxTokens: 12 } });
		const long = 'Sea and land, '.repeat(9);
		const items = prompts('[[say:{"title":"Sea"}]] JSON', `[[say:{"title":"${long}"}]] JSON`);
		const failed = await execute(node, items);
		expect(failed.errorText).toMatch(/The JSON was cut off.*Raise the option 'Max Tokens'/s);
		expect(failed.errorText).toContain('it pays only for what has not succeeded');
		const retried = await failed.retry({ options: { concurrency: 1, maxTokens: 100 } });
		expect(retried.items().map(({ json }) => json.output)).toStrictEqual([{ title: 'Sea' }, { title: long }]);
		expect(gateway.charges()).toBe(3);
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
});

describe('answers that were paid for and are not whole', () => {
	// Responses that were paid for, as providers send them when something goes wrong; other clients lose or misread them.

	const { gateway, execute } = useStories();

	const TEXT = 'Дорогие покупатели, в эту пятницу мы';
	const ERROR = { code: 502, message: 'Upstream idle timeout exceeded' };
	const USAGE = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21, cost_rub: 0.5 };

	/** The first response is this one. */
	const respond = (body: object) =>
		gateway.control.addFault({ match: { path: '/chat/completions' }, action: respondJson(body) });
	const whole = (message: object, end: object) => ({
		id: 'c1',
		choices: [{ message, ...end }],
		usage: USAGE,
	});
	const THREE = prompts('a sale', '[[say:two]]', '[[say:three]]');

	it('an answer that breaks off with an error: its item is an error with the text and the cost; the others have texts', async () => {
		respond(whole({ content: TEXT }, { finish_reason: 'error', error: ERROR }));
		const execution = await execute(text({}, CONTINUE), THREE);
		const [error, ...others] = execution.errors();
		expect(others).toStrictEqual([]);
		expect(error).toMatchObject({
			code: '502',
			receivedText: TEXT,
			costRub: 0.5,
			mayBeCharged: true,
			retryable: false,
		});
		expect(error?.description).toMatch(/Upstream idle timeout.*Received so far.*The call cost ₽0\.50\./s);
		const texts = execution.items().map(({ json }) => json.text);
		expect(texts.sort()).toStrictEqual(['three', 'two', undefined]);
		expect(gateway.charges()).toBe(2);
	});

	it('a model that refuses: what it says comes out, with a hint', async () => {
		respond(whole({ content: null, refusal: 'I must not' }, { finish_reason: 'stop' }));
		const execution = await execute(text(), THREE);
		const refused = { text: '', refusal: 'I must not', isComplete: false };
		expect(execution.items()[0]?.json).toMatchObject(refused);
		expect(execution.hints()).toContain('the model refused');
	});
});

describe('half an emoji, where an expression has cut a text', () => {
	// Half an emoji, as an expression such as {{ $json.text.slice(0, 1000) }} leaves it: strict servers refuse it.

	const { gateway, execute } = useStories();

	const HALVES = ['a\ud83d', '\ude00b', 'a\ud83d \ude00b'];
	const whole = (value: string) => Buffer.from(value).toString();

	/** The texts of the requests as they were sent. */
	const bodies = () =>
		gateway.control.requests({ method: 'POST' }).map(({ body }) => JSON.stringify(body.json));

	test.each(FORMATS)('is sent as � in a text of the format %s, and the text is answered', async (format) => {
		const execution = await execute(text({ format, systemPrompt: HALVES[0] }), prompts(...HALVES));
		expect(execution.error).toBeUndefined();
		expect(bodies()).toHaveLength(3);
		for (const body of bodies()) expect(body).not.toMatch(/\\ud[89a-f]/);
		for (const half of HALVES) expect(bodies().join()).toContain(whole(half));
	});

	test('is sent as � beside files, and in the name of a field', async () => {
		const file = { name: 'data', content: Buffer.from('a'), mimeType: 'image/png', fileName: 'a.png' };
		const node = text({
			prompt: HALVES[0],
			...attach(fromField('image', 'data')),
			options: { extraBody: JSON.stringify({ metadata: { 'k\ud83d': 'v' } }) },
		});
		expect((await execute(node, [await withFiles(file)])).error).toBeUndefined();
		expect(bodies().join()).not.toMatch(/\\ud[89a-f]/);
		expect(bodies().join()).toContain(`"k${whole('\ud83d')}"`);
	});

	test('is sent as � in the prompt of a picture, which is made', async () => {
		expect((await execute(image(), prompts(...HALVES))).error).toBeUndefined();
		expect(bodies()).toHaveLength(3);
		expect(bodies().join()).not.toMatch(/\\ud[89a-f]/);
	});

	test('a whole emoji, and a text that looks like a half, are sent as they are', async () => {
		await execute(text(), prompts('😀 \\ud83d \\\\ud83d'));
		expect(bodies().join()).toContain(JSON.stringify('😀 \\ud83d \\\\ud83d'));
	});
});

describe('a picture that is made although the gateway says that it was cancelled', () => {
	// The gateway, or something before it, says that a creation was cancelled or took too long, after the task was created.

	const { gateway, execute, disturb, calm } = useStories();

	/** The task is created; the response has this status. */
	function respond(status: number): void {
		const text = JSON.stringify({ code: status, msg: 'The request ended early', data: null });
		const body = { text, contentType: 'application/json' };
		disturb(says('a cat'), { kind: 'raw', status, body, afterEffect: true });
	}

	it.each([499, 408])(
		'after a %d the error does not say that nothing was charged; a retry pays nothing',
		async (status) => {
			respond(status);
			const failed = await execute(image(), prompts('a cat'));
			expect(gateway.charges()).toBe(1);
			expect(failed.errorText).not.toContain('not charged');
			expect(failed.errorText).toMatch(/may have been (created|charged)/);
			expect(failed.error?.httpCode).toBe(String(status));
			calm();
			const retried = await failed.retry();
			expect(retried.error).toBeUndefined();
			expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(
				gateway.control.tasks().map(({ taskId }) => taskId),
			);
			expect(gateway.charges()).toBe(1);
		},
	);
});
