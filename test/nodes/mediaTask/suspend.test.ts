import { continueOnFail } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { prompts, stored, suspend, suspending, mockTasks } from '../../helpers/suspended';
import { quickTime } from '../../helpers/time';

// Suspending, on n8n's engine. With the real n8n: test/e2e/media-suspend.test.ts.

useNock();
quickTime();

const inOrder = { options: { concurrency: 1 } };

describe('a suspended execution', () => {
	it('sends the gateway a callback URL below the execution’s, and stays suspended for the longest wait', async () => {
		const tasks = mockTasks(() => 'processing');
		const before = Date.now();
		const use = suspending({ options: { maxWait: 10 } }, { executionId: 'execution-1' });
		const { run: execution } = await suspend(tasks, use);
		expect(execution.waitTill?.getTime()).toBeGreaterThanOrEqual(before + 600_000);
		expect(execution.waitTill?.getTime()).toBeLessThanOrEqual(Date.now() + 600_000);
		expect(tasks.sent[0]?.body.callBackUrl).toMatch(
			/^https:\/\/n8n\.test\/webhook-waiting\/execution-1\/media-task\?signature=\w+&item=0$/,
		);
	});

	it('stores the timed-out output of the items in place of their input', async () => {
		const tasks = mockTasks(() => 'processing');
		const suspended = await suspend(tasks, suspending(inOrder, { items: prompts('a', 'b') }));
		const known = {
			model: 'acme/painter',
			state: 'processing',
			createdAt: '2025-10-09T08:53:20.000Z',
			resultUrls: [],
			priceRub: 6,
			timedOut: true,
		};
		expect(stored(suspended).map(({ json }) => json)).toStrictEqual([
			{ taskId: 't1', ...known },
			{ taskId: 't2', ...known },
		]);
		const source = suspended.run.data.resultData.runData.Source?.[0]?.data?.main?.[0];
		expect(source?.map(({ json }) => json)).toStrictEqual([{ prompt: 'a' }, { prompt: 'b' }]);
	});

	it('stores the results and errors of ended tasks with the items', async () => {
		const states: Record<string, string> = { t1: 'success', t2: 'fail', t3: 'waiting' };
		const tasks = mockTasks((taskId) => ({ state: states[taskId], failMsg: 'no' }));
		const use = suspending(inOrder, { items: prompts('a', 'b', 'c'), ...continueOnFail });
		const suspended = await suspend(tasks, use);
		expect(stored(suspended).map(({ json }) => json)).toMatchObject([
			{ taskId: 't1', state: 'success' },
			{ error: { taskId: 't2', failMsg: 'no' } },
			{ taskId: 't3', state: 'waiting', timedOut: true },
		]);
		expect(stored(suspended)[0]?.json).not.toHaveProperty('timedOut');
	});

	it('requests callbacks for the last 20 of many tasks: n8n reads the whole execution for each one', async () => {
		const tasks = mockTasks(() => 'processing');
		const items = Array.from({ length: 30 }, (_, n) => ({ json: { n } }));
		await suspend(tasks, suspending({ inputJson: '={{ { n: $json.n } }}' }, { items }));
		expect(tasks.sent).toHaveLength(30);
		const callers = tasks.sent.filter(({ body }) => 'callBackUrl' in body);
		const numbers = callers.map(({ body }) => (body.input as { n: number }).n);
		expect(numbers.sort((a, b) => a - b)).toStrictEqual(Array.from({ length: 20 }, (_, index) => index + 10));
	});
});
