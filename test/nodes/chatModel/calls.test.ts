import { getEventListeners } from 'node:events';

import { HumanMessage } from '@langchain/core/messages';
import type { INodeParameters } from 'n8n-workflow';
import nock from 'nock';

import { gatewayFailure, rejection } from '../../helpers/client';
import { useNock } from '../../helpers/nock';
import {
	breakOff,
	localGateway,
	type LocalGateway,
	type Received,
	sendEvents,
	sendJson,
	supplied,
	until,
} from './supplied';
import { deltaOf, eventOf, type LangChainModel, modelWith, streamed, streamOf, whole } from './support';

describe('cancel', () => {
	// Calls that are cancelled, on real sockets.

	const go = [new HumanMessage('Go')];

	let gateway: LocalGateway;
	afterEach(async () => {
		jest.restoreAllMocks();
		await gateway.close();
	});

	async function modelAt(respond: (request: Received) => void, cancelSignal?: AbortSignal) {
		gateway = await localGateway(respond);
		return await supplied({ baseUrl: gateway.baseUrl, ...(cancelSignal ? { cancelSignal } : {}) });
	}

	const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;
	const silent = () => undefined;
	const halfway = (request: Received) => sendEvents(request, deltaOf({ content: 'Half' }));

	/** n8n's HTTP client closes the connection of an abandoned stream when the next bytes arrive. */
	async function givenUpWhenMoreComes(): Promise<void> {
		const [request] = gateway.received;
		request?.response.write(deltaOf({ content: 'More' }));
		await until(() => request?.isGivenUp === true);
	}

	async function invoke(lc: LangChainModel, signal?: AbortSignal): Promise<string> {
		return (await lc.invoke(go, signal ? { signal } : {})).text;
	}

	async function stream(lc: LangChainModel, signal?: AbortSignal): Promise<string> {
		const texts: string[] = [];
		for await (const { text } of await lc.stream(go, signal ? { signal } : {})) texts.push(text);
		return texts.join('');
	}

	it.each<[string, typeof invoke, (request: Received) => void]>([
		['the wait for a whole response', invoke, silent],
		['the wait for a stream', stream, silent],
		['a stream that has begun', stream, halfway],
	])('a cancelled execution ends %s and its request', async (_, ask, respond) => {
		const execution = new AbortController();
		const { lc, close } = await modelAt(respond, execution.signal);
		const outcome = rejection(ask(lc));
		await until(() => gateway.received.length === 1);
		execution.abort();
		expect(await outcome).toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringContaining('cancelled') as string,
		});
		await until(() => gateway.received[0]?.isGivenUp === true);
		await close();
		expect(listeners(execution.signal)).toBe(0);
		expect(gateway.received).toHaveLength(1);
	});

	describe('the signal of an agent', () => {
		it('ends a stream that has begun, and its request when more bytes arrive', async () => {
			const agent = new AbortController();
			const { lc } = await modelAt(halfway);
			const chunks = await lc.stream(go, { signal: agent.signal });
			const read = async () => {
				for await (const { text } of chunks) agent.abort(new Error(`enough of ${text}`));
			};
			expect(await rejection(read())).toMatchObject({ message: expect.any(String) as string });
			await givenUpWhenMoreComes();
			await until(() => listeners(agent.signal) === 0);
			expect(gateway.received).toHaveLength(1);
		});

		it('ends the pause before a retry, and nothing is sent again', async () => {
			const { lc, logged, close } = await modelAt(({ response }) => {
				response.writeHead(503, { 'Retry-After': '200' }).end(gatewayFailure(503));
			});
			const agent = new AbortController();
			const outcome = rejection(invoke(lc, agent.signal));
			await until(() => gateway.received[0]?.response.writableFinished === true);
			await new Promise((resolve) => setTimeout(resolve, 100));
			agent.abort(new Error('changed my mind'));
			expect(await outcome).toMatchObject({ message: expect.any(String) as string });
			await until(() => logged().length === 1);
			expect(JSON.stringify(logged())).toContain('changed my mind');
			await close();
			expect(gateway.received).toHaveLength(1);
		});

		it('has no listener after the response', async () => {
			const agent = new AbortController();
			const execution = new AbortController();
			const respond = ({ body, response }: Received) => {
				const type = body.stream ? 'text/event-stream' : 'application/json';
				response.writeHead(200, { 'Content-Type': type });
				response.end(body.stream ? streamOf({ content: 'Half' }) : whole({ content: 'Half' }));
			};
			const { lc, close } = await modelAt(respond, execution.signal);
			expect(listeners(execution.signal)).toBe(1);
			expect(await invoke(lc, agent.signal)).toBe('Half');
			expect(await stream(lc, agent.signal)).toBe('Half');
			await until(() => listeners(agent.signal) === 0);
			await until(() => listeners(execution.signal) === 1);
			await close();
			expect(listeners(execution.signal)).toBe(0);
		});
	});

	describe('a reader', () => {
		it('that stops early ends the request when more bytes arrive', async () => {
			const { lc } = await modelAt(halfway);
			const texts: string[] = [];
			const read = async () => {
				for await (const { text } of await lc.stream(go)) {
					texts.push(text);
					break;
				}
			};
			const left = read();
			await until(() => texts.length === 1);
			await givenUpWhenMoreComes();
			await left;
			expect(texts).toStrictEqual(['Half']);
			expect(gateway.received).toHaveLength(1);
		});

		it('that is slow gets all text, and then the error', async () => {
			const { lc } = await modelAt((request) => {
				for (const content of ['a', 'b', 'c']) sendEvents(request, deltaOf({ content }));
				request.response.end();
			});
			const texts: string[] = [];
			const read = async () => {
				for await (const { text } of await lc.stream(go)) {
					await new Promise((resolve) => setTimeout(resolve, 20));
					texts.push(text);
				}
			};
			expect(await rejection(read())).toMatchObject({ context: { details: { receivedText: 'abc' } } });
			expect(texts.join('')).toBe('abc');
		});
	});
});

describe('charges', () => {
	// Calls without a usable response that may be charged, on real sockets.

	const go = [new HumanMessage('Go')];
	const error = (code: string) =>
		JSON.stringify({ error: { message: 'no luck', type: 'server_error', code } });
	const ended = eventOf({ id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
	const usage = eventOf({
		id: 'c1',
		choices: [],
		usage: { prompt_tokens: 1, completion_tokens: 2, cost_rub: 0.5 },
	});
	const errorFrame = eventOf({ error: { message: 'the model broke', type: 'server_error' } });

	let gateway: LocalGateway;
	afterEach(async () => await gateway.close());

	async function modelAt(respond: (request: Received, earlier: number) => void) {
		gateway = await localGateway(respond);
		return await supplied({ baseUrl: gateway.baseUrl });
	}

	it.each<[string, (request: Received) => void]>([
		['that is lost', breakOff],
		['that is not JSON', (request) => sendJson(request, 200, '<html>Welcome</html>')],
		['without a completion', (request) => sendJson(request, 200, '{"choices":[]}')],
	])(
		'a whole response %s is not requested again, and the error says that it may be charged',
		async (_, respond) => {
			const { lc, logged } = await modelAt(respond);
			expect(await rejection(lc.invoke(go))).toMatchObject({
				name: 'NodeApiError',
				description: expect.stringMatching(/charged/) as string,
				cause: { details: { outcome: 'unknown' } },
			});
			expect(gateway.received).toHaveLength(1);
			expect(logged()).toMatchObject([{ executionStatus: 'error' }]);
		},
	);

	describe('a stream', () => {
		/** The text that arrives before the stream fails, and the error. */
		async function readAll(respond: (request: Received, earlier: number) => void) {
			const { lc } = await modelAt(respond);
			const texts: string[] = [];
			const read = async () => {
				for await (const { text } of await lc.stream(go)) texts.push(text);
			};
			const failure = await rejection(read());
			return { text: texts.join(''), failure };
		}

		it.each<[string, string, (request: Received) => void, string, string]>([
			['breaks', deltaOf({ content: 'Half' }), breakOff, 'Half', 'connection_lost'],
			['ends before any text', ': hello\n\n', ({ response }) => response.end(), '', 'stream_incomplete'],
			[
				'reports an error after the finish reason',
				deltaOf({ content: 'All' }) + ended + errorFrame,
				({ response }) => response.end(),
				'All',
				'generation_failed',
			],
		])('that %s is not requested again, and returns the text so far', async (_, events, end, text, code) => {
			const outcome = await readAll((request) => {
				sendEvents(request, events);
				end(request);
			});
			expect(outcome.text).toBe(text);
			expect(outcome.failure).toMatchObject({
				name: 'NodeApiError',
				description: expect.stringMatching(/charged/) as string,
				context: { details: { receivedText: text } },
				cause: { details: { code, outcome: 'unknown' } },
			});
			expect(gateway.received).toHaveLength(1);
		});

		it('is complete when the connection breaks after the cost', async () => {
			const { lc } = await modelAt((request) => {
				sendEvents(request, deltaOf({ content: 'All' }) + ended + usage);
				breakOff(request);
			});
			const texts: string[] = [];
			for await (const { text } of await lc.stream(go)) texts.push(text);
			expect(texts.join('')).toBe('All');
		});

		it('with an error status before it begins is requested again', async () => {
			const { lc } = await modelAt((request, earlier) => {
				if (earlier === 0) return sendJson(request, 429, error('rate_limit'));
				sendEvents(request, `${deltaOf({ content: 'Hi' })}${ended}data: [DONE]\n\n`);
				request.response.end();
			});
			const texts: string[] = [];
			for await (const { text } of await lc.stream(go)) texts.push(text);
			expect(texts.join('')).toBe('Hi');
			expect(gateway.received.map(({ body }) => body.stream)).toStrictEqual([true, true]);
		});
	});
});

describe('errors', () => {
	// Errors of the model's settings and messages, and of the gateway, as an agent's user reads them.

	useNock();

	const go = [new HumanMessage('Go')];
	const gateway = () => nock('https://gateway.test');

	type Lc = Awaited<ReturnType<typeof supplied>>['lc'];
	const invoke = async (lc: Lc, ...messages: HumanMessage[]) => await lc.invoke(messages);
	const stream = async (lc: Lc, ...messages: HumanMessage[]) => {
		for await (const chunk of await lc.stream(messages)) void chunk;
	};

	it.each(['whole', 'streamed'])(
		'an error inside a choice (%s) is one, with the text so far and its cost',
		async (kind) => {
			const end = { finish_reason: 'error', error: { code: 502, message: 'Upstream idle timeout exceeded' } };
			const usage = { prompt_tokens: 9, completion_tokens: 12, cost_rub: 0.5 };
			const choices = [{ index: 0, message: { content: 'Dear customers,' }, ...end }];
			const chunks = [
				{ choices: [{ index: 0, delta: { content: 'Dear customers,' } }] },
				{ choices: [{ index: 0, delta: {}, ...end }] },
				{ choices: [], usage },
			];
			const isWhole = kind === 'whole';
			gateway()
				.post('/api/v1/chat/completions')
				.reply(200, isWhole ? JSON.stringify({ choices, usage }) : chunks.map(eventOf).join(''), {
					'content-type': isWhole ? 'application/json' : 'text/event-stream',
				});
			const { lc } = await supplied();
			const says = /Upstream idle timeout.*Received so far: “Dear customers,”.*cost ₽0\.50/s;
			expect(await rejection(isWhole ? invoke(lc, ...go) : stream(lc, ...go))).toMatchObject({
				message: 'The model did not finish its response',
				description: expect.stringMatching(says) as string,
			});
		},
	);

	describe('an invalid setting is rejected when the model is supplied, before anything is sent', () => {
		it.each<[string, INodeParameters, RegExp]>([
			['a temperature of text', { options: { temperature: 'hot' } }, /'Temperature'.*"hot"/],
			['an extra body with stream', { options: { extraBody: '{"stream":false}' } }, /'stream'/],
			['an unknown format', { format: 'telegram' }, /'API Format'.*"telegram"/],
			['no model', { model: { __rl: true, mode: 'id', value: ' ' } }, /'Model' is empty/],
		])('%s', async (_, parameters, message) =>
			expect(await rejection(supplied({ parameters }))).toMatchObject({
				name: 'NodeOperationError',
				message: expect.stringMatching(message) as string,
				context: { itemIndex: 0 },
			}),
		);

		it('a base URL that is not a URL', async () =>
			expect(await rejection(supplied({ baseUrl: 'gateway' }))).toMatchObject({
				message: expect.stringContaining('base URL') as string,
			}));
	});

	it.each([invoke, stream])(
		'a message that cannot be sent is rejected before anything is sent an empty file',
		async (ask) => {
			const { lc } = await supplied();
			const message = new HumanMessage({ content: [{ type: 'file', mimeType: 'a/b', data: '' }] });
			expect(await rejection(ask(lc, message))).toMatchObject({
				name: 'NodeOperationError',
				description: expect.stringContaining('Nothing was sent') as string,
				context: { itemIndex: 0 },
			});
		},
	);

	describe('the API key', () => {
		const apiKey = 'odd-key-of-an-old-account';

		it.each<[string, number, unknown]>([
			[
				'an error response',
				400,
				{ error: { message: `no luck for ${apiKey}`, code: apiKey, param: apiKey } },
			],
			[
				'an error in a successful response',
				200,
				{ error: { message: `no luck for ${apiKey}`, code: apiKey } },
			],
			[
				'the arguments of a tool',
				200,
				{
					choices: [
						{
							message: {
								tool_calls: [{ id: 'a', function: { name: apiKey, arguments: `no JSON: ${apiKey}` } }],
							},
						},
					],
				},
			],
		])('that %s repeats is neither in the error nor in n8n’s log', async (_, status, body) => {
			gateway().post('/api/v1/chat/completions').reply(status, JSON.stringify(body));
			const { lc, logged } = await supplied({ apiKey });
			const error = await rejection(lc.invoke(go));
			expect(error).toMatchObject({ message: expect.any(String) as string });
			expect(everything(error)).toContain('[key]');
			expect(everything(error)).not.toContain(apiKey);
			expect(logged()).toHaveLength(1);
			expect(everything(logged())).not.toContain(apiKey);
		});

		it('that a stream repeats is not in the error', async () => {
			gateway()
				.post('/api/v1/chat/completions')
				.reply(200, eventOf({ error: { message: `no luck for ${apiKey}` } }), {
					'Content-Type': 'text/event-stream',
				});
			const { lc, logged } = await supplied({ apiKey });
			const error = await rejection(stream(lc, ...go));
			expect(everything(error)).toContain('no luck for [key]');
			expect(everything([error, logged()])).not.toContain(apiKey);
		});

		it('is not in the error of a connection that fails', async () => {
			gateway().post('/api/v1/chat/completions').replyWithError(`no luck for ${apiKey}`);
			const { lc, logged } = await supplied({ apiKey });
			const error = await rejection(lc.invoke(go));
			expect(error).toMatchObject({ cause: { details: { outcome: 'unknown' } } });
			expect(everything([error, logged()])).not.toContain(apiKey);
		});
	});

	/** A value as n8n stores it, with the properties of errors that JSON leaves out. */
	function everything(value: unknown): string {
		const seen = new Set<unknown>();
		return JSON.stringify(value, (_, inner: unknown) => {
			if (typeof inner !== 'object' || inner === null) return inner;
			if (seen.has(inner)) return undefined;
			seen.add(inner);
			if (!(inner instanceof Error)) return inner;
			const { message, stack, cause } = inner;
			return { ...inner, message, stack, cause };
		});
	}
});

describe('usage', () => {
	// The model's runs in n8n's log.

	const go = [new HumanMessage('Hello')];
	const invoke = async (lc: LangChainModel) => await lc.invoke(go);

	const full = {
		prompt_tokens: 5,
		completion_tokens: 7,
		total_tokens: 12,
		cost_rub: 0.5,
		prompt_tokens_details: { cached_tokens: 2 },
		completion_tokens_details: { reasoning_tokens: 3 },
	};
	const wholeWith = (usage: object) =>
		JSON.stringify({ id: 'c1', choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }], usage });
	const streamWith = (usage: object) =>
		[
			eventOf({ id: 'c1', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }),
			eventOf({ id: 'c1', choices: [], usage }),
			'data: [DONE]\n\n',
		].join('');

	useNock();

	it.each([
		['whole', invoke, whole({ content: 'Hi', reasoning: 'A greeting' }), 'm'],
		['streamed', streamed, streamOf({ reasoning: 'A greeting' }, { content: 'H' }, { content: 'i' }), null],
	])(
		'a response that comes %s is logged once, with tokens, cost and thoughts',
		async (_, ask, body, model) => {
			const { lc, logged } = modelWith(body);
			await ask(lc);
			expect(logged).toStrictEqual([
				{
					response: {
						generations: [
							[
								{
									text: 'Hi',
									generationInfo: {
										finish_reason: 'stop',
										id: 'c1',
										model,
										costRub: 0.5,
										reasoning: 'A greeting',
									},
								},
							],
						],
					},
					tokenUsage: { promptTokens: 5, completionTokens: 7, totalTokens: 12, costRub: 0.5 },
				},
			]);
		},
	);

	it('each call is a run of the node, with its own cost', async () => {
		nock('https://gateway.test')
			.post('/api/v1/chat/completions')
			.reply(200, wholeWith(full))
			.post('/api/v1/chat/completions')
			.reply(200, wholeWith({ ...full, cost_rub: 0.25 }));
		const { lc, logged } = await supplied();
		await lc.invoke(go);
		await lc.bindTools([]).invoke(go);
		const tokens = { promptTokens: 5, completionTokens: 7, totalTokens: 12 };
		const run = (costRub: number) => ({
			executionStatus: 'success',
			source: [{ previousNode: 'AI Agent' }],
			data: { ai_languageModel: [[{ json: { tokenUsage: { ...tokens, costRub } } }]] },
		});
		expect(logged()).toMatchObject([run(0.5), run(0.25)]);
	});

	it.each([
		['whole', invoke, wholeWith],
		['streamed', streamed, streamWith],
	])('the cost of a response that comes %s is left out when it is unknown', async (_, ask, bodyWith) => {
		const { lc, logged } = modelWith(bodyWith({ ...full, cost_rub: null }));
		await ask(lc);
		expect(logged.map(({ tokenUsage }) => tokenUsage)).toStrictEqual([
			{ promptTokens: 5, completionTokens: 7, totalTokens: 12 },
		]);
	});

	it('LangChain’s message of a stream has its tokens once', async () => {
		const message = await streamed(modelWith(streamWith(full)).lc);
		expect(message.usage_metadata).toMatchObject({ input_tokens: 5, output_tokens: 7, total_tokens: 12 });
		expect(message.response_metadata).toStrictEqual({
			cachedInputTokens: 2,
			finish_reason: 'stop',
			id: 'c1',
			model: null,
			costRub: 0.5,
		});
	});
});
