import type { RequestListener } from 'node:http';
import { json as readJson } from 'node:stream/consumers';

import type { IBinaryData, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { binaryStorage, copy } from '../helpers/engine';
import { useServer } from '../helpers/server';
import { eventually, passTime } from '../helpers/time';
import { form } from '../helpers/values';
import { type CallbackOptions, sendCallback } from '../nodes/mediaTaskTrigger/support';
import { image, prompts, useStories } from './support';

// A workflow creates tasks, and another one starts when they end.

const { gateway, execute } = useStories();

const DAY_MS = 86_400_000;

const webhooks = new Map<string, RequestListener>();
const n8n = useServer((request, response) => webhooks.get(request.url ?? '')?.(request, response));

const STARTED: unknown[] = [200, undefined];
const BEFORE: unknown[] = [200, 'The media task has started the workflow'];
const OTHER_STATE: unknown[] = [200, 'A media task in this state does not start the workflow'];
const PUT_OFF: unknown[] = [503, 'The media task is not checked yet: repeat the call'];
const REFUSED = { failCode: 'NSFW', failMsg: 'Not this one' };

/** A published trigger, in an n8n process of its own. */
function publish(parameters: INodeParameters = {}, options: CallbackOptions = {}) {
	const path = `/webhook/${webhooks.size}/media-task`;
	const started: INodeExecutionData[] = [];
	/** Status and message of each response; that of n8n, when the workflow starts, has no message. */
	const answers: unknown[][] = [];
	webhooks.set(path, (request, response) => {
		const answer = async (body: unknown) => {
			const { apiKey, baseUrl } = gateway;
			const settings = { nodeId: path, credential: { apiKey, baseUrl }, ...options };
			const { item, status, message } = await sendCallback(parameters, { body }, settings);
			if (item && status < 400) started.push(item);
			answers.push([status, message]);
			response.writeHead(status).end();
		};
		void readJson(request).then(answer);
	});
	const url = n8n.origin() + path;
	return {
		url,
		started,
		answers,
		/** Somebody calls it. */
		call: async (body: unknown) => void (await gateway.control.forgeCallback({ url, body })),
		/** The tasks that have started the workflow, in order. */
		tasks: () => started.map(({ json }) => json.taskId),
	};
}

/** Another workflow creates a task of two pictures for each prompt, which run until they are ended. Returns their IDs. */
async function create(callbackUrl: string, texts: string[], more: Parameters<typeof execute>[2] = {}) {
	gateway.control.configure({ taskDuration: { image: DAY_MS } });
	const input = form({ quality: 'draft', size: '512x512', num_images: 2 });
	const node = image({ resource: 'task', operation: 'create', input, options: { callbackUrl } });
	const execution = await execute(node, prompts(...texts), more);
	return execution.items().map(({ json }) => json.taskId as string);
}

/** A task ends, and all its callbacks are answered. */
async function end(taskId: string | undefined, outcome: 'success' | typeof REFUSED = 'success', copies = 1) {
	await gateway.control.finishTask(taskId ?? '', outcome);
	const answered = () =>
		gateway.control.callbacks().filter((sent) => sent.taskId === taskId && sent.status !== null);
	await eventually(() => answered().length === copies);
}

const taskOf = (taskId: string | undefined) => gateway.control.tasks().find((task) => task.taskId === taskId);

/** What a task that has ended gives. */
function jsonOf(taskId: string | undefined) {
	const { createTime = 0, resultUrls = [], model, state } = taskOf(taskId) ?? {};
	const reason = state === 'fail' ? REFUSED : {};
	return { taskId, state, ...reason, model, createdAt: new Date(createTime).toISOString(), resultUrls };
}

const bytesOf = async (binary: IBinaryData | undefined) =>
	binary && (await (await binaryStorage()).getAsBuffer(binary));
const bytesAt = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

describe('tasks that end', () => {
	test.each<[string, INodeParameters, number[]]>([
		['Task Ended', {}, [2, 0, 1]],
		['Task Succeeded', { events: 'success' }, [2, 1]],
		['Task Failed', { events: 'fail' }, [0]],
	])(
		'*%s*: each starts the workflow once, in the order of their ends, with its files',
		async (_, parameters, starts) => {
			gateway.control.configure({ callbacks: { copies: 3 } });
			const { url, started, answers } = publish(parameters);
			const ids = await create(url, ['a cat', 'a dog', 'a fox']);
			await end(ids[2], 'success', 3);
			await end(ids[0], REFUSED, 3);
			await end(ids[1], 'success', 3);
			expect(started.map(({ json }) => json)).toStrictEqual(starts.map((row) => jsonOf(ids[row])));
			expect(answers).toStrictEqual(
				[2, 0, 1].flatMap((row) =>
					starts.includes(row) ? [STARTED, BEFORE, BEFORE] : [OTHER_STATE, OTHER_STATE, OTHER_STATE],
				),
			);
			for (const { json, binary = {} } of started) {
				const urls = json.resultUrls as string[];
				expect(Object.keys(binary)).toStrictEqual(json.state === 'fail' ? [] : ['data', 'data_1']);
				const files = [binary.data, binary.data_1].slice(0, urls.length);
				expect(await Promise.all(files.map(bytesOf))).toStrictEqual(await Promise.all(urls.map(bytesAt)));
			}
			expect(gateway.spent()).toBe('5.4');
		},
	);

	test('files go into the chosen field, or are not downloaded; the links are in the output either way', async () => {
		const named = publish({ options: { binaryPropertyName: 'picture' } });
		const without = publish({ downloadResults: false });
		const [first, second] = [
			...(await create(named.url, ['a cat'])),
			...(await create(without.url, ['a dog'])),
		];
		await end(first);
		await end(second);
		const [item] = named.started;
		const id = first?.replace(/-/g, '').slice(-8);
		expect(Object.entries(item?.binary ?? {}).map(([name, { fileName }]) => [name, fileName])).toStrictEqual([
			['picture', `image_1_${id}.png`],
			['picture_1', `image_2_${id}_1.png`],
		]);
		expect(item?.json.resultUrls).toHaveLength(2);
		expect(without.started).toStrictEqual([{ json: jsonOf(second) }]);
		const downloads = gateway.control.requests({ host: 'files' });
		expect(downloads).toHaveLength(2);
		expect(JSON.stringify(downloads)).not.toContain(gateway.apiKey);
	});

	test('files that cannot be downloaded do not keep the workflow from starting: the error is in its data', async () => {
		const { url, started } = publish();
		const [taskId] = await create(url, ['a cat']);
		const error = { kind: 'error', code: 'not_found' } as const;
		gateway.control.addFault({ match: { host: 'files', path: '/files/*' }, action: error, times: 0 });
		await end(taskId);
		const [{ json: { downloadError, ...json } = {}, binary } = {}] = started;
		expect([json, binary, started.length]).toStrictEqual([jsonOf(taskId), undefined, 1]);
		expect(downloadError).toMatchObject({
			message: 'The file at this link no longer exists',
			taskId,
			retryable: false,
		});
	});

	test('a call that is repeated while the files are downloaded is put off, and starts nothing; a call to another trigger does', async () => {
		const [{ url, answers, tasks }, other] = [publish(), publish()];
		const [taskId = ''] = await create(url, ['a cat']);
		const held = gateway.control.hold({ host: 'files' });
		const ended = end(taskId, 'success', 2);
		await eventually(() => held.requests.length > 0);
		await gateway.control.repeatCallback(taskId);
		const called = other.call({ taskId });
		await eventually(() => held.requests.length > 1 || other.answers.length > 0);
		held.release();
		await Promise.all([ended, called]);
		await gateway.control.repeatCallback(taskId);
		expect([answers, tasks()]).toStrictEqual([[PUT_OFF, STARTED, BEFORE], [taskId]]);
		expect([other.answers, other.tasks()]).toStrictEqual([[STARTED], [taskId]]);
	});

	test('files of many tasks that take long do not keep another one from being checked', async () => {
		const { url, answers } = publish();
		const ids = await create(
			url,
			Array.from({ length: 17 }, (_, n) => `cat ${n}`),
		);
		const held = gateway.control.hold({ host: 'files' });
		const last = ids.pop();
		const ended = Promise.all(ids.map(async (taskId) => await end(taskId)));
		await eventually(() => held.requests.length === ids.length);
		const start = Date.now();
		await end(last, REFUSED);
		expect([answers, Date.now() - start < 60_000]).toStrictEqual([[STARTED], true]);
		held.release();
		await ended;
		expect(answers).toStrictEqual(Array.from({ length: 17 }, () => STARTED));
	});

	test('a gateway that does not say in time what became of the task: the call that is repeated starts the workflow', async () => {
		const { url, answers, tasks } = publish();
		const [taskId = ''] = await create(url, ['a cat']);
		gateway.control.addFault({
			match: { method: 'GET', path: '/async/media/tasks/*' },
			action: { kind: 'error', code: 'service_unavailable' },
			times: 0,
		});
		await end(taskId);
		expect([answers, tasks()]).toStrictEqual([[PUT_OFF], []]);
		gateway.control.clearFaults();
		await gateway.control.repeatCallback(taskId);
		expect(tasks()).toStrictEqual([taskId]);
	});
});

describe('a call that is not the end of a task of the account', () => {
	test('gets an answer, and starts nothing: nothing in it is believed', async () => {
		const { url, started, answers, call } = publish();
		const { key } = gateway.control.createKey({ account: 'somebody else' });
		const [foreign] = await create('https://n8n.test/other', ['a fox'], { keyOf: () => key });
		await gateway.control.finishTask(foreign ?? '');
		const [running] = await create(url, ['a cat']);
		const resultUrls = ['https://evil.test/a.png'];
		const calls: Array<[body: unknown, status: number, message: string]> = [
			[{ data: { taskId: foreign, state: 'success' } }, 404, 'The account has no such media task'],
			[{ taskId: '00000000-0000-4000-8000-000000000000' }, 404, 'The account has no such media task'],
			[{ taskId: 'made-up-1', state: 'fail' }, 404, 'The account has no such media task'],
			[{ data: { taskId: running, state: 'success', resultUrls } }, 200, 'The media task has not ended'],
			[{ state: 'success', resultUrls }, 400, 'The call names no media task'],
			[{ taskId: '../../balance' }, 400, 'The call names no media task'],
			[[], 400, 'The call names no media task'],
			[null, 400, 'The call names no media task'],
		];
		for (const [body] of calls) await call(body);
		expect(answers).toStrictEqual(calls.map(([, ...answer]) => answer));
		expect(started).toStrictEqual([]);
		await end(running);
		expect(started.map(({ json }) => json)).toStrictEqual([jsonOf(running)]);
		expect(gateway.charges()).toBe(2);
	});

	test('is one of at most 16 that are checked at a time: anybody can send many', async () => {
		const { answers, call } = publish();
		const checks = gateway.control.hold({ path: '/async/media/tasks/*' });
		const calls = Array.from({ length: 20 }, async (_, n) => await call({ taskId: `made-up-${n}` }));
		await eventually(() => checks.requests.length === 16);
		await passTime(1_000);
		expect(checks.requests).toHaveLength(16);
		checks.release();
		await Promise.all(calls);
		expect(answers.map(([status]) => status)).toStrictEqual(Array.from({ length: 20 }, () => 404));
	});

	test('with the ID of a task that has ended, starts the workflow with what the gateway says of the task', async () => {
		const { url, started, call } = publish({ downloadResults: false });
		gateway.control.configure({ callbacks: { mode: 'off' } });
		const [taskId = ''] = await create(url, ['a cat']);
		await gateway.control.finishTask(taskId, REFUSED);
		await call({ taskId, state: 'success', resultUrls: ['https://evil.test/a.png'], secret: 'x' });
		expect(started).toStrictEqual([{ json: jsonOf(taskId) }]);
	});
});

describe('several n8n processes, with *Archive the Task*', () => {
	const ARCHIVE = { downloadResults: false, options: { archiveTask: true } };

	/** The tasks that have started the workflow in both, when each gets a call for a task at the same time. */
	async function startsOf(parameters: INodeParameters) {
		const [first, second] = [publish(parameters), publish(parameters)];
		const ids = await create(first.url, ['a cat', 'a dog']);
		for (const taskId of ids) {
			const held = gateway.control.hold({ path: `/async/media/tasks/${taskId}` });
			const calls = [end(taskId), second.call({ taskId })];
			await eventually(() => held.requests.length === 2);
			held.release();
			await Promise.all(calls);
			await gateway.control.repeatCallback(taskId);
			await second.call({ taskId });
		}
		return { ids, tasks: [...first.tasks(), ...second.tasks()].sort() };
	}

	test('a task starts the workflow in one of them, and is archived', async () => {
		const { ids, tasks } = await startsOf(ARCHIVE);
		expect(tasks).toStrictEqual([...ids].sort());
		expect(ids.map((id) => taskOf(id)?.archived)).toStrictEqual([true, true]);
	});

	test('without it, each starts its own, and nothing is archived', async () => {
		const { ids, tasks } = await startsOf({ downloadResults: false });
		expect(tasks).toStrictEqual([...ids, ...ids].sort());
		expect(ids.map((id) => taskOf(id)?.archived)).toStrictEqual([false, false]);
	});

	test('a task whose start has failed in one of them starts the workflow in another, when it is called', async () => {
		const [first, second] = [publish(ARCHIVE, { n8nStatus: 500 }), publish(ARCHIVE)];
		const [taskId] = await create(first.url, ['a cat']);
		await end(taskId);
		await eventually(() => taskOf(taskId)?.archived === false);
		await second.call({ taskId });
		expect([first.answers, first.tasks(), second.tasks()]).toStrictEqual([[[500, undefined]], [], [taskId]]);
	});

	test('a proxy that does not know how to archive does not keep the workflow from starting', async () => {
		const { url, tasks } = publish(ARCHIVE);
		const [taskId] = await create(url, ['a cat']);
		const action = { kind: 'raw', status: 404, body: 'html' } as const;
		gateway.control.addFault({ match: { method: 'PATCH' }, action, times: 0 });
		await end(taskId);
		expect(tasks()).toStrictEqual([taskId]);
	});

	test('after a restart, n8n knows which tasks have started the workflow', async () => {
		const store = {};
		const before = publish({ downloadResults: false }, { store });
		const [taskId] = await create(before.url, ['a cat']);
		await end(taskId);
		const after = publish({ downloadResults: false }, { store: copy(store) });
		await after.call({ taskId });
		expect([before.tasks(), after.tasks(), after.answers]).toStrictEqual([[taskId], [], [BEFORE]]);
	});
});

test('of two triggers in a workflow, the one whose URL a task has starts it; a call to the other starts that, too', async () => {
	const ends = publish({ downloadResults: false });
	const failures = publish({ events: 'fail', downloadResults: false });
	const [cat, dog] = await create(ends.url, ['a cat', 'a dog']);
	const [fox, owl] = await create(failures.url, ['a fox', 'an owl']);
	for (const taskId of [cat, fox]) await end(taskId);
	for (const taskId of [dog, owl]) await end(taskId, REFUSED);
	expect([ends.tasks(), failures.tasks()]).toStrictEqual([[cat, dog], [owl]]);
	for (const taskId of [cat, dog, fox, owl]) {
		await ends.call({ taskId });
		await failures.call({ taskId });
	}
	expect([ends.tasks(), failures.tasks()]).toStrictEqual([
		[cat, dog, fox, owl],
		[owl, dog],
	]);
});
