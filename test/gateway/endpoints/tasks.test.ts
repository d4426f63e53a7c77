import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import {
	downloadMediaTask,
	taskError,
	fetchMediaTask,
	hasEnded,
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
		await apiErrorOf(fetchMediaTask(client, 't1', 7_000));
		expect(sent.map(({ kind, timeoutMs }) => [kind, timeoutMs])).toStrictEqual([['poll', 7_000]]);
	});

	it('has the error text for an invalid task ID after 422', async () => {
		const { client } = scriptedClient([{ status: 422, body: '{"code":422,"msg":"bad uuid"}' }]);
		const { message, description } = (await apiErrorOf(fetchMediaTask(client, 'x'))).details;
		expect(message).toContain('task ID');
		expect(description).toContain('bad uuid');
	});
});

describe('downloading a result (§4.8)', () => {
	it('has the error text for a task ID that the gateway does not accept', async () => {
		const { client } = scriptedClient([{ status: 422 }]);
		const downloading = downloadMediaTask(client, 't1', async () => await Promise.resolve());
		expect((await apiErrorOf(downloading)).message).toContain('task ID');
	});
});

describe('reading a task (§2.6)', () => {
	const nothing = {
		taskId: 'asked-for',
		model: undefined,
		state: 'unknown',
		createdAt: undefined,
		resultUrls: [],
		tracks: undefined,
		result: undefined,
		failCode: undefined,
		failMsg: undefined,
	};

	it('has all its fields', () => {
		const resultUrls = ['https://f.test/1', 'https://f.test/2'];
		const tracks = [{ id: 'a', n: null }];
		const record = {
			taskId: 't1',
			model: 'm',
			state: 'success',
			createTime: 1_700_000_000_000,
			resultJson: JSON.stringify({ resultUrls, tracks, seed: 7 }),
			failCode: null,
			failMsg: null,
		};
		const createdAt = '2023-11-14T22:13:20.000Z';
		const own = { taskId: 't1', model: 'm', state: 'success', createdAt, resultUrls, tracks };
		expect(read(record)).toStrictEqual({ ...nothing, ...own, result: { seed: 7 } });
	});

	it('has defaults for all fields', () => {
		expect(read({})).toStrictEqual(nothing);
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

it('a task has ended in the states `success` and `fail`', () => {
	const states = ['waiting', 'processing', 'success', 'fail', 'unknown', ''];
	expect(states.filter(hasEnded)).toStrictEqual(['success', 'fail']);
});

describe('a failed task', () => {
	const task = readMediaTask({ data: { taskId: 't1', state: 'fail' } }, 't1');

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
		const unknown = { failCode: null, failMsg: null, state: 'fail' };
		expect(extra).toStrictEqual({ ...unknown, model: 'acme/draw', priceRub: 12.5 });
	});
});
