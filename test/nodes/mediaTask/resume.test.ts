import { resumeNode, runAgain, storedBinary, type RunOptions } from '../../helpers/engine';
import { continueOnFail, gateway } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import {
	sendCallback,
	prompts,
	suspend,
	suspending,
	mockTasks,
	stored,
	type Tasks,
} from '../../helpers/suspended';
import { quickTime } from '../../helpers/time';

// The node after a callback has resumed its execution.

useNock();
quickTime();

const inOrder = { options: { concurrency: 1 } };
const byTask = (states: Record<string, string>) => (taskId: string) => ({
	state: states[taskId] ?? 'waiting',
	failMsg: 'no',
});

/** Suspends an execution, sets the responses to further polls, and sends a callback. */
async function resumed(tasks: Tasks, use: RunOptions, then: Tasks['respond']) {
	const suspended = await suspend(tasks, use);
	tasks.respond = then;
	tasks.polls.splice(0);
	const { resumed: result } = await sendCallback(suspended, use, { item: (use.items?.length ?? 1) - 1 });
	if (!result) throw new Error('The execution stays suspended');
	return result;
}

describe('a resumed node', () => {
	it('returns each item’s own result, in order, and creates nothing', async () => {
		const tasks = mockTasks(byTask({ t2: 'success' }));
		const use = suspending(inOrder, { items: prompts('a', 'b', 'c') });
		const result = await resumed(tasks, use, () => 'success');
		expect(result.run.status).toBe('success');
		expect(result.items.map(({ json }) => [json.taskId, json.state, json.priceRub])).toStrictEqual([
			['t1', 'success', 6],
			['t2', 'success', 6],
			['t3', 'success', 6],
		]);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toStrictEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(result.items.map(({ json }) => 'timedOut' in json)).toStrictEqual([false, false, false]);
		expect(tasks.sent).toHaveLength(3);
	});

	it('fails for a failed task, and names all others, also one that had ended before', async () => {
		const tasks = mockTasks(byTask({ t1: 'success' }));
		const use = suspending(inOrder, { items: prompts('a', 'b', 'c') });
		const { run, error } = await resumed(tasks, use, byTask({ t2: 'success', t3: 'fail' }));
		expect(run.status).toBe('error');
		expect(error?.message).toBe('The media task failed');
		expect(error?.description).toMatch(/task t3 .*results of tasks: t1, t2\./);
	});

	it('returns an error item for a failed task with On Error: Continue', async () => {
		const tasks = mockTasks(() => 'waiting');
		const use = suspending(inOrder, { items: prompts('a', 'b'), ...continueOnFail });
		const failed = { state: 'fail', failCode: 'NSFW', failMsg: 'no' };
		const { items } = await resumed(tasks, use, (taskId) => (taskId === 't1' ? failed : 'success'));
		expect(items.map(({ json }) => json)).toMatchObject([
			{ error: { taskId: 't1', failCode: 'NSFW', failMsg: 'no', retryable: false } },
			{ taskId: 't2', state: 'success' },
		]);
	});

	it('reads parameters again with the node’s input: its outputs are stored in its place', async () => {
		const parameters = {
			inputJson: '={{ { prompt: $json.prompt.toUpperCase() } }}',
			simplify: '={{ $json.prompt === "a" }}',
			options: {
				concurrency: 1,
				timeout: '={{ $json.prompt.length * 100 }}',
				maxWait: '={{ $json.prompt ? 30 : 0 }}',
			},
		};
		const tasks = mockTasks(() => 'waiting');
		const use = suspending(parameters, { items: prompts('a', 'b') });
		const { error, items } = await resumed(tasks, use, () => 'success');
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject([
			{ taskId: 't1', state: 'success' },
			{ code: 200, data: { taskId: 't2' } },
		]);
	});

	it('has the files of its input again, and so has a retry of the execution, for a task in place of a failed one', async () => {
		const tasks = mockTasks(() => 'processing');
		gateway().persist().post('/api/v1/storage/upload').reply(200, { id: 'f', url: 'https://files.test/f' });
		const data = await storedBinary('a', { mimeType: 'image/png', fileName: 'a.png' });
		const parameters = {
			...{ resource: 'image', operation: 'edit', prompt: '' },
			inputJson: '={{ { prompt: $binary.data.fileName } }}',
			inputFiles: { files: [{ binaryPropertyName: 'data', inputField: 'image_url' }] },
		};
		const item = { json: {}, binary: { data } };
		const use = suspending({ ...parameters, ...inOrder }, { items: [item, item] });
		const failed = await resumed(tasks, use, byTask({ t1: 'fail', t2: 'success' }));
		expect(failed.error?.message).toBe('The media task failed');
		tasks.respond = byTask({ t2: 'success', t3: 'success' });
		const { items } = await runAgain(failed, { ...use, executionId: 'retry', items: stored(failed) });
		expect(items.map(({ json }) => json.taskId)).toStrictEqual(['t3', 't2']);
		expect(tasks.sent[2]?.body.input).toStrictEqual({ prompt: 'a.png', image_url: 'https://files.test/f' });
	});
});

describe('when the longest wait is over', () => {
	const late = async (tasks: Tasks, use: RunOptions, then: Tasks['respond']) => {
		const suspended = await suspend(tasks, use);
		tasks.respond = then;
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 31 * 60_000);
		const result = await resumeNode(suspended, use);
		clock.mockRestore();
		return result;
	};

	it('a pending task is passed on in its last known state, an ended one with its result', async () => {
		const tasks = mockTasks(() => 'processing');
		const use = suspending(inOrder, { items: prompts('a', 'b') });
		const { run, items } = await late(tasks, use, byTask({ t1: 'success', t2: 'waiting' }));
		expect(run.status).toBe('success');
		expect(items.map(({ json }) => json)).toStrictEqual([
			expect.not.objectContaining({ timedOut: true }),
			{
				taskId: 't2',
				state: 'waiting',
				priceRub: 6,
				model: 'acme/painter',
				resultUrls: [],
				timedOut: true,
			},
		]);
		expect(items[0]?.json).toMatchObject({ taskId: 't1', state: 'success' });
	});
});
