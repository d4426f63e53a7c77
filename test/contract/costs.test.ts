import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { createRunExecutionData, type INodeParameters, type IRunExecutionData } from 'n8n-workflow';

import { asObject } from '../../nodes/shared/gateway/util/json';
import { rubles, sumOfCosts } from '../../nodes/shared/gateway/util/money';
import { rejection } from '../helpers/client';
import { supplyContext } from '../helpers/contexts';
import { packageNodes, type RunResult } from '../helpers/engine';
import { eventually } from '../helpers/time';
import { CONTINUE, locator } from '../helpers/values';
import type { LangChainModel } from '../nodes/chatModel/support';
import { useGateway } from './support';
const onError = { settings: CONTINUE };

describe('cost', () => {
	// What an execution has cost, as an expression reads it, against the gateway's ledger.

	const gateway = useGateway();

	const costOf = ({ run }: RunResult) => run.data.resultData.metadata;
	const shown = (calls: number, withoutCost = 0) => ({
		gatewayCostRub: gateway.spent(),
		gatewayCalls: String(calls),
		gatewayCallsWithoutCost: String(withoutCost),
	});
	const items = (count: number) => Array.from({ length: count }, (_, n) => ({ json: { n } }));
	const raw = (text: string, contentType: string) =>
		({ kind: 'raw', status: 200, body: { text, contentType } }) as const;

	/** The next call is answered with this body. */
	function respond(body: object): void {
		gateway.control.addFault({
			match: { method: 'POST' },
			action: raw(JSON.stringify(body), 'application/json'),
		});
	}

	/** The next call is answered with these events. */
	function stream(events: object[]): void {
		const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
		gateway.control.addFault({ match: { method: 'POST' }, action: raw(text, 'text/event-stream') });
	}

	const image = (quality: string) => ({
		model: locator('aurora/canvas-1'),
		inputMode: 'json',
		inputJson: JSON.stringify({ prompt: 'a lighthouse', quality, size: '512x512' }),
	});

	describe('a cost that the response does not report', () => {
		test.each([true, false])(
			'is computed from the catalogue, and marked (simplify: %s)',
			async (simplify) => {
				const result = await gateway.generate({ format: 'messages', simplify });
				expect(costOf(result)).toStrictEqual(shown(1));
				const marked = { costRub: Number(gateway.spent()), costIsComputed: true };
				expect(result.items[0]?.json).toMatchObject(simplify ? marked : { type: 'message' });
			},
		);

		it('is not known without the catalogue, which fails nothing', async () => {
			gateway.control.addFault({
				match: { path: '*/models' },
				action: { kind: 'error', code: 'service_unavailable' },
				times: 0,
			});
			const result = await gateway.generate({ format: 'messages', options: { maxRetries: 1 } });
			expect(result.items[0]?.json).toMatchObject({ costRub: null });
			expect(result.items[0]?.json).not.toHaveProperty('costIsComputed');
			expect(costOf(result)).toStrictEqual({ ...shown(1, 1), gatewayCostRub: '0' });
		});
	});

	it('a text that is paid for counts when the run ends while its prices are read', async () => {
		gateway.control.addFault({ match: { path: '*/models' }, action: { kind: 'hang' } });
		const result = await gateway.generate(
			{ format: 'messages' },
			{
				onStart: (cancel) => void eventually(() => gateway.charges() === 1).then(cancel),
			},
		);
		expect(gateway.charges()).toBe(1);
		expect(costOf(result)).toStrictEqual({ ...shown(1, 1), gatewayCostRub: '0' });
	});

	describe('media tasks', () => {
		it.each(['create', 'createAndWait'])('cost their price when another item fails (%s)', async (name) => {
			const match = { method: 'POST', path: '/async/media/tasks' };
			gateway.control.addFault({
				match: { ...match, nth: 2 },
				action: { kind: 'error', code: 'insufficient_quota' },
			});
			const created = gateway.control.hold({ ...match, which: () => created.requests.length === 0 });
			void eventually(() => gateway.control.requests(match)[1]?.status === 402).then(created.release);
			const result = await gateway.media(name, image('draft'), { items: items(2) });
			expect(result.error?.httpCode).toBe('402');
			expect(gateway.control.requests({ path: '/api/v1/media/models' })).toHaveLength(1);
			expect(gateway.charges()).toBe(1);
			expect(costOf(result)).toStrictEqual(shown(1));
		});
	});

	describe('*Max Cost per Execution*', () => {
		test.each([
			['chat', 'max_tokens'],
			['responses', 'max_output_tokens'],
			['messages', 'max_tokens'],
		])('%s: limits the length of a text without Max Tokens', async (format, field) => {
			const { error } = await gateway.generate({ format, options: { maxCostRub: 100 } });
			expect(error).toBeUndefined();
			const [request] = gateway.control.requests({ method: 'POST' });
			expect(request?.body).toMatchObject({ json: { [field]: 4096 } });
		});

		it('adds no limit of tokens to that of *Extra Body*', async () => {
			const extraBody = '{ "max_completion_tokens": 50 }';
			const { error } = await gateway.generate({ options: { maxCostRub: 100, extraBody } });
			expect(error).toBeUndefined();
			const [request] = gateway.control.requests({ method: 'POST' });
			expect(request?.body.json).not.toHaveProperty('max_tokens');
		});
	});

	it.each<[string, object]>([
		['a text', { id: 'c1', choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] }],
		['an error', { id: 'c1', choices: [{ error: { message: 'No' }, finish_reason: 'error' }] }],
	])('of 0 that the response reports is not computed: %s', async (_, body) => {
		const usage = { prompt_tokens: 1_000, completion_tokens: 200, cost_rub: 0 };
		respond({ ...body, usage });
		const result = await gateway.generate({}, onError);
		const json = result.items[0]?.json ?? {};
		expect(json.error ?? json).toMatchObject({ costRub: 0 });
		expect(costOf(result)).toMatchObject({ gatewayCostRub: '0' });
	});

	describe('a computed cost', () => {
		const message = (usage: object) => ({
			id: 'm1',
			type: 'message',
			role: 'assistant',
			model: 'sandbox/balanced-2',
			content: [{ type: 'text', text: 'Hi' }],
			stop_reason: 'end_turn',
			usage,
		});

		/** The beginning and the end of a stream. */
		const start = (usage: object) => ({ type: 'message_start', message: { ...message(usage), content: [] } });
		const word = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word' } };
		const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };

		const untold = [start({ input_tokens: 3, output_tokens: 1 }), word, delta];
		const cached = { input_tokens: 3, cache_creation_input_tokens: 50_000, output_tokens: 2 };

		it.each<[string, () => void, boolean]>([
			['the response has no tokens', () => respond(message({})), false],
			['tokens were written to the cache', () => respond(message(cached)), false],
			['a broken stream never told the output tokens', () => stream(untold), true],
			['a stream never told the output tokens', () => stream([...untold, { type: 'message_stop' }]), true],
		])('is unknown if %s', async (_, answer, isStreamed) => {
			answer();
			const result = await gateway.generate({ format: 'messages', options: { stream: isStreamed } }, onError);
			expect(costOf(result)).toStrictEqual({ ...shown(1, 1), gatewayCostRub: '0' });
			expect(result.items[0]?.json).toMatchObject(isStreamed ? {} : { text: 'Hi', costRub: null });
		});

		it('is called so in the error of a response that is not the JSON of the output format', async () => {
			respond(message({ input_tokens: 1_000, output_tokens: 200 }));
			const result = await gateway.generate({ format: 'messages', outputFormat: 'jsonObject' }, onError);
			expect(result.items[0]?.json.error).toMatchObject({
				code: 'not_json',
				costRub: 0.54,
				costIsComputed: true,
			});
		});

		it('counts if the stream breaks after it has told its tokens', async () => {
			const told = { type: 'message_delta', delta: {}, usage: { output_tokens: 200 } };
			stream([start({ input_tokens: 1_000, output_tokens: 1 }), word, told]);
			const result = await gateway.generate({ format: 'messages', options: { stream: true } }, onError);
			expect(result.items[0]?.json.error).toMatchObject({
				receivedText: 'word',
				costRub: 0.54,
				costIsComputed: true,
				usage: { inputTokens: 1_000, outputTokens: 200 },
			});
			expect(costOf(result)).toStrictEqual({ ...shown(1), gatewayCostRub: '0.54' });
		});
	});

	describe('a failed generation', () => {
		const error = { code: 'server_error', message: 'x' };
		const usage = { input_tokens: 5, output_tokens: 7, cost: { total_cost: 0.75 } };
		const chatUsage = { prompt_tokens: 5, completion_tokens: 7, cost_rub: 0.75 };
		const textChunk = { choices: [{ index: 0, delta: { content: 'a' } }] };

		test.each<[string, string, () => void]>([
			['whole', 'responses', () => respond({ status: 'failed', error, output: [], usage })],
			['whole', 'chat', () => respond({ error, usage: chatUsage })],
			['without output', 'chat', () => respond({ id: 'c1', choices: [], usage: chatUsage })],
			['streamed', 'responses', () => stream([{ type: 'response.failed', response: { error, usage } }])],
			['streamed', 'chat', () => stream([{ error, usage: chatUsage }])],
			['that ends early', 'chat', () => stream([textChunk, { choices: [], usage: chatUsage }])],
		])('that reports its cost counts: %s (%s)', async (kind, format, answer) => {
			answer();
			const isStreamed = /stream|early/.test(kind);
			const result = await gateway.generate({ format, options: { stream: isStreamed } }, onError);
			expect(result.items[0]?.json.error).toMatchObject({ costRub: 0.75 });
			expect(result.items[0]?.json.error).not.toHaveProperty('costIsComputed');
			expect(costOf(result)).toStrictEqual({ ...shown(1), gatewayCostRub: '0.75' });
		});

		it('is free without a cost', async () => {
			respond({ status: 'failed', error, output: [], usage: { input_tokens: 5 } });
			const result = await gateway.generate({ format: 'responses' }, onError);
			expect(costOf(result)).toStrictEqual({ ...shown(0), gatewayCostRub: '0' });
		});
	});
});

describe('agent cost', () => {
	// A chat model and a tool in one execution, as an AI Agent calls them.

	const gateway = useGateway();
	let execution: IRunExecutionData;
	beforeEach(() => void (execution = createRunExecutionData()));

	const ask = [new HumanMessage('Tell me about the sea')];

	/** The chat model, as n8n supplies it to the agent. */
	async function modelOf(parameters: INodeParameters = {}): Promise<LangChainModel> {
		return (await gateway.chatModel({ parameters, execution })).lc;
	}

	/** Creates a picture, as the agent's tool. */
	async function draw(options: INodeParameters = {}, prompt = 'a lighthouse'): Promise<void> {
		const inputJson = JSON.stringify({ prompt, quality: 'draft', size: '512x512' });
		const { context } = supplyContext({
			node: 'mediaTask',
			asTool: true,
			parameters: {
				resource: 'task',
				operation: 'create',
				model: locator('aurora/canvas-1'),
				inputMode: 'json',
				inputJson,
				options,
			},
			credential: { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey },
			execution,
		});
		context.addInputData('ai_tool', [[{ json: { prompt } }]]);
		await packageNodes.mediaTask.execute.call(context as never);
	}

	async function streamed(model: LangChainModel, options: object = {}): Promise<void> {
		for await (const chunk of await model.stream(ask, options)) expect(chunk).toBeDefined();
	}

	describe('the cost of the execution', () => {
		it('is in a hint at the model, with what the tool has cost, and without rejected calls', async () => {
			const model = await modelOf();
			await model.invoke(ask);
			await draw();
			await model.invoke(ask);
			gateway.control.addFault({ match: { method: 'POST' }, action: { kind: 'error', code: 'forbidden' } });
			await rejection(model.invoke(ask));
			const own = sumOfCosts(
				...gateway.control.ledger().flatMap(({ amount }, call) => (call === 1 ? [] : amount)),
			);
			const { hints } = execution.resultData.runData.Gateway?.at(-1) ?? {};
			expect(hints?.map(({ message }) => message)).toStrictEqual([
				`Cost of 2 calls: ${rubles(own ?? '')} (execution so far: ${rubles(gateway.spent() ?? '')})`,
			]);
		});

		it.each([false, true])(
			'has a call that its agent no longer waits for as one without a cost, and keeps its reservation (stream: %s)',
			async (isStream) => {
				gateway.control.addFault({ match: { path: '/chat/completions' }, action: { kind: 'hang' } });
				const options = { maxCostRub: 1, maxTokens: 200 };
				const agent = new AbortController();
				const { signal } = agent;
				const model = await modelOf({ options });
				const outcome = rejection(isStream ? streamed(model, { signal }) : model.invoke(ask, { signal }));
				await eventually(() => gateway.control.requests({ method: 'POST' }).length === 1);
				agent.abort(new Error('changed my mind'));
				await outcome;
				await eventually(() => execution.resultData.metadata?.gatewayCalls === '1');
				expect(execution.resultData.metadata).toMatchObject({
					gatewayCalls: '1',
					gatewayCallsWithoutCost: '1',
				});
				const rest = { ...options, maxCostRub: 0.5 };
				expect(await rejection((await modelOf({ options: rest })).invoke(ask))).toMatchObject({
					message: expect.stringContaining('more than is left') as string,
				});
			},
		);
	});

	test.each([false, true])(
		'a fallback model of the chat model gets the other fields of Extra Body (stream: %s)',
		async (isStream) => {
			const [first, second] = ['sandbox/balanced-2', 'sandbox/swift-1'];
			gateway.control.addFault({
				match: { model: first },
				action: { kind: 'error', code: 'no_providers' },
				times: 0,
			});
			const extraBody = JSON.stringify({ user: 'me', model: first });
			const model = await modelOf({ options: { maxRetries: 0, fallbackModels: [second], extraBody } });
			await (isStream ? streamed(model) : model.invoke(ask));
			expect(JSON.stringify(execution.resultData.runData)).toContain(`"fallbackFrom":["${first}"]`);
			const bodies = gateway.control.requests({ method: 'POST' }).map(({ body }) => asObject(body.json));
			expect(bodies.map((body) => [body?.model, body?.user])).toStrictEqual([
				[first, 'me'],
				[second, 'me'],
			]);
		},
	);

	it('*Minimum Balance* does not limit the tokens', async () => {
		const name = 'agent near the minimum';
		gateway.control.setBalance('1000', name);
		const { key: apiKey } = gateway.control.createKey({ account: name });
		const { lc: model } = await gateway.chatModel({ execution, apiKey, minBalanceRub: 50 });
		await model.invoke(ask);
		await streamed(model);
		const bodies = gateway.control.requests({ method: 'POST' }).map(({ body }) => asObject(body.json));
		expect(bodies.map((body) => body?.max_tokens)).toStrictEqual([undefined, undefined]);
		expect(gateway.control.ledger(name)).toHaveLength(2);
	});

	it('a catalogue that could not be read is read again for the next call that has a limit', async () => {
		gateway.control.addFault({
			match: { path: '*/models' },
			action: { kind: 'error', code: 'service_unavailable' },
		});
		const model = await modelOf({ options: { maxCostRub: 50, maxTokens: 50, maxRetries: 0 } });
		await rejection(model.invoke(ask));
		await model.invoke(ask);
		expect(gateway.control.ledger()).toHaveLength(1);
	});
});

describe('prompt cache', () => {
	// Cached prompts cost less, and the usage shows their tokens.

	const gateway = useGateway();
	const manual = 'The manual says a lot. '.repeat(300);
	const prompt = 'How warm is it?';
	const amounts = () => gateway.control.ledger().map(({ amount }) => Number(amount));

	const ask = async (options: object, parameters: object = {}) => {
		const { items, error } = await gateway.generate({
			systemPrompt: manual,
			prompt,
			options: { ...options },
			...parameters,
		});
		expect(error).toBeUndefined();
		return items[0]?.json.usage;
	};

	it('the second request costs less and shows the cached tokens', async () => {
		expect(await ask({ cachePrompt: true })).toMatchObject({ cachedInputTokens: 0 });
		expect(await ask({ cachePrompt: true })).toMatchObject({
			cachedInputTokens: Math.ceil(manual.length / 4) + Math.ceil(prompt.length / 4),
		});
		const [first = 0, second = 0] = amounts();
		expect(second).toBeLessThan(first / 2);
	});

	it('the chat model caches the stable beginning of a conversation', async () => {
		const { lc } = await gateway.chatModel({ options: { cachePrompt: true } });
		const beginning = [new SystemMessage('Be brief'), new HumanMessage(manual)];
		await lc.invoke(beginning);
		await lc.invoke([
			...beginning,
			new AIMessage({ content: '', tool_calls: [{ id: 'a', name: 'look', args: {} }] }),
			new ToolMessage({ tool_call_id: 'a', content: '7' }),
		]);
		const [first = 0, second = 0] = amounts();
		expect(second).toBeLessThan(first / 2);
	});
});
