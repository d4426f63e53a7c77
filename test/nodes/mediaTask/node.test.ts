import nock from 'nock';

import { catalogue, envelope, gateway, model, run, TASKS as API } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { jsonProblem } from '../../helpers/jsonProblem';

useNock();
beforeEach(() => void catalogue([]));

const taskRequest = { model, inputMode: 'json', inputJson: '{"prompt": "2024", "n": 2}' };

/** A task that has ended. */
function finishedTask(data: object) {
	return gateway()
		.persist()
		.get(`${API}/t1`)
		.reply(200, envelope({ taskId: 't1', model: 'acme/painter', createTime: 1_760_000_000_000, ...data }));
}

describe('task: create', () => {
	it('sends the input unchanged with an idempotency key, and returns the task ID', async () => {
		gateway()
			.post(API, {
				model: 'acme/painter',
				input: { prompt: '2024', n: 2 },
				sessionId: 's',
				callBackUrl: 'https://n8n.test/hook',
			})
			.matchHeader('idempotency-key', /^n8n-gw-[0-9a-f]{64}$/)
			.reply(201, envelope({ taskId: 't1' }));
		const { items } = await run('create', {
			...taskRequest,
			options: { sessionId: 's', callbackUrl: 'https://n8n.test/hook' },
		});
		expect(items).toStrictEqual([{ json: { taskId: 't1', model: 'acme/painter' }, pairedItem: { item: 0 } }]);
	});

	it('uses one key for all retries of an item, and another one for another item', async () => {
		const keys: string[] = [];
		nock('https://gateway.test')
			.persist()
			.post(API)
			.reply(function () {
				keys.push(String(this.req.headers['idempotency-key']));
				return keys.length <= 2
					? [503, '', { 'retry-after': '0' }]
					: [201, envelope({ taskId: `t${keys.length}` })];
			});
		await run('create', taskRequest, { items: [{ json: {} }, { json: {} }] });
		expect(keys).toHaveLength(4);
		expect(new Set(keys).size).toBe(2);
	});

	it('uses the user’s own key', async () => {
		gateway()
			.post(API)
			.matchHeader('idempotency-key', 'order-7')
			.reply(201, envelope({ taskId: 't1' }));
		const { items } = await run('create', { ...taskRequest, options: { idempotencyKey: 'order-7' } });
		expect(items[0]?.json.taskId).toBe('t1');
	});

	it('reports that a task may exist when every response to its request is lost, and is not retryable', async () => {
		nock('https://gateway.test').persist().post(API).reply(201, '');
		const { items } = await run(
			'create',
			{ ...taskRequest, options: { maxRetries: 0 } },
			{ settings: { onError: 'continueRegularOutput' } },
		);
		expect(items[0]?.json.error).toMatchObject({ retryable: false, mayBeCharged: true });
		expect((items[0]?.json.error as unknown as { description: string }).description).toContain(
			'Idempotency Scope',
		);
	});

	test.each([
		['no task ID', envelope({ task_id: 't1' })],
		['nothing', envelope(null)],
	])('reports the same for a successful response with %s', async (_, body) => {
		nock('https://gateway.test').post(API).reply(201, body);
		const { items } = await run('create', taskRequest, { settings: { onError: 'continueRegularOutput' } });
		expect(items[0]?.json.error).toMatchObject({
			message: 'The gateway’s response has no task ID',
			mayBeCharged: true,
			description: expect.stringContaining('may have been created and charged') as string,
		});
	});

	it('repeats the request with the same key when Retry On Fail runs the node again', async () => {
		const keys: string[] = [];
		nock('https://gateway.test')
			.persist()
			.post(API)
			.reply(function () {
				keys.push(String(this.req.headers['idempotency-key']));
				return keys.length === 1 ? [400, envelope(null, 400)] : [201, envelope({ taskId: 't1' })];
			});
		await run('create', taskRequest, { settings: { retryOnFail: true, waitBetweenTries: 1 } });
		expect(keys).toHaveLength(2);
		expect(keys[0]).toBe(keys[1]);
	});

	it('names the tasks that exist when another item fails', async () => {
		let calls = 0;
		nock('https://gateway.test')
			.persist()
			.post(API)
			.reply(() =>
				(calls += 1) === 3 ? [402, envelope(null, 402)] : [201, envelope({ taskId: `task-${calls}` })],
			);
		const { error } = await run(
			'create',
			{ ...taskRequest, options: { concurrency: 1 } },
			{ items: [{ json: {} }, { json: {} }, { json: {} }] },
		);
		expect(error?.message).toBe('There is not enough money in the gateway wallet');
		expect(error?.description).toContain('task-1, task-2');
	});

	test.each([
		[
			'input that is no JSON',
			{ inputJson: '={{ "{prompt: 1" }}' },
			`'Input (JSON)' is not a JSON object: "{prompt: 1" (${jsonProblem('{prompt: 1')})`,
		],
		['input that is a list', { inputJson: '[1]' }, '\'Input (JSON)\' is not a JSON object: "[1]"'],
		[
			'a callback URL that is not a URL',
			{ options: { callbackUrl: 'n8n/hook' } },
			"'Callback URL' is not a web address",
		],
		[
			'a key that is too long',
			{ options: { idempotencyKey: 'k'.repeat(256) } },
			"'Idempotency Key' cannot be sent as it is",
		],
		[
			'an unknown scope',
			{ options: { idempotencyScope: '={{ "life" }}' } },
			'The option \'Idempotency Scope\' has a value that is not allowed: "life"',
		],
	])('rejects %s before anything is sent', async (_, extra, message) => {
		const { error } = await run('create', { ...taskRequest, ...extra });
		expect(error?.message).toBe(message);
	});

	it('explains invalid input to an agent’s model, which can correct it', async () => {
		gateway().post(API).reply(422, { code: 422, msg: 'input.n must be <= 4', data: null });
		const { error } = await run('create', taskRequest, { asTool: true });
		expect(error?.message).toContain('input.n must be <= 4');
	});

	it('names the field of the gateway’s error', async () => {
		gateway().post(API).reply(422, { code: 422, msg: 'input.n must be <= 4', data: null });
		const { error } = await run('create', taskRequest);
		expect(error?.message).toBe('input.n must be <= 4');
		expect(error?.description).toContain('The gateway did not accept the model or its input. Correct');
	});
});

describe('task: get', () => {
	it('returns a failed task', async () => {
		finishedTask({ state: 'fail', failCode: 5, failMsg: 'no' });
		const { items } = await run('get', { taskId: 't1' });
		expect(items[0]?.json).toMatchObject({
			taskId: 't1',
			state: 'fail',
			failCode: '5',
			failMsg: 'no',
			resultUrls: [],
		});
	});

	it('returns the tracks of a music task', async () => {
		finishedTask({
			state: 'success',
			resultJson: '{"tracks":[{"id":"a1"}],"resultUrls":"https://files.test/a.mp3"}',
		});
		const { items } = await run('get', { taskId: 't1' });
		expect(items[0]?.json).toMatchObject({
			tracks: [{ id: 'a1' }],
			resultUrls: ['https://files.test/a.mp3'],
		});
	});

	it('explains a task that does not exist', async () => {
		gateway().get(`${API}/t%2F1`).reply(404, envelope(null, 404));
		const { error } = await run('get', { taskId: 't/1' });
		expect(error?.message).toBe('The gateway has no such media task');
	});

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

	it('rejects an empty ID before anything is sent', async () => {
		const { error } = await run('get', { taskId: '={{ $json.taskId }}' });
		expect(error?.message).toBe("'Task ID' is empty");
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
