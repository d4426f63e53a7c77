import { errorText } from '../../../nodes/shared/gateway/errors/texts';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import {
	downloadMediaTask,
	taskError,
	fetchMediaTask,
	hasEnded,
	listMediaTasks,
	pollDelayMs,
	readMediaTask,
	type MediaTask,
} from '../../../nodes/shared/gateway/endpoints/tasks';
import { apiErrorOf, scriptedClient } from '../../helpers/client';
import { request } from '../../helpers/requests';

const envelope = (data: Json): JsonObject => ({ code: 200, msg: 'success', data });
const read = (record: JsonObject) => readMediaTask(envelope(record), 'asked-for');

describe('fetching a task (§4.7)', () => {
	it('returns the body as received, with a timeout of a minute', async () => {
		const body = envelope({ taskId: 't1', resultJson: null });
		const { client, sent } = scriptedClient([{ body: JSON.stringify(body) }]);
		await expect(fetchMediaTask(client, 'a/b ?')).resolves.toStrictEqual(body);
		expect(sent).toStrictEqual([request('GET', '/async/media/tasks/a%2Fb%20%3F', { timeoutMs: 60_000 })]);
	});

	it('in a single poll is not repeated, and takes no longer than its limit', async () => {
		const { client, sent } = scriptedClient([{ status: 503 }]);
		const { details } = await apiErrorOf(fetchMediaTask(client, 't1', 7_000));
		expect(details.message).toBe(errorText({ group: 'media', status: 503 }).message);
		expect(sent.map(({ kind, timeoutMs }) => [kind, timeoutMs])).toStrictEqual([['poll', 7_000]]);
	});

	it('has the error text for an invalid task ID after 422', async () => {
		const { client } = scriptedClient([{ status: 422, body: '{"code":422,"msg":"bad uuid"}' }]);
		const { message, description } = (await apiErrorOf(fetchMediaTask(client, 'x'))).details;
		expect(message).toContain('task ID');
		expect(description).toContain('bad uuid');
	});

	it.each(['...', '.a', 'a..'])('accepts %j as an ID', async (id) => {
		const { client, sent } = scriptedClient([{}]);
		await fetchMediaTask(client, id);
		expect(sent[0]?.url.endsWith(`/async/media/tasks/${id}`)).toBe(true);
	});
});

describe('the list of tasks (§4.13)', () => {
	it.each(['taskId', 'task_id', 'id'])('finds records by %s', async (name) => {
		const body = envelope({ page: [{ [name]: 't1' }] });
		const { client, sent } = scriptedClient([{ body: JSON.stringify(body) }]);
		await expect(listMediaTasks(client)).resolves.toStrictEqual({
			records: [{ [name]: 't1' }],
			hasMore: false,
		});
		expect(sent).toStrictEqual([request('GET', '/async/media/tasks')]);
	});

	it('may not be offered', async () => {
		const { client } = scriptedClient([{ status: 404, body: '{"code":404,"msg":"no list"}' }]);
		const { message, description } = await apiErrorOf(listMediaTasks(client)).then(({ details }) => details);
		expect(message).toBe('The gateway does not offer this list');
		expect(description).toContain('no list');
	});
});

describe('downloading a result (§4.8)', () => {
	it('streams the file', async () => {
		const { client, sent } = scriptedClient([
			{ body: 'the bytes of a file', headers: { 'content-type': 'x/y' } },
		]);
		const chunks: Uint8Array[] = [];
		const type = await downloadMediaTask(client, 't/1', async ({ headers, body }) => {
			for await (const chunk of body) chunks.push(chunk);
			return headers['content-type'];
		});
		expect(type).toBe('x/y');
		expect(Buffer.concat(chunks).toString()).toBe('the bytes of a file');
		expect(sent).toStrictEqual([request('GET', '/async/media/tasks/t%2F1/download')]);
	});

	it.each([
		[422, 'task ID'],
		[404, errorText({ group: 'media', status: 404 }).message],
	])('has the error text for status %s', async (status, expectedText) => {
		const { client } = scriptedClient([{ status }]);
		const { details } = await apiErrorOf(
			downloadMediaTask(client, 't1', async () => await Promise.resolve()),
		);
		expect(details.message).toContain(expectedText);
	});
});

describe('reading a task (§2.6)', () => {
	it('has all its fields', () => {
		const urls = ['https://f.test/1', 'https://f.test/2'];
		const result = { resultUrls: urls, tracks: [{ id: 'a', n: null }], seed: 7 };
		const record = {
			taskId: 't1',
			model: 'm',
			state: 'success',
			createTime: 1_700_000_000_000,
			resultJson: JSON.stringify(result),
			failCode: null,
			failMsg: null,
		};
		expect(read(record)).toStrictEqual({
			taskId: 't1',
			model: 'm',
			state: 'success',
			createdAt: '2023-11-14T22:13:20.000Z',
			resultUrls: ['https://f.test/1', 'https://f.test/2'],
			tracks: [{ id: 'a', n: null }],
			result: { seed: 7 },
			failCode: undefined,
			failMsg: undefined,
		});
	});

	it('has defaults for all fields', () => {
		expect(read({})).toStrictEqual({
			taskId: 'asked-for',
			model: undefined,
			state: 'unknown',
			createdAt: undefined,
			resultUrls: [],
			tracks: undefined,
			result: undefined,
			failCode: undefined,
			failMsg: undefined,
		});
	});

	it.each<[string, JsonObject, Partial<MediaTask>]>([
		['numbers for identifiers', { taskId: 7, failCode: 501 }, { taskId: '7', failCode: '501' }],
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

	it.each<[string, Json, Json | undefined]>([
		['an object', '{"a":{"b":null}}', { a: { b: null } }],
		['a list', '[null]', [null]],
		['null', 'null', undefined],
		['a number', '0', 0],
		['false', 'false', false],
		['an object that is not text', { a: null }, { a: null }],
		['null itself', null, undefined],
		['empty text', '', undefined],
		['nothing but URLs', '{"resultUrls":["u"]}', undefined],
		['more than URLs and tracks', '{"resultUrls":["u"],"tracks":[{"id":1}],"seed":7}', { seed: 7 }],
		['text that is not JSON', '{"a":', '{"a":'],
	])('has the parsed result: %s', (_, resultJson, result) => {
		expect(read({ resultJson }).result).toStrictEqual(result);
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
		expect((await apiErrorOf(reading)).details).toStrictEqual({
			message: 'The gateway’s response has no task',
			description: expect.any(String) as string,
			outcome: 'rejected',
			kind: 'read',
			code: 'unreadable_answer',
			retryable: false,
		});
	});
});

test.each([
	['waiting', false],
	['processing', false],
	['success', true],
	['fail', true],
	['unknown', false],
	['', false],
])('a task in state %j has ended: %s', (state, ended) => expect(hasEnded(state)).toBe(ended));

describe('a failed task', () => {
	const task: MediaTask = { taskId: 't1', state: 'fail', resultUrls: [], result: null };

	it('throws an error with the reasons of the gateway', () => {
		const error = taskError({ ...task, failCode: '501', failMsg: 'No face, secret-key' }, ['secret-key']);
		expect(error.details).toStrictEqual({
			message: 'The media task failed',
			description: expect.stringMatching(/t1.*\(code 501\).*No face, \[key\]/) as string,
			outcome: 'unknown',
			kind: 'keyed',
			code: '501',
			retryable: false,
			taskId: 't1',
			extra: { failCode: '501', failMsg: 'No face, secret-key', state: 'fail' },
		});
	});

	it('has its model and its price in the error, where they are known', () => {
		const { extra } = taskError({ ...task, model: 'acme/draw' }, [], 12.5).details;
		expect(extra).toStrictEqual({
			failCode: null,
			failMsg: null,
			state: 'fail',
			model: 'acme/draw',
			priceRub: 12.5,
		});
	});

	it('throws an error also without reasons', () => {
		const { code, extra, description } = taskError(task, []).details;
		expect(code).toBe('task_failed');
		expect(extra).toStrictEqual({ failCode: null, failMsg: null, state: 'fail' });
		expect(description).not.toContain('code');
		expect(description).toContain('t1 without a result.');
	});
});

test.each([
	['image', 0, 3_000],
	['image', 0.5, 4_000],
	['image', 0.9999, 5_000],
	['video', 0, 5_000],
	['video', 0.5, 7_500],
	['music', 0.5, 7_500],
	['audio', 0.5, 7_500],
	[undefined, 0, 5_000],
	[undefined, 0.9999, 10_000],
] as const)('the pause between two polls of %s at %s is %s ms (§3.1)', (mediaType, random, pause) => {
	expect(pollDelayMs(mediaType, random)).toBe(pause);
});
