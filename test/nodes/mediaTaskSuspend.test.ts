import nock from 'nock';
import type { IRun } from 'n8n-workflow';

import type * as sleeper from '../../nodes/MediaTask/operations/task/sleeper';
import { runNode, wakeNode, type RunOptions } from '../helpers/engine';
import { carryOn, catalogue, creations, envelope, gateway, model, run, TASKS as API } from '../helpers/media';
import { useNock } from '../helpers/nock';

// The watch over a sleeper outlives its test: test/contract/wakeUp.test.ts.
jest.mock<typeof sleeper>('../../nodes/MediaTask/operations/task/sleeper', () => {
	const actual = jest.requireActual<typeof sleeper>('../../nodes/MediaTask/operations/task/sleeper');
	return {
		...actual,
		sleeperFor: (...parameters) => ({
			...actual.sleeperFor(...parameters),
			watch: async () => await Promise.resolve(),
		}),
	};
});

// Falling asleep, on n8n's engine. What happens on waking up needs the real n8n: test/e2e/media-suspend.test.ts.

useNock();
// A sleeper is watched for some seconds more, while the next test runs.
beforeEach(
	() =>
		void nock('https://n8n.test')
			.persist()
			.post(/media-task/)
			.optionally()
			.reply(409),
);

const order = { model, inputMode: 'json', inputJson: '{"prompt": "a cat"}', waitStrategy: 'suspend' };

/** Answers every look at a task. */
function tasks(data: (taskId: string) => object): { looks: number } {
	const count = { looks: 0 };
	gateway()
		.persist()
		.get(/\/tasks\/t\d+$/)
		.optionally()
		.reply((path) => {
			count.looks += 1;
			const taskId = path.split('/').at(-1) ?? '';
			return [200, envelope({ taskId, model: 'acme/painter', createTime: Date.now(), ...data(taskId) })];
		});
	return count;
}
const running = () => tasks(() => ({ state: 'processing' }));

/** What n8n stores of the sleeping node's input. */
const stored = ({ data }: IRun) => data.executionData?.nodeExecutionStack[0]?.data.main?.[0] ?? [];

describe('Wait Strategy: Suspend', () => {
	it('gives the gateway an address of its own below the execution’s, and sleeps as long as it may', async () => {
		catalogue();
		const sent = creations();
		running();
		const before = Date.now();
		const { run: execution } = await run('createAndWait', { ...order, options: { maxWait: 10 } });
		expect(execution.status).toBe('waiting');
		expect(execution.waitTill?.getTime()).toBeGreaterThanOrEqual(before + 600_000);
		expect(execution.waitTill?.getTime()).toBeLessThanOrEqual(Date.now() + 600_000);
		expect(sent[0]?.body.callBackUrl).toMatch(
			/^https:\/\/n8n\.test\/webhook-waiting\/execution-1\/media-task\?signature=\w+&item=0$/,
		);
	});

	it('stores what the items say when nobody calls, in place of their input', async () => {
		catalogue();
		creations();
		running();
		const items = [{ json: { prompt: 'a' } }, { json: { prompt: 'b' } }];
		const { run: execution } = await run('createAndWait', order, { items });
		const [first, second] = stored(execution);
		expect(first?.json).toStrictEqual({
			taskId: 't1',
			model: 'acme/painter',
			state: 'processing',
			createdAt: expect.any(String) as string,
			resultUrls: [],
			result: null,
			priceRub: 6,
			timedOut: true,
		});
		expect(second?.json.taskId).toBe('t2');
		const source = execution.data.resultData.runData.Source?.[0]?.data?.main?.[0];
		expect(source?.map(({ json }) => json)).toStrictEqual([{ prompt: 'a' }, { prompt: 'b' }]);
	});

	it('asks for the same task as polling does', async () => {
		catalogue();
		const sent = creations();
		tasks(() => ({ state: 'success', resultJson: '{}' }));
		gateway()
			.persist()
			.get(/download$/)
			.optionally()
			.reply(200, 'file');
		await run('createAndWait', order);
		await run('createAndWait', { ...order, waitStrategy: 'poll' });
		expect(sent[0]?.key).toBe(sent[1]?.key);
		expect(sent.map(({ body }) => 'callBackUrl' in body)).toStrictEqual([true, false]);
	});

	it('puts out what has ended before it slept, without a sleep', async () => {
		catalogue();
		creations();
		const count = tasks(() => ({ state: 'success', resultJson: '{"resultUrls":[]}' }));
		const { run: execution, items } = await run('createAndWait', { ...order, downloadResults: false });
		expect(execution.status).toBe('success');
		expect(items[0]?.json).toMatchObject({ taskId: 't1', state: 'success', priceRub: 6 });
		expect(count.looks).toBe(2);
	});

	it('keeps what has ended and what has failed already with the items', async () => {
		catalogue();
		creations();
		tasks((taskId) => ({ state: { t1: 'success', t2: 'fail' }[taskId] ?? 'waiting', failMsg: 'no' }));
		const items = [{ json: {} }, { json: {} }, { json: {} }];
		const parameters = { ...order, downloadResults: false, options: { concurrency: 1 } };
		const { run: execution } = await run('createAndWait', parameters, { items, ...carryOn });
		expect(execution.status).toBe('waiting');
		expect(stored(execution).map(({ json }) => json)).toMatchObject([
			{ taskId: 't1', state: 'success' },
			{ error: { taskId: 't2', failMsg: 'no' } },
			{ taskId: 't3', state: 'waiting', timedOut: true },
		]);
		expect(stored(execution)[0]?.json).not.toHaveProperty('timedOut');
	});

	it('without continue-on-fail, a task that has failed before the sleep ends the node', async () => {
		catalogue();
		creations();
		tasks((taskId) => ({ state: taskId === 't1' ? 'fail' : 'waiting' }));
		const items = [{ json: {} }, { json: {} }];
		const { run: execution, error } = await run('createAndWait', order, { items });
		expect(execution.status).toBe('error');
		expect(execution.waitTill).toBeUndefined();
		expect(error?.description).toContain('t2');
	});

	it('polls when the longest wait is too short for n8n to wake it', async () => {
		catalogue();
		creations();
		tasks(() => ({ state: 'success' }));
		const { run: execution } = await run('createAndWait', {
			...order,
			downloadResults: false,
			options: { maxWait: 1 },
		});
		expect(execution.status).toBe('success');
	});

	it.each([{ idempotencyScope: 'workflow' }, { idempotencyKey: 'mine' }])(
		'polls for a task that another execution may have ordered, which calls that one: %j',
		async (options) => {
			catalogue();
			const sent = creations();
			let looks = 0;
			tasks(() => ({ state: (looks += 1) < 2 ? 'processing' : 'success' }));
			const parameters = { ...order, downloadResults: false, options };
			const { run: execution, items } = await run('createAndWait', parameters);
			expect(execution.status).toBe('success');
			expect(items[0]?.json.taskId).toBe('t1');
			expect(sent[0]?.body).not.toHaveProperty('callBackUrl');
		},
	);

	it('sleeps for a task of which the gateway does not know yet', async () => {
		catalogue();
		creations();
		gateway().persist().get(`${API}/t1`).reply(404, envelope(null, 404));
		const { run: execution } = await run('createAndWait', order);
		expect(execution.status).toBe('waiting');
		expect(stored(execution)[0]?.json).toMatchObject({ taskId: 't1', state: 'unknown' });
	});

	it('with Execute Once, stores nothing of the items that were left out', async () => {
		catalogue();
		creations();
		running();
		const items = [{ json: { prompt: 'a' } }, { json: { prompt: 'b' } }];
		const { run: execution } = await run('createAndWait', order, { items, settings: { executeOnce: true } });
		expect(stored(execution).map(({ json }) => json.taskId)).toStrictEqual(['t1']);
	});

	it('does not show the secret of the address that wakes it', async () => {
		catalogue();
		gateway()
			.post(API)
			.reply(422, (_, body) =>
				envelope(null, 422, `callBackUrl: ${String((body as { callBackUrl: string }).callBackUrl)}`),
			);
		const { error } = await run('createAndWait', order);
		expect(error?.description).toContain('callBackUrl: https://n8n.test/webhook-waiting/');
		expect(error?.description).not.toMatch(/signature=[0-9a-f]{8}/);
	});

	it('of many tasks lets the last 20 call: n8n reads the whole execution for each call', async () => {
		catalogue();
		const sent = creations();
		running();
		const items = Array.from({ length: 30 }, (_, prompt) => ({ json: { prompt } }));
		const parameters = { ...order, inputJson: '={{ { n: $json.prompt } }}' };
		const { run: execution } = await run('createAndWait', parameters, { items });
		expect(execution.status).toBe('waiting');
		const callers = sent
			.filter(({ body }) => 'callBackUrl' in body)
			.map(({ body }) => (body.input as { n: number }).n);
		expect(callers.sort((a, b) => a - b)).toStrictEqual(Array.from({ length: 20 }, (_, index) => index + 10));
	});

	it('stays awake when none of those is left that call', async () => {
		catalogue();
		creations();
		const items = Array.from({ length: 21 }, () => ({ json: {} }));
		let looks = 0;
		tasks((taskId) => ({ state: taskId === 't1' && (looks += 1) < 3 ? 'processing' : 'success' }));
		const parameters = { ...order, downloadResults: false, options: { concurrency: 1 } };
		const { run: execution, items: given } = await run('createAndWait', parameters, { items });
		expect(execution.status).toBe('success');
		expect(given.map(({ json }) => json.state)).toStrictEqual(items.map(() => 'success'));
	});

	it('does not sleep while Retry On Fail has a try left for the first item', async () => {
		catalogue();
		const keys: string[] = [];
		gateway()
			.persist()
			.post(API)
			.reply(function (_, body) {
				const { input } = body as { input: { prompt: string } };
				if (input.prompt === 'bad') return [422, envelope(null, 422, 'prompt: no')];
				keys.push(String(this.req.headers['idempotency-key']));
				return [201, envelope({ taskId: 't7' })];
			});
		running();
		const items = [{ json: { prompt: 'bad' } }, { json: { prompt: 'good' } }];
		const parameters = { ...order, inputJson: '={{ { prompt: $json.prompt } }}' };
		const { run: execution } = await run('createAndWait', parameters, {
			items,
			settings: { onError: 'continueRegularOutput', retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		});
		expect(execution.status).toBe('waiting');
		expect(keys).toHaveLength(3);
		expect(new Set(keys).size).toBe(1);
		expect(stored(execution).map(({ json }) => json)).toMatchObject([
			{ error: { httpCode: '422' } },
			{ taskId: 't7', timedOut: true },
		]);
	});

	it('keeps an AI Agent’s tool awake: the agent waits for its answer', async () => {
		catalogue();
		const sent = creations();
		tasks(() => ({ state: 'success' }));
		const { run: execution } = await run('createAndWait', order, { asTool: true });
		expect(execution.status).toBe('success');
		expect(sent[0]?.body).not.toHaveProperty('callBackUrl');
	});
});

describe('waking up', () => {
	const options = (parameters: object = {}, more: Partial<RunOptions> = {}): RunOptions => ({
		node: 'mediaTask',
		parameters: { operation: 'createAndWait', ...order, downloadResults: false, ...parameters },
		...more,
	});
	const items = [{ json: { prompt: 'a' } }, { json: { prompt: 'b' } }, { json: { prompt: 'c' } }];

	/** Sleeps while the tasks are in these states, and wakes when they are in those. */
	async function sleepAndWake(before: string[], after: string[], use: RunOptions) {
		catalogue();
		const sent = creations();
		let states = before;
		const count = tasks((taskId) => ({
			state: states[Number(taskId.slice(1)) - 1] ?? 'waiting',
			failMsg: 'no',
		}));
		const asleep = await runNode(use);
		expect(asleep.run.status).toBe('waiting');
		states = after;
		return { woken: await wakeNode(asleep, use), asleep, sent, count };
	}

	it('gives each item its own result, in order, and orders nothing anew', async () => {
		const use = options({ options: { concurrency: 1 } }, { items });
		const { woken, sent } = await sleepAndWake(
			['waiting', 'success', 'waiting'],
			Array<string>(3).fill('success'),
			use,
		);
		expect(woken.run.status).toBe('success');
		expect(woken.items.map(({ json }) => [json.taskId, json.state, json.priceRub])).toStrictEqual([
			['t1', 'success', 6],
			['t2', 'success', 6],
			['t3', 'success', 6],
		]);
		expect(woken.items.map(({ pairedItem }) => pairedItem)).toStrictEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(sent).toHaveLength(3);
	});

	it('fails for a task that has failed, and names all others: also one that was done before the sleep', async () => {
		const use = options({ options: { concurrency: 1 } }, { items });
		const { woken } = await sleepAndWake(
			['success', 'waiting', 'waiting'],
			['success', 'success', 'fail'],
			use,
		);
		expect(woken.run.status).toBe('error');
		expect(woken.error?.message).toBe('The media task failed');
		expect(woken.error?.description).toMatch(/t3 .*fetch by ID: t1, t2\./s);
	});

	it('passes a task on as last known when the longest wait is over', async () => {
		const clock = jest.spyOn(Date, 'now');
		const use = options({}, { items: items.slice(0, 2) });
		catalogue();
		creations();
		let done = false;
		tasks((taskId) => ({ state: done && taskId === 't1' ? 'success' : 'processing' }));
		const asleep = await runNode(use);
		done = true;
		const late = Date.now() + 31 * 60_000;
		clock.mockImplementation(() => late);
		const woken = await wakeNode(asleep, use);
		clock.mockRestore();
		expect(woken.run.status).toBe('success');
		expect(woken.items.map(({ json }) => [json.state, json.timedOut])).toStrictEqual([
			['success', undefined],
			['processing', true],
		]);
	});

	it('does not read parameters again: their expressions would see what was stored', async () => {
		const parameters = {
			inputJson: '={{ { prompt: $json.prompt.toUpperCase() } }}',
			simplify: '={{ $json.prompt === "a" }}',
			options: { timeout: '={{ $json.prompt.length * 100 }}', maxWait: '={{ $json.prompt ? 30 : 0 }}' },
		};
		const use = options(parameters, { items: items.slice(0, 2) });
		const { woken } = await sleepAndWake(['waiting', 'waiting'], ['success', 'success'], use);
		expect(woken.error).toBeUndefined();
		expect(woken.items[0]?.json).toMatchObject({ taskId: 't1', state: 'success' });
		expect(woken.items[1]?.json).toMatchObject({ code: 200, data: { taskId: 't2' } });
	});
});

describe('what cannot be suspended is refused, and nothing is created', () => {
	it('with a callback URL of the user’s own', async () => {
		catalogue();
		const sent = creations();
		const { error } = await run('createAndWait', {
			...order,
			options: { callbackUrl: 'https://example.com/done' },
		});
		expect(error?.message).toContain('A task has one callback URL');
		expect(error?.description).toContain("'Callback URL'");
		expect(sent).toStrictEqual([]);
	});

	it('where the gateway cannot reach this n8n', async () => {
		catalogue();
		const sent = creations();
		const { error } = await run('createAndWait', order, { n8nUrl: 'http://localhost:5678' });
		expect(error?.message).toContain('"localhost" is an address of a local network');
		expect(error?.description).toMatch(/'Poll'.*WEBHOOK_URL/);
		expect(sent).toStrictEqual([]);
	});
});
