import type { RunResult } from '../helpers/engine';
import { sumOfCosts } from '../../nodes/shared/gateway/util/money';
import { locator, useGateway } from './support';

// What an execution has cost, as an expression reads it, against the gateway's ledger.

const gateway = useGateway();

const costOf = ({ run }: RunResult) => run.data.resultData.metadata;
const ledger = () => sumOfCosts(...gateway.control.ledger().map(({ amount }) => amount));
const shown = (calls: number, withoutCost = 0) => ({
	gatewayCostRub: ledger(),
	gatewayCalls: String(calls),
	gatewayCallsWithoutCost: String(withoutCost),
});
const items = (count: number) => Array.from({ length: count }, (_, n) => ({ json: { n } }));
const image = (quality: string) => ({
	model: locator('aurora/canvas-1'),
	inputMode: 'json',
	inputJson: JSON.stringify({ prompt: 'a lighthouse', quality, size: '512x512' }),
});
const onError = { settings: { onError: 'continueRegularOutput' as const } };

describe.each(['chat', 'responses', 'messages'])('%s: the cost of the execution', (format) => {
	test.each([false, true])('is that of all items (stream: %s)', async (stream) => {
		const result = await gateway.generate(
			{ format, prompt: '=Count to {{ $json.n }}', options: { stream } },
			{ items: items(12) },
		);
		expect(costOf(result)).toStrictEqual(shown(12));
		const costs = result.items.map(({ json }) => String(json.costRub as number));
		expect(sumOfCosts(...costs)).toBe(ledger());
	});

	// In Messages, JSON is the arguments of a tool.
	const prose = format === 'messages' ? { options: { thinking: '{ "type": "adaptive" }' } } : {};
	it('has what a response cost whose JSON cannot be read', async () => {
		const result = await gateway.generate(
			{ format, ...prose, prompt: '[[say:no JSON]]', outputFormat: 'jsonObject' },
			onError,
		);
		const { error } = result.items[0]?.json as { error?: { costRub: number } };
		expect(error).toBeDefined();
		expect(costOf(result)?.gatewayCostRub ?? '0').toBe(ledger());
	});
});

describe('a cost that the response does not report', () => {
	test.each([true, false])('is computed from the catalogue, and marked (simplify: %s)', async (simplify) => {
		const result = await gateway.generate({ format: 'messages', simplify });
		expect(costOf(result)).toStrictEqual(shown(1));
		const marked = { costRub: Number(ledger()), costIsComputed: true };
		expect(result.items[0]?.json).toMatchObject(simplify ? marked : { type: 'message' });
	});

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

describe('a response of this body', () => {
	const respond = (body: object) =>
		gateway.control.addFault({
			match: { method: 'POST' },
			action: {
				kind: 'raw',
				status: 200,
				body: { text: JSON.stringify(body), contentType: 'application/json' },
			},
		});

	it('without tokens has no cost', async () => {
		respond({ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi' }] });
		const result = await gateway.generate({ format: 'messages' });
		expect(result.items[0]?.json).toMatchObject({ text: 'Hi', costRub: null });
		expect(costOf(result)).toStrictEqual({ ...shown(1, 1), gatewayCostRub: '0' });
	});

	it('without output has the cost that it reports', async () => {
		const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, cost_rub: 0.75 };
		respond({ id: 'c1', choices: [], usage });
		const result = await gateway.generate({}, onError);
		expect(result.items[0]?.json.error).toMatchObject({ code: 'no_completion', costRub: 0.75 });
		expect(result.items[0]?.json.error).not.toHaveProperty('costIsComputed');
		expect(costOf(result)).toStrictEqual({ ...shown(1), gatewayCostRub: '0.75' });
	});
});

it('a text that is paid for counts when the run ends while its prices are read', async () => {
	gateway.control.addFault({ match: { path: '*/models' }, action: { kind: 'hang' } });
	const result = await gateway.generate(
		{ format: 'messages' },
		{
			onStart: (cancel) => {
				const timer = setInterval(() => {
					if (gateway.charges() === 0) return;
					clearInterval(timer);
					setTimeout(cancel, 100);
				}, 10);
			},
		},
	);
	expect(gateway.charges()).toBe(1);
	expect(costOf(result)).toStrictEqual({ ...shown(1, 1), gatewayCostRub: '0' });
});

describe('media tasks', () => {
	it.each([
		[false, 3],
		[true, 2],
	])(
		'cost their price; an unknown amount when they fail (given back: %s)',
		async (failedTasksAreFree, paid) => {
			gateway.control.configure({ failedTasksAreFree });
			const before = Number(gateway.control.balance());
			const parameters = { ...image('draft'), options: { maxWait: 1 } };
			const result = await gateway.media(
				'createAndWait',
				{
					...parameters,
					inputJson:
						'={{ JSON.stringify({ prompt: $json.n === 1 ? "[[fail]]" : "a cat", quality: "draft", size: "512x512" }) }}',
				},
				{ items: items(3), ...onError },
			);
			expect(costOf(result)).toStrictEqual({ ...shown(3, 1), gatewayCostRub: '3.6' });
			expect(result.items[1]?.json.error).toMatchObject({
				model: 'aurora/canvas-1',
				priceRub: 1.8,
				mayBeCharged: true,
			});
			expect(before - Number(gateway.control.balance())).toBeCloseTo(paid * 1.8);
		},
	);

	it('cost their price when another item has failed before it is read', async () => {
		gateway.control.addFault({
			match: { method: 'POST', path: '/async/media/tasks', nth: 2 },
			action: { kind: 'error', code: 'insufficient_quota' },
		});
		const parameters = { ...image('draft'), options: { concurrency: 1 } };
		const result = await gateway.media('create', parameters, { items: items(2) });
		expect(result.error?.httpCode).toBe('402');
		expect(gateway.control.requests({ path: '/api/v1/media/models' })).toHaveLength(1);
		expect(gateway.charges()).toBe(1);
		expect(costOf(result)).toStrictEqual(shown(1));
	});

	it('with a key of the user cost an unknown amount: another execution may have paid', async () => {
		const parameters = { ...image('draft'), options: { idempotencyKey: 'order-7' } };
		const first = await gateway.media('create', parameters);
		const second = await gateway.media('create', parameters, { executionId: 'execution-2' });
		expect(gateway.charges()).toBe(1);
		for (const result of [first, second])
			expect(costOf(result)).toStrictEqual({ ...shown(1, 1), gatewayCostRub: '0' });
	});
});

describe('*Max Cost per Execution*', () => {
	it('creates as many tasks as it allows', async () => {
		const parameters = { ...image('draft'), options: { maxCostRub: 5.4 } };
		const result = await gateway.media('create', parameters, { items: items(8), ...onError });
		expect(ledger()).toBe('5.4');
		const refused = result.items.filter(({ json }) => json.error !== undefined);
		expect(refused).toHaveLength(5);
		expect(refused[0]?.json.error).toMatchObject({
			code: 'invalid_input',
			param: 'maxCostRub',
			description: expect.stringMatching(/^Of ₽5\.40, the execution has spent ₽5\.40\./) as string,
		});
	});

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

	it('sends nothing whose cost is not limited', async () => {
		const options = { maxCostRub: 100, extraBody: '{ "max_tokens": "many" }' };
		const { error } = await gateway.generate({ options });
		expect(error).toMatchObject({
			message: expect.stringContaining('may cost is unknown') as string,
			description: expect.stringContaining("Set the option 'Max Tokens'.") as string,
		});
		expect(gateway.charges()).toBe(0);
	});
});
