import { HumanMessage } from '@langchain/core/messages';
import { createRunExecutionData, type INodeParameters, type IRunExecutionData } from 'n8n-workflow';

import { startGateway, type Gateway } from '../../sandbox/gateway/gateway';
import { asObject } from '../../nodes/shared/gateway/util/json';
import { rubles, sumOfCosts } from '../../nodes/shared/gateway/util/money';
import { rejection } from '../helpers/client';
import { supplyContext } from '../helpers/contexts';
import { packageNodes } from '../helpers/engine';
import { useFreshRateGates } from '../helpers/rateGates';
import { until } from '../nodes/chatModel/supplied';
import type { LangChainModel } from '../nodes/chatModel/support';
import { locator } from './support';

// A chat model and a tool in one execution, as an AI Agent calls them.

useFreshRateGates();

let gateway: Gateway;
let execution: IRunExecutionData;
beforeAll(async () => void (gateway = await startGateway()));
beforeEach(async () => {
	await gateway.control.reset();
	execution = createRunExecutionData();
});
afterAll(async () => await gateway.close());

const ask = [new HumanMessage('Tell me about the sea')];
const ledger = () => sumOfCosts(...gateway.control.ledger().map(({ amount }) => amount));
const credential = () => ({ baseUrl: gateway.baseUrl, apiKey: gateway.apiKey });

/** The chat model, as n8n supplies it to the agent. */
async function modelOf(parameters: INodeParameters = {}): Promise<LangChainModel> {
	const { context } = supplyContext({
		node: 'chatModel',
		parameters: { model: locator('sandbox/balanced-2'), options: {}, ...parameters },
		credential: credential(),
		execution,
	});
	return (await packageNodes.chatModel.supplyData.call(context, 0)).response as LangChainModel;
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
		credential: credential(),
		execution,
	});
	context.addInputData('ai_tool', [[{ json: { prompt } }]]);
	await packageNodes.mediaTask.execute.call(context as never);
}

async function streamed(model: LangChainModel, options: object = {}): Promise<void> {
	for await (const chunk of await model.stream(ask, options)) expect(chunk).toBeDefined();
}

describe('the cost of the execution', () => {
	test.each(['chat', 'responses', 'messages'])('%s: is that of model and tool', async (format) => {
		const model = await modelOf({ format });
		await model.invoke(ask);
		await draw();
		await streamed(model);
		await (await modelOf({ format })).invoke(ask);
		expect(gateway.control.ledger()).toHaveLength(4);
		expect(execution.resultData.metadata).toStrictEqual({
			gatewayCostRub: ledger(),
			gatewayCalls: '4',
			gatewayCallsWithoutCost: '0',
		});
	});

	it('is in a hint at the model, with what the tool has cost', async () => {
		const model = await modelOf();
		await model.invoke(ask);
		await draw();
		await model.invoke(ask);
		const own = sumOfCosts(
			...gateway.control.ledger().flatMap(({ amount }, call) => (call === 1 ? [] : amount)),
		);
		const { hints } = execution.resultData.runData.Gateway?.at(-1) ?? {};
		expect(hints?.map(({ message }) => message)).toStrictEqual([
			`Cost: ${rubles(own ?? '')} (execution so far: ${rubles(ledger() ?? '')})`,
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
			await until(() => gateway.control.requests({ method: 'POST' }).length === 1);
			agent.abort(new Error('changed my mind'));
			await outcome;
			await new Promise((resolve) => setImmediate(resolve));
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

test.each([false, true])('the chat model asks its fallback model (stream: %s)', async (isStream) => {
	gateway.control.addFault({
		match: { model: 'sandbox/balanced-2' },
		action: { kind: 'error', code: 'no_providers' },
		times: 0,
	});
	const model = await modelOf({ options: { maxRetries: 0, fallbackModels: ['sandbox/swift-1'] } });
	await (isStream ? streamed(model) : model.invoke(ask));
	const shown = JSON.stringify(execution.resultData.runData);
	expect(shown).toContain('"fallbackFrom":["sandbox/balanced-2"]');
	expect(gateway.control.ledger()).toMatchObject([{ model: 'sandbox/swift-1' }]);
});

it('the request to a fallback model has its ID and the other fields of Extra Body', async () => {
	gateway.control.addFault({
		match: { model: 'sandbox/balanced-2' },
		action: { kind: 'error', code: 'no_providers' },
		times: 0,
	});
	const extraBody = '{"user": "me", "model": "sandbox/balanced-2"}';
	const model = await modelOf({ options: { maxRetries: 0, fallbackModels: ['sandbox/swift-1'], extraBody } });
	await model.invoke(ask);
	const bodies = gateway.control.requests({ method: 'POST' }).map(({ body }) => asObject(body.json));
	expect(bodies.map((body) => [body?.model, body?.user])).toStrictEqual([
		['sandbox/balanced-2', 'me'],
		['sandbox/swift-1', 'me'],
	]);
});

describe('*Max Cost per Execution*', () => {
	it('counts what the other node has spent', async () => {
		await draw({ maxCostRub: 2 });
		const model = await modelOf({ options: { maxCostRub: 2, maxTokens: 200 } });
		expect(await rejection(model.invoke(ask))).toMatchObject({
			message: expect.stringContaining('more than is left') as string,
			description: expect.stringContaining('has spent ₽1.80') as string,
		});
		expect(gateway.control.ledger()).toHaveLength(1);
		await (await modelOf({ options: { maxCostRub: 2.5, maxTokens: 200 } })).invoke(ask);
		expect(gateway.control.ledger()).toHaveLength(2);
	});

	it('makes calls at the same time wait for each other', async () => {
		const model = await modelOf({ options: { maxCostRub: 1.2, maxTokens: 200 } });
		await Promise.all(Array.from({ length: 10 }, async () => await model.invoke(ask)));
		expect(gateway.control.ledger()).toHaveLength(10);
		expect(Number(ledger())).toBeLessThanOrEqual(1.2);
	});
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
