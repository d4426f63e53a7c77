import { CONTINUE, FORMATS } from '../helpers/values';
import { attach, fromField, withFiles } from '../nodes/text/files';
import type { StoryNode } from './execution';
import { image, numbered, prompts, respondJson, rubles, says, text, useStories } from './support';

describe('json answers', () => {
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

	it.each([
		'{"title":"Sea"}{"title":"Sea"}',
		'{"title":"Sea"} or, as a block:\n```json\n{ "title": "Sea" }\n```',
		JSON.stringify('{"title":"Sea"}'),
	])('JSON that a model gives, or encodes, twice is the answer: %j', async (answer) => {
		const execution = await execute(text({ outputFormat: 'jsonObject' }), prompts(`JSON: [[say:${answer}]]`));
		expect(execution.items().map(({ json }) => json.output)).toStrictEqual([{ title: 'Sea' }]);
	});

	it('JSON whose texts have line breaks as they are is read', async () => {
		const answer = 'Here it is:\n{\n\t"title": "Sea\n\n\tand \\"land\\""\n}';
		const execution = await execute(text({ outputFormat: 'jsonObject' }), prompts(`JSON: [[say:${answer}]]`));
		expect(execution.items().map(({ json }) => json.output)).toStrictEqual([
			{ title: 'Sea\n\n\tand "land"' },
		]);
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

	it('what stands elsewhere than in the text is in the error: it is paid for', async () => {
		const part = { type: 'json', json: { title: 'Sea' } };
		const message = { content: [part], reasoning: 'The title is Sea.' };
		gateway.control.addFault({ match: { method: 'POST' }, action: respondJson({ choices: [{ message }] }) });
		const execution = await execute(text({ outputFormat: 'jsonObject' }, CONTINUE), prompts('a title'));
		expect(execution.errors()).toMatchObject([{ reasoning: message.reasoning, otherOutput: [part] }]);
	});

	it('JSON by Schema: a schema with fields and no type is that of an object', async () => {
		const jsonSchema = '{"properties":{"title":{"type":"string"}},"required":["title"]}';
		const items = prompts(...['42', '"Sorry"'].map((answer) => `[[say:${answer}]]`));
		const execution = await execute(text({ outputFormat: 'jsonSchema', jsonSchema }, CONTINUE), items);
		expect(execution.errors().map(({ code }) => code)).toStrictEqual(Array(2).fill('json_does_not_fit'));
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

	/** The gateway's next response, as it is. */
	function respond(message: object, finishReason: string): void {
		const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, cost_rub: 0.5 };
		const choices = [{ index: 0, message, finish_reason: finishReason }];
		const body = { id: 'c1', object: 'chat.completion', model: 'm', choices, usage };
		gateway.control.addFault({
			match: { path: '/chat/completions' },
			action: respondJson(body),
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

	it.each<[string, object[], object]>([
		[
			'different values gives an error with both',
			[{ title: 'Sea' }, { title: 'Land' }],
			{ code: 'not_json', text: '{"title":"Sea"}\n{"title":"Land"}' },
		],
		[
			'a value that fits and one that does not gives the former',
			[{ name: 1 }, { title: 'Sea' }],
			{ title: 'Sea' },
		],
		['the same value gives that', [{ title: 'Sea' }, { title: 'Sea' }], { title: 'Sea' }],
	])('Messages: a model that answers twice with %s', async (_, inputs, expected) => {
		const content = inputs.map((input, n) => ({ type: 'tool_use', id: `c${n}`, name: 'answer', input }));
		const body = {
			type: 'message',
			content,
			stop_reason: 'tool_use',
			usage: { input_tokens: 5, output_tokens: 7 },
		};
		gateway.control.addFault({
			match: { path: '/messages' },
			action: respondJson(body),
		});
		const node = text(
			{ format: 'messages', outputFormat: 'jsonFields', fields: { field: [{ name: 'title' }] } },
			CONTINUE,
		);
		const execution = await execute(node, prompts('a'));
		const [{ json }] = execution.items() as [{ json: { output?: object; error?: object } }];
		expect(json.output ?? json.error).toMatchObject(expected);
	});

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

describe('odd responses', () => {
	// Responses that were paid for, as providers send them when something goes wrong; other clients lose or misread them.

	const { gateway, execute, spent } = useStories();

	const TEXT = 'Дорогие покупатели, в эту пятницу мы';
	const ERROR = { code: 502, message: 'Upstream idle timeout exceeded' };
	const USAGE = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21, cost_rub: 0.5 };

	/** The first response is this one, or a stream of these chunks. */
	function respond(...bodies: object[]): void {
		const [body] = bodies;
		const isWhole = bodies.length === 1;
		const frames = [...bodies.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
		gateway.control.addFault({
			match: { path: '/chat/completions' },
			action: {
				kind: 'raw',
				status: 200,
				body: {
					text: isWhole ? JSON.stringify(body) : frames.map((frame) => `data: ${frame}\n\n`).join(''),
					contentType: isWhole ? 'application/json' : 'text/event-stream',
				},
			},
		});
	}

	const whole = (message: object, end: object) => ({
		id: 'c1',
		choices: [{ message, ...end }],
		usage: USAGE,
	});
	const chunk = (delta: object, end: object = {}) => ({ id: 'c1', choices: [{ index: 0, delta, ...end }] });
	const usage = { id: 'c1', choices: [], usage: USAGE };
	const THREE = prompts('a sale', '[[say:two]]', '[[say:three]]');

	describe('an error inside a choice', () => {
		const end = { finish_reason: 'error', error: ERROR };
		const bodies: Array<[string, object[], object]> = [
			['whole', [whole({ content: TEXT }, end)], {}],
			['streamed', [chunk({ content: TEXT }), chunk({ content: '' }, end), usage], { stream: true }],
		];

		it.each(bodies)(
			'%s: its item is an error with the text and the cost; the others have texts',
			async (...row) => {
				const [, responses, options] = row;
				respond(...responses);
				const execution = await execute(text({ options }, CONTINUE), THREE);
				expect(execution.errors()).toStrictEqual([
					expect.objectContaining({
						code: '502',
						receivedText: TEXT,
						costRub: 0.5,
						mayBeCharged: true,
						retryable: false,
					}),
				]);
				const [error] = execution.errors();
				expect(String(error?.description)).toMatch(
					/Upstream idle timeout.*Received so far.*The call cost ₽0\.50\./s,
				);
				const texts = execution.items().map(({ json }) => json.text);
				expect(texts.sort()).toStrictEqual(['three', 'two', undefined]);
				expect(gateway.charges()).toBe(2);
			},
		);

		it.each(bodies)('%s: without On Error, the node says what happened and what it cost', async (...row) => {
			const [, responses, options] = row;
			respond(...responses);
			const execution = await execute(text({ options }), THREE.slice(0, 1));
			expect(execution.errorText).toMatch(/did not finish its response/);
			expect(execution.errorText).toContain(TEXT);
			expect(execution.errorText).toMatch(rubles('0.5'));
		});
	});

	it.each<[string, object]>([
		['chat', { choices: [{ message: { content: TEXT }, error: {} }], error: { code: '', message: null } }],
		[
			'responses',
			{ output: [{ type: 'message', content: [{ type: 'output_text', text: TEXT }] }], error: {} },
		],
		[
			'messages',
			{ content: [{ type: 'text', text: TEXT }], stop_reason: 'end_turn', error: { message: '' } },
		],
	])('%s: a text with an empty error is a text', async (format, body) => {
		gateway.control.addFault({ match: { method: 'POST' }, action: respondJson(body) });
		const execution = await execute(text({ format }), prompts('a sale'));
		expect(execution.error).toBeUndefined();
		expect(execution.items()[0]?.json.text).toBe(TEXT);
	});

	it.each([{}, { status: null }])(
		'a response that ends as incomplete is cut off, also if it says %j',
		async (status) => {
			const output = [{ type: 'message', content: [{ type: 'output_text', text: TEXT }] }];
			const event = { type: 'response.incomplete', sequence_number: 0, response: { output, ...status } };
			const body = { text: `data: ${JSON.stringify(event)}\n\n`, contentType: 'text/event-stream' };
			gateway.control.addFault({ match: { method: 'POST' }, action: { kind: 'raw', status: 200, body } });
			const execution = await execute(
				text({ format: 'responses', options: { stream: true } }),
				prompts('a sale'),
			);
			expect(execution.items()[0]?.json).toMatchObject({
				text: TEXT,
				isComplete: false,
				finishReason: 'length',
			});
			expect(execution.hints()).toContain('cut off');
		},
	);

	it.each(['cutAfter', 'errorAfter'])(
		'Messages: a text that is whole is delivered, with %s its end',
		async (fault) => {
			// All events but the last.
			gateway.control.addFault({
				match: { method: 'POST' },
				action: { kind: 'stream', stream: { [fault]: 8 } },
			});
			const node = text({ format: 'messages', options: { stream: true } });
			const execution = await execute(node, prompts('[[say:one two three four]]'));
			expect(execution.error).toBeUndefined();
			expect(execution.items()[0]?.json).toMatchObject({ text: 'one two three four', finishReason: 'stop' });
			expect(execution.hints()).toMatch(rubles(spent()));
			expect(gateway.charges()).toBe(1);
		},
	);

	it('a text that ended for an unknown reason is delivered, and a hint names the reason', async () => {
		respond(whole({ content: TEXT }, { finish_reason: 'insufficient_system_resource' }));
		const execution = await execute(text(), THREE);
		expect(execution.error).toBeUndefined();
		expect(execution.items()[0]?.json).toMatchObject({
			text: TEXT,
			finishReason: 'insufficient_system_resource',
		});
		expect(execution.hints()).toContain('“insufficient_system_resource”');
	});

	it('a refusal is no whole text, and has a hint', async () => {
		respond(whole({ content: null, refusal: 'I must not' }, { finish_reason: 'stop' }));
		const execution = await execute(text(), THREE);
		const refused = { text: '', refusal: 'I must not', isComplete: false };
		expect(execution.items()[0]?.json).toMatchObject(refused);
		expect(execution.hints()).toContain('the model refused');
	});

	it('parallel calls of a tool without IDs are two', async () => {
		const call = (city: string) =>
			chunk({
				tool_calls: [{ index: 0, function: { name: 'weather', arguments: JSON.stringify({ city }) } }],
			});
		respond(call('Казань'), call('Пермь'), chunk({}, { finish_reason: 'tool_calls' }), usage);
		const tools = { function: [{ name: 'weather', parameters: '{"type": "object"}' }] };
		const execution = await execute(text({ tools, options: { stream: true } }), THREE);
		expect(execution.items()[0]?.json.toolCalls).toMatchObject([
			{ name: 'weather', arguments: { city: 'Казань' } },
			{ name: 'weather', arguments: { city: 'Пермь' } },
		]);
	});

	it('a sound in padded pieces is whole, and is sound', async () => {
		const data = ['c291bmQ=', 'MTI=', 'Mw==', 'NDU2'].map((piece) => chunk({ audio: { data: piece } }));
		respond(...data, chunk({ audio: { transcript: 'la' } }, { finish_reason: 'stop' }), usage);
		const values = { modalities: ['text', 'audio'], audioFormat: 'pcm16' };
		const execution = await execute(text({ options: { stream: true, audioAndImages: { values } } }), THREE);
		const [item] = execution.items();
		expect(item?.json.text).toBe('la');
		expect(item?.binary?.audio).toMatchObject({
			fileName: 'audio.pcm16',
			mimeType: 'audio/pcm16',
			bytes: 11,
		});
	});
});

describe('error in success', () => {
	// The gateway's envelope has an error, and the response itself the status 200.

	const { gateway, execute } = useStories();

	const TASKS = '/async/media/tasks';
	const get: StoryNode = {
		node: 'mediaTask',
		parameters: { resource: 'task', operation: 'get', taskId: '={{ $json.prompt }}' },
	};
	const IDS = prompts('9b2d7c1e-0000-4000-8000-000000000001', '9b2d7c1e-0000-4000-8000-000000000002');

	/** What users read of an error with this status in the envelope. */
	async function shown(code: number, msg: string, status: number, path: string, node: StoryNode) {
		gateway.control.addFault({
			match: { path },
			action: {
				kind: 'raw',
				status,
				body: { text: JSON.stringify({ code, msg, data: null }), contentType: 'application/json' },
			},
			times: 0,
		});
		const items = node === get ? IDS : prompts('a cat', 'a dog');
		const stopped = await execute(node, items.slice(1));
		const continued = await execute({ ...node, settings: CONTINUE }, items);
		const { message, description, httpCode } = stopped.error ?? {};
		gateway.control.clearFaults();
		return { message, description, httpCode, items: continued.errors() };
	}

	test.each<[number, string, string, StoryNode, RegExp]>([
		[402, 'Insufficient funds', TASKS, image(), /not enough money.*Nothing was charged/],
		[422, 'input.size: must be one of the values', TASKS, image(), /^'Size'.*Nothing was charged/],
		[403, 'The model is not on the plan', TASKS, image(), /plan.*Nothing was charged/],
		[404, 'Task not found', `${TASKS}/*`, get, /no such media task/],
	])('a %d in the envelope, “%s”, is shown like one in the status', async (code, msg, path, node, words) => {
		const plain = await shown(code, msg, code, path, node);
		const wrapped = await shown(code, msg, 200, path, node);
		expect(wrapped).toStrictEqual(plain);
		expect(wrapped.httpCode).toBe(String(code));
		expect(`${wrapped.message} ${wrapped.description}`).toMatch(words);
		expect(wrapped.items).toHaveLength(2);
		expect(gateway.charges()).toBe(0);
	});
});

describe('failed stream', () => {
	// The model fails in the middle of a text, in the format Responses. It is charged at its end only (§6.1).

	const { gateway, execute } = useStories();

	/** What workflows decide on. */
	const DECISIVE = ['retryable', 'code', 'type', 'httpCode', 'mayBeCharged', 'paid'];

	/** The error of one of three texts, whose generation fails with this one. */
	async function failed(error: object, stream: boolean) {
		const response = { id: 'resp_1', object: 'response', status: 'failed', error, output: [], usage: null };
		const begun = { ...response, status: 'in_progress', error: null };
		const events = [
			{ type: 'response.created', sequence_number: 0, response: begun },
			{ type: 'response.failed', sequence_number: 1, response },
		];
		const frames = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
		const body = stream
			? { text: frames, contentType: 'text/event-stream' }
			: { text: JSON.stringify(response), contentType: 'application/json' };
		gateway.control.addFault({ match: { path: '/responses' }, action: { kind: 'raw', status: 200, body } });
		const node = text({ format: 'responses', options: { stream } }, CONTINUE);
		const execution = await execute(node, numbered(3));
		expect(execution.items()).toHaveLength(3);
		const [found, ...others] = execution.errors();
		expect(others).toStrictEqual([]);
		return Object.fromEntries(DECISIVE.map((name) => [name, found?.[name]]));
	}

	test.each([
		{ code: 'server_error', message: 'The model had an error' },
		{ code: 'rate_limit_exceeded', message: 'Too many tokens' },
		{ code: 'invalid_prompt', type: 'invalid_request_error', message: 'Not this prompt' },
	])('a workflow that decides by the error item does the same, streamed or not: $code', async (error) => {
		const whole = await failed(error, false);
		expect(whole).toMatchObject({ code: error.code });
		expect(await failed(error, true)).toStrictEqual(whole);
		// The other two texts, in each of the two executions.
		expect(gateway.charges()).toBe(4);
	});
});

describe('lone surrogates', () => {
	// Half an emoji, as an expression such as {{ $json.text.slice(0, 1000) }} leaves it: strict servers refuse it.

	const { gateway, execute } = useStories();

	const HALVES = ['a\ud83d', '\ude00b', 'a\ud83d \ude00b'];
	const whole = (value: string) => Buffer.from(value).toString();

	/** The texts of the requests as they were sent. */
	const bodies = () =>
		gateway.control.requests({ method: 'POST' }).map(({ body }) => JSON.stringify(body.json));

	test.each(FORMATS)('a text in the format %s has none', async (format) => {
		const execution = await execute(text({ format, systemPrompt: HALVES[0] }), prompts(...HALVES));
		expect(execution.error).toBeUndefined();
		expect(bodies()).toHaveLength(3);
		for (const body of bodies()) expect(body).not.toMatch(/\\ud[89a-f]/);
		for (const half of HALVES) expect(bodies().join()).toContain(whole(half));
	});

	test('neither has a body with files, nor the name of a field', async () => {
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

	test('neither has a media task', async () => {
		expect((await execute(image(), prompts(...HALVES))).error).toBeUndefined();
		expect(bodies()).toHaveLength(3);
		expect(bodies().join()).not.toMatch(/\\ud[89a-f]/);
	});

	test('a whole emoji, and a text that looks like a half, are sent as they are', async () => {
		await execute(text(), prompts('😀 \\ud83d \\\\ud83d'));
		expect(bodies().join()).toContain(JSON.stringify('😀 \\ud83d \\\\ud83d'));
	});
});

describe('cancelled by gateway', () => {
	// The gateway, or something before it, says that a creation was cancelled or took too long, after the task was created.

	const { gateway, execute, disturb, calm } = useStories();

	/** The task is created; the response has this status. */
	function respond(status: number): void {
		const text = JSON.stringify({ code: status, msg: 'The request ended early', data: null });
		const body = { text, contentType: 'application/json' };
		disturb(says('a cat'), { kind: 'raw', status, body, afterEffect: true });
	}

	describe.each([499, 408])('the response to a creation is a %d', (status) => {
		it('the error does not say that nothing was charged; a retry returns the picture, and pays nothing', async () => {
			respond(status);
			const failed = await execute(image(), prompts('a cat'));
			expect(gateway.charges()).toBe(1);
			expect(failed.errorText).not.toContain('Nothing was charged');
			expect(failed.errorText).toMatch(/may have been (created|charged)/);
			expect(failed.error?.httpCode).toBe(String(status));
			calm();
			const retried = await failed.retry();
			expect(retried.error).toBeUndefined();
			expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(
				gateway.control.tasks().map(({ taskId }) => taskId),
			);
			expect(gateway.charges()).toBe(1);
		});

		it('the error item says that it may be charged; the others have their pictures', async () => {
			respond(status);
			const execution = await execute(image({}, CONTINUE), prompts('a cat', 'a dog', 'a cow'));
			expect(gateway.charges()).toBe(3);
			const errors = execution.errors();
			expect(errors).toHaveLength(1);
			expect(errors[0]).toMatchObject({ httpCode: String(status), mayBeCharged: true, retryable: false });
			expect(errors[0]?.description).not.toContain('Nothing was charged');
			expect(execution.items().filter(({ json }) => json.state === 'success')).toHaveLength(2);
		});
	});
});
