import fc from 'fast-check';
import nock from 'nock';

import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';
import type { IncomingRequest } from '../../helpers/contexts';
import { useFakeTime } from '../../helpers/fakeTime';
import { envelope } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import {
	callbackContext,
	errorResponse,
	freshTask,
	sendCallback,
	successAfter,
	task,
	inTime,
} from './support';

// Whatever a callback contains: which response it gets, and what starts.

useNock();

const noFiles = { downloadResults: false };
const nothing = { noWebhookResponse: true };

describe('the ID of a task that has succeeded starts the workflow', () => {
	it.each<[string, (taskId: string) => IncomingRequest]>([
		['in the body as the gateway sends it', (taskId) => ({ body: envelope({ taskId, state: 'fail' }) })],
		['in the query', (taskId) => ({ body: {}, query: { taskId } })],
		['as text', (taskId) => ({ body: JSON.stringify({ taskId }) })],
		['below __proto__', (taskId) => ({ body: JSON.parse(`{"__proto__":{"taskId":"${taskId}"}}`) as object })],
		['in a form field', (taskId) => ({ body: { payload: JSON.stringify({ task: { id: taskId } }) } })],
		[
			'after one that the account does not have',
			(taskId) => ({ body: { id: 'event', data: { id: taskId } } }),
		],
	])('%s', async (_, request) => {
		const taskId = freshTask();
		errorResponse('event', 404);
		task(taskId, { state: 'success' });
		const { item, result, status, warnings } = await sendCallback(noFiles, request(taskId));
		expect(item?.json).toStrictEqual({ taskId, state: 'success', resultUrls: [] });
		// n8n responds, when it has stored the execution.
		expect(result).toStrictEqual({ workflowData: [[item]] });
		expect([status, warnings]).toStrictEqual([200, 0]);
	});
});

describe('nothing starts, and nothing is sent to the gateway,', () => {
	it.each<[string, () => IncomingRequest]>([
		['an ID', () => ({ body: { status: 'done' } })],
		['a body', () => ({ body: undefined })],
		['anything in an ID', () => ({ body: { taskId: ' ' }, query: { taskId: '' } })],
		['an ID of a possible length', () => ({ body: { taskId: 'x'.repeat(1_000) } })],
	])('for a callback without %s: 400', async (_, make) => {
		const request = make();
		const rawBody = Buffer.from('...');
		const { result, status, message, warnings } = await sendCallback(noFiles, request, { rawBody });
		expect([result, status, message]).toStrictEqual([nothing, 400, 'The call names no media task']);
		expect(warnings).toBe(0);
	});

	it.each(['\ud800', '..', '%2e%2e', '../../balance'])('for what is no ID: 400, %j', async (taskId) => {
		const { result, status } = await sendCallback(noFiles, { body: { taskId } });
		expect([result, status]).toStrictEqual([nothing, 400]);
	});
});

it('whatever a callback contains, it gets status 200, 400 or 404 for an account without tasks', async () => {
	nock('https://gateway.test').persist().get(/./).optionally().reply(404, envelope(null, 404));
	const key = fc.oneof(fc.constantFrom('taskId', 'id', 'data', '__proto__', 'toString'), fc.string());
	const value = fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue()));
	await fc.assert(
		fc.asyncProperty(
			fc.oneof(value, fc.constantFrom(undefined, null)),
			fc.dictionary(key, value),
			fc.dictionary(fc.string(), fc.string()),
			async (body, query, headers) => {
				const options = { nodeId: 'any' };
				const { result, status } = await sendCallback(noFiles, { body, query, headers }, options);
				expect([400, 404]).toContain(status);
				expect(result).toStrictEqual(nothing);
			},
		),
		{ numRuns: 100 },
	);
});

describe('by what the gateway says about the task,', () => {
	useFakeTime();

	const waits = { state: 'processing' };
	it.each<[string, (taskId: string) => { requests: number }, object, number, string, number]>([
		['unknown', (id) => errorResponse(id, 404), {}, 404, 'The account has no such media task', 1],
		['of an impossible ID', (id) => errorResponse(id, 422), {}, 404, 'The account has no such media task', 1],
		['not ended', (id) => task(id, waits), {}, 200, 'The media task has not ended', 3],
		['cancelled', (id) => task(id, { state: 'cancelled' }), {}, 200, 'The media task has not ended', 3],
		[
			'failed, for success',
			(id) => task(id, { state: 'fail' }),
			{ events: 'success' },
			200,
			'A media task in this state does not start the workflow',
			1,
		],
		[
			'a success, for failures',
			(id) => task(id, { state: 'success' }),
			{ events: 'fail' },
			200,
			'A media task in this state does not start the workflow',
			1,
		],
	])('a callback for one that is %s starts nothing', async (_, gateway, more, status, message, requests) => {
		const taskId = freshTask();
		const store = {};
		const seen = gateway(taskId);
		const sent = sendCallback({ ...noFiles, ...more }, { body: { taskId, state: 'success' } }, { store });
		const outcome = await inTime(sent);
		expect(outcome).toMatchObject({ result: nothing, status, message, retryAfter: undefined, warnings: 0 });
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
		const { item, status } = await inTime(sendCallback(noFiles, { body: { taskId } }));
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
		const outcome = await inTime(sendCallback(noFiles, { body: { taskId } }));
		expect(outcome).toMatchObject({ result: nothing, status: 503, retryAfter: '10', warnings: 1 });
		expect((await sendCallback(noFiles, { body: { taskId } })).item?.json.taskId).toBe(taskId);
	});

	it.each([
		[429, ''],
		[500, ''],
		[503, ''],
		[200, '<html>Back soon</html>'],
	])('a callback waits while the gateway fails for a moment: %i %s', async (status, body) => {
		const taskId = freshTask();
		const seen = successAfter(2, taskId, status, body);
		const { item, warnings } = await inTime(sendCallback(noFiles, { body: { taskId } }));
		expect([item?.json.state, seen.requests, warnings]).toStrictEqual(['success', 3, 0]);
	});

	it('a callback gets 503 after 8 s while the gateway fails, and the workflow starts later', async () => {
		const taskId = freshTask();
		successAfter(7, taskId, 503, '');
		const { result, item, ...outcome } = await inTime(sendCallback(noFiles, { body: { taskId } }));
		expect(outcome).toMatchObject({ status: 503, retryAfter: '10', warnings: 0 });
		expect(result).toStrictEqual({ noWebhookResponse: true, workflowData: [[item]] });
		expect(item?.json.taskId).toBe(taskId);
		expect((await sendCallback(noFiles, { body: { taskId } })).status).toBe(200);
	});

	it('the polls end at last, with a warning', async () => {
		const taskId = freshTask();
		const seen = errorResponse(taskId, 503);
		const { result, status, warnings } = await inTime(sendCallback(noFiles, { body: { taskId } }));
		expect([result, status, seen.requests, warnings]).toStrictEqual([nothing, 503, 9, 1]);
	});
});

describe('when something fails in n8n', () => {
	useFakeTime();

	it('the body of a callback that cannot be read is to be sent again', async () => {
		const { context, response } = callbackContext(noFiles, { body: undefined }, { rawBody: undefined });
		const warn = jest.spyOn(context.logger, 'warn').mockReturnValue();
		const readRawBody = async () => await Promise.reject(new Error('request aborted'));
		Object.assign(context.getRequestObject(), { readRawBody });
		expect(await new MediaTaskTrigger().webhook.call(context)).toStrictEqual(nothing);
		expect([response.statusCode, warn.mock.calls.length]).toStrictEqual([503, 1]);
		warn.mockRestore();
	});

	it('an unreadable credential is answered with 503, and a repeated call starts the workflow', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const { context, response } = callbackContext(noFiles, { body: { taskId } });
		const warn = jest.spyOn(context.logger, 'warn').mockReturnValue();
		jest.spyOn(context, 'getCredentials').mockRejectedValueOnce(new Error('SQLITE_BUSY: database is locked'));
		expect(await new MediaTaskTrigger().webhook.call(context)).toStrictEqual(nothing);
		expect([response.statusCode, warn.mock.calls.length]).toStrictEqual([503, 1]);
		warn.mockRestore();
		const repeated = callbackContext(noFiles, { body: { taskId } });
		const { workflowData } = await new MediaTaskTrigger().webhook.call(repeated.context);
		expect(workflowData?.[0]?.[0]?.json).toMatchObject({ taskId });
	});
});

describe('a body that n8n has not parsed, because it does not know its media type,', () => {
	async function outcomeOf(rawBody: Buffer, body: unknown) {
		const options = { ...noFiles, options: { includeCallback: true } };
		const { context, response } = callbackContext(options, { body }, { rawBody: undefined });
		const request = context.getRequestObject() as object;
		const readRawBody = async () => await Promise.resolve(void Object.assign(request, { rawBody }));
		Object.assign(request, { readRawBody });
		const { workflowData } = await new MediaTaskTrigger().webhook.call(context);
		return { item: workflowData?.[0]?.[0], status: response.statusCode };
	}

	it.each([undefined, null, {}])('starts the workflow when it is JSON (n8n has %j)', async (body) => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const bytes = Buffer.from(`\ufeff{"data":{"taskId":"${taskId}","state":"success"}}`);
		const { item } = await outcomeOf(bytes, body);
		expect(item?.json).toMatchObject({ taskId, callback: { body: { data: { taskId } } } });
	});

	it.each([
		['empty', Buffer.alloc(0)],
		['not JSON', Buffer.from([0xff, 0xfe, 0x00])],
		['larger than 256 KiB', Buffer.from(JSON.stringify({ taskId: 'a', rest: 'x'.repeat(256 * 1024) }))],
	])('gets status 400 when it is %s', async (_, bytes) => {
		expect(await outcomeOf(bytes, undefined)).toStrictEqual({ item: undefined, status: 400 });
	});
});
