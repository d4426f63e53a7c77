import type { IncomingRequest } from '../helpers/contexts';
import { filled } from '../contract/support';
import { sendCallback } from '../nodes/mediaTaskTrigger/support';
import { useReports } from './support';

// §6.4 shows no callback: the ID of a task is found wherever it stands, and nothing else of the call is taken.

const { gateway } = useReports();

const create = async (prompt: string, key = gateway.apiKey) => {
	const { items } = await gateway.media('create', filled('aurora/canvas-1', { prompt }), {
		keyOf: () => key,
	});
	return items[0]?.json.taskId as string;
};
const ended = async (...created: Parameters<typeof create>) =>
	(await gateway.control.finishTask(await create(...created))).taskId;
const call = async (request: IncomingRequest, parameters: object = {}, store: object = {}) => {
	const credential = { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey };
	return await sendCallback({ downloadResults: false, ...parameters }, request, { credential, store });
};

const text = (value: unknown) => JSON.stringify(value);

/** Ten words that might be IDs. */
const PROMPT = '1girl, 35mm film, f1-8, iso-400, 4k, 8k, 90s, 3d, v6-1, 16-9';

const PLACES: Array<[where: string, request: (id: string) => IncomingRequest]> = [
	['in the body', (taskId) => ({ body: { taskId, state: 'success' } })],
	['in the query', (taskId) => ({ body: {}, query: { taskId } })],
	['in the envelope of the gateway', (taskId) => ({ body: { code: 200, msg: 'success', data: { taskId } } })],
	['in a nested object', (task_id) => ({ body: { event: 'done', data: { task: { task_id } } } })],
	['in a list', (id) => ({ body: [{ id: 'evt-1' }, null, { id }] })],
	['behind the ID of an event', (taskId) => ({ body: { id: 'evt-1', data: { taskId } } })],
	[
		'behind the prompt and the times of the task',
		(taskId) => ({
			body: {
				createTime: 1_755_599_634_000,
				param: text({ prompt: PROMPT }),
				completeTime: 1_755_599_644_000,
				taskId,
			},
		}),
	],
	['below 400 objects', (taskId) => ({ body: below(400, { taskId }) })],
	['in JSON text', (taskId) => ({ body: text({ data: { taskId } }) })],
	['in JSON text within JSON text', (taskId) => ({ body: text(text({ result: text({ taskId }) })) })],
	['in a form field of JSON', (id) => ({ body: { payload: text([{ task: { id } }]) } })],
	['in JSON that was sent as a form', (taskId) => ({ body: { [text({ taskId })]: '' } })],
	['as text that was sent as a form', (id) => ({ body: { [id]: '' } })],
	['in XML', (id) => ({ body: { callback: { task: { $: { id } } } } })],
	...['task_id', 'TaskID', 'task-id', 'task', 'taskUuid', 'id', 'uuid'].map(
		(name): [string, (id: string) => IncomingRequest] => [
			`under the name ${name}`,
			(id) => ({ body: { status: 'done', [name]: id } }),
		],
	),
];

const below = (depth: number, value: unknown): unknown =>
	depth === 0 ? value : { inner: below(depth - 1, value) };

test.each(PLACES)('a task whose ID stands %s starts the workflow, once', async (_, request) => {
	const [other, taskId] = [await ended('a dog'), await ended('a cat')];
	const store = {};
	const { item, status, message } = await call(request(taskId), {}, store);
	expect([item?.json.taskId, item?.json.state, status, message]).toStrictEqual([
		taskId,
		'success',
		200,
		undefined,
	]);
	const keys = ['taskId', 'model', 'state', 'createdAt', 'resultUrls', 'priceRub'];
	expect(keys).toStrictEqual(expect.arrayContaining(Object.keys(item?.json ?? {})));
	expect((await call(request(taskId), {}, store)).item).toBeUndefined();
	expect((await call(request(other), {}, store)).item?.json.taskId).toBe(other);
});

const another = async () => await ended('a cow', gateway.control.createKey({ account: 'another' }).key);
const running = async () => {
	gateway.control.configure({ taskDuration: { image: 86_400_000 } });
	return await create('a fox');
};
const failed = async () => {
	gateway.control.configure({ taskFailure: { code: 'MODERATION', message: 'Not this one', times: 1 } });
	return await ended('a fox');
};

const NOTHING: Array<[string, () => Promise<string>, object, status: number, message: string]> = [
	['of another account', another, {}, 404, 'The account has no such media task'],
	[
		'that nobody has',
		async () => await Promise.resolve('none-1'),
		{},
		404,
		'The account has no such media task',
	],
	['that has not ended', running, {}, 200, 'The media task has not ended'],
	[
		'that has failed, with *Success*',
		failed,
		{ events: 'success' },
		200,
		'A media task in this state does not start the workflow',
	],
	[
		'that has succeeded, with *Fail*',
		async () => await ended('a fox'),
		{ events: 'fail' },
		200,
		'A media task in this state does not start the workflow',
	],
	['without an ID', async () => await Promise.resolve(' '), {}, 400, 'The call names no media task'],
];

test.each(NOTHING)('a call about a task %s starts nothing', async (_, made, parameters, status, message) => {
	const taskId = await made();
	const body = { taskId, state: 'success', resultUrls: ['https://files.test/forged.png'] };
	const result = await call({ body }, parameters);
	expect([result.item, result.status, result.message]).toStrictEqual([undefined, status, message]);
});

test('a failed task starts the workflow with the reason that the gateway has, not the caller’s', async () => {
	const taskId = await failed();
	const { item } = await call({ body: { taskId, state: 'success', failMsg: 'forged' } });
	const reason = { state: 'fail', failCode: 'MODERATION', failMsg: 'Not this one' };
	expect(item?.json).toMatchObject({ taskId, ...reason, resultUrls: [] });
});
