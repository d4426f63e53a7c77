import { getEventListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

import fc from 'fast-check';
import { createRunExecutionData } from 'n8n-workflow';
import nock from 'nock';

import { Limiter } from '../../nodes/shared/run/limiter';
import { attempt, attemptContext, executeOn } from '../helpers/attempt';
import { rejection } from '../helpers/client';
import { echoGateway, errorResponse, generate, generating, items } from '../helpers/echoGateway';
import { packageNodes, type RunOptions, type RunResult } from '../helpers/engine';
import { envelope, model, run, serve, TASKS } from '../helpers/media';
import { useNock } from '../helpers/nock';
import { API_KEY, useSocketGateway } from '../helpers/socketGateway';
import { eventually } from '../helpers/time';
import { CONTINUE } from '../helpers/values';

describe('item loop', () => {
	const GATEWAY = 'https://gateway.test';

	useNock();

	it('a failing item stops new requests, lets requests in flight end, and is named in the error', async () => {
		const { prompts } = echoGateway((prompt) =>
			prompt === 'p2' ? errorResponse(402, 'insufficient_quota') : { delayMs: 40 },
		);
		const { error } = await generate({ items: items(20), options: { concurrency: 4 } });
		expect(error?.message).toBe('There is not enough money in the gateway wallet');
		expect(error?.context?.itemIndex).toBe(2);
		expect(error?.httpCode).toBe('402');
		expect(prompts()).toStrictEqual(['p0', 'p1', 'p2', 'p3']);
	});

	it('a key that the gateway repeats is in no error', async () => {
		const key = 'odd-key-of-an-old-account';
		const credential = { baseUrl: `${GATEWAY}/api/v1`, apiKey: key };
		echoGateway(() => ({ body: { error: { message: `no luck for ${key}`, code: key, type: key } } }));
		const stopped = await generate({ items: items(1), credential });
		expect(stopped.error?.description).toContain('no luck for [key]');
		expect(JSON.stringify([stopped.error, stopped.run.data])).not.toContain(key);
		const passedOn = await generate({
			items: items(1),
			credential,
			settings: CONTINUE,
		});
		expect(passedOn.items[0]?.json.error).toMatchObject({ code: '[key]', type: '[key]' });
		expect(JSON.stringify(passedOn.items)).not.toContain(key);
	});

	it('the key, and the address that resumes an execution, are in no error of a task', async () => {
		let secret = '';
		nock('https://gateway.test')
			.post(TASKS)
			.reply((_, body) => {
				const { callBackUrl } = body as { callBackUrl: string };
				secret = [...new URL(callBackUrl).searchParams.values()].find((value) => value.length > 8) ?? '';
				return [400, envelope(null, 400, `no luck at ${callBackUrl} with odd-secret-key`)];
			});
		const { error, run: execution } = await run(
			'createAndWait',
			{ model, inputMode: 'json', inputJson: '={{ { prompt: $json.text } }}', waitStrategy: 'suspend' },
			{ items: items(1), credential: { baseUrl: 'https://gateway.test/api/v1', apiKey: 'odd-secret-key' } },
		);
		expect(secret).not.toBe('');
		expect(error?.description).toContain('no luck');
		for (const hidden of [secret, 'odd-secret-key']) {
			expect(JSON.stringify([error, execution.data.resultData])).not.toContain(hidden);
		}
	});
});

describe('item loop cancel', () => {
	// Cancelling an execution over real sockets: nock ends no request.

	const server = useSocketGateway();

	beforeAll(() => nock.restore());

	const nodes = {
		generate: {
			node: 'textGeneration',
			parameters: { resource: 'text', operation: 'generate', model, prompt: '={{ $json.text ?? "p" }}' },
		},
		downloadArchive: {
			node: 'mediaTask',
			parameters: { resource: 'task', operation: 'download', taskId: 't1' },
		},
		downloadFiles: {
			node: 'mediaTask',
			parameters: { resource: 'task', operation: 'wait', taskId: 't1' },
		},
		upload: {
			node: 'storage',
			parameters: {
				resource: 'file',
				operation: 'upload',
				uploadSource: 'base64',
				base64: 'aGVsbG8=',
				mimeType: 'text/plain',
			},
		},
	} satisfies Record<string, Pick<RunOptions, 'node' | 'parameters'>>;

	const nodeOf = (name: keyof typeof nodes, more: Partial<RunOptions> = {}): RunOptions => ({
		...nodes[name],
		credential: { baseUrl: `${server.origin()}/api/v1`, apiKey: API_KEY },
		...more,
	});

	function json(
		response: ServerResponse,
		body: object,
		status = 200,
		headers: Record<string, string> = {},
	): void {
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
	}

	/** Begins a body that does not end. */
	function stall(response: ServerResponse): void {
		response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000000' });
		response.write('x'.repeat(5_000));
	}

	/** Cancels a run of a node as soon as a condition holds. */
	async function cancel(options: RunOptions, when: () => boolean) {
		const controller = new AbortController();
		const { signal } = controller;
		const context = await attemptContext(options, { signal });
		const warn = jest.spyOn(context.logger, 'warn').mockImplementation(() => undefined);
		const ended = rejection(executeOn(options, context));
		await eventually(when);
		controller.abort();
		const error = await ended;
		const warnings = warn.mock.calls.map(([text]) => text);
		warn.mockRestore();
		return { error, warnings, listeners: getEventListeners(signal, 'abort').length };
	}

	const cancelled = (description: unknown) => ({
		name: 'NodeOperationError',
		message: 'The execution was cancelled',
		description,
	});
	const nothingPaid = () => cancelled(expect.not.stringContaining('tasks') as string);

	describe('cancelling a run ends', () => {
		const neverResponds = () => undefined;
		const stalls = (_: IncomingMessage, response: ServerResponse) => stall(response);
		const stallsOnFiles = (request: IncomingMessage, response: ServerResponse) => {
			if (request.url === '/result.png') return stall(response);
			const resultJson = JSON.stringify({ resultUrls: [`${server.origin()}/result.png`] });
			json(response, envelope({ taskId: 't1', state: 'success', resultJson }));
		};

		it.each<
			[string, keyof typeof nodes, (request: IncomingMessage, response: ServerResponse) => void, number]
		>([
			['a request without a response', 'generate', neverResponds, 1],
			['a response that does not end', 'generate', stalls, 1],
			['an upload', 'upload', neverResponds, 1],
			['a download of a result from the gateway', 'downloadArchive', stalls, 1],
			['a download of a result from its URL', 'downloadFiles', stallsOnFiles, 2],
		])('%s', async (_, name, respond, requests) => {
			let [last, closed] = ['', ''];
			server.onRequest((request, response) => {
				last = request.url ?? '';
				response.on('close', () => (closed = last));
				respond(request, response);
			});
			const { error, warnings, listeners } = await cancel(
				nodeOf(name),
				() => server.received.length === requests && last !== '',
			);
			const note =
				name === 'generate' ? 'The outcome of item 0 is unknown: it may have been charged.' : undefined;
			expect(error).toMatchObject(cancelled(note ?? 'No more requests were sent.'));
			await eventually(() => closed === last);
			expect(server.received).toHaveLength(requests);
			expect([warnings, listeners]).toStrictEqual([note ? [`"Gateway" was cancelled. ${note}`] : [], 0]);
		});

		it('a run that has not begun, and sends nothing', async () => {
			const signal = AbortSignal.abort();
			expect(await rejection(attempt(nodeOf('generate'), { signal }))).toMatchObject(nothingPaid());
			expect(server.received).toStrictEqual([]);
		});
	});

	it('an item that fails ends the pauses of other items', async () => {
		let fail: () => void = () => undefined;
		server.onRequest((_, response) => {
			if (server.received.length === 2) {
				fail = () => json(response, { error: { message: 'no money', code: 'insufficient_quota' } }, 402);
				return;
			}
			void eventually(() => server.received.length === 2).then(() => {
				response.on('finish', () => setImmediate(() => fail()));
				json(response, { code: 503, msg: 'busy', data: null }, 503, { 'retry-after': '30' });
			});
		});
		const items = [{ json: {} }, { json: {} }];
		const error = await rejection(attempt(nodeOf('generate', { items })));
		expect(error).toMatchObject({ httpCode: '402' });
		expect(server.received).toHaveLength(2);
	});
});

describe('item loop failures', () => {
	// What happens to a run when an item, or the node itself, fails.

	useNock();

	/** Waits so many event loop ticks that a response has been read. */
	async function ticks(count = 100): Promise<void> {
		for (let left = count; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
	}

	describe('the node itself', () => {
		it('returns nothing and sends nothing for no items', async () => {
			const { prompts } = echoGateway();
			expect(await attempt(generating({ items: [] }))).toStrictEqual([]);
			const context = { getInputData: () => [] };
			expect(await packageNodes.textGeneration.execute.call(context as never)).toStrictEqual([[]]);
			expect(prompts()).toStrictEqual([]);
		});

		it('rejects an unknown operation', async () => {
			const context = await attemptContext(generating());
			const values: Record<string, string> = { resource: 'text', operation: 'invent' };
			jest.spyOn(context, 'getNodeParameter').mockImplementation((name: string) => values[name]);
			const error = await rejection(executeOn({ node: 'textGeneration' }, context));
			expect(error).toHaveProperty('message', 'Unknown operation: text invent');
		});

		it('fails for each item with an invalid address: it may be an expression', async () => {
			const { prompts } = echoGateway();
			const credential = { baseUrl: 'gateway', apiKey: 'sk-test' };
			const outputs = await attempt(generating({ items: items(2), settings: CONTINUE, credential }));
			const message = expect.stringContaining('base URL') as string;
			expect(outputs.map(({ json }) => json.error)).toMatchObject([{ message }, { message }]);
			expect(prompts()).toStrictEqual([]);
		});

		it.each([undefined, 'continueRegularOutput'] as const)(
			'is cancelled when n8n’s HTTP client has cancelled a request, with On Error %j',
			async (onError) => {
				nock('https://gateway.test')
					.post('/api/v1/chat/completions')
					.replyWithError(Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' }));
				const options = {
					items: items(2),
					settings: onError ? { onError } : {},
					options: { concurrency: 1 },
				};
				expect(await rejection(attempt(generating(options)))).toMatchObject({
					message: 'The execution was cancelled',
					description: 'The outcome of item 0 is unknown: it may have been charged.',
				});
			},
		);
	});

	it('the first error is the error of the node', async () => {
		let resolve: () => void = () => undefined;
		const responded = new Promise<void>((settle) => (resolve = settle));
		echoGateway((prompt) => {
			if (prompt === 'p0') return { ...errorResponse(400, 'late'), after: responded };
			void ticks().then(resolve);
			return errorResponse(402, 'insufficient_quota');
		});
		const { error } = await generate({ items: items(2) });
		expect([error?.httpCode, error?.context?.itemIndex]).toStrictEqual(['402', 1]);
	});

	it('polls do not take the slots of other requests', async () => {
		serve();
		const load = { now: 0, most: 0 };
		nock('https://gateway.test')
			.persist()
			.get(/\/tasks\/t\d$/)
			.reply((_path, _body, callback) => {
				load.now += 1;
				load.most = Math.max(load.most, load.now);
				setTimeout(() => {
					load.now -= 1;
					callback(null, [200, envelope({ state: 'success' })]);
				}, 15);
			});
		const parameters = {
			model,
			inputMode: 'json',
			inputJson: '={{ { prompt: $json.text } }}',
			downloadResults: false,
			// The first poll is sent at once.
			options: { idempotencyKey: '=k{{ $itemIndex }}', concurrency: 2 },
		};
		const { items: outputs } = await run('createAndWait', parameters, { items: items(6) });
		expect(outputs).toHaveLength(6);
		expect(load.most).toBe(6);
	});
});

describe('item loop reading', () => {
	// Before the first request, all items are read and checked: stories/errors.test.ts.

	useNock();

	it('values that are too large to be kept are read again when the turn of their item comes', async () => {
		const { prompts } = echoGateway(() => ({ body: { choices: [{ message: { content: 'ok' } }] } }));
		const size = 14 * 1024 * 1024;
		const prompt = `={{ $json.text + 'x'.repeat(${size}) }}`;
		const { error } = await generate({ items: items(3), prompt, options: { concurrency: 1 } });
		expect(error).toBeUndefined();
		expect(prompts().map((sent) => [sent.slice(0, 3), sent.length])).toStrictEqual([
			['p0x', size + 2],
			['p1x', size + 2],
			['p2x', size + 2],
		]);
	});

	it('a cancel while items are read ends the reading', async () => {
		const controller = new AbortController();
		const context = await attemptContext(generating({ items: items(3) }), { signal: controller.signal });
		const read = context.getNodeParameter.bind(context) as (...values: unknown[]) => unknown;
		const prompts: unknown[] = [];
		Object.assign(context, {
			getNodeParameter: (...values: [name: string, index: number]) => {
				const [name, index] = values;
				if (name === 'prompt') prompts.push(index);
				if (name === 'prompt' && index === 1) controller.abort();
				return read(...values);
			},
		});
		const cancelled = { message: 'The execution was cancelled' };
		expect(await rejection(executeOn({ node: 'textGeneration' }, context))).toMatchObject(cancelled);
		expect(prompts).toStrictEqual([0, 1]);
	});
});

describe('item loop retry', () => {
	// Retry On Fail runs the whole node again; items that succeeded are not sent, and paid for, again.

	useNock();

	const retrying = { retryOnFail: true, waitBetweenTries: 1 };
	const retryAndContinue = { ...retrying, ...CONTINUE } as const;
	const options = { concurrency: 5 };

	/** Lets each prompt fail this often before it succeeds. */
	const failTimes = (failures: Record<string, number>) => (prompt: string, call: number) =>
		call <= (failures[prompt] ?? 0) ? errorResponse(400, 'provider_bad_request') : {};

	const texts = ({ items: outputs }: RunResult) => outputs.map(({ json }) => json.text ?? 'failed');
	const context = ({ run: { data } }: RunResult) => JSON.stringify(data.executionData?.contextData);

	it.each<[string, object, Record<string, number>, string, object]>([
		['keep the results of each', retrying, { p1: 1, p2: 2 }, 'p0 p1 p2', { p0: 1, p1: 2, p2: 3 }],
		['are made while the first item fails', retryAndContinue, { p0: 2 }, 'p0 p1 p2', { p0: 3, p1: 1, p2: 1 }],
		[
			'send only what has failed, also of the others',
			retryAndContinue,
			{ p0: 2, p2: 9 },
			'p0 p1 failed',
			{ p0: 3, p1: 1, p2: 3 },
		],
		// With On Error: Continue, n8n does not run the node again.
		['are not made for other items', retryAndContinue, { p1: 9 }, 'p0 failed p2', { p0: 1, p1: 1, p2: 1 }],
	])(
		'three tries, where Max Tries is unset %s, and leave nothing in the execution',
		async (_, settings, failures, expected, sent) => {
			const { times } = echoGateway(failTimes(failures));
			const result = await generate({ items: items(3), settings, options });
			expect(result.error).toBeUndefined();
			const shown = expected.split(' ').map((text) => (text === 'failed' ? text : `echo ${text}`));
			expect(texts(result)).toStrictEqual(shown);
			expect(result.items.map(({ pairedItem }) => pairedItem)).toStrictEqual(
				[0, 1, 2].map((item) => ({ item })),
			);
			expect(times()).toStrictEqual(sent);
			expect(context(result)).not.toContain('echo');
		},
	);

	it('each try reads the parameters and settings of the items that it sends again', async () => {
		const variables = { word: 'first', concurrency: '1', retries: '0' };
		const { prompts, load } = echoGateway((prompt) => {
			if (prompt !== 'p2 first') return { delayMs: prompt.endsWith('second') ? 30 : 0 };
			Object.assign(variables, { word: 'second', concurrency: '3', retries: '1' });
			return errorResponse(503, 'service_unavailable');
		});
		const result = await generate({
			items: items(5),
			settings: retrying,
			variables,
			prompt: '={{ $json.text }} {{ $vars.word }}',
			options: { concurrency: '={{ $vars.concurrency }}', maxRetries: '={{ $vars.retries }}' },
		});
		expect(result.error).toBeUndefined();
		// An item keeps the settings that it began with to the end of its try, so it is not sent again.
		const sent = ['p0 first', 'p1 first', 'p2 first', 'p2 second', 'p3 second', 'p4 second'];
		expect(prompts()).toStrictEqual(sent);
		const returned = sent.filter((prompt) => prompt !== 'p2 first');
		expect(texts(result)).toStrictEqual(returned.map((prompt) => `echo ${prompt}`));
		expect(load.most).toBe(3);
	});

	it('the results that a try saves are not changed by a later node that changes its input', async () => {
		const node = generating({ items: items(2), settings: retryAndContinue, options });
		echoGateway(failTimes({ p0: 1 }));
		const execution = createRunExecutionData();
		const [, first] = await attempt(node, { execution });
		delete first?.pairedItem;
		const second = await attempt(node, { execution });
		expect(second.map(({ pairedItem }) => pairedItem)).toStrictEqual([{ item: 0 }, { item: 1 }]);
	});
});

const tick = async () => await new Promise<void>((resolve) => setImmediate(resolve));

it('the limiter gives a free slot to the work that has waited longest, also when more work arrives at that moment, and after errors', async () => {
	const arrival = fc.record({
		/** Event loop ticks before it arrives, and while it runs. */
		after: fc.integer({ min: 0, max: 6 }),
		lasts: fc.integer({ min: 0, max: 3 }),
		fails: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 3 }),
			fc.array(arrival, { minLength: 1, maxLength: 15 }),
			async (max, arrivals) => {
				const limiter = new Limiter(max);
				const [came, started, failed]: [number[], number[], unknown[]] = [[], [], []];
				const load = { now: 0, most: 0 };
				const work = async (index: number) => {
					started.push(index);
					load.now += 1;
					load.most = Math.max(load.most, load.now);
					for (let left = arrivals[index]?.lasts ?? 0; left > 0; left -= 1) await tick();
					load.now -= 1;
					if (arrivals[index]?.fails) throw new Error(String(index));
					return index;
				};
				const results = arrivals.map(async ({ after }, index) => {
					for (let left = after; left > 0; left -= 1) await tick();
					came.push(index);
					return await limiter.run(() => work(index)).catch((error: unknown) => failed.push(error));
				});
				await Promise.all(results);
				expect(started).toStrictEqual(came);
				expect(load.most).toBeLessThanOrEqual(max);
				expect(failed).toHaveLength(arrivals.filter(({ fails }) => fails).length);
				// All slots are free again, and there are no more than those.
				const again = { now: 0, most: 0 };
				const one = async () => {
					again.now += 1;
					again.most = Math.max(again.most, again.now);
					await tick();
					again.now -= 1;
				};
				await Promise.all(Array.from({ length: max + 2 }, () => limiter.run(one)));
				expect(again.most).toBe(max);
			},
		),
		{ numRuns: 60 },
	);
});
