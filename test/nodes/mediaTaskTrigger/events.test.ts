import { inFakeTime, useFakeTime } from '../../helpers/fakeTime';
import { useNock } from '../../helpers/nock';
import { sendCallback, freshTask, task } from './support';

useNock();

const noFiles = { downloadResults: false };

describe('Trigger On', () => {
	it.each([
		['success', 'success'],
		['fail', 'fail'],
		['both', 'success'],
		['both', 'fail'],
		['an unknown event', 'success'],
		['an unknown event', 'fail'],
	])('%s starts the workflow for a task in state %s', async (events, state) => {
		const taskId = freshTask();
		task(taskId, { state });
		const { item, result } = await sendCallback({ ...noFiles, events }, { body: { taskId } });
		expect(item?.json).toStrictEqual({ taskId, state, resultUrls: [] });
		expect(result).toStrictEqual({ noWebhookResponse: true, workflowData: [[item]] });
	});

	it.each([
		['success', 'fail'],
		['fail', 'success'],
	])(
		'%s does not start the workflow for a task in state %s, and does not store the task',
		async (events, state) => {
			const taskId = freshTask();
			const store = {};
			const seen = task(taskId, { state });
			const { result, warnings } = await sendCallback(
				{ ...noFiles, events },
				{ body: { taskId } },
				{ store },
			);
			expect(result).toStrictEqual({ noWebhookResponse: true });
			expect([seen.requests, warnings, store]).toStrictEqual([1, 0, {}]);
		},
	);

	it.each([
		[1, 'success', true],
		[1, 'fail', false],
		[1.1, 'success', true],
		[1.1, 'fail', true],
		[undefined, 'fail', true],
	])(
		'unless set, in version %s of the node, a task in state %s starts: %s',
		async (typeVersion, state, starts) => {
			const taskId = freshTask();
			task(taskId, { state });
			const version = typeVersion === undefined ? {} : { typeVersion };
			const { item } = await sendCallback(noFiles, { body: { taskId } }, version);
			expect(item !== undefined).toBe(starts);
		},
	);

	it('in version 1 counts an unknown event as Task Succeeded', async () => {
		const [done, failed] = [freshTask(), freshTask()];
		task(done, { state: 'success' });
		task(failed, { state: 'fail' });
		const states = [];
		for (const taskId of [done, failed]) {
			const parameters = { ...noFiles, events: 'unknown' };
			const { item } = await sendCallback(parameters, { body: { taskId } }, { typeVersion: 1 });
			states.push(item?.json.state);
		}
		expect(states).toStrictEqual(['success', undefined]);
	});

	it('outputs why a task failed', async () => {
		const taskId = freshTask();
		const createTime = Date.now();
		task(taskId, {
			state: 'fail',
			model: 'acme/painter',
			createTime,
			failCode: 'NSFW',
			failMsg: 'refused',
		});
		const { item } = await sendCallback({ ...noFiles, events: 'both' }, { body: { taskId } });
		expect(item).toStrictEqual({
			json: {
				taskId,
				state: 'fail',
				failCode: 'NSFW',
				failMsg: 'refused',
				model: 'acme/painter',
				createdAt: new Date(createTime).toISOString(),
				resultUrls: [],
			},
		});
	});

	it('starts nothing when it cannot be read, and the callback still gets its response', async () => {
		const { result, response, warnings } = await sendCallback(
			{ ...noFiles, events: '={{ nothing. }}' },
			{ body: { taskId: freshTask() } },
		);
		expect(result).toStrictEqual({ noWebhookResponse: true });
		expect(response).toStrictEqual([200, { message: 'Received' }]);
		expect(warnings).toBe(1);
	});
});

describe('a callback before the task has ended', () => {
	useFakeTime();

	it('starts the workflow when the task ends a moment later', async () => {
		const taskId = freshTask();
		const seen = task(taskId, { state: 'processing' }, { state: 'processing' }, { state: 'success' });
		const { item } = await inFakeTime(sendCallback(noFiles, { body: { taskId } }));
		expect(item?.json.state).toBe('success');
		expect(seen.requests).toBe(3);
	});

	it('starts nothing when the task does not end, and leaves it to a later callback', async () => {
		const taskId = freshTask();
		const store = {};
		const seen = task(taskId, ...Array<object>(3).fill({ state: 'processing' }), { state: 'success' });
		const early = await inFakeTime(sendCallback(noFiles, { body: { taskId } }, { store }));
		expect(early.result).toStrictEqual({ noWebhookResponse: true });
		expect([seen.requests, early.warnings, store]).toStrictEqual([3, 0, {}]);
		expect((await sendCallback(noFiles, { body: { taskId } }, { store })).item?.json.taskId).toBe(taskId);
	});
});
