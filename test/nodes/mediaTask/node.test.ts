import nock from 'nock';

import { catalogue, envelope, gateway, model, run, TASKS as API } from '../../helpers/media';
import { useNock } from '../../helpers/nock';

useNock();
beforeEach(() => void catalogue([]));

const taskRequest = { model, inputMode: 'json', inputJson: '{"prompt": "2024", "n": 2}' };

describe('task: create', () => {
	it('explains invalid input to an agent’s model, which can correct it', async () => {
		gateway().post(API).reply(422, { code: 422, msg: 'input.n must be <= 4', data: null });
		const { items } = await run('create', taskRequest, { asTool: true });
		expect(items[0]?.json.error).toContain('input.n must be at most 4');
	});
});

describe('task: get', () => {
	it.each([
		['a resource locator', { __rl: true, mode: 'id', value: 't1' }],
		['a number', '={{ 7 }}'],
	])('accepts %s as an ID', async (_, taskId) => {
		nock('https://gateway.test')
			.get(/tasks\/(t1|7)$/)
			.reply(200, envelope({ state: 'waiting' }));
		const { items } = await run('get', { taskId });
		expect(items[0]?.json.state).toBe('waiting');
	});
});

describe('task: download', () => {
	it('streams the result with its name and type', async () => {
		gateway().get(`${API}/t1/download`).reply(200, 'bytes', {
			'content-type': 'image/png',
			'content-disposition': "attachment; filename*=UTF-8''%D0%BA%D0%BE%D1%82.png",
		});
		const { items } = await run('download', { taskId: 't1' });
		expect(items[0]?.json).toStrictEqual({ taskId: 't1', fileName: 'кот.png', mimeType: 'image/png' });
		expect(items[0]?.binary?.data).toMatchObject({ fileName: 'кот.png' });
	});
});
