/** Media tasks and their flags (§3.1, §3.2, §4.6, §4.7). */
import { at, call, createTask, endOf, resultUrls, useGateway, waitFor } from './harness';

const gateway = useGateway();
const path = '/async/media/tasks';

describe('creation', () => {
	it('responds with 201 and code 200, and charges the price of the tier', async () => {
		const json = { model: 'aurora/canvas-1', input: { prompt: 'a fox', quality: 'high', size: '1536x1024' } };
		const response = await call(gateway(), path, { json });
		expect(response.status).toBe(201);
		expect(response.body).toMatchObject({
			code: 200,
			msg: 'success',
			data: { taskId: expect.any(String) as string },
		});
		expect(gateway().control.ledger()).toMatchObject([{ kind: 'media', amount: '16.65' }]);
	});

	it('creates and charges once per Idempotency-Key, also for repeats at the same time', async () => {
		const headers = { 'idempotency-key': 'order-1' };
		const ids = await Promise.all([1, 2, 3].map(() => createTask(gateway(), undefined, headers)));
		expect(new Set(ids).size).toBe(1);
		expect(gateway().control.ledger()).toMatchObject([{ idempotencyKey: 'order-1', taskId: ids[0] }]);
	});

	it('separates the keys of accounts, and creates again without a key', async () => {
		const other = gateway().control.createKey({ account: 'other' }).key;
		const headers = { 'idempotency-key': 'order-1' };
		const first = await createTask(gateway(), undefined, headers);
		const second = await createTask(gateway(), undefined, { ...headers, 'x-api-key': other });
		expect(second).not.toBe(first);
		expect(await createTask(gateway())).not.toBe(await createTask(gateway()));
	});

	it.each([
		['prompt', { model: 'aurora/canvas-1', input: {} }],
		['size', { model: 'aurora/canvas-1', input: { prompt: 'x', size: 'huge' } }],
		['guidance', { model: 'aurora/canvas-1', input: { prompt: 'x', guidance: 21 } }],
		['watermark.text', { model: 'aurora/canvas-1', input: { prompt: 'x', watermark: {} } }],
		['colour', { model: 'aurora/canvas-1', input: { prompt: 'x', colour: 'red' } }],
		['image_urls', { model: 'aurora/retouch-1', input: { prompt: 'x' } }],
		['image_urls.0', { model: 'aurora/retouch-1', input: { prompt: 'x', image_urls: ['no url'] } }],
		['model', { model: 'no/such', input: {} }],
		['input', { model: 'aurora/canvas-1' }],
		['callBackUrl', { model: 'voxa/speech-1', input: { text: 'x' }, callBackUrl: 'nowhere' }],
	])('names %s in a 422', async (field, json) => {
		const response = await call(gateway(), path, { json });
		expect(response.status).toBe(422);
		expect(response.body.msg).toContain(`${field}:`);
		expect(gateway().control.ledger()).toStrictEqual([]);
	});

	it('runs one task at a time in a session', async () => {
		gateway().control.configure({ taskDuration: { image: 60_000 } });
		const session = await call(gateway(), '/media/sessions', { json: { name: 'mine' } });
		const sessionId = at(session.body, 'data.sessionId');
		const json = { model: 'aurora/canvas-1', input: { prompt: 'x' }, sessionId };
		await createTask(gateway(), json);
		expect((await call(gateway(), path, { json })).status).toBe(409);
	});
});

describe('life cycle', () => {
	it('goes from waiting through processing to success', async () => {
		gateway().control.configure({ taskDuration: { audio: 1_500 } });
		const id = await createTask(gateway(), { model: 'voxa/speech-1', input: { text: 'hello' } });
		const states = new Set<unknown>();
		await waitFor(async () => {
			const { body } = await call(gateway(), `${path}/${id}`);
			states.add(at(body, 'data.state'));
			return states.has('success');
		});
		expect([...states]).toStrictEqual(['waiting', 'processing', 'success']);
	});

	it.each([
		['by the prompt', 'a [[fail:NSFW]] fox', 'NSFW'],
		['by control', 'a fox', 'OUT_OF_PAINT'],
	])('fails %s', async (_by, prompt, code) => {
		gateway().control.configure({ taskFailure: { code, message: 'No', times: 1 } });
		const task = await endOf(
			gateway(),
			await createTask(gateway(), { model: 'aurora/canvas-1', input: { prompt } }),
		);
		expect(task).toMatchObject({ state: 'fail', failCode: code, failMsg: expect.any(String) as string });
	});

	it('can be ended by control', async () => {
		gateway().control.configure({ taskDuration: { image: 60_000 } });
		const id = await createTask(gateway());
		const view = await gateway().control.finishTask(id, { failCode: 'X', failMsg: 'Y' });
		expect(view.state).toBe('fail');
	});

	it('is 404 for another account, and 422 for an invalid ID', async () => {
		const key = gateway().control.createKey({ account: 'other' }).key;
		const id = await createTask(gateway());
		expect((await call(gateway(), `${path}/${id}`, { key })).status).toBe(404);
		expect((await call(gateway(), `${path}/none`)).status).toBe(422);
	});
});

describe('flags (§3.2)', () => {
	const archive = async (id: string, json?: unknown) =>
		(await call(gateway(), `${path}/${id}/archive`, { method: 'PATCH', json })).status;

	it('archive changes the flag, or is 404', async () => {
		const id = await createTask(gateway());
		expect(await archive(id, {})).toBe(404);
		expect(await archive(id, { archive: true })).toBe(204);
		expect(await archive(id, { archive: true })).toBe(404);
		expect((await call(gateway(), `${path}/${id}`)).status).toBe(200);
		expect(at((await call(gateway(), path)).body, 'data.total')).toBe(0);
		expect(at((await call(gateway(), `${path}?archived=true`)).body, 'data.total')).toBe(1);
		expect(await archive(id)).toBe(204);
	});

	it('delete deletes the files, and restore restores those that were deleted with it', async () => {
		const input = { prompt: 'two', num_images: 2, size: '512x512' };
		const id = await createTask(gateway(), { model: 'aurora/canvas-1', input });
		const [first = '', second = ''] = resultUrls(await endOf(gateway(), id));
		const fileId = first.split('/').at(-1)?.split('.')[0] ?? '';
		const statuses = async () => [(await fetch(first)).status, (await fetch(second)).status];
		expect((await call(gateway(), `/storage/${fileId}`, { method: 'DELETE' })).status).toBe(200);
		for (let time = 0; time < 2; time += 1) {
			expect((await call(gateway(), `${path}/${id}`, { method: 'DELETE' })).status).toBe(204);
		}
		expect((await call(gateway(), `${path}/${id}`)).status).toBe(404);
		expect(await statuses()).toStrictEqual([404, 404]);
		for (let time = 0; time < 2; time += 1) {
			expect((await call(gateway(), `${path}/${id}/restore`, { method: 'POST' })).status).toBe(204);
		}
		expect((await call(gateway(), `${path}/${id}`)).status).toBe(200);
		expect(await statuses()).toStrictEqual([404, 200]);
	});
});
