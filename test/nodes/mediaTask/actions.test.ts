import nock from 'nock';

import {
	continueOnFail,
	catalogue,
	creations,
	envelope,
	gateway,
	model,
	painter,
	run,
	TASKS,
} from '../../helpers/media';
import { useNock } from '../../helpers/nock';

useNock();

const taskId = 't1';
const json = async (operation: string, parameters: object = { taskId }, resource = 'task') =>
	(await run(operation, parameters, {}, resource)).items[0]?.json;

describe('flags of a task (§3.2)', () => {
	it('archive and unarchive set the flag', async () => {
		gateway().patch(`${TASKS}/t1/archive`, { archive: true }).reply(204);
		gateway().patch(`${TASKS}/t1/archive`, { archive: false }).reply(204);
		expect(await json('archive')).toStrictEqual({ archived: true, taskId });
		expect(await json('unarchive')).toStrictEqual({ archived: false, taskId });
	});

	test.each([
		['archive', 'The media task is archived already, or does not exist'],
		['unarchive', 'The media task is not archived, or does not exist'],
	])('%s explains a 404', async (operation, message) => {
		gateway()
			.patch(`${TASKS}/t1/archive`)
			.reply(404, envelope(null, 404, 'Task not found'));
		const { error } = await run(operation, { taskId });
		expect(error?.message).toBe(message);
		expect(error?.description).toContain('The gateway says: “Task not found”.');
		expect(error?.httpCode).toBe('404');
	});

	it('delete and restore may be repeated', async () => {
		gateway().delete(`${TASKS}/t1`).reply(503, '', { 'retry-after': '0' });
		gateway().delete(`${TASKS}/t1`).reply(204);
		gateway().post(`${TASKS}/t1/restore`).reply(503, '', { 'retry-after': '0' });
		gateway().post(`${TASKS}/t1/restore`).reply(204);
		expect(await json('delete')).toStrictEqual({ deleted: true, taskId });
		expect(await json('restore')).toStrictEqual({ restored: true, taskId });
	});

	test.each(['get', 'download', 'archive', 'unarchive', 'delete', 'restore', 'wait'])(
		'%s explains an ID that is not one',
		async (operation) => {
			nock('https://gateway.test')
				.persist()
				.intercept(
					/tasks\/none/,
					operation === 'delete'
						? 'DELETE'
						: /archive/.test(operation)
							? 'PATCH'
							: operation === 'restore'
								? 'POST'
								: 'GET',
				)
				.reply(422, envelope(null, 422, 'task_id: must be a UUID'));
			const { error } = await run(operation, { taskId: 'none' });
			expect(error?.message).toBe('The gateway does not accept this task ID');
			expect(error?.description).toContain('must be a UUID');
		},
	);

	it('an invalid key is still reported as such', async () => {
		gateway()
			.delete(`${TASKS}/t1`)
			.reply(401, {
				error: { message: 'no', type: 'authentication_error', param: null, code: 'invalid_api_key' },
			});
		expect((await run('delete', { taskId })).error?.message).toBe('The gateway refused the API key');
	});
});

describe('getLyrics', () => {
	const alignment = {
		alignedWords: [{ word: 'a', startS: 1 }],
		waveformData: [0.1],
		hootCer: 0.1,
		isStreamed: false,
	};

	it('returns the alignment', async () => {
		gateway().post(`${TASKS}/t1/lyrics/timestamped`, { audioId: 'a1' }).reply(200, envelope(alignment));
		expect(await json('getLyrics', { taskId, audioId: 'a1' })).toStrictEqual({
			taskId,
			audioId: 'a1',
			...alignment,
		});
	});

	it('explains a task that is not music', async () => {
		gateway().post(`${TASKS}/t1/lyrics/timestamped`).reply(400, envelope(null, 400));
		const { error } = await run('getLyrics', { taskId, audioId: 'a1' });
		expect(error?.message).toBe('The gateway has no lyrics for this');
		expect(error?.description).toContain('music tasks only');
	});
});

describe('session: create', () => {
	it('sends the body and returns the session unchanged', async () => {
		gateway()
			.post('/api/v1/media/sessions', { name: 'x', n: 1 })
			.reply(201, envelope({ sessionId: 's', name: 'x' }));
		const parameters = { sessionJson: '{"name":"x","n":1}' };
		expect(await json('create', parameters, 'session')).toStrictEqual({ sessionId: 's', name: 'x' });
	});

	it('rejects a body that is not an object, with an example', async () => {
		const { error } = await run('create', { sessionJson: '["x"]' }, {}, 'session');
		expect(error?.message).toBe('\'Session (JSON)\' is not a JSON object: "[\\"x\\"]"');
		expect(error?.description).toContain('It looks like { "name": ');
	});
});

describe('model: getMany', () => {
	const models = [
		painter({ properties: {} }, { extra: 1 }),
		painter({}, { id: 'acme/film', media_type: 'video' }),
		painter({}, { id: 'zeta/song', media_type: 'music', owned_by: 'zeta' }),
	];
	const ids = async (parameters: object) => {
		catalogue(models);
		const { items } = await run('getMany', parameters, {}, 'model');
		return items.map(({ json: { id } }) => id);
	};

	it('returns the records unchanged', async () => {
		catalogue(models);
		const { items } = await run('getMany', {}, {}, 'model');
		expect(items.map((item) => item.json)).toStrictEqual(models);
	});

	it('filters by words, and limits the number', async () => {
		expect(await ids({ search: 'Song zeta' })).toStrictEqual(['zeta/song']);
		expect(await ids({ search: 'acme', limit: 1 })).toStrictEqual(['acme/painter']);
		expect(await ids({ returnAll: true })).toHaveLength(3);
		expect(await ids({ limit: 2 })).toHaveLength(2);
	});
});

describe('wait', () => {
	it('waits for the tasks of all items together at any concurrency', async () => {
		nock('https://gateway.test')
			.persist()
			.get(/tasks/)
			.reply(200, envelope({ state: 'waiting' }));
		const items = Array.from({ length: 40 }, (_, n) => ({ json: { id: `t${n}` } }));
		const start = Date.now();
		const result = await run(
			'wait',
			{ taskId: '={{ $json.id }}', options: { maxWait: 0.02, concurrency: 2 } },
			{ ...continueOnFail, items },
		);
		expect(result.items).toHaveLength(40);
		expect(Date.now() - start).toBeLessThan(5_000);
	});
});

describe('the files of wait', () => {
	test.each([
		['/..%2F..%2Fetc%2Fpasswd', {}, 'passwd'],
		['/x.png', { 'content-disposition': 'attachment; filename="../../../root/.ssh/id"' }, 'id'],
	])('drops the path of the name in %s %j', async (path, headers, fileName) => {
		const result = JSON.stringify({ resultUrls: [`https://files.test${path}`] });
		gateway()
			.get(`${TASKS}/t1`)
			.reply(200, envelope({ taskId, state: 'success', resultJson: result }));
		nock('https://files.test').get(/./).reply(200, 'bytes', headers);
		const { items, error } = await run('wait', { taskId });
		expect(error).toBeUndefined();
		expect(items[0]?.binary?.data?.fileName).toBe(fileName);
	});
});

describe('invalid input of a task request is rejected before anything is sent', () => {
	const taskRequest = { model, inputMode: 'json', inputJson: '{}' };

	test.each<[string, object, string, string]>([
		[
			'a local callback URL',
			{ callbackUrl: 'http://192.168.1.5:5678/x' },
			'callbackUrl',
			'cannot reach the callback URL',
		],
		['a callback URL that is not a URL', { callbackUrl: 'x' }, 'callbackUrl', 'no web address'],
		['a key of other letters', { idempotencyKey: 'заказ-А' }, 'idempotencyKey', 'cannot be sent'],
		['a key that ends with a space', { idempotencyKey: 'order-7 ' }, 'idempotencyKey', 'cannot be sent'],
		['a price that is not a number', { maxPriceRub: '={{ "12,5" }}' }, 'maxPriceRub', 'not allowed: "12,5"'],
		['a blank price', { maxPriceRub: '={{ " " }}' }, 'maxPriceRub', 'not allowed: " "'],
		['a negative price', { maxPriceRub: -1 }, 'maxPriceRub', 'not allowed: -1'],
	])('%s', async (_, options, param, message) => {
		const count = catalogue();
		const sent = creations();
		const { items } = await run('create', { ...taskRequest, options }, continueOnFail);
		expect(items[0]?.json.error).toMatchObject({
			param,
			message: expect.stringContaining(message) as string,
		});
		expect(sent).toStrictEqual([]);
		expect(count.requests).toBe(0);
	});
});
