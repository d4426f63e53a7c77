import nock from 'nock';

import { inFakeTime, useFakeTime } from '../../helpers/fakeTime';
import { envelope, TASKS } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { sendCallback, freshTask, errorResponse, task } from './support';

useNock();

const noFiles = { downloadResults: false };
const received = [200, { message: 'Received' }];

it.each<[string, object, object]>([
	['no id', { status: 'done' }, {}],
	['nothing', {}, {}],
	['an empty id', { taskId: ' ' }, { taskId: '' }],
	['an id that is far too long', { taskId: 'x'.repeat(1_000) }, {}],
])('a callback with %s gets 400, and nothing is sent to the gateway', async (_, body, query) => {
	const { result, response, warnings } = await sendCallback(noFiles, { body, query });
	expect(response).toStrictEqual([400, { message: expect.any(String) as string }]);
	expect(result).toStrictEqual({ noWebhookResponse: true });
	expect(warnings).toBe(0);
});

it('a callback gets its response before the task is polled', async () => {
	const taskId = freshTask();
	const log: string[] = [];
	nock('https://gateway.test')
		.get(`${TASKS}/${taskId}`)
		.reply(() => {
			log.push('task');
			return [200, envelope({ taskId, state: 'success' })];
		});
	const onResponse = () => void log.push('response');
	const { response } = await sendCallback(noFiles, { body: { taskId } }, { onResponse });
	expect(log).toStrictEqual(['response', 'task']);
	expect(response).toStrictEqual(received);
});

it.each([404, 422])(
	'a callback for a task that the account does not have (%i) starts nothing, without a warning',
	async (status) => {
		const taskId = freshTask();
		const seen = errorResponse(taskId, status);
		const { result, response, warnings } = await sendCallback(noFiles, { body: { taskId } });
		expect(result).toStrictEqual({ noWebhookResponse: true });
		expect(response).toStrictEqual(received);
		expect([seen.requests, warnings]).toStrictEqual([1, 0]);
	},
);

it.each([404, 422])(
	'goes on to the next id where the account has no task of the first (%i)',
	async (status) => {
		const [event, taskId] = [freshTask(), freshTask()];
		const seen = errorResponse(event, status);
		task(taskId, { state: 'success' });
		const { item } = await sendCallback(noFiles, { body: { taskId: event, id: taskId } });
		expect(item?.json.taskId).toBe(taskId);
		expect(seen.requests).toBe(1);
	},
);

it.each([401, 403, 400])('another error (%i) is logged, and nothing starts', async (status) => {
	const taskId = freshTask();
	const seen = errorResponse(taskId, status);
	const { result, response, warnings } = await sendCallback(noFiles, { body: { taskId } });
	expect(result).toStrictEqual({ noWebhookResponse: true });
	expect(response).toStrictEqual(received);
	expect([seen.requests, warnings]).toStrictEqual([1, 1]);
});

it('does not take the state from the callback', async () => {
	const taskId = freshTask();
	task(taskId, { state: 'fail' });
	const { result } = await sendCallback(noFiles, { body: { data: { taskId, state: 'success' } } });
	expect(result).toStrictEqual({ noWebhookResponse: true });
});

it('accepts the ID in the query as well', async () => {
	const taskId = freshTask();
	task(taskId, { state: 'success' });
	expect((await sendCallback(noFiles, { body: {}, query: { taskId } })).item?.json.taskId).toBe(taskId);
});

describe('a gateway with transient errors', () => {
	useFakeTime();

	it('is polled for minutes: the callback may not be repeated', async () => {
		const taskId = freshTask();
		let requests = 0;
		nock('https://gateway.test')
			.persist()
			.get(`${TASKS}/${taskId}`)
			.reply(() => {
				requests += 1;
				return requests < 9 ? [503, ''] : [200, envelope({ taskId, state: 'success' })];
			});
		const { item, warnings } = await inFakeTime(sendCallback(noFiles, { body: { taskId } }));
		expect(item?.json.state).toBe('success');
		expect([requests, warnings]).toStrictEqual([9, 0]);
	});

	it('ends the polls at last, with a warning', async () => {
		const taskId = freshTask();
		const seen = errorResponse(taskId, 503);
		const { result, warnings } = await inFakeTime(sendCallback(noFiles, { body: { taskId } }));
		expect(result).toStrictEqual({ noWebhookResponse: true });
		expect([seen.requests, warnings]).toStrictEqual([9, 1]);
	});
});

describe('a repeated callback', () => {
	const nodeId = 'repeated';

	it('starts the workflow once, also with several at a time, and the task is stored', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const store = {};
		const outcomes = await Promise.all(
			Array.from(
				{ length: 5 },
				async () => await sendCallback(noFiles, { body: { taskId } }, { store, nodeId }),
			),
		);
		expect(outcomes.filter(({ item }) => item)).toHaveLength(1);
		expect(store).toStrictEqual({ started: [taskId] });
		const again = await sendCallback(noFiles, { body: { taskId } }, { store, nodeId });
		expect(again.result).toStrictEqual({ noWebhookResponse: true });
		expect(again.response).toStrictEqual(received);
	});

	it('starts nothing when only the static data has the task', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const store = { started: [taskId] };
		const { result } = await sendCallback(noFiles, { body: { taskId } }, { store });
		expect(result).toStrictEqual({ noWebhookResponse: true });
		expect(store).toStrictEqual({ started: [taskId] });
	});

	it('starts another trigger of the workflow as well', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		await sendCallback(noFiles, { body: { taskId } }, { nodeId: 'one' });
		const { item } = await sendCallback(noFiles, { body: { taskId } }, { nodeId: 'another' });
		expect(item?.json.taskId).toBe(taskId);
	});

	it('starts each time in the editor, and stores nothing', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const store = {};
		const once = async () => await sendCallback(noFiles, { body: { taskId } }, { store, mode: 'manual' });
		const items = [(await once()).item, (await once()).item];
		expect(items.map((item) => item?.json.taskId)).toStrictEqual([taskId, taskId]);
		expect(store).toStrictEqual({});
	});

	it.each<[string, object]>([
		['not a list', { started: 'x' }],
		['a list of other values', { started: [1, null, { a: 1 }] }],
	])('starts the workflow when the static data is %s', async (name, store) => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const { item } = await sendCallback(noFiles, { body: { taskId } }, { store, nodeId: name });
		expect(item?.json.taskId).toBe(taskId);
		expect(store).toStrictEqual({ started: [taskId] });
	});

	it('is recognized for the latest thousand tasks', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const old = Array.from({ length: 1_000 }, (_, index) => `old-${index}`);
		const store = { started: old };
		await sendCallback(noFiles, { body: { taskId } }, { store, nodeId: 'full' });
		expect(store).toStrictEqual({ started: [...old.slice(1), taskId] });
	});
});
