import nock from 'nock';

import { runNode, type RunOptions } from '../../helpers/engine';
import { envelope, TASKS as API } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { suspending, mockTasks } from '../../helpers/suspended';
import { quickTime } from '../../helpers/time';

// Executions that keep running instead, or that are rejected.

useNock();
quickTime();

const running = async (parameters: object = {}, more: Partial<RunOptions> = {}) => {
	const result = await runNode(suspending(parameters, more));
	expect(result.run.status).toBe('success');
	expect(result.run.waitTill).toBeUndefined();
	return result;
};

describe('the execution keeps running', () => {
	it.each([
		[1, false],
		[1.08, false],
		[1.09, true],
	])('when the longest wait of %d minutes is too short for n8n to resume it', async (maxWait, suspends) => {
		const tasks = mockTasks(() => 'success');
		await running({ options: { maxWait } });
		expect(tasks.sent.map(({ body }) => 'callBackUrl' in body)).toStrictEqual([suspends]);
	});

	it('when no pending task has a callback', async () => {
		let polls = 0;
		const tasks = mockTasks((taskId) => (taskId === 't1' && (polls += 1) < 3 ? 'processing' : 'success'));
		const items = Array.from({ length: 21 }, () => ({ json: {} }));
		const { items: results } = await running({ options: { concurrency: 1 } }, { items });
		expect(results.map(({ json }) => json.state)).toStrictEqual(items.map(() => 'success'));
		expect(tasks.sent.map(({ body }) => 'callBackUrl' in body)).toStrictEqual([
			false,
			...Array<boolean>(20).fill(true),
		]);
	});
});

describe('the execution fails', () => {
	it('for a task that the gateway denies access to', async () => {
		mockTasks(() => 403);
		const { run: execution, error } = await runNode(suspending());
		expect(execution.status).toBe('error');
		expect(execution.waitTill).toBeUndefined();
		expect(error).toMatchObject({ httpCode: '403', context: { taskId: 't1' } });
	});

	it('for a rejected task request, without the secret of the callback URL in the error', async () => {
		nock('https://gateway.test')
			.post(API)
			.reply(422, (_, body) =>
				envelope(null, 422, `callBackUrl: ${String((body as { callBackUrl: string }).callBackUrl)}`),
			);
		mockTasks(() => 'processing');
		const { error } = await runNode(suspending());
		expect(error?.message).toContain('callBackUrl: https://n8n.test/webhook-waiting/');
		expect(JSON.stringify(error)).not.toMatch(/signature=[0-9a-f]{8}/);
	});
});
