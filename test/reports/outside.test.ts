import { HumanMessage } from '@langchain/core/messages';
import type { INodeParameters } from 'n8n-workflow';

import { BalanceTrigger } from '../../nodes/BalanceTrigger/BalanceTrigger.node';
import { editorValue } from '../../nodes/shared/fields/editorText';
import { loadFileFields, mapMediaFields } from '../../nodes/shared/fields/mediaForm';
import { mediaSearches, searchTextModels } from '../../nodes/shared/fields/models';
import type { JsonObject } from '../../nodes/shared/gateway/util/json';
import { TEXT_MODEL } from '../contract/support';
import { attemptContext, executeOn } from '../helpers/attempt';
import { rejection } from '../helpers/client';
import { editorContext, pollContext } from '../helpers/contexts';
import { runNode } from '../helpers/engine';
import { eventually, passTime } from '../helpers/time';
import { form, locator } from '../helpers/values';
import { streamed } from '../nodes/chatModel/support';
import { sendCallback } from '../nodes/mediaTaskTrigger/support';
import { numbered, respondJson, says } from '../stories/support';
import { useReports } from './support';

// What comes from outside: status and code, amounts and times, expressions, HTML, secrets. Names of fields: names.test.ts.

const { gateway, respond, run } = useReports();

const TEXT = { resource: 'text', operation: 'generate', model: locator(TEXT_MODEL), prompt: 'Hello' };
const IMAGE = {
	resource: 'image',
	operation: 'generate',
	model: locator('aurora/canvas-1'),
	prompt: 'A cat',
	input: form({ quality: 'draft', size: '512x512' }),
	options: {},
};
const POST = { method: 'POST' };

describe('a text that the gateway charges, and answers with an error', () => {
	test.each([
		[504, 'provider_error'],
		[504, 'internal_error'],
		[504, 'service_unavailable'],
		[499, 'internal_error'],
		[408, 'provider_error'],
		[520, 'provider_error'],
		[522, 'some_error'],
		[524, 'some_error'],
		[598, 'some_error'],
	])('%d with the code %s: is sent once, to one model, and may have been charged', async (status, code) => {
		const error = { message: 'No luck', type: 'x', param: null, code };
		const action = { ...respondJson({ error }, status), afterEffect: true };
		gateway.control.addFault({ match: POST, action, times: 0 });
		const options = { maxRetries: 3, fallbackModels: ['sandbox/swift-1'] };
		const { json, sent } = await run('textGeneration', { ...TEXT, options });
		expect([sent.length, gateway.charges()]).toStrictEqual([1, 1]);
		expect(json.error).toMatchObject({
			code,
			mayBeCharged: true,
			retryable: false,
			description: expect.stringMatching(/ may have been charged: check the balance/) as string,
		});
		expect((json.error as JsonObject).description).not.toMatch(/was not charged/);
	});

	test('an own 500 is sent again, and does not say that it is free', async () => {
		gateway.control.addFault({ match: POST, action: { kind: 'error', code: 'internal_error' }, times: 2 });
		const { json, sent } = await run('textGeneration', { ...TEXT, options: { maxRetries: 1 } });
		expect(sent).toHaveLength(2);
		expect(json.error).toMatchObject({
			retryable: true,
			description: expect.stringMatching(
				/It was tried 2 times\. The gateway did not say whether it charged this call: check the balance\.$/,
			) as string,
		});
	});

	test.each([
		[503, 'no_providers'],
		[402, 'insufficient_quota'],
		[400, 'invalid_request'],
	])('after an own 500, a %d does not say that the call is free', async (_, code) => {
		const internal = { kind: 'error', code: 'internal_error' } as const;
		gateway.control.addFault({ match: POST, action: { ...internal, afterEffect: true } });
		gateway.control.addFault({
			match: POST,
			action: { kind: 'error', code: code as 'no_providers' },
			times: 0,
		});
		const { json } = await run('textGeneration', { ...TEXT, options: { maxRetries: 1 } });
		expect((json.error as JsonObject).description).toMatch(/did not say whether it charged this call/);
		expect(gateway.charges()).toBe(1);
	});

	test('an own 500 is not followed by another model, nor by the first one that had no room', async () => {
		const busy = { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 4 } as const;
		const internal = { kind: 'error', code: 'internal_error', afterEffect: true } as const;
		gateway.control.addFault({ match: { ...POST, model: TEXT_MODEL }, action: busy });
		gateway.control.addFault({ match: { ...POST, model: 'sandbox/swift-1' }, action: internal });
		const options = { maxRetries: 0, fallbackModels: ['sandbox/swift-1', 'sandbox/thinker-3'] };
		const { json, sent } = await run('textGeneration', { ...TEXT, options });
		expect(json.error).toMatchObject({ code: 'internal_error' });
		expect([sent.length, gateway.charges()]).toStrictEqual([2, 1]);
	});

	test('a chat model does not send a simpler request after a bad request with another status', async () => {
		const { lc } = await gateway.chatModel({ parameters: { format: 'responses' } });
		const error = { message: 'No', type: 'x', code: 'provider_bad_request' };
		const action = { ...respondJson({ error }, 502), afterEffect: true };
		gateway.control.addFault({ match: POST, action, times: 0 });
		const agent = lc.bindTools([{ type: 'function', function: { name: 'look', parameters: {} } }]);
		await rejection(agent.invoke([new HumanMessage('Go')]));
		expect(gateway.charges()).toBe(1);
	});

	test.each([
		['chat', { error: { code: 'gateway_timeout', message: 'No' }, usage: {} }],
		[
			'responses',
			{ status: 'failed', error: { code: 'gateway_timeout', message: 'No' }, output: [{ type: 'message' }] },
		],
		['messages', { type: 'error', error: { type: 'api_error', message: 'No' }, usage: { input_tokens: 1 } }],
	])(
		'%s: 200 with an error whose code or type does not say that it is free may be charged',
		async (format, body) => {
			respond(body);
			const { json } = await run('textGeneration', { ...TEXT, format });
			expect(json.error).toMatchObject({ mayBeCharged: true, retryable: false });
		},
	);

	test('a creation that is answered by 200 with the code of a temporary error is sent again', async () => {
		gateway.control.addFault({
			match: POST,
			action: respondJson({ error: { code: 'no_providers', message: 'No' } }),
		});
		const { json, sent } = await run('mediaTask', IMAGE);
		expect(json.state).toBe('success');
		expect(sent).toHaveLength(2);
	});

	test.each([
		['insufficient_quota', 'There is not enough money', 1],
		['no_providers', 'The provider of this model is not available', 2],
	])('200 with the code %s and no output is read as that error', async (code, message, requests) => {
		const error = respondJson({ error: { message: 'Words', type: 'x', code } });
		gateway.control.addFault({ match: POST, action: error, times: 0 });
		const { json, sent } = await run('textGeneration', { ...TEXT, options: { maxRetries: 1 } });
		expect(json.error).toMatchObject({ code, message: expect.stringContaining(message) as string });
		expect(sent).toHaveLength(requests);
	});

	test('a media 429 whose envelope says 402 is no money, at once', async () => {
		const action = respondJson({ code: 402, msg: 'No money', data: null }, 429);
		gateway.control.addFault({ match: POST, action, times: 0 });
		const { json, sent } = await run('mediaTask', IMAGE);
		expect(json.error).toMatchObject({ httpCode: '402', code: 'insufficient_quota' });
		expect(sent).toHaveLength(1);
	});
});

describe('the balance', () => {
	const store = {};
	async function poll(
		parameters: object,
		amount: string,
		mode: 'trigger' | 'manual' = 'trigger',
		own: object = store,
	) {
		gateway.control.addFault({ match: { path: '/balance' }, action: respondJson({ amount }) });
		const credential = { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey };
		const context = {
			node: 'balanceTrigger',
			parameters: { ...parameters },
			mode,
			store: own,
			credential,
		} as const;
		return (await new BalanceTrigger().poll.call(pollContext(context)))?.[0]?.map(({ json }) => json);
	}

	test.each<[string, object, started: string | undefined]>([
		['below', { fireOn: 'below', threshold: 20_000 }, '10000'],
		['days left', { fireOn: 'daysLeft', days: 3_000 }, undefined],
		['change', { fireOn: 'change' }, '10000'],
	])('of a big account that spends nearly nothing: %s', async (_, parameters, started) => {
		const own = {};
		await poll({ ...parameters, threshold: 5_000 }, '10000.0002', 'trigger', own);
		for (let hours = 0; hours < 6 * 24; hours += 12) {
			await passTime(12 * 3_600_000);
			await poll({ ...parameters, threshold: 5_000 }, '10000.0002', 'trigger', own);
		}
		const shown = { daysLeft: null, amount: '10000' };
		const [event] = (await poll(parameters, '10000', 'trigger', own)) ?? [];
		expect(event?.amount).toBe(started);
		expect(event?.daysLeft ?? null).toBeNull();
		const [test] = (await poll(parameters, '10000', 'manual', own)) ?? [];
		expect(test).toMatchObject(shown);
		expect(Number(test?.spentPerDayRub)).toBeGreaterThan(0);
	});

	test('of such an account lasts more than ten years, as the message says', async () => {
		const [own, parameters] = [{}, { fireOn: 'daysLeft', days: 3 }];
		await poll(parameters, '10000.0002', 'trigger', own);
		await passTime(3 * 24 * 3_600_000);
		const [test] = (await poll(parameters, '10000', 'manual', own)) ?? [];
		expect(test?.message).toMatch(/^At ₽0\.0000\d+ a day, ₽10\u00a0000 last more than ten years$/);
	});

	test.each([
		['of 40,000 zeros', `0.${'0'.repeat(40_000)}1`],
		['of 101 digits', '9'.repeat(101)],
		['that no account has', '1e15'],
		['in hexadecimal', '0x10'],
		['without digits', ''],
	])('an amount %s is no balance', async (_, amount) => {
		gateway.control.addFault({ match: { path: '/balance' }, action: respondJson({ amount }), times: 0 });
		const { json } = await run('balance', { resource: 'balance', operation: 'get' });
		expect(json.error).toMatchObject({ message: 'The gateway’s response has no balance' });
		const credential = { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey, minBalanceRub: 50 };
		const limited = await runNode({ node: 'textGeneration', parameters: TEXT, credential });
		expect(limited.error?.message).toMatch(/^The balance cannot be read for 'Minimum Balance \(₽\)'/);
		expect(gateway.charges()).toBe(0);
	});
});

test('words of lyrics at impossible times have those of their line', async () => {
	const word = (text: string, startS: unknown, endS: unknown) => ({
		word: text,
		success: true,
		startS,
		endS,
	});
	const alignedWords = [
		word('La ', 1, 2),
		word('la ', 1e14, 1e15),
		word('lu\n', -5, '1e300'),
		word('End', 3, 1e14),
	];
	const body = respondJson({ code: 200, msg: 'success', data: { alignedWords } });
	gateway.control.addFault({ match: { path: '*/lyrics/timestamped' }, action: body });
	const parameters = { resource: 'task', operation: 'getLyrics', taskId: 't1', audioId: 'a1' };
	const { items } = await run('mediaTask', { ...parameters, options: { subtitleFormat: 'srt' } });
	expect(items[0]?.binary?.subtitles).toMatchObject({ fileName: 'subtitles_a1.srt', bytes: 78 });
});

describe('a text of the catalogue that begins with an equals sign', () => {
	const ID = '={{ $json.secret }}';
	const SECRET = [{ json: { secret: 'hunter2' } }];
	const catalogue = (path: string, ...data: object[]) =>
		gateway.control.addFault({ match: { path }, action: respondJson({ object: 'list', data }), times: 0 });
	const inEditor = (parameters: object = {}) =>
		editorContext({
			node: 'mediaTask',
			credential: { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey },
			parameters: { ...parameters },
		});

	test.each([
		ID,
		'=',
		'== {{ 1 }}',
		`={{ "\\" }} ${"'".repeat(3)} .constructor ёЖ🙂`,
		'={{ $json["a"] }}\n{{',
	])('%j is given to n8n as an expression that gives it', async (value) => {
		const parameters = { ...TEXT, prompt: editorValue(value) };
		const { sent } = await run('textGeneration', parameters, SECRET);
		expect(sent).toMatchObject([{ messages: [{ content: value }] }]);
		expect(editorValue('a=b')).toBe('a=b');
	});

	test('a text model: its ID is asked for, and nothing of the row is sent', async () => {
		catalogue('/models', { id: ID, cost_context: '0', cost_completion: '0' });
		const { results } = await searchTextModels.call(inEditor());
		const [{ name = '', value = '' } = {}] = results;
		expect(name).toMatch(/^"=\{\{ \$json\.secret \}\} · /);
		const model = { __rl: true, mode: 'list', value, cachedResultName: name };
		const { sent } = await run('textGeneration', { ...TEXT, model }, SECRET);
		expect(sent).toMatchObject([{ model: ID }]);
		expect(JSON.stringify(sent)).not.toContain('hunter2');
	});

	test('a media model: its defaults and choices are sent as they are, and fields of such names are left out', async () => {
		const properties = {
			prompt: { type: 'string' },
			style: { type: 'string', default: ID, title: ID },
			size: { enum: [ID, 'small'], default: ID },
			[ID]: { type: 'string', default: 'x' },
		};
		const input_schema = { properties, required: ['style', 'size'] };
		const pricing = { currency: 'RUB', type: 'tiered', tiers: [{ params: {}, price: '1' }] };
		catalogue('/media/models', { id: ID, media_type: 'image', input_schema, pricing });
		const { results } = await mediaSearches.searchImageModels.call(inEditor());
		const model = { __rl: true, mode: 'list', value: results[0]?.value, cachedResultName: results[0]?.name };
		const { fields } = await mapMediaFields.call(inEditor({ model: locator(ID) }));
		expect(fields.map(({ id }) => id)).toStrictEqual(['style', 'size']);
		// As the editor fills the form: with the defaults of the required fields.
		const values = Object.fromEntries(fields.map(({ id, defaultValue }) => [id, defaultValue]));
		expect(fields[1]?.options?.map(({ value }) => value)).toStrictEqual([values.size, 'small']);
		const parameters = {
			...IMAGE,
			model,
			prompt: 'A cat',
			input: form(values, fields),
			options: { dryRun: true },
		};
		const { json, hints } = await run('mediaTask', parameters, SECRET);
		expect(json).toMatchObject({ model: ID, request: { model: ID, input: { style: ID, size: ID } } });
		expect(JSON.stringify(json)).not.toContain('hunter2');
		expect(hints.join()).toContain('leaves out fields of the model whose names begin with an equals sign');
	});
});

describe('words of the gateway in hints and errors', () => {
	const TAG = '<img src=x onerror=alert(1)>';
	const SHOWN = '‹img src=x onerror=alert(1)>';
	const completion = (content: string, finish_reason: string) => ({
		id: 'c1',
		model: 'm',
		choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
		usage: { prompt_tokens: 1, completion_tokens: 1, cost_rub: 0.1 },
	});

	test('are text: a reason of the end', async () => {
		respond(completion('Hi', TAG));
		const { hints, json } = await run('textGeneration', TEXT);
		expect(hints.join()).toContain(SHOWN);
		expect(hints.join()).not.toContain('<img');
		expect(json.finishReason).toBe(TAG);
	});

	test('are text: the reason of a failed task', async () => {
		const data = { taskId: 't1', state: 'fail', failCode: TAG, failMsg: TAG };
		const action = respondJson({ code: 200, msg: 'success', data });
		gateway.control.addFault({ match: { path: '/async/media/tasks/*' }, action, times: 0 });
		const { json } = await run('mediaTask', {
			resource: 'task',
			operation: 'wait',
			taskId: 't1',
			options: {},
		});
		const { description } = json.error as JsonObject;
		expect(description).toContain(`(code ${SHOWN}): “${SHOWN}”`);
		expect(description).not.toContain('<img');
		const thrown = await gateway.media('wait', { taskId: 't1', options: {} });
		expect(thrown.error?.description).not.toContain('<img');
	});

	test('are text: JSON that does not fit', async () => {
		const schema = '{"type":"object","properties":{"a":{"enum":["x"]}}}';
		respond(completion(JSON.stringify({ a: TAG }), 'stop'));
		const { json } = await run('textGeneration', { ...TEXT, outputFormat: 'jsonSchema', jsonSchema: schema });
		expect((json.error as JsonObject).message).toContain(SHOWN);
		expect((json.error as JsonObject).description).not.toContain('<img');
		const { lc, logged } = await gateway.chatModel({
			parameters: { outputFormat: 'jsonSchema', jsonSchema: schema },
		});
		respond(completion(JSON.stringify({ a: TAG }), 'stop'));
		await lc.invoke([new HumanMessage('Go')]);
		expect(JSON.stringify(logged()[0]?.hints)).toContain(SHOWN);
	});

	test('a key that the gateway repeats is removed from hints', async () => {
		const { apiKey } = gateway;
		respond(completion('Hi', `stop ${apiKey}`));
		const { hints } = await run('textGeneration', TEXT);
		expect(hints.join()).toContain('“stop [key]”');
		const asTool = { ...TEXT, options: {} };
		respond(completion('Hi', `stop ${apiKey}`));
		const { json } = await run('textGeneration', asTool, undefined, true);
		expect(json.note).toContain('“stop [key]”');
		const { lc, logged } = await gateway.chatModel();
		respond(completion('Hi', `stop ${apiKey}`));
		await lc.invoke([new HumanMessage('Go')]);
		expect(JSON.stringify(logged()[0]?.hints)).toContain('“stop [key]”');
	});
});

describe('a key that the gateway repeats', () => {
	const error = (words: string, param: string) =>
		respondJson({ error: { message: words, type: param, code: param, param } }, 400);
	const inEditor = () =>
		editorContext({
			node: 'mediaTask',
			credential: { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey },
			parameters: { model: locator('m') },
		});

	test.each([
		['a list of text models', async () => await searchTextModels.call(inEditor())],
		['a list of media models', async () => await mediaSearches.searchMediaModels.call(inEditor())],
		['the form of a model', async () => await mapMediaFields.call(inEditor())],
	])('is in no error of the editor: %s', async (_, load) => {
		gateway.control.addFault({ action: error('bad', gateway.apiKey), times: 0 });
		const thrown = (await rejection(load())) as Error & { description?: string };
		expect(`${thrown.message} ${thrown.description} ${JSON.stringify(thrown)}`).not.toContain(gateway.apiKey);
		expect(thrown.message).toContain('[key]');
	});

	test('is in no output, whole or cut', async () => {
		const { apiKey } = gateway;
		for (const before of ['', 'x'.repeat(600 - apiKey.length / 2), 'x'.repeat(300 - apiKey.length / 2)]) {
			const content = `${before}${apiKey} and more`;
			const message = { role: 'assistant', content };
			respond({ id: apiKey, choices: [{ message, finish_reason: apiKey }], usage: { cost_rub: 0.1 } });
			const whole = await run('textGeneration', TEXT);
			respond([
				{ choices: [{ delta: message, finish_reason: 'stop' }] },
				{ choices: [], usage: { cost_rub: 0.1 } },
			]);
			const events = await run('textGeneration', { ...TEXT, options: { stream: true } });
			respond({ id: 'c1', choices: [{ message, finish_reason: 'stop' }], usage: { cost_rub: 0.1 } });
			const misfit = await run('textGeneration', { ...TEXT, outputFormat: 'jsonObject' });
			gateway.control.addFault({ match: POST, action: error(content, apiKey) });
			const refused = await run('textGeneration', TEXT);
			for (const { json, hints } of [whole, events, misfit, refused])
				expect(JSON.stringify([json, hints])).not.toContain(apiKey.slice(0, 12));
		}
	});

	test('is in no log and no item of the trigger', async () => {
		const taskId = 'task-1';
		const data = { taskId, state: 'success', resultJson: '{"seed":1}' };
		const task = respondJson({ code: 200, msg: 'success', data });
		const refused = error('bad', gateway.apiKey);
		gateway.control.addFault({ match: { path: '*/download' }, action: refused, times: 0 });
		gateway.control.addFault({ match: { path: '/async/media/tasks/*' }, action: task, times: 0 });
		const credential = { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey };
		const { item } = await sendCallback({}, { body: { taskId } }, { credential, store: {} });
		expect(item?.json.downloadError).toMatchObject({ httpCode: '400', param: '[key]' });
		expect(JSON.stringify(item)).not.toContain(gateway.apiKey);
	});
});

test('descriptions of the catalogue are no HTML and no expressions in a list of fields', async () => {
	const properties = { image_url: { type: 'string', description: '=<img src=x onerror=alert(1)>' } };
	const data = [{ id: 'm', media_type: 'image', input_schema: { properties } }];
	gateway.control.addFault({ match: { path: '/media/models' }, action: respondJson({ data }), times: 0 });
	const credential = { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey };
	const context = editorContext({ node: 'mediaTask', credential, parameters: { model: locator('m') } });
	const [field] = await loadFileFields.call(context);
	expect(field?.description).toBe('"=‹img src=x onerror=alert(1)>"');
});

test('a price is not known where the schema is too long to be read', async () => {
	const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`f${n}`, { type: 'string' }]));
	const properties = { prompt: { type: 'string' }, ...many, quality: { type: 'string', default: 'hd' } };
	const tiers = [
		{ params: {}, price: '1.00' },
		{ params: { quality: 'hd' }, price: '100.00' },
	];
	const pricing = { currency: 'RUB', type: 'tiered', tiers };
	const data = [{ id: 'aurora/canvas-1', media_type: 'image', input_schema: { properties }, pricing }];
	gateway.control.addFault({ match: { path: '/media/models' }, action: respondJson({ data }), times: 0 });
	const { json, sent } = await run('mediaTask', { ...IMAGE, input: form({}), options: { maxPriceRub: 5 } });
	expect(json.error).toMatchObject({
		message: "The price of the task is unknown, so 'Max Price (₽)' cannot be kept",
		description: expect.stringContaining('Choose another model.') as string,
	});
	expect(sent).toStrictEqual([]);
});

test.each([1e300, 1e15, '1e300'])('a cost or tokens of %j are not known', async (amount) => {
	const usage = { prompt_tokens: amount, completion_tokens: -5, total_tokens: amount, cost_rub: amount };
	respond({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }], usage });
	const { json, hints } = await run('textGeneration', TEXT);
	expect(json).toMatchObject({ costRub: null, usage: { inputTokens: null, outputTokens: 0 } });
	expect(hints.join().length).toBeLessThan(300);
});

test('a choice with an index below zero does not come before the first one', async () => {
	const choice = (index: number, content: string) => ({ choices: [{ index, delta: { content } }] });
	respond([
		choice(0, 'right'),
		choice(-1, '!'),
		{ choices: [], usage: { cost_rub: 0.1 } },
		{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
	]);
	const { json } = await run('textGeneration', { ...TEXT, options: { stream: true } });
	expect(json.text).toBe('right!');
});

test('an agent is told when the model calls thousands of tools at once, and what that has cost', async () => {
	const call = (index: number) => ({
		id: `c${index}`,
		type: 'function',
		function: { name: 'look', arguments: '{}' },
	});
	const message = { tool_calls: Array.from({ length: 201 }, (_, index) => call(index)) };
	const { lc } = await gateway.chatModel();
	respond({ choices: [{ message, finish_reason: 'tool_calls' }], usage: { cost_rub: 0.5 } });
	const error = await rejection(lc.invoke([new HumanMessage('Go')]));
	expect(error).toMatchObject({ message: 'The model called 201 tools at once' });
	expect((error as { description: string }).description).toMatch(
		/At most 200 are run.* The call cost ₽0.50\.$/,
	);
});

test('rows of 150,000 columns keep their results', async () => {
	const columns = Object.fromEntries(Array.from({ length: 150_000 }, (_, n) => [`c${n}`, 1]));
	respond({ ...columns, choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
	const parameters = { ...TEXT, simplify: false, options: { includeInput: true } };
	const { json } = await run('textGeneration', parameters, [{ json: columns }]);
	expect(Object.keys(json.input as object)).toHaveLength(150_000);
});

describe('a cost below zero is zero', () => {
	const COST = -1_000;
	const usage = { prompt_tokens: 1, completion_tokens: 1, cost_rub: COST, cost: COST };
	const used = { input_tokens: 1, output_tokens: 1, cost: { total_cost: COST } };
	const said = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
	const response = { id: 'r1', status: 'completed', output: [said], usage: used };
	const BODIES: Array<[string, string, object | object[]]> = [
		['chat', 'whole', { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }], usage }],
		[
			'chat',
			'streamed',
			[{ choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }] }, { choices: [], usage }],
		],
		['responses', 'whole', response],
		['responses', 'streamed', [{ type: 'response.completed', response }]],
	];

	test.each(BODIES)('%s, %s: in the item, the hint and the sums', async (format, _, body) => {
		respond(body);
		const options = { maxCostRub: 50, maxTokens: 10, stream: Array.isArray(body) };
		const items = [{ json: {} }, { json: {} }];
		const { items: output, hints } = await run('textGeneration', { ...TEXT, format, options }, items);
		const costs = output.map(({ json }) => Number(json.costRub));
		const paid = Number(gateway.spent());
		expect(Math.min(...costs)).toBe(0);
		expect(Math.max(...costs)).toBe(paid);
		const [hint] = hints.filter((text) => text.startsWith('Cost'));
		expect(hint).not.toContain('-');
		expect(hint).toMatch(/^Cost: (₽[\d.]+) \(execution so far: \1\)$/);
	});

	test('for an agent', async () => {
		const { lc, logged } = await gateway.chatModel();
		respond([{ choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }] }, { choices: [], usage }]);
		const { response_metadata: shown } = await streamed(lc);
		expect(shown).toMatchObject({ costRub: 0 });
		expect(JSON.stringify(logged())).not.toContain('-₽');
	});
});

describe('a limited call beside calls without a limit', () => {
	test('is sent while they are in flight', async () => {
		const others = gateway.control.hold({
			which: says('Slow'),
		});
		const slow = gateway.generate({ prompt: '[[say:Slow]]' });
		await eventually(() => others.requests.length === 1);
		const credential = { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey, minBalanceRub: 5 };
		const parameters = { ...TEXT, prompt: '[[say:Hi]]' };
		const limited = await runNode({ node: 'textGeneration', parameters, credential });
		expect(limited.items[0]?.json.text).toBe('Hi');
		expect(gateway.control.requests({ path: '/balance' })).toHaveLength(1);
		others.release();
		await slow;
		expect(gateway.charges()).toBe(2);
	});

	test('that waits for long for calls with a limit has a hint that says for what', async () => {
		const first = gateway.control.hold({ which: says('text 0') });
		const dry = await run('textGeneration', {
			...TEXT,
			prompt: '0',
			options: { maxTokens: 50, dryRun: true },
		});
		const maxCostRub = Number(dry.json.maxCostRub) * 1.5;
		const parameters = { ...TEXT, prompt: '={{ $json.prompt }}', options: { maxTokens: 50, maxCostRub } };
		const ended = run('textGeneration', parameters, numbered(2));
		await eventually(() => first.requests.length === 1);
		await passTime(12_000);
		first.release();
		const { hints } = await ended;
		expect(hints.filter((hint) => hint.includes('waited'))).toStrictEqual([
			"Calls waited up to 12 seconds for other calls, because of 'Max Cost per Execution (₽)'.",
		]);
	});
});

test('the log of a cancelled node has the IDs of all its tasks, its error the first 20', async () => {
	gateway.control.configure({ taskDuration: { image: 1e9 } });
	const controller = new AbortController();
	const items = Array.from({ length: 48 }, (_, n) => ({ json: { n } }));
	const credential = { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey };
	const parameters = { ...IMAGE, options: { concurrency: 48 } } as INodeParameters;
	const options = { node: 'mediaTask', parameters, items, credential } as const;
	const context = await attemptContext(options, { signal: controller.signal });
	const warn = jest.spyOn(context.logger, 'warn').mockImplementation(() => undefined);
	const ended = rejection(executeOn(options, context));
	await eventually(() => gateway.charges() === 48);
	await passTime(10_000);
	controller.abort();
	const { description } = (await ended) as { description: string };
	const log = warn.mock.calls.map(([text]) => String(text)).join('\n');
	warn.mockRestore();
	const tasks = gateway.control.tasks().map(({ taskId }) => taskId);
	expect(tasks.filter((taskId) => !log.includes(taskId))).toStrictEqual([]);
	expect(tasks.filter((taskId) => description.includes(taskId))).toHaveLength(20);
	expect(description).toContain(', and 28 more.');
});
