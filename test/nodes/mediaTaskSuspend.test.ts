import nock from 'nock';
import type { IRun } from 'n8n-workflow';

import { carryOn, catalogue, creations, envelope, gateway, model, run, TASKS as API } from '../helpers/media';

// Falling asleep, on n8n's engine. What happens on waking up needs the real n8n: test/e2e/media-suspend.test.ts.

beforeAll(() => nock.disableNetConnect());
// A sleeper is watched for some seconds more, while the next test runs.
beforeEach(
	() =>
		void nock('https://n8n.test')
			.persist()
			.post(/media-task/)
			.optionally()
			.reply(409),
);
afterEach(() => nock.cleanAll());
afterAll(() => nock.restore());

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
			/^https:\/\/n8n\.test\/webhook-waiting\/execution-1\/media-task\?signature=\w+/,
		);
	});

	it('stores what the items say when nobody calls, in place of their input', async () => {
		catalogue();
		creations();
		running();
		const items = [{ json: { prompt: 'a' } }, { json: { prompt: 'b' } }];
		const { run: execution } = await run('createAndWait', order, { items });
		const [first, second] = stored(execution);
		expect(first?.json).toEqual({
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
		expect(source?.map(({ json }) => json)).toEqual([{ prompt: 'a' }, { prompt: 'b' }]);
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
		await run('createAndWait', { ...order, options: { idempotencyScope: 'workflow' } });
		await run('createAndWait', { ...order, waitStrategy: 'poll', options: { idempotencyScope: 'workflow' } });
		expect(sent[0]?.key).toBe(sent[1]?.key);
		expect(sent[1]?.body).not.toHaveProperty('callBackUrl');
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

	it('polls for a task of another execution, which calls that one', async () => {
		catalogue();
		creations();
		const old = { createTime: Date.now() - 3_600_000 };
		let looks = 0;
		tasks(() => ({ ...old, state: (looks += 1) < 2 ? 'processing' : 'success' }));
		const { run: execution, items } = await run('createAndWait', {
			...order,
			downloadResults: false,
			options: { idempotencyScope: 'workflow' },
		});
		expect(execution.status).toBe('success');
		expect(items[0]?.json.taskId).toBe('t1');
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

describe('what cannot be suspended is refused, and nothing is created', () => {
	it('with a callback URL of the user’s own', async () => {
		catalogue();
		const sent = creations();
		const { error } = await run('createAndWait', {
			...order,
			options: { callbackUrl: 'https://example.com/done' },
		});
		expect(error?.message).toContain('A task has one callback URL');
		expect(error?.description).toContain('"Callback URL"');
		expect(sent).toEqual([]);
	});

	it('where the gateway cannot reach this n8n', async () => {
		catalogue();
		const sent = creations();
		const { error } = await run('createAndWait', order, { n8nUrl: 'http://localhost:5678' });
		expect(error?.message).toContain('"localhost" is an address of a local network');
		expect(error?.description).toMatch(/"Poll".*WEBHOOK_URL/);
		expect(sent).toEqual([]);
	});
});
