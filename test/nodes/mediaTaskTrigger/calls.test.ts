import type nock from 'nock';

import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';
import { StartedTasks } from '../../../nodes/MediaTaskTrigger/startedTasks';
import type { IncomingRequest } from '../../helpers/contexts';
import { envelope, task } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import {
	callbackContext,
	type CallbackOptions,
	errorResponse,
	freshTask,
	sendCallback,
	successAfter,
} from './support';

const noFiles = { downloadResults: false };

const trigger = new MediaTaskTrigger();

it.each(['checkExists', 'create', 'delete'] as const)(
	'%s succeeds and sends nothing: each task has its own callback URL',
	async (name) => expect(await trigger.webhookMethods.default[name]()).toBe(true),
);

describe('callbacks', () => {
	// Whatever a callback contains: which response it gets, and what starts.

	useNock();
	const nothing = { noWebhookResponse: true };

	// Where an ID may be: gateway/media/callbacks.test.ts.

	it.each<[string, () => IncomingRequest]>([
		['an ID', () => ({ body: { status: 'done' } })],
		['a body', () => ({ body: undefined })],
		['anything in an ID', () => ({ body: { taskId: ' ' }, query: { taskId: '' } })],
		['an ID of a possible length', () => ({ body: { taskId: 'x'.repeat(1_000) } })],
		['an ID but `..`', () => ({ body: { taskId: '..' } })],
	])('nothing is sent to the gateway for a callback without %s: 400', async (_, make) => {
		const rawBody = Buffer.from('...');
		const { result, status, message, warnings } = await sendCallback(noFiles, make(), { rawBody });
		expect([result, status, message]).toStrictEqual([nothing, 400, 'The call names no media task']);
		expect(warnings).toBe(0);
	});

	describe('by what the gateway says about the task,', () => {
		const waits = { state: 'processing' };
		const NO_TASK = { status: 404, message: 'The account has no such media task' };
		const NOT_ENDED = { status: 200, message: 'The media task has not ended' };
		const OTHER_STATE = {
			status: 200,
			message: 'A media task in this state does not start the workflow',
		};

		it.each<[string, (taskId: string) => { requests: number }, object, object, number]>([
			['unknown', (id) => errorResponse(id, 404), {}, NO_TASK, 1],
			['of an impossible ID', (id) => errorResponse(id, 422), {}, NO_TASK, 1],
			['not ended', (id) => task(id, waits), {}, NOT_ENDED, 3],
			['cancelled', (id) => task(id, { state: 'cancelled' }), {}, NOT_ENDED, 3],
			['failed, for success', (id) => task(id, { state: 'fail' }), { events: 'success' }, OTHER_STATE, 1],
			['a success, for failures', (id) => task(id, { state: 'success' }), { events: 'fail' }, OTHER_STATE, 1],
		])('a callback for one that is %s starts nothing', async (_, gateway, more, answer, requests) => {
			const taskId = freshTask();
			const store = {};
			const seen = gateway(taskId);
			const sent = sendCallback({ ...noFiles, ...more }, { body: { taskId, state: 'success' } }, { store });
			const expected = { result: nothing, retryAfter: undefined, warnings: 0, ...answer };
			expect(await sent).toMatchObject(expected);
			expect([seen.requests, store]).toStrictEqual([requests, {}]);
		});

		it.each([
			['success', 'success'],
			['fail', 'fail'],
			['both', 'fail'],
			['an unknown event', 'fail'],
			[undefined, 'fail'],
		])('Trigger On %s starts the workflow for a task in state %s', async (events, state) => {
			const taskId = freshTask();
			task(taskId, { state, model: 'acme/painter', failCode: 'NSFW', failMsg: 'refused' });
			const parameters = events === undefined ? noFiles : { ...noFiles, events };
			const { item } = await sendCallback(parameters, { body: { taskId } });
			const reason = { failCode: 'NSFW', failMsg: 'refused', model: 'acme/painter' };
			expect(item?.json).toStrictEqual({ taskId, state, ...reason, resultUrls: [] });
		});

		it('a callback a moment before its end starts the workflow', async () => {
			const taskId = freshTask();
			const seen = task(taskId, waits, waits, { state: 'success' });
			const { item, status } = await sendCallback(noFiles, { body: { taskId } });
			expect([item?.json.state, status, seen.requests]).toStrictEqual(['success', 200, 3]);
		});

		it.each<[number, string | object]>([
			[400, envelope(null, 400)],
			[401, envelope(null, 401)],
			[404, '<html>Not here</html>'],
			[200, envelope(null)],
		])('a callback is to be repeated when it is not said: %i %j', async (status, body) => {
			const taskId = freshTask();
			successAfter(1, taskId, status, body as nock.Body);
			const outcome = await sendCallback(noFiles, { body: { taskId } });
			expect(outcome).toMatchObject({ result: nothing, status: 503, retryAfter: '10', warnings: 1 });
			expect((await sendCallback(noFiles, { body: { taskId } })).item?.json.taskId).toBe(taskId);
		});

		it.each([
			[2, 429, ''],
			[2, 500, ''],
			[7, 503, ''],
			[2, 200, '<html>Back soon</html>'],
		])('a callback waits, and starts the workflow once: %i times %i %s', async (times, status, body) => {
			const taskId = freshTask();
			const seen = successAfter(times, taskId, status, body);
			const { item, warnings, status: answer } = await sendCallback(noFiles, { body: { taskId } });
			expect([item?.json.taskId, answer, seen.requests, warnings]).toStrictEqual([taskId, 200, times + 1, 0]);
			expect((await sendCallback(noFiles, { body: { taskId } })).item).toBeUndefined();
		});

		it('the polls end at last, with a warning', async () => {
			const taskId = freshTask();
			const seen = errorResponse(taskId, 503);
			const { result, status, warnings } = await sendCallback(noFiles, { body: { taskId } });
			expect([result, status, seen.requests, warnings]).toStrictEqual([nothing, 503, 9, 1]);
		});
	});

	it('a call is to be sent again while 300 others are handled', async () => {
		let end: () => void = () => undefined;
		const ended = new Promise<void>((resolve) => (end = resolve));
		const others = Array.from({ length: 300 }, async () => {
			const { context, response } = callbackContext(noFiles, { body: undefined }, { rawBody: undefined });
			Object.assign(context.getRequestObject(), { readRawBody: async () => await ended });
			await new MediaTaskTrigger().webhook.call(context);
			return response.statusCode;
		});
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const send = async () => await sendCallback(noFiles, { body: { taskId } });
		// Those that are turned away are not counted.
		for (let times = 0; times < 300; times += 1)
			expect(await send()).toMatchObject({ status: 503, retryAfter: '10', item: undefined });
		end();
		expect(new Set(await Promise.all(others))).toStrictEqual(new Set([400]));
		expect((await send()).item?.json.taskId).toBe(taskId);
	});

	describe('a call is to be sent again when something fails in n8n', () => {
		/** Handles a call, and expects 503 with a warning. */
		async function expectFailure({ context, response }: ReturnType<typeof callbackContext>) {
			const warn = jest.spyOn(context.logger, 'warn').mockReturnValue();
			expect(await trigger.webhook.call(context)).toStrictEqual(nothing);
			expect([response.statusCode, warn.mock.calls.length]).toStrictEqual([503, 1]);
			warn.mockRestore();
		}

		it('its body cannot be read', async () => {
			const call = callbackContext(noFiles, { body: undefined }, { rawBody: undefined });
			const readRawBody = async () => await Promise.reject(new Error('request aborted'));
			Object.assign(call.context.getRequestObject(), { readRawBody });
			await expectFailure(call);
		});

		it('the credential cannot be read; the repeated call starts the workflow', async () => {
			const taskId = freshTask();
			task(taskId, { state: 'success' });
			const call = callbackContext(noFiles, { body: { taskId } });
			const busy = new Error('SQLITE_BUSY: database is locked');
			jest.spyOn(call.context, 'getCredentials').mockRejectedValueOnce(busy);
			await expectFailure(call);
			const { item } = await sendCallback(noFiles, { body: { taskId } });
			expect(item?.json).toMatchObject({ taskId });
		});
	});

	it('a word that the gateway takes for no ID does not keep the task from being polled', async () => {
		const taskId = freshTask();
		errorResponse('2026-11-28', 400);
		task(taskId, { state: 'success' });
		const body = { date: '2026-11-28', taskId };
		expect((await sendCallback(noFiles, { body })).item?.json.taskId).toBe(taskId);
	});

	it('a form with files is read once, by n8n', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const body = { data: { payload: JSON.stringify({ taskId }) }, files: {} };
		const { context } = callbackContext(noFiles, { body }, { rawBody: undefined });
		const readRawBody = async () => await Promise.reject(new Error('stream is not readable'));
		Object.assign(context.getRequestObject() as object, { readRawBody });
		const { workflowData } = await trigger.webhook.call(context);
		expect(workflowData?.[0]?.[0]?.json.taskId).toBe(taskId);
	});

	it.each([
		['JSON', 200, (taskId: string) => Buffer.from(`\ufeff{"data":{"taskId":"${taskId}"}}`)],
		['empty', 400, () => Buffer.alloc(0)],
		['not JSON', 400, () => Buffer.from([0xff, 0xfe, 0x00])],
		['too large', 400, () => Buffer.from(JSON.stringify({ taskId: 'task-1', rest: 'x'.repeat(256 * 1024) }))],
	])('a body that n8n has not parsed, because it does not know its type: %s, %i', async (_, status, make) => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const rawBody = make(taskId);
		const { context, response } = callbackContext(noFiles, { body: {} }, { rawBody: undefined });
		const request = context.getRequestObject() as object;
		const readRawBody = async () => await Promise.resolve(void Object.assign(request, { rawBody }));
		Object.assign(request, { readRawBody });
		const { workflowData } = await trigger.webhook.call(context);
		expect(workflowData?.[0]?.[0]?.json.taskId).toBe(status === 200 ? taskId : undefined);
		expect(response.statusCode).toBe(status);
	});
});

describe('repeated', () => {
	// A task starts the workflow once, and what got status 200 is not lost.

	useNock();
	const STARTED = 'The media task has started the workflow';
	const send = async (taskId: string, options: CallbackOptions = {}) =>
		await sendCallback(noFiles, { body: { taskId } }, { nodeId: 'repeated', ...options });

	it('starts it for a task whose callback names one that has started it before', async () => {
		const [first, second] = [freshTask(), freshTask()];
		const seen = task(first, { state: 'success' });
		task(second, { state: 'success' });
		const callback = async (body: object) =>
			await sendCallback(noFiles, { body }, { nodeId: 'named before' });
		expect((await callback({ id: first })).item?.json.taskId).toBe(first);
		expect((await callback({ id: second, sourceTask: { id: first } })).item?.json.taskId).toBe(second);
		expect(seen.requests).toBe(1);
		const again = await callback({ id: second, sourceTask: { id: first } });
		expect(again).toMatchObject({ item: undefined, status: 200, message: STARTED });
		errorResponse('unknown-1', 404);
		expect((await callback({ id: 'unknown-1', task: first })).message).toBe(STARTED);
	});

	it('starts a copy of the workflow, too, whose trigger has the same ID', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const start = async (workflowId: string) => (await send(taskId, { workflowId })).item?.json.taskId;
		expect([await start('first'), await start('copy')]).toStrictEqual([taskId, taskId]);
		expect([await start('first'), await start('copy')]).toStrictEqual([undefined, undefined]);
	});

	it('starts it once for a caller that has gone by then, and calls again', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const { context, response } = callbackContext(noFiles, { body: { taskId } }, { nodeId: 'repeated' });
		response.close();
		const { workflowData } = await trigger.webhook.call(context);
		expect(workflowData?.[0]?.[0]?.json.taskId).toBe(taskId);
		expect(await send(taskId)).toMatchObject({ item: undefined, status: 200, message: STARTED });
	});

	it('polls nothing for a task that only the static data has', async () => {
		const taskId = freshTask();
		const seen = task(taskId, { state: 'success' });
		const options = { store: { started: [1, null, taskId] }, nodeId: 'in another process' };
		expect(await send(taskId, options)).toMatchObject({ item: undefined, status: 200, warnings: 0 });
		expect(seen.requests).toBe(0);
	});

	it('starts each time in the editor, and stores nothing; then the published workflow starts once', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const store = {};
		const once = async () => (await send(taskId, { store, mode: 'manual' })).item?.json.taskId;
		expect([await once(), await once(), store]).toStrictEqual([taskId, taskId, {}]);
		const published = async () => (await send(taskId, { store })).item?.json.taskId;
		expect([await published(), await published(), await once()]).toStrictEqual([taskId, undefined, taskId]);
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

	it('starts once after a failed start and a restart of n8n, which has stored what another task started', async () => {
		const [first, second] = [freshTask(), freshTask()];
		for (const taskId of [first, second]) task(taskId, { state: 'success' });
		const store = {};
		// n8n does not store the data of a start that fails.
		const failed = await send(first, { n8nStatus: 500, store: {}, nodeId: 'before' });
		expect(failed.item?.json.taskId).toBe(first);
		expect((await send(second, { store, nodeId: 'before' })).item?.json.taskId).toBe(second);
		const restarted = async (nodeId: string) =>
			await Promise.all(
				[first, second].map(async (taskId) => (await send(taskId, { store, nodeId })).item?.json.taskId),
			);
		expect(await restarted('after')).toStrictEqual([first, undefined]);
		expect(await restarted('after another restart')).toStrictEqual([undefined, undefined]);
	});

	it('starts once after a start that failed while another task started, and a restart of n8n', async () => {
		const [first, second] = [freshTask(), freshTask()];
		for (const taskId of [first, second]) task(taskId, { state: 'success' });
		const store = {};
		const underWay = callbackContext(noFiles, { body: { taskId: first } }, { nodeId: 'slow' });
		const start = await trigger.webhook.call(underWay.context);
		expect(start.workflowData?.[0]?.[0]?.json.taskId).toBe(first);
		// It may fail: a call that is repeated meanwhile is put off.
		expect((await send(first, { nodeId: 'slow' })).status).toBe(503);
		expect((await send(second, { store, nodeId: 'slow' })).item?.json.taskId).toBe(second);
		underWay.response.status(500).json({});
		const restarted = { store, nodeId: 'slow, after a restart' };
		expect((await send(first, restarted)).item?.json.taskId).toBe(first);
		expect((await send(second, restarted)).message).toBe(STARTED);
		expect(store).toStrictEqual({ started: [second, first] });
	});

	it('stores both tasks that start at a time, each in a copy of the data without the other, for a restart', async () => {
		const [first, second] = [freshTask(), freshTask()];
		const seen = [first, second].map((taskId) => task(taskId, { state: 'success' }));
		const store = {};
		expect((await send(first, { nodeId: 'copies' })).item?.json.taskId).toBe(first);
		expect((await send(second, { nodeId: 'copies', store })).item?.json.taskId).toBe(second);
		for (const taskId of [first, second])
			expect(await send(taskId, { nodeId: 'restarted', store })).toMatchObject({
				item: undefined,
				status: 200,
			});
		expect(seen.map(({ requests }) => requests)).toStrictEqual([1, 1]);
	});

	it('remembers the last thousand tasks', () => {
		const store = {};
		const tasks = new StartedTasks(callbackContext({}, { body: {} }, { nodeId: 'many', store }).context);
		for (let count = 0; count < 1_001; count += 1) {
			tasks.begin(`t${count}`);
			tasks.add(`t${count}`);
			tasks.end(`t${count}`, 'started');
		}
		const { started } = store as { started?: string[] };
		expect([started?.length, started?.[0], started?.at(-1)]).toStrictEqual([1_000, 't1', 't1000']);
		expect([tasks.stateOf('t0'), tasks.stateOf('t1')]).toStrictEqual([undefined, 'started']);
	});
});
