import type { ClientDependencies, GatewayClient } from '../../../nodes/shared/gateway/client/client';
import { waitForTask, type WaitOptions } from '../../../nodes/shared/gateway/endpoints/polling';
import { deleteFile } from '../../../nodes/shared/gateway/endpoints/storage';
import {
	createMediaSession,
	deleteMediaTask,
	fetchLyrics,
	restoreMediaTask,
	setArchived,
	createMediaTask,
	downloadMediaTask,
	fetchMediaTask,
	hasEnded,
	type GatewayTask,
	readMediaTask,
} from '../../../nodes/shared/gateway/endpoints/tasks';
import { StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { errorText } from '../../../nodes/shared/gateway/errors/texts';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import { chargeText, outcomeFlags } from '../../../nodes/shared/run/charge/words';
import { apiErrorOf, closedGate, rejection, scriptedClient, type Step } from '../../helpers/client';

const envelope = (data: Json): JsonObject => ({ code: 200, msg: 'success', data });
const read = (record: JsonObject) => readMediaTask(envelope(record), 'asked-for');

describe('reading a task (§2.6)', () => {
	it.each<[string, JsonObject, Partial<GatewayTask>]>([
		['numbers for codes', { failCode: 501 }, { failCode: '501' }],
		['another task ID than the one it asked for', { taskId: 'other' }, { taskId: 'asked-for' }],
		['a time as text', { createTime: '1700000000000' }, { createdAt: '2023-11-14T22:13:20.000Z' }],
		['an invalid time', { createTime: 9e15 }, { createdAt: undefined }],
		['the time zero', { createTime: 0 }, { createdAt: '1970-01-01T00:00:00.000Z' }],
		['why it failed', { failMsg: 'No face' }, { failMsg: 'No face' }],
		['one URL instead of a list', { resultJson: '{"resultUrls":"u"}' }, { resultUrls: ['u'] }],
		['no URL', { resultJson: '{"resultUrls":null}' }, { resultUrls: [] }],
		['URLs among other things', { resultJson: '{"resultUrls":["u",null,"",7]}' }, { resultUrls: ['u'] }],
		['no tracks', { resultJson: '{"tracks":[]}' }, { tracks: undefined }],
		['tracks among other things', { resultJson: '{"tracks":[null,{"id":1}]}' }, { tracks: [{ id: 1 }] }],
	])('accepts %s', (_, record, part) => expect(read(record)).toMatchObject(part));

	// report: queued tasks with early files counted as ended. §3.1 names four states; gateways write them, and others, in their way.
	const early = { resultJson: '{"resultUrls":["https://files.test/a.png"]}' };
	const none = {};
	it.each<[string, string[], Array<[task: JsonObject, ended: 'success' | 'fail' | undefined]>]>([
		[
			'goes on, also with files and a reason',
			[
				...['queued', 'pending', 'waiting', 'scheduled', 'submitted', 'in_progress', 'processing', 'queuing'],
				...['QUEUED', 'Scheduled', ' submitted ', 'IN PROGRESS', 'in-progress', 'InProgress', 'in_queue'],
				...['In Queue', 'enqueued', 'rendering', 'Starting', 'not started', 'started'],
			],
			[
				[none, undefined],
				[early, undefined],
				[{ ...early, failCode: 0, failMsg: '' }, undefined],
				[{ failMsg: 'Try 1 was slow' }, undefined],
			],
		],
		[
			'goes on only without files',
			['created', 'CREATED', 'new', 'dreaming of it'],
			[
				[none, undefined],
				[early, 'success'],
				[{ failMsg: 'No face' }, 'fail'],
			],
		],
		[
			'has ended well',
			['success', 'Succeeded', 'SUCCESS'],
			[
				[none, 'success'],
				[early, 'success'],
			],
		],
		[
			'has failed',
			['fail', 'FAILED', 'failure'],
			[
				[none, 'fail'],
				[early, 'fail'],
			],
		],
	])('a task %s in the states %j', (_, states, rows) => {
		for (const state of states)
			for (const [task, ended] of rows) {
				const shown = read({ state, ...task }).state;
				expect([state, task, hasEnded(shown) ? shown : undefined]).toStrictEqual([state, task, ended]);
			}
	});

	it('has the words of a success without a task', async () => {
		for (const error of ['Seed is not a number', { message: 'Seed is not a number' }]) {
			const reading = Promise.resolve().then(() => readMediaTask({ error }, 't1'));
			expect((await apiErrorOf(reading)).details.description).toMatch(
				/The gateway says: “Seed is not a number”\.$/,
			);
		}
	});

	it.each<[string, Json]>([
		['null', null],
		['a list', []],
		['text', 'x'],
	])('rejects %s', async (_, data) => {
		const { client } = scriptedClient([{ body: JSON.stringify(envelope(data)) }]);
		const reading = fetchMediaTask(client, 't1').then((body) => readMediaTask(body, 't1'));
		expect((await apiErrorOf(reading)).details).toMatchObject({
			message: 'The gateway’s response has no task',
			outcome: 'rejected',
			code: 'unreadable_answer',
			retryable: false,
		});
	});
});

const body = { model: 'm', input: { prompt: 'p' } };
const KEY = 'order-7';

it.each<[string, JsonObject]>([
	['no data', {}],
	['data that is null', { data: null }],
	['a list', { data: [{ taskId: 't1' }] }],
	['an empty task ID', { data: { taskId: '' } }],
	['a task ID that is null', { data: { taskId: null } }],
])('a creation may have created a task after a success with %s', async (_, received) => {
	const response = { ...received, msg: 'Queue is full' };
	const { client } = scriptedClient([{ status: 201, body: JSON.stringify(response) }]);
	const { details } = await apiErrorOf(createMediaTask(client, body, KEY));
	expect(details).toMatchObject({
		message: expect.stringContaining('task ID') as string,
		description: expect.stringContaining('The gateway says: “Queue is full”.') as string,
		code: 'unreadable_answer',
	});
	expect(outcomeFlags(details)).toStrictEqual({ retryable: false, mayBeCharged: true });
	expect(chargeText(details)).toContain('may have been created and charged');
});

// Waiting for a task (§3.1).

const poll = (state: string) => ({ body: JSON.stringify({ code: 200, data: { taskId: 't', state } }) });
const plan: WaitOptions = { maxWaitMs: 60_000, pollImmediately: false };

/** Waits for task t in vain. Returns the error, and what was sent until then. */
async function failed(
	steps: Step[],
	more: Partial<WaitOptions> = {},
	dependencies: Partial<ClientDependencies> = {},
) {
	const scripted = scriptedClient(steps, {}, { dependencies });
	const error = await apiErrorOf(waitForTask(scripted.client, 't', { ...plan, ...more }));
	return { ...scripted, error, details: error.details };
}

describe('a wait', () => {
	it('polls every 5 s, first after a random pause, and stops at the end, without a last pause', async () => {
		const { client, pauses, sent } = scriptedClient([poll('waiting'), poll('processing'), poll('success')]);
		const body = await waitForTask(client, 't', plan);
		expect(body).toStrictEqual({ code: 200, data: { taskId: 't', state: 'success' } });
		expect(pauses).toStrictEqual([4_000, 5_000, 5_000]);
		expect(sent).toHaveLength(3);
	});

	it.each([false, true])(
		'of tasks that start together polls them at different times: %s',
		async (pollImmediately) => {
			const paces = await Promise.all(
				[0, 0.999_999].map(async (random) => {
					const states = [...(pollImmediately ? ['waiting'] : []), 'success'];
					const { client, pauses } = scriptedClient(states.map(poll), {}, { random: () => random });
					await waitForTask(client, 't', { ...plan, pollImmediately });
					return pauses;
				}),
			);
			expect(paces.map(([first = 0]) => first)).toStrictEqual([5_000, 3_000]);
		},
	);

	it.each<[string, Step]>([
		['a lost connection', 'lost'],
		['a timeout', 'timeout'],
		['a refused connection', 'refused'],
		['429', { status: 429 }],
		['500', { status: 500 }],
		['503', { status: 503 }],
		['504', { status: 504 }],
		['a cut-off response', { body: '{"data": {"sta' }],
		['a maintenance page', { body: '<html>back soon</html>' }],
		['a page with status 403', { status: 403, body: '<html>blocked</html>' }],
		['a text with status 404', { status: 404, body: 'default backend - 404' }],
		['an unknown state', poll('dreaming')],
		['a response without a task', { body: '{"code": 200, "data": null}' }],
	])('goes on at its pace after %s, also for a new task', async (_, error) => {
		for (const newMs of [0, Infinity]) {
			const { client, sent, pauses } = scriptedClient([...Array<Step>(3).fill(error), poll('success')]);
			await waitForTask(client, 't', { ...plan, newMs });
			expect(sent).toHaveLength(4);
			expect(pauses).toStrictEqual([4_000, 5_000, 5_000, 5_000]);
		}
	});

	it.each([
		['longer', '20', 20_000],
		['no less', '1', 5_000],
		['at most a minute', '7200', 60_000],
	])('pauses %s when the gateway asks for %s s', async (_, seconds, pauseMs) => {
		const busy = { status: 429, headers: { 'retry-after': seconds } };
		const { client, pauses } = scriptedClient([busy, poll('success')]);
		await waitForTask(client, 't', { ...plan, maxWaitMs: 10_000_000 });
		expect(pauses).toStrictEqual([4_000, pauseMs]);
	});

	it.each<[string, Step]>([
		['401', { status: 401, body: '{"error":{"code":"invalid_api_key"}}' }],
		['403', { status: 403, body: '{"code":403,"msg":"Not on the plan","data":null}' }],
		['a missing task', { status: 404 }],
		['a bad ID', { status: 422 }],
		['an untrusted certificate', 'certificate'],
		['an address that cannot work', 'address'],
		['a redirect', { status: 301 }],
	])('ends at once with %s, and the error names the task', async (_, step) => {
		const { details, pauses, sent } = await failed([step]);
		expect(details.taskId).toBe('t');
		expect(details.code).not.toBe('wait_timeout');
		expect([pauses, sent.length]).toStrictEqual([[4_000], 1]);
	});

	it('ends as cancelled during a pause and during a poll', async () => {
		const cancelled = new StoppedError('cancelled');
		for (const { client, sent } of [
			scriptedClient([poll('processing')], {}, { stopAt: 1_000_000 + 10_000 }),
			scriptedClient([poll('processing'), cancelled]),
		]) {
			expect(await rejection(waitForTask(client, 't', plan))).toStrictEqual(cancelled);
			expect(sent).toHaveLength(2);
		}
	});
});

describe('Max Wait', () => {
	it.each([
		['whole polls', 9_000, [4_000, 5_000]],
		['a poll and a rest', 10_500, [4_000, 5_000, 1_500]],
		['less than a poll', 1, [1]],
	])('is kept to the millisecond: %s', async (_, maxWaitMs, expected) => {
		const { details, pauses, sent, clock } = await failed([poll('processing')], { maxWaitMs });
		expect(details.code).toBe('wait_timeout');
		expect([pauses, sent.length]).toStrictEqual([expected, expected.length]);
		expect(clock.now - 1_000_000).toBe(maxWaitMs);
	});

	it('is kept while the rate limit pauses the account', async () => {
		const gate = closedGate();
		const { details, sent, clock } = await failed([poll('processing')], { maxWaitMs: 20_000 }, { gate });
		expect([details.code, sent.length]).toStrictEqual(['wait_timeout', 1]);
		expect(clock.now - 1_000_000).toBe(20_000);
	});

	it('allows a result that arrives exactly at its end', async () => {
		const { client, sent } = scriptedClient([poll('processing'), poll('fail')]);
		const body = await waitForTask(client, 't', { ...plan, maxWaitMs: 9_000 });
		expect(body.data).toStrictEqual({ taskId: 't', state: 'fail' });
		expect(sent).toHaveLength(2);
	});

	it('that is over already sends nothing where the task is new', async () => {
		const { details, sent } = await failed([poll('success')], { maxWaitMs: 0 });
		expect(details).toMatchObject({ code: 'wait_timeout', taskId: 't', extra: { state: null } });
		expect(details.description).toContain('"unknown"');
		expect(sent).toHaveLength(0);
	});

	it.each([
		['each poll, except for five seconds at the end', 300_000, [7_000, 5_000, 5_000]],
		['no poll that has a shorter timeout', 2_000, [2_000, 2_000, 2_000]],
	])('limits %s', async (_, timeoutMs, expected) => {
		const { client, sent } = scriptedClient([poll('processing')], { timeoutMs });
		await apiErrorOf(waitForTask(client, 't', { ...plan, maxWaitMs: 11_000 }));
		expect(sent.map((request) => request.timeoutMs)).toStrictEqual(expected);
	});

	it('ends with an error that says that the task is still running and can be waited for again', async () => {
		// An error between two polls is forgotten.
		expect((await failed([{ status: 503 }, poll('waiting')])).details).toStrictEqual({
			message: 'The media task did not finish within the maximum wait',
			description: expect.stringMatching(/^Task t was in state.*'Max Wait \(Minutes\)'/) as string,
			outcome: 'rejected',
			kind: 'poll',
			code: 'wait_timeout',
			retryable: true,
			taskId: 't',
			extra: { state: 'waiting' },
		});
	});

	it('keeps the last known state when the last polls fail', async () => {
		const { details } = await failed([poll('processing'), { status: 503 }]);
		expect(details).toMatchObject({ code: 'wait_timeout', extra: { state: 'processing' } });
		expect(details.description).toContain('could not be polled for the last time');
	});
});

const done = Promise.resolve();
type Action = (client: GatewayClient, id: string) => Promise<unknown>;

const get: Action = async (client, id) => await fetchMediaTask(client, id);
const download: Action = async (client, id) => await downloadMediaTask(client, id, async () => await done);
const archive: Action = async (client, id) => await setArchived(client, id, true);
const unarchive: Action = async (client, id) => await setArchived(client, id, false);
const lyrics: Action = async (client, id) => await fetchLyrics(client, id, 'a1');
const session: Action = async (client) => await createMediaSession(client, { title: null });

const notFound: Step = { status: 404 };

it('a task is asked for as JSON, with a timeout of a minute', async () => {
	const { client, sent } = scriptedClient([poll('waiting')]);
	await fetchMediaTask(client, 't');
	expect(sent).toMatchObject([{ timeoutMs: 60_000, headers: { Accept: 'application/json, */*;q=0.5' } }]);
});

it.each(['t?1', 't#1', 't/1', 'т1'])('the ID %s is one part of the path', async (id) => {
	const { client, sent } = scriptedClient([poll('waiting')]);
	await fetchMediaTask(client, id);
	expect(sent[0]?.url).toMatch(new RegExp(`/async/media/tasks/${encodeURIComponent(id)}$`));
});

const ofMedia = (status: number) => errorText({ endpoint: 'createSession', status }).message;

it.each<[string, number, Action, string]>([
	['getting', 422, get, 'task ID'],
	['downloading', 422, download, 'task ID'],
	['archiving', 404, archive, 'archived already'],
	['archiving', 422, archive, 'task ID'],
	['unarchiving', 404, unarchive, 'not archived'],
	['deleting', 422, deleteMediaTask, 'task ID'],
	['deleting', 404, deleteMediaTask, ofMedia(404)],
	['restoring', 422, restoreMediaTask, 'task ID'],
	['getting lyrics', 404, lyrics, 'lyrics'],
	['getting lyrics', 400, lyrics, 'lyrics'],
	['getting lyrics', 422, lyrics, 'task ID'],
	['creating a session', 400, session, ofMedia(400)],
])('the error text depends on the action and the status: %s, %s', async (_, status, act, expectedText) => {
	const { client, sent } = scriptedClient([{ status, body: '{"msg":"the reason"}' }]);
	const { details } = await apiErrorOf(act(client, 't1'));
	expect(details.message).toContain(expectedText);
	expect(details.description).toContain('the reason');
	expect(details).toMatchObject({ status, retryable: false, outcome: 'rejected' });
	expect(sent).toHaveLength(1);
});

it('a session is not created again when the response to the first request is lost', async () => {
	const { client, sent } = scriptedClient(['lost', { body: '{}' }]);
	await apiErrorOf(session(client, ''));
	expect(sent).toHaveLength(1);
});

it.each<[Json | undefined, boolean]>([
	[null, false],
	[undefined, false],
	[{}, false],
	[[], false],
	['', false],
	[{ alignedWords: null }, false],
	[{ alignedWords: [] }, true],
	[{ alignedWords: [{ word: 'a' }] }, true],
])('a success with the data %j has lyrics (§4.12): %s', async (data, hasLyrics) => {
	const { client } = scriptedClient([{ body: JSON.stringify({ code: 200, msg: 'success', data }) }]);
	const message = await fetchLyrics(client, 't1', 'a1').catch((error: Error) => error.message);
	expect(message === 'The gateway has no lyrics for this').toBe(!hasLyrics);
});

// A request that may have had its effect has had it when the next try says that there is nothing to do (§3.2, §4.16).
describe.each<[string, Action, unknown]>([
	['deleting a file', deleteFile, { success: true }],
	['archiving a task', archive, undefined],
])('%s', (_, act, result) => {
	it.each<[string, Step]>([
		['a lost response', 'lost'],
		['500', { status: 500 }],
		['a 502 of a proxy', { status: 502, body: '<html>' }],
	])('succeeds when 404 follows %s', async (__, first) => {
		const { client, sent } = scriptedClient([first, notFound]);
		await expect(act(client, 'f1')).resolves.toStrictEqual(result);
		expect(sent).toHaveLength(2);
	});

	it.each<[number, string, Step[]]>([
		[404, 'comes first', []],
		[404, 'follows 503', [{ status: 503 }]],
		[404, 'follows a refused connection', ['refused']],
		[403, 'follows a lost response', ['lost']],
	])('fails when %i %s', async (status, __, before) => {
		const { client } = scriptedClient([...before, { status }]);
		expect((await apiErrorOf(act(client, 'f1'))).details.status).toBe(status);
	});

	it('fails when the 404 of a proxy follows a lost response', async () => {
		const { client } = scriptedClient(['lost', { status: 404, body: '<html>' }]);
		expect((await apiErrorOf(act(client, 'f1'))).details.status).toBe(404);
	});
});

it('deleting a task fails with 404 after an unknown outcome: a repeat changes nothing (§4.10)', async () => {
	const { client } = scriptedClient([{ status: 500 }, notFound]);
	expect((await apiErrorOf(deleteMediaTask(client, 't1'))).details.status).toBe(404);
});
