import { inFakeTime, useFakeTime } from '../../helpers/fakeTime';
import { useNock } from '../../helpers/nock';
import { call, freshTask, task } from './support';

useNock();

const noFiles = { downloadResults: false };

describe('Trigger On', () => {
	it.each([
		['success', 'success'],
		['fail', 'fail'],
		['both', 'success'],
		['both', 'fail'],
		['an unknown event', 'success'],
	])('%s starts the workflow for a task in state %s', async (events, state) => {
		const taskId = freshTask();
		task(taskId, { state });
		const { item, result } = await call({ ...noFiles, events }, { body: { taskId } });
		expect(item?.json).toStrictEqual({ taskId, state, resultUrls: [], result: null });
		expect(result).toStrictEqual({ noWebhookResponse: true, workflowData: [[item]] });
	});

	it.each([
		['success', 'fail'],
		['fail', 'success'],
		['an unknown event', 'fail'],
	])('%s does not start the workflow for a task in state %s, nor takes it', async (events, state) => {
		const taskId = freshTask();
		const store = {};
		const seen = task(taskId, { state });
		const { result, warnings } = await call({ ...noFiles, events }, { body: { taskId } }, { store });
		expect(result).toStrictEqual({ noWebhookResponse: true });
		expect([seen.requests, warnings, store]).toStrictEqual([1, 0, {}]);
	});

	it('is Task Succeeded unless set', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'fail' });
		expect((await call(noFiles, { body: { taskId } })).item).toBeUndefined();
	});

	it('tells why a task failed', async () => {
		const taskId = freshTask();
		task(taskId, {
			state: 'fail',
			model: 'acme/painter',
			createTime: 1_760_000_000_000,
			failCode: 'NSFW',
			failMsg: 'refused',
		});
		const { item } = await call({ ...noFiles, events: 'both' }, { body: { taskId } });
		expect(item).toStrictEqual({
			json: {
				taskId,
				state: 'fail',
				failCode: 'NSFW',
				failMsg: 'refused',
				model: 'acme/painter',
				createdAt: '2025-10-09T08:53:20.000Z',
				resultUrls: [],
				result: null,
			},
		});
	});

	it('that cannot be read starts nothing, and the caller still gets its response', async () => {
		const { result, response, warnings } = await call(
			{ ...noFiles, events: '={{ nothing. }}' },
			{ body: { taskId: freshTask() } },
		);
		expect(result).toStrictEqual({ noWebhookResponse: true });
		expect(response).toStrictEqual([200, { message: 'Received' }]);
		expect(warnings).toBe(1);
	});
});

describe('a call that comes before the task reads as ended', () => {
	useFakeTime();

	it('starts the workflow when it does after a moment', async () => {
		const taskId = freshTask();
		const seen = task(taskId, { state: 'processing' }, { state: 'processing' }, { state: 'success' });
		const { item } = await inFakeTime(call(noFiles, { body: { taskId } }));
		expect(item?.json.state).toBe('success');
		expect(seen.requests).toBe(3);
	});

	it('starts nothing when it does not, and leaves the task to a later call', async () => {
		const taskId = freshTask();
		const store = {};
		const seen = task(taskId, ...Array<object>(3).fill({ state: 'processing' }), { state: 'success' });
		const early = await inFakeTime(call(noFiles, { body: { taskId } }, { store }));
		expect(early.result).toStrictEqual({ noWebhookResponse: true });
		expect([seen.requests, early.warnings, store]).toStrictEqual([3, 0, {}]);
		expect((await call(noFiles, { body: { taskId } }, { store })).item?.json.taskId).toBe(taskId);
	});
});
