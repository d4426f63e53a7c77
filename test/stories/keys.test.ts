import type { INodeExecutionData } from 'n8n-workflow';

import { asArray, asObject, asText } from '../../nodes/shared/gateway/util/json';
import { form, locator } from '../helpers/values';
import { picture, PIXEL, withFiles } from '../nodes/text/files';
import type { Story, StoryNode } from './execution';
import { image, prompts, respondJson, RETRY_ON_FAIL, says, useStories } from './support';

// Which task an item gets: that of its own request, whatever happened to the workflow, the rows and n8n in between.

const { gateway, execute, executeUntilKilled, disturb, calm } = useStories();

/** What the user asked for, and what the pictures show that the items have. */
function pictures(items: INodeExecutionData[]) {
	const shown = new Map(gateway.control.tasks().map(({ taskId, input }) => [taskId, asText(input.prompt)]));
	return items.map(({ json }) => shown.get(asText(json.taskId) ?? ''));
}
const headers = (key = gateway.apiKey) => ({ Authorization: `Bearer ${key}` });
const creations = () => gateway.control.requests({ method: 'POST', path: '/async/media/tasks' });
const isPoll = (method: string, path: string) => method === 'GET' && path.includes('/async/media/tasks/');
const tasksOf = (items: INodeExecutionData[]) => items.map(({ json }) => json.taskId);

describe('n8n is killed after three pictures are paid for, and the execution is retried', () => {
	const killed = async (node = image(), rows = prompts('cat', 'dog', 'cow')) => {
		gateway.control.configure({ taskDuration: { image: 10_000_000 } });
		const execution = await executeUntilKilled(3, node, rows);
		for (const { taskId } of gateway.control.tasks()) await gateway.control.finishTask(taskId);
		gateway.control.configure({ taskDuration: { image: 0 } });
		return execution;
	};

	it.each<[string, string[], charges: number]>([
		['the first row is gone', ['dog', 'cow'], 3],
		['a row is new at the top', ['bird', 'cat', 'dog', 'cow'], 4],
		['the rows have another order', ['cow', 'cat', 'dog'], 3],
		['a prompt is corrected in the node before', ['cat', 'black dog', 'cow'], 4],
		['a row is there twice', ['cat', 'cat', 'cow'], 4],
	])('%s: each row has its own picture', async (_, rows, charges) => {
		const retried = await (await killed()).retryAfterKill(prompts(...rows));
		expect(retried.error).toBeUndefined();
		expect(pictures(retried.items())).toStrictEqual(rows);
		expect(new Set(tasksOf(retried.items())).size).toBe(rows.length);
		expect(gateway.charges()).toBe(charges);
	});

	async function newSession() {
		const request = { method: 'POST', headers: headers() };
		const response = await fetch(`${gateway.baseUrl}/media/sessions`, request);
		return ((await response.json()) as { data: { sessionId: string } }).data.sessionId;
	}
	/** A row with a file that ends with its own bytes. */
	async function withFile(own: string, fileName = 'a.png') {
		const content = Buffer.concat([PIXEL, Buffer.from(own)]);
		return { ...(await withFiles({ ...picture, name: 'data', content, fileName })), json: { own } };
	}

	/** What only the request of one row had, for the task of an item. */
	async function createdWith({ json }: INodeExecutionData) {
		const task = gateway.control.tasks().find(({ taskId }) => taskId === json.taskId);
		const first = creations().find((request) => request.headers['idempotency-key'] === task?.idempotencyKey);
		const { sessionId, input, model } = asObject(first?.body.json) ?? {};
		const [url] = asArray(asObject(input)?.image_urls);
		if (url === undefined) return sessionId ?? asObject(input)?.size ?? model;
		const bytes = await (await fetch(asText(url) ?? '')).arrayBuffer();
		return Buffer.from(bytes).subarray(PIXEL.length).toString();
	}

	const inputFiles = { files: [{ inputField: 'image_urls' }] };
	const edit = { operation: 'edit', model: locator('aurora/retouch-1'), input: form({}), inputFiles };
	const MODELS = ['aurora/canvas-1', 'lumen/motion-2', 'harmonia/song-3'];
	const ofTask = { resource: 'task', operation: 'createAndWait', options: { sessionId: '={{ $json.own }}' } };
	it.each<[string, object, (index: number) => Promise<INodeExecutionData>]>([
		['session', ofTask, async () => ({ json: { own: await newSession() } })],
		[
			'model',
			{ ...ofTask, model: locator('={{ $json.own }}'), input: form({}), options: {} },
			(index) => Promise.resolve({ json: { own: MODELS[index] } }),
		],
		[
			'form',
			{ input: form({ quality: 'draft', size: '={{ $json.own }}' }) },
			(index) => Promise.resolve({ json: { own: ['512x512', '1024x1024', '1536x1024'][index] } }),
		],
		['file’s name', edit, async (index) => await withFile(`${index}`, `${index}.png`)],
		['file’s size, by a byte', edit, async (index) => await withFile('.'.repeat(1_200 + index))],
	])(
		'rows that differ only in their %s have another order: each has its own picture',
		async (_, node, row) => {
			const rows = await Promise.all([0, 1, 2].map(row));
			const execution = await killed(image({ prompt: 'cat', ...node }), rows);
			const moved = [2, 0, 1].flatMap((index) => rows[index] ?? []);
			const retried = await execution.retryAfterKill(moved);
			expect(retried.error).toBeUndefined();
			const own = moved.map(({ json }) => json.own);
			expect(await Promise.all(retried.items().map(createdWith))).toStrictEqual(own);
			expect(gateway.charges()).toBe(3);
		},
	);
});

describe('the same prompt several times', () => {
	const SAME = prompts('cat', 'cat', 'dog', 'cat');

	it.each<[string, object]>([
		['makes a picture for each item', {}],
		['creates a task for each item', { resource: 'task', operation: 'create' }],
	])('%s, also one after the other and with Retry On Fail', async (_, parameters) => {
		disturb(says('dog'), { kind: 'error', code: 'service_unavailable' });
		const options = { maxRetries: 0, concurrency: 1 };
		const node = image({ ...parameters, options }, RETRY_ON_FAIL);
		const failed = await execute(node, SAME);
		expect(failed.error).toBeDefined();
		calm();
		const retried = await failed.retry();
		expect(pictures(retried.items())).toStrictEqual(['cat', 'cat', 'dog', 'cat']);
		expect(new Set(tasksOf(retried.items())).size).toBe(4);
		expect(gateway.charges()).toBe(4);
	});

	it('makes a picture in each round of a loop and in each node', async () => {
		const node = image({ prompt: 'cat' });
		const execution = await execute([node, node], prompts(''), { rounds: [prompts('', ''), prompts('')] });
		const all = [...execution.items(), ...execution.items('Gateway 2')];
		expect(new Set(tasksOf(all)).size).toBe(8);
		expect(gateway.charges()).toBe(8);
	});

	it('makes no other picture when n8n is killed in the second round', async () => {
		gateway.control.configure({ taskDuration: { image: 0 } });
		const killed = await executeUntilKilled(2, image(), prompts('cat'), { rounds: [prompts('cat')] });
		const retried = await killed.retryAfterKill();
		expect(retried.error).toBeUndefined();
		expect(new Set(tasksOf(retried.items())).size).toBe(2);
		expect(gateway.charges()).toBe(2);
	});
});

describe('somebody edits the node before the retry', () => {
	/** The second of three pictures is refused. */
	async function failed(parameters: object = {}) {
		disturb(says('dog'), { kind: 'error', code: 'invalid_request' });
		const execution = await execute(image(parameters), prompts('cat', 'dog', 'cow'));
		expect(execution.error).toBeDefined();
		calm();
		return execution;
	}

	it('so that only one prompt is another one: the others are not paid for again', async () => {
		const execution = await failed({ options: { concurrency: 1 } });
		expect(gateway.charges()).toBe(1);
		const prompt = "={{ $json.prompt.replace('dog', 'black dog') }}";
		const retried = await execution.retry({ prompt });
		expect(retried.error).toBeUndefined();
		expect(pictures(retried.items())).toStrictEqual(['cat', 'black dog', 'cow']);
		expect(gateway.charges()).toBe(3);
		expect(retried.sums).toMatchObject({ gatewayCalls: '2', gatewayCostRub: '3.6' });
	});

	it('another *Idempotency Key* makes another picture', async () => {
		const execution = await failed({
			options: { concurrency: 1, idempotencyKey: '=order-7-{{ $json.prompt }}' },
		});
		const options = { concurrency: 1, idempotencyKey: '=order-8-{{ $json.prompt }}' };
		const retried = await execution.retry({ options });
		expect(retried.error).toBeUndefined();
		expect(gateway.charges()).toBe(4);
		const keys = gateway.control
			.requests({ method: 'POST' })
			.map(({ headers }) => headers['idempotency-key']);
		expect(keys.slice(-3).sort()).toStrictEqual(['order-8-cat', 'order-8-cow', 'order-8-dog']);
	});

	it('a task that has failed is made again, also if only *Max Wait* is another one', async () => {
		gateway.control.configure({ taskFailure: { code: 'MODERATION', message: 'Not this one', times: 1 } });
		const execution = await execute(image(), prompts('cat'));
		expect(execution.errorText).toContain('The media task failed');
		const retried = await execution.retry({ options: { maxWait: 5 } });
		expect(retried.error).toBeUndefined();
		expect(gateway.charges()).toBe(2);
	});
});

describe('a task that is paid for was deleted at the gateway', () => {
	const deletedId = () => gateway.control.tasks().find(({ input }) => input.prompt === 'dog')?.taskId;
	/** The download of a picture fails, and somebody deletes its task. */
	async function deleted(parameters: object = {}, story: Partial<Story> = {}, key = gateway.apiKey) {
		const action = { kind: 'raw', status: 404, body: 'html' } as const;
		gateway.control.addFault({ match: { host: 'files' }, action, times: 0 });
		const execution = await execute(image(parameters), prompts('cat', 'dog'), story);
		expect(execution.error).toBeDefined();
		calm();
		const url = `${gateway.baseUrl}/async/media/tasks/${deletedId()}`;
		expect((await fetch(url, { method: 'DELETE', headers: headers(key) })).status).toBe(204);
		return execution;
	}

	const node = (operation: string): StoryNode => ({
		node: 'mediaTask',
		parameters: { resource: 'task', operation, taskId: deletedId(), options: {} },
	});
	const GONE =
		/^The (task of this item was deleted at the gateway\nFirst bring it back|gateway has no such media task\n).*'Restore'/;
	/** Somebody does what the error says. */
	const restore = async (story: Partial<Story> = {}) =>
		expect((await execute(node('restore'), prompts(''), story)).error).toBeUndefined();

	it.each<[string, object]>([
		['keeps running', {}],
		['has an own key', { options: { idempotencyKey: '=order-{{ $json.prompt }}' } }],
	])('a retry makes no other one; after *Restore*, it returns both and pays nothing: %s', async (_, more) => {
		const failed = await (await deleted(more)).retry();
		expect(failed.errorText).toMatch(GONE);
		expect(failed.errorText).toContain(`Task ${deletedId()} is paid for`);
		await restore();
		const retried = await failed.retry();
		expect(retried.error).toBeUndefined();
		expect(pictures(retried.items())).toStrictEqual(['cat', 'dog']);
		expect(retried.items().every(({ binary }) => binary?.data)).toBe(true);
		expect([creations().length, gateway.charges()]).toStrictEqual([2, 2]);
	});

	it('a new execution and another input make another one, as the error says', async () => {
		const failed = await (await deleted()).retry();
		expect(failed.errorText).toContain(
			'Or use a new execution, or another input: that creates and charges another one.',
		);
		const again = await execute(image(), prompts('dog'));
		expect(pictures(again.items())).toStrictEqual(['dog']);
		expect(gateway.charges()).toBe(3);
		const retried = await failed.retry({ prompt: "={{ $json.prompt.replace('dog', 'black dog') }}" });
		expect(pictures(retried.items())).toStrictEqual(['cat', 'black dog']);
		expect(gateway.charges()).toBe(4);
	});

	it('with a key for each item, the error is about the task, and *Restore* with that key brings it back', async () => {
		const { key } = gateway.control.createKey({ account: 'second' });
		gateway.control.setBalance('100', 'second');
		const keyOf = ({ json }: INodeExecutionData) => (json.prompt === 'dog' ? key : gateway.apiKey);
		const failed = await (await deleted({}, { keyOf }, key)).retry();
		expect(failed.errorText).toMatch(GONE);
		await restore({ keyOf: () => key });
		expect(pictures((await failed.retry()).items())).toStrictEqual(['cat', 'dog']);
		expect(gateway.charges()).toBe(2);
	});

	it.each(['wait', 'get', 'download'])('the error of *%s* names *Restore*, too', async (operation) => {
		await deleted();
		const { errorText } = await execute(node(operation), prompts(''));
		expect(errorText).toMatch(GONE);
		expect(errorText).not.toContain('new execution');
		await restore();
		expect((await execute(node(operation), prompts(''))).error).toBeUndefined();
	});

	it('is not meant by a file server whose 404 is JSON: nothing is paid for, and the error is that of the file', async () => {
		gateway.control.addFault({ match: { host: 'files' }, action: respondJson({ code: 404 }, 404), times: 0 });
		const failed = await execute(image(), prompts('cat'));
		const retried = await failed.retry();
		expect(retried.errorText).toBe(failed.errorText);
		expect(retried.errorText).not.toContain('API key');
		expect(gateway.charges()).toBe(1);
	});

	it('is not meant by a proxy whose 404 is a web page: the retry waits, and pays nothing', async () => {
		const execution = await deleted();
		const action = { kind: 'raw', status: 404, body: 'html' } as const;
		const path = `/async/media/tasks/${deletedId()}`;
		gateway.control.addFault({ match: { method: 'GET', path }, action, times: 0 });
		const { errorText } = await execution.retry({ options: { maxWait: 0.5 } });
		expect(errorText).toMatch(/did not finish within the maximum wait/);
		expect(gateway.charges()).toBe(2);
	});

	it('with an own *Idempotency Key*, the error says to change it, also in another execution', async () => {
		const ownKey = { options: { idempotencyKey: '=order-{{ $json.prompt }}' } };
		const execution = await deleted(ownKey);
		const another = await execute(image(ownKey), prompts('dog'));
		const advice = "another 'Idempotency Key', which creates and charges another one";
		expect(another.errorText).toContain(advice);
		const sent = creations().length;
		const retried = await execution.retry();
		expect(retried.errorText).toContain(advice);
		expect([retried.hints(), creations().length]).toStrictEqual(['', sent]);
		const idempotencyKey = "=order-{{ $json.prompt.replace('dog', 'black dog') }}";
		const changed = await retried.retry({ options: { idempotencyKey } });
		expect(pictures(changed.items())).toStrictEqual(['cat', 'dog']);
		expect(gateway.charges()).toBe(3);
	});
});

it('a picture that is paid for comes out in a retry while the catalogue does not respond', async () => {
	const action = { kind: 'raw', status: 404, body: 'html' } as const;
	gateway.control.addFault({ match: { host: 'files' }, action, times: 0 });
	const failed = await execute(image(), prompts('cat'));
	expect(failed.error).toBeDefined();
	disturb(({ group }) => group === 'catalogue', { kind: 'error', code: 'service_unavailable' });
	const retried = await failed.retry();
	expect(retried.error).toBeUndefined();
	expect([pictures(retried.items()), gateway.charges()]).toStrictEqual([['cat'], 1]);
});

describe('a task that the gateway does not know at once', () => {
	const hide = () =>
		void gateway.control.addFault({
			match: { which: ({ method, path }) => isPoll(method, path) },
			action: respondJson({ code: 404, msg: 'not found', data: null }, 404),
			times: 2,
		});

	it.each([{}, { options: { idempotencyKey: 'order-1' } }])('is waited for: %j', async (parameters) => {
		hide();
		const execution = await execute(image(parameters), prompts('cat'));
		expect(execution.error).toBeUndefined();
		expect(pictures(execution.items())).toStrictEqual(['cat']);
		expect(gateway.charges()).toBe(1);
	});

	it.each(['wait', 'getFromExecution'])('is waited for behind *Create*: %s', async (operation) => {
		hide();
		const create = image({ resource: 'task', operation: 'create' });
		const parameters = { resource: 'task', operation, taskId: '={{ $json.taskId }}', options: {} };
		const execution = await execute([create, { node: 'mediaTask', parameters }], prompts('cat'));
		const [{ taskId } = {}] = gateway.control.tasks();
		expect(execution.items('Gateway 2').map(({ json }) => json)).toMatchObject([
			{ taskId, state: 'success' },
		]);
	});

	it.each(['cutBefore', 'loseResponse'] as const)(
		'is waited for in a retry after its creation was lost (%s), and paid once',
		async (kind) => {
			disturb(says('cat'), { kind });
			const failed = await execute(image(), prompts('cat'));
			calm();
			hide();
			const retried = await failed.retry();
			expect(retried.error).toBeUndefined();
			expect(pictures(retried.items())).toStrictEqual(['cat']);
			expect(gateway.charges()).toBe(1);
		},
	);
});
