import nock from 'nock';

import { inFakeTime, useFakeTime } from '../../helpers/fakeTime';
import { envelope, TASKS } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';
import { StartedTasks } from '../../../nodes/MediaTaskTrigger/startedTasks';
import { webhookContext } from '../../helpers/contexts';
import { callbackContext, sendCallback, freshTask, errorResponse, successAfter, task } from './support';

useNock();

const noFiles = { downloadResults: false };
const trigger = (id: string) =>
	({ node: 'mediaTaskTrigger', parameters: {}, mode: 'webhook', settings: { id } }) as const;
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
		const { item } = await sendCallback(noFiles, { body: { id: event, data: { id: taskId } } });
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
	const parameters = { ...noFiles, events: 'success' };
	const { result } = await sendCallback(parameters, { body: { data: { taskId, state: 'success' } } });
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
		const seen = successAfter(8, taskId, 503, '');
		const { item, warnings } = await inFakeTime(sendCallback(noFiles, { body: { taskId } }));
		expect(item?.json.state).toBe('success');
		expect([seen.requests, warnings]).toStrictEqual([9, 0]);
	});

	it.each([
		[404, '<html>Not here</html>'],
		[404, 'default backend - 404'],
		[403, '<html>Blocked</html>'],
		[200, '<html>Back soon</html>'],
		[200, envelope(null)],
	])('is polled again after a response that is not the gateway’s: %i %j', async (status, page) => {
		const taskId = freshTask();
		const seen = successAfter(2, taskId, status, page);
		const { item, warnings } = await inFakeTime(sendCallback(noFiles, { body: { taskId } }));
		expect(item?.json.state).toBe('success');
		expect([seen.requests, warnings]).toStrictEqual([3, 0]);
	});

	it.each([
		[3, 'success', 0],
		[4, undefined, 1],
	])('reads the credential again after n8n has failed to (%i times)', async (failures, state, warnings) => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const { context, response } = callbackContext(noFiles, { body: { taskId } }, { nodeId: taskId });
		const warn = jest.spyOn(context.logger, 'warn');
		const busy = jest.spyOn(context, 'getCredentials');
		for (let count = 0; count < failures; count += 1)
			busy.mockRejectedValueOnce(new Error('SQLITE_BUSY: database is locked'));
		const { workflowData } = await inFakeTime(new MediaTaskTrigger().webhook.call(context));
		expect([workflowData?.[0]?.[0]?.json.state, warn.mock.calls.length]).toStrictEqual([state, warnings]);
		warn.mockRestore();
		expect(response).toStrictEqual(received);
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
		const hour = expect.stringMatching(/^.{8}$/) as string;
		const hours = { [Math.floor(Date.now() / 3_600_000)]: hour };
		expect(store).toStrictEqual({ started: { from: expect.any(Number) as number, hours } });
		const again = await sendCallback(noFiles, { body: { taskId } }, { store, nodeId });
		expect(again.result).toStrictEqual({ noWebhookResponse: true });
		expect(again.response).toStrictEqual(received);
	});

	it('starts nothing and polls nothing when only the static data has the task', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const store = {};
		await sendCallback(noFiles, { body: { taskId } }, { store, nodeId: 'in a process' });
		const before = JSON.stringify(store);
		nock.cleanAll();
		const { result, warnings } = await sendCallback(
			noFiles,
			{ body: { taskId } },
			{ store, nodeId: 'in another' },
		);
		expect(result).toStrictEqual({ noWebhookResponse: true });
		expect([JSON.stringify(store), warnings]).toStrictEqual([before, 0]);
	});

	it('starts nothing after thousands of other tasks', async () => {
		const createTime = Date.now() - 60_000;
		const replayed = freshTask();
		task(replayed, { state: 'success', createTime });
		const store = {};
		const now = jest.spyOn(Date, 'now');
		const { item } = await sendCallback(noFiles, { body: { taskId: replayed } }, { store, nodeId: 'busy' });
		expect(item?.json.taskId).toBe(replayed);
		const others = new StartedTasks(webhookContext({ ...trigger('busy'), store }, { body: {} }));
		const createdAt = new Date(createTime).toISOString();
		for (let count = 0; count < 1_100; count += 1) others.take({ taskId: `other-${count}`, createdAt });
		// Longer than a process remembers which IDs it has polled.
		now.mockReturnValue(Date.now() + 3_600_000);
		const again = await sendCallback(noFiles, { body: { taskId: replayed } }, { store, nodeId: 'busy' });
		const elsewhere = await sendCallback(noFiles, { body: { taskId: replayed } }, { store, nodeId: 'new' });
		now.mockRestore();
		expect([again.item, elsewhere.item]).toStrictEqual([undefined, undefined]);
	});

	it('starts nothing when the task is more than 7 days old, and polls it once', async () => {
		const taskId = freshTask();
		const createTime = Date.now() - 8 * 24 * 3_600_000;
		const seen = task(taskId, { state: 'success', createTime });
		const { result, response, warnings } = await sendCallback(noFiles, { body: { taskId } });
		expect(result).toStrictEqual({ noWebhookResponse: true });
		expect(response).toStrictEqual(received);
		await sendCallback(noFiles, { body: { taskId } });
		expect([warnings, seen.requests]).toStrictEqual([0, 1]);
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
		['a list', { started: ['x'] }],
		['an object of other values', { started: { from: 'x', hours: [1, null, { a: 1 }] } }],
	])('starts the workflow when the static data is %s', async (name, store) => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const { item } = await sendCallback(noFiles, { body: { taskId } }, { store, nodeId: name });
		expect(item?.json.taskId).toBe(taskId);
		const again = await sendCallback(noFiles, { body: { taskId } }, { store, nodeId: `${name} again` });
		expect(again.item).toBeUndefined();
	});
});
