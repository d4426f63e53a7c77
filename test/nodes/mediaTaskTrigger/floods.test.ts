import type { ServerResponse } from 'node:http';
import type { IWebhookResponseData } from 'n8n-workflow';

import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';
import type { IncomingRequest } from '../../helpers/contexts';
import { envelope } from '../../helpers/media';
import { API_KEY, useSocketGateway } from '../../helpers/socketGateway';
import { eventually, quickTime } from '../../helpers/time';
import { callbackContext, type CallbackOptions } from './support';

// Many callbacks at a time, most of them forged, against a gateway that counts the requests.

const gateway = useSocketGateway();

const GATEWAY = '198.51.100.1';
const STRANGER = '203.0.113.1';

let count = 0;
let nodeId: string;
/** The state of each task of the account, or a status. */
let tasks: Record<string, string | number>;
let most: number;
let warnings: jest.SpyInstance;

beforeEach(() => {
	nodeId = `flooded-${(count += 1)}`;
	tasks = {};
	most = 0;
	let open = 0;
	gateway.onRequest(({ url = '' }, response) => {
		open += 1;
		most = Math.max(most, open);
		setTimeout(() => {
			open -= 1;
			respond(url.split('/').at(-1) ?? '', response);
		}, 250);
	});
	const { logger } = callbackContext({}, { body: {} }).context;
	warnings = jest.spyOn(logger, 'warn').mockReturnValue();
});
afterEach(() => void warnings.mockRestore());

function respond(taskId: string, response: ServerResponse): void {
	const state = tasks[taskId] ?? 404;
	response.statusCode = typeof state === 'number' ? state : 200;
	const data = { taskId, state };
	response.end(JSON.stringify(response.statusCode === 200 ? envelope(data) : envelope(null, 404)));
}

/** Sends a callback; returns its status at once, and what n8n gets later. */
function send(request: IncomingRequest, options: CallbackOptions = {}) {
	const credential = { baseUrl: `${gateway.origin()}/api/v1`, apiKey: API_KEY };
	const { context, response } = callbackContext(
		{ downloadResults: false, options: { includeCallback: true } },
		request,
		{ nodeId, credential, ...options },
	);
	const result: Promise<IWebhookResponseData> = new MediaTaskTrigger().webhook.call(context);
	return { response, started: result.then(({ workflowData }) => workflowData?.[0]?.[0]?.json) };
}

const forged = (amount: number, options: CallbackOptions = {}, name = 'forged') =>
	Array.from({ length: amount }, (_, index) => send({ body: { taskId: `${name}-${index}` } }, options));

const polls = () => gateway.received.map(({ url = '' }) => url.split('/').at(-1));
const startedOf = async (callbacks: Array<{ started: Promise<unknown> }>) =>
	(await Promise.all(callbacks.map(async ({ started }) => await started))).filter(Boolean);

// The polls of 120 callbacks take 60 seconds of the test's time, three of real time at least.
jest.setTimeout(60_000);

describe('120 forged callbacks', () => {
	quickTime();

	it('lead to at most 60 requests at once and one a second, four at a time, and start nothing', async () => {
		const begin = Date.now();
		const callbacks = forged(120, { ip: STRANGER });
		expect(await startedOf(callbacks)).toStrictEqual([]);
		const seconds = (Date.now() - begin) / 1_000;
		expect(polls().length).toBeLessThanOrEqual(60 + seconds);
		expect(seconds).toBeGreaterThan(50);
		expect(new Set(polls()).size).toBe(120);
		expect(most).toBeLessThanOrEqual(4);
		expect(callbacks.map(({ response }) => response[0])).toStrictEqual(Array(120).fill(200));
	});

	it('keep at most 20 calls of the webhook in n8n while they wait', async () => {
		const begin = Date.now();
		const callbacks = forged(120, { ip: STRANGER });
		let open = 120;
		for (const { started } of callbacks) void started.then(() => (open -= 1));
		await eventually(() => polls().length >= 60);
		await eventually(() => open <= 20);
		expect(polls().length).toBeLessThan(100);
		expect(polls().length).toBeLessThanOrEqual(60 + (Date.now() - begin) / 1_000);
		await startedOf(callbacks);
	});

	it('do not delay a callback from another address', async () => {
		tasks = { genuine: 'success' };
		const callbacks = forged(120, { ip: STRANGER });
		await eventually(() => polls().length >= 60);
		const genuine = send({ body: { taskId: 'genuine' } }, { ip: GATEWAY });
		const all = startedOf([...callbacks, genuine]);
		await eventually(() => polls().includes('genuine'));
		expect(polls().length).toBeLessThan(120);
		expect(await all).toMatchObject([{ taskId: 'genuine', callback: { body: { taskId: 'genuine' } } }]);
	});

	it('do not lose a callback among them that comes from the same address', async () => {
		tasks = { genuine: 'success' };
		const before = forged(60, {}, 'before');
		const genuine = send({ body: { taskId: 'genuine' }, headers: { of: 'genuine' } });
		const started = await startedOf([...before, genuine, ...forged(60, {}, 'after')]);
		expect(started).toMatchObject([{ taskId: 'genuine', callback: { headers: { of: 'genuine' } } }]);
	});

	it('of the same ID lead to one request', async () => {
		const same = Array.from({ length: 300 }, () => send({ body: { taskId: 'same' } }));
		expect(await startedOf(same)).toStrictEqual([]);
		expect(await startedOf([send({ body: { taskId: 'same' } })])).toStrictEqual([]);
		expect(polls()).toStrictEqual(['same']);
	});

	it('of an ID each in several fields lead to one request for each callback', async () => {
		const id = (index: number, field: string) => `${field}-${index}`;
		const callbacks = Array.from({ length: 20 }, (_, index) =>
			send({ body: { taskId: id(index, 'a'), task_id: id(index, 'b'), data: { id: id(index, 'c') } } }),
		);
		await startedOf(callbacks);
		expect(polls()).toHaveLength(20);
	});
});

describe('a forged ID', () => {
	quickTime();

	it('is polled again after ten minutes', async () => {
		await send({ body: { taskId: 'forged' } }).started;
		await send({ body: { taskId: 'forged' } }).started;
		expect(polls()).toHaveLength(1);
		const now = Date.now() + 10 * 60_000;
		const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
		await send({ body: { taskId: 'forged' } }).started;
		clock.mockRestore();
		expect(polls()).toHaveLength(2);
	});

	it('is polled for each test in the editor', async () => {
		await send({ body: { taskId: 'forged' } }, { mode: 'manual' }).started;
		await send({ body: { taskId: 'forged' } }, { mode: 'manual' }).started;
		expect(polls()).toHaveLength(2);
	});

	it('does not use up the polls of another trigger', async () => {
		tasks = { genuine: 'success' };
		const callbacks = forged(120);
		await eventually(() => polls().length >= 60);
		const other = send({ body: { taskId: 'genuine' } }, { nodeId: `${nodeId} other` });
		expect(await other.started).toMatchObject({ taskId: 'genuine' });
		expect(polls().length).toBeLessThan(120);
		await startedOf(callbacks);
	});
});

it('genuine callbacks of 100 tasks at once each start the workflow, without a pause', async () => {
	const ids = Array.from({ length: 100 }, (_, index) => `task-${index}`);
	tasks = Object.fromEntries(ids.map((id) => [id, 'success']));
	const begin = Date.now();
	const started = await startedOf(ids.map((taskId) => send({ body: { taskId } })));
	expect(new Set(started.map((json) => (json as { taskId: string }).taskId)).size).toBe(100);
	expect(polls()).toHaveLength(100);
	expect(most).toBeLessThanOrEqual(4);
	// 60 at once and one a second would take 40 s.
	expect((Date.now() - begin) / 1_000).toBeLessThan(35);
	expect(warnings.mock.calls).toStrictEqual([]);
});

describe('genuine callbacks', () => {
	quickTime();

	it('that are replayed lead to no request', async () => {
		tasks = { genuine: 'success', failed: 'fail' };
		await startedOf([send({ body: { taskId: 'genuine' } }), send({ body: { taskId: 'failed' } })]);
		expect(polls()).toHaveLength(2);
		const replays = Array.from({ length: 100 }, (_, index) =>
			send({ body: { taskId: index % 2 ? 'genuine' : 'failed' } }),
		);
		expect(await startedOf(replays)).toStrictEqual([]);
		expect(polls()).toHaveLength(2);
	});

	it('that wait for a retry hold up no other callback', async () => {
		tasks = { second: 'success' };
		for (let index = 0; index < 8; index += 1) tasks[`early-${index}`] = index % 2 ? 'processing' : 503;
		const early = Array.from({ length: 8 }, (_, index) => send({ body: { taskId: `early-${index}` } }));
		await eventually(() => polls().length >= 8);
		const polled = polls().length;
		expect(await send({ body: { taskId: 'second' } }).started).toMatchObject({ taskId: 'second' });
		expect(polls().length - polled).toBeLessThan(12);
		for (let index = 0; index < 8; index += 1) tasks[`early-${index}`] = 'success';
		expect(await startedOf(early)).toHaveLength(8);
	});
});
