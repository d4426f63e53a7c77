import nock from 'nock';

import { binaryStorage } from '../../helpers/engine';
import { envelope, files, gateway, model, run, TASKS as API } from '../../helpers/media';
import { useNock } from '../../helpers/nock';

useNock();

const taskRequest = { model, inputMode: 'json', inputJson: '{"prompt": "2024", "n": 2}' };

/** An ended task, and a catalogue with its model. */
function finishedTask(data: object, catalogue: object[] = [{ id: 'acme/painter', media_type: 'image' }]) {
	gateway().get('/api/v1/media/models').optionally().reply(200, { object: 'list', data: catalogue });
	return gateway()
		.persist()
		.get(`${API}/t1`)
		.reply(200, envelope({ taskId: 't1', model: 'acme/painter', createTime: 1_760_000_000_000, ...data }));
}

/** Polls at once, without the first pause. */
const atOnce = { idempotencyKey: '=k{{ $itemIndex }}' };

describe('task: createAndWait', () => {
	it('returns the task and its files, which are fetched without the key', async () => {
		gateway()
			.post(API)
			.reply(201, envelope({ taskId: 't1' }));
		finishedTask({
			state: 'success',
			resultJson: JSON.stringify({
				resultUrls: ['https://files.test/a%20b.png?sig=1', 'https://files.test/c'],
				seed: 7,
			}),
		});
		files().get('/a%20b.png?sig=1').reply(200, 'first file', { 'content-type': 'image/png' });
		files().get('/c').reply(200, 'second file', { 'content-type': 'image/jpeg; charset=x' });
		const { items, error } = await run('createAndWait', { ...taskRequest, options: atOnce });
		expect(error).toBeUndefined();
		expect(items[0]?.json).toStrictEqual({
			taskId: 't1',
			model: 'acme/painter',
			state: 'success',
			createdAt: '2025-10-09T08:53:20.000Z',
			resultUrls: ['https://files.test/a%20b.png?sig=1', 'https://files.test/c'],
			result: { seed: 7 },
		});
		expect(items[0]?.binary).toMatchObject({
			data: { fileName: 'a b.png', mimeType: 'image/png' },
			data_1: { fileName: 'c.jpg', mimeType: 'image/jpeg' },
		});
		const first = items[0]?.binary?.data;
		expect(first && String(await (await binaryStorage()).getAsBuffer(first))).toBe('first file');
	});

	it('uses the gateway’s download when the task has no URL', async () => {
		gateway()
			.post(API)
			.reply(201, envelope({ taskId: 't1' }));
		finishedTask({ state: 'success', resultJson: 'not json' });
		gateway().get(`${API}/t1/download`).reply(200, 'zip bytes', {
			'content-type': 'application/zip',
			'content-disposition': 'attachment; filename="../../task_t1.zip"',
		});
		const { items } = await run('createAndWait', {
			...taskRequest,
			options: { ...atOnce, binaryPropertyName: 'result' },
		});
		expect(items[0]?.binary?.result).toMatchObject({ fileName: 'task_t1.zip', mimeType: 'application/zip' });
		expect(items[0]?.json.result).toBe('not json');
	});

	it('creates all tasks before it waits for the first', async () => {
		const log: string[] = [];
		nock('https://gateway.test')
			.persist()
			.post(API)
			.reply(() => {
				log.push('create');
				return [201, envelope({ taskId: 't1' })];
			});
		nock('https://gateway.test').get('/api/v1/media/models').reply(200, { data: [] });
		nock('https://gateway.test')
			.persist()
			.get(`${API}/t1`)
			.reply(() => {
				log.push('poll');
				return [200, envelope({ state: 'success', resultJson: '{}' })];
			});
		await run(
			'createAndWait',
			{ ...taskRequest, downloadResults: false, options: { ...atOnce, concurrency: 1 } },
			{ items: Array.from({ length: 5 }, () => ({ json: {} })) },
		);
		expect(log).toStrictEqual([...Array<string>(5).fill('create'), ...Array<string>(5).fill('poll')]);
	});
});
