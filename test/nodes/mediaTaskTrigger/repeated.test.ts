import { useFakeTime } from '../../helpers/fakeTime';
import { useNock } from '../../helpers/nock';
import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';
import { StartedTasks } from '../../../nodes/MediaTaskTrigger/startedTasks';
import {
	callbackContext,
	errorResponse,
	freshTask,
	sendCallback,
	successAfter,
	task,
	type CallbackOptions,
	inTime,
} from './support';

// A task starts the workflow once, and what got status 200 is not lost.

useNock();
useFakeTime();

const STARTED = 'The media task has started the workflow';
const noFiles = { downloadResults: false };
const send = async (taskId: string, options: CallbackOptions = {}) =>
	await inTime(sendCallback(noFiles, { body: { taskId } }, { nodeId: 'repeated', ...options }));

it('starts the workflow once for several callbacks at a time, and stores the task', async () => {
	const taskId = freshTask();
	const seen = task(taskId, { state: 'success' });
	const store = {};
	const sent = Array.from({ length: 5 }, async () => await send(taskId, { store, nodeId: 'at a time' }));
	const outcomes = await Promise.all(sent);
	expect(outcomes.filter(({ item }) => item)).toHaveLength(1);
	expect(outcomes.map(({ status }) => status)).toStrictEqual(Array(5).fill(200));
	expect([store, seen.requests]).toStrictEqual([{ started: [taskId] }, 1]);
});

it('starts it for a task whose callback names one that has started it before', async () => {
	const [first, second] = [freshTask(), freshTask()];
	const seen = task(first, { state: 'success' });
	task(second, { state: 'success' });
	const callback = async (body: object) =>
		await inTime(sendCallback(noFiles, { body }, { nodeId: 'named before' }));
	expect((await callback({ id: first })).item?.json.taskId).toBe(first);
	expect((await callback({ id: second, sourceTask: { id: first } })).item?.json.taskId).toBe(second);
	expect(seen.requests).toBe(1);
	const again = await callback({ id: second, sourceTask: { id: first } });
	expect(again).toMatchObject({ item: undefined, status: 200, message: STARTED });
	errorResponse('unknown', 404);
	expect((await callback({ id: 'unknown', task: first })).message).toBe(STARTED);
});

it('polls nothing for a task that only the static data has', async () => {
	const taskId = freshTask();
	const seen = task(taskId, { state: 'success' });
	const options = { store: { started: [1, null, taskId] }, nodeId: 'in another process' };
	expect(await send(taskId, options)).toMatchObject({ item: undefined, status: 200, warnings: 0 });
	expect(seen.requests).toBe(0);
});

it('starts each time in the editor, and stores nothing', async () => {
	const taskId = freshTask();
	task(taskId, { state: 'success' });
	const store = {};
	const once = async () => (await send(taskId, { store, mode: 'manual' })).item?.json.taskId;
	expect([await once(), await once(), store]).toStrictEqual([taskId, taskId, {}]);
});

it('starts again when n8n could not start the execution', async () => {
	const taskId = freshTask();
	task(taskId, { state: 'success' });
	const failed = await send(taskId, { n8nStatus: 500 });
	expect([failed.item?.json.taskId, failed.status]).toStrictEqual([taskId, 500]);
	// Another call has stored it meanwhile.
	expect((await send(taskId, { store: { started: [taskId] } })).item?.json.taskId).toBe(taskId);
	expect((await send(taskId)).item).toBeUndefined();
});

it('starts after a check that has failed', async () => {
	const taskId = freshTask();
	successAfter(1, taskId, 403, '');
	expect(await send(taskId)).toMatchObject({ item: undefined, status: 503 });
	expect((await send(taskId)).item?.json.taskId).toBe(taskId);
});

describe('while n8n stores the execution, a second callback', () => {
	it('waits for it', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const options = { nodeId: 'storing' };
		const { context, response } = callbackContext(noFiles, { body: { taskId } }, options);
		await inTime(new MediaTaskTrigger().webhook.call(context));
		const second = sendCallback(noFiles, { body: { taskId } }, options);
		await jest.advanceTimersByTimeAsync(1_000);
		response.status(200).json({});
		expect(await inTime(second)).toMatchObject({ item: undefined, status: 200 });
	});

	it('is to be repeated when it takes long', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		expect((await send(taskId, { n8nStatus: 0, nodeId: 'stuck' })).item).toBeDefined();
		expect(await send(taskId, { nodeId: 'stuck' })).toMatchObject({ status: 503, retryAfter: '10' });
	});
});

describe('the tasks that have started a workflow', () => {
	const open = (nodeId: string, store: object) =>
		new StartedTasks(callbackContext({}, { body: {} }, { nodeId, store }).context);

	it('are stored with those of calls at the same time, which have other copies', () => {
		const second = {};
		open('copies', {}).add('t1');
		open('copies', second).add('t2');
		expect(second).toStrictEqual({ started: ['t1', 't2'] });
	});

	it('are the last thousand', () => {
		const store = {};
		const tasks = open('many', store);
		for (let count = 0; count < 1_001; count += 1) tasks.add(`t${count}`);
		const { started } = store as { started?: string[] };
		expect([started?.length, started?.[0], started?.at(-1)]).toStrictEqual([1_000, 't1', 't1000']);
		expect([tasks.has('t0'), tasks.has('t1')]).toStrictEqual([false, true]);
	});
});
