import { sumOfCosts } from '../../nodes/shared/gateway/util/money';
import { checkPng } from '../../sandbox/demo/png';
import { resultOf, waitForExecution, type RunResult } from '../../sandbox/n8n/executions';
import type { WorkflowNode } from '../../sandbox/n8n/types';
import { agent, balanceTool, model } from '../e2e/support/agents';
import { byId, costNode, gatewayNode } from '../e2e/support/workflows';
import { post, QueueEnvironment, until, type PublishedWorkflow } from './support/environment';
import { taskTrigger, webhook } from './support/triggers';

// n8n where there is much to do: webhook processes take the calls, workers execute, and any of them may die.

const MODEL = 'aurora/canvas-1';
const INPUT = { quality: 'draft', size: '512x512' };
const PROMPTS = ['a cat', 'a dog', 'a fox'];
/** The body of a call that orders a picture of each. */
const order = { prompts: PROMPTS.map((prompt) => ({ prompt })) };

let environment: QueueEnvironment;

beforeAll(async () => {
	environment = await QueueEnvironment.start();
});
afterAll(async () => {
	await environment?.close();
});
beforeEach(async () => {
	await environment.gateway.control.reset();
});

const eachPrompt: WorkflowNode = {
	name: 'Each prompt',
	type: 'n8n-nodes-base.splitOut',
	typeVersion: 1,
	parameters: { fieldToSplitOut: 'body.prompts' },
};

/** Gives by hand what the call gives. */
const body: WorkflowNode = {
	name: 'Body',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: { mode: 'raw', jsonOutput: JSON.stringify({ body: order }) },
};

/** Creates a picture of each item's prompt and waits for it. */
function draw(
	options: Record<string, unknown> = {},
	waitStrategy: 'poll' | 'suspend' = 'poll',
): WorkflowNode {
	return gatewayNode('Draw', 'mediaTask', {
		operation: 'createAndWait',
		model: byId(MODEL),
		inputMode: 'json',
		inputJson: `={{ { ...${JSON.stringify(INPUT)}, prompt: $json.prompt } }}`,
		waitStrategy,
		options,
	});
}

/** The pictures of an execution that went well, each compared with the gateway's file. */
async function pictures(result: RunResult | undefined): Promise<Array<{ width: number; height: number }>> {
	expect(result).toMatchObject({ status: 'success' });
	const items = result?.nodes['Draw']?.items ?? [];
	return await Promise.all(
		items.map(async (item) => {
			expect(item.binary?.['data']?.id).toMatch(/^database:/);
			const stored = await environment.client.readBinary(item);
			const [url = ''] = item.json['resultUrls'] as string[];
			expect(stored.equals(Buffer.from(await (await fetch(url)).arrayBuffer()))).toBe(true);
			return await checkPng(stored);
		}),
	);
}

const charges = (): number => environment.gateway.control.ledger().length;

test('a worker runs what a webhook process received, with the files in the database', async () => {
	const workflow = await environment.publish(webhook('onReceived'), eachPrompt, draw());
	expect((await post(workflow.url, order)).status).toBe(200);
	const [result] = await environment.ended(workflow, 1);
	expect(await pictures(result)).toStrictEqual(PROMPTS.map(() => ({ width: 512, height: 512 })));
	expect(await environment.cluster.workersOf(result?.executionId ?? '')).toHaveLength(1);
	expect(charges()).toBe(PROMPTS.length);
});

test('deltas reach a webhook while a worker receives them', async () => {
	const words = 'one two three four five six seven eight';
	const text = gatewayNode('Text', 'textGeneration', {
		model: byId('sandbox/balanced-2'),
		prompt: `[[say:${words}]]`,
	});
	const workflow = await environment.publish(webhook('streaming'), text);
	// The rest is sent when the first words have arrived.
	const { release } = environment.gateway.control.hold({ method: 'POST' }, { afterDeltas: 4 });
	const response = await post(workflow.url, {});
	let received = '';
	for await (const bytes of response.body ?? []) {
		received += Buffer.from(bytes as Uint8Array).toString();
		if (received.includes('one')) release();
	}
	const chunks = received
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as { type: string; content?: string; metadata: { nodeName: string } })
		.filter(({ metadata }) => metadata.nodeName === 'Text');
	const said = chunks.filter(({ type }) => type === 'item').map(({ content }) => content);
	expect(said.join('')).toBe(words);
	expect(chunks.map(({ type }) => type)).toStrictEqual(['begin', ...said.map(() => 'item'), 'end']);
	expect(charges()).toBe(1);
});

test('an AI Agent on a worker uses the chat model and a tool, and its deltas reach the webhook', async () => {
	environment.gateway.control.setBalance('321.50');
	const asking = agent('Please use the tool', { options: { enableStreaming: true } });
	const workflow = await environment.publishCluster(
		webhook('streaming'),
		[asking],
		[model(), balanceTool],
		[costNode('Cost', 'Model')],
	);
	const response = await post(workflow.url, {});
	expect(await response.text()).toContain('321.');
	const [result] = await environment.ended(workflow, 1);
	expect(result).toMatchObject({ status: 'success' });
	expect(result?.nodes['Agent']?.items[0]?.json['output']).toContain('321.');
	expect(await environment.cluster.workersOf(result?.executionId ?? '')).toHaveLength(1);
	expect(charges()).toBe(2);
	expect(result?.nodes['Cost']?.items[0]?.json).toMatchObject({
		costRub: Number(sumOfCosts(...environment.gateway.control.ledger().map(({ amount }) => amount))),
		calls: 2,
		callsWithoutCost: 0,
	});
});

test('a manual execution runs on a worker, and continues on one after the callbacks', async () => {
	const { client, gateway } = environment;
	gateway.control.configure({ taskDuration: { image: 600_000 } });
	const id = await environment.runManually(body, eachPrompt, draw({}, 'suspend'));
	const suspended = await waitForExecution(client, id, { orWaiting: true });
	expect(resultOf(suspended)).toMatchObject({ status: 'waiting' });
	for (const { taskId } of gateway.control.tasks()) await gateway.control.finishTask(taskId);
	const result = resultOf(await waitForExecution(client, id));
	expect(await pictures(result)).toStrictEqual(PROMPTS.map(() => ({ width: 512, height: 512 })));
	expect(await environment.cluster.workersOf(id)).toHaveLength(2);
	expect(charges()).toBe(PROMPTS.length);
});

test('a file goes to the storage and comes back, kept in the database between nodes', async () => {
	const content = Buffer.from('The same bytes, on every machine.');
	const upload = gatewayNode('Upload', 'storage', {
		resource: 'file',
		operation: 'upload',
		uploadSource: 'base64',
		base64: content.toString('base64'),
		mimeType: 'image/png',
	});
	const download = (name: string): WorkflowNode =>
		gatewayNode(name, 'storage', {
			resource: 'file',
			operation: 'download',
			fileId: '={{ $json.id }}',
		});
	const again = gatewayNode('Upload again', 'storage', { resource: 'file', operation: 'upload' });
	const workflow = await environment.publish(
		webhook('onReceived'),
		upload,
		download('Download'),
		again,
		download('Download again'),
	);
	await post(workflow.url, {});
	const [result] = await environment.ended(workflow, 1);
	expect(result).toMatchObject({ status: 'success' });
	for (const name of ['Download', 'Download again']) {
		const [item] = result?.nodes[name]?.items ?? [];
		expect(item?.binary?.['data']?.id).toMatch(/^database:/);
		expect(item && (await environment.client.readBinary(item))).toStrictEqual(content);
	}
	const ids = ['Upload', 'Upload again'].map((name) => result?.nodes[name]?.items[0]?.json['id']);
	expect(new Set(ids).size).toBe(2);
});

describe('a callback of the gateway', () => {
	/** Creates a task without n8n. */
	async function createTask(callBackUrl?: string): Promise<string> {
		const { baseUrl, apiKey } = environment.gateway;
		const input = { ...INPUT, prompt: 'a fox' };
		const response = await fetch(`${baseUrl}/async/media/tasks`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
			body: JSON.stringify({ model: MODEL, input, callBackUrl }),
		});
		const { data } = (await response.json()) as { data: { taskId: string } };
		return data.taskId;
	}

	/** A task of the account that has ended, about which nobody is called. */
	async function endedTask(): Promise<string> {
		environment.gateway.control.configure({ taskDuration: { image: 600_000 } });
		const taskId = await createTask();
		await environment.gateway.control.finishTask(taskId);
		return taskId;
	}

	/** How often n8n has asked for a task, or archived it, and been answered. */
	function asked(taskId: string, method: 'GET' | 'PATCH'): number {
		const requests = environment.gateway.control.requests({ host: 'api', method });
		return requests.filter(({ path, endedAt }) => path.includes(taskId) && endedAt !== null).length;
	}

	/** The tasks that have started a workflow, once all calls before have been dealt with. */
	async function startedBy(workflow: PublishedWorkflow): Promise<unknown[]> {
		const later = await endedTask();
		await post(workflow.url, { taskId: later });
		const ofLater = (result: RunResult): boolean => taskOf(result) === later;
		let results: RunResult[] = [];
		await until('the later task has started the workflow', async () => {
			results = await environment.ended(workflow, 1);
			return results.some(ofLater);
		});
		return results.filter((result) => !ofLater(result)).map(taskOf);
	}

	const taskOf = (result: RunResult): unknown => result.nodes['Trigger']?.items[0]?.json['taskId'];

	test('starts the workflow on a worker once, also when repeated at another process', async () => {
		environment.gateway.control.configure({ callbacks: { copies: 3 }, taskDuration: { image: 100 } });
		const workflow = await environment.publish(taskTrigger({}));
		const taskId = await createTask(workflow.url);
		const [result] = await environment.ended(workflow, 1);
		expect(result?.nodes['Trigger']?.items[0]?.binary?.['data']?.id).toMatch(/^database:/);
		expect(await environment.cluster.workersOf(result?.executionId ?? '')).toHaveLength(1);
		await environment.gateway.control.repeatCallback(taskId);
		const { webhooks } = environment.cluster;
		for (const { url } of webhooks) await post(`${url}${workflow.path}`, { taskId });
		expect(await startedBy(workflow)).toStrictEqual([taskId]);
	});

	test('starts it once when it reaches several webhook processes at a time, with archiving', async () => {
		const { webhooks } = environment.cluster;
		const trigger = taskTrigger({ downloadResults: false, options: { archiveTask: true } });
		const workflow = await environment.publish(trigger);
		const taskId = await endedTask();
		// All calls are there before the first has been looked into: no process learns from what another one has stored.
		const polls = environment.gateway.control.hold({ method: 'GET', path: `/async/media/tasks/${taskId}` });
		const calls = webhooks.flatMap(({ url }) =>
			Array.from({ length: 5 }, async () => await post(`${url}${workflow.path}`, { taskId })),
		);
		await until('each call polls the task', () => polls.requests.length === calls.length);
		polls.release();
		// While a process starts it, other calls are put off.
		const statuses = new Set((await Promise.all(calls)).map(({ status }) => status));
		expect([...statuses].filter((status) => status !== 503)).toStrictEqual([200]);
		for (const { url } of webhooks)
			expect((await post(`${url}${workflow.path}`, { taskId })).status).toBe(200);
		expect(asked(taskId, 'PATCH')).toBeGreaterThanOrEqual(webhooks.length);
		expect(await startedBy(workflow)).toStrictEqual([taskId]);
	});
});

describe('an execution that is suspended until the callback', () => {
	/** A suspended execution. */
	interface Suspended {
		executionId: string;
		tasks: string[];
		worker: number;
	}

	/** Creates tasks, and waits until the execution is suspended. */
	async function suspendExecution(): Promise<Suspended> {
		const { cluster, client, gateway } = environment;
		gateway.control.configure({ taskDuration: { image: 600_000 } });
		const workflow = await environment.publish(webhook('onReceived'), eachPrompt, draw({}, 'suspend'));
		await post(workflow.url, order);
		const [executionId = ''] = await environment.started(workflow, 1);
		const suspended = await waitForExecution(client, executionId, { orWaiting: true });
		expect(resultOf(suspended)).toMatchObject({ status: 'waiting' });
		const [worker = -1] = await cluster.workersOf(executionId);
		return { executionId, worker, tasks: gateway.control.tasks().map(({ taskId }) => taskId) };
	}

	const ended = async ({ executionId }: Suspended): Promise<RunResult> =>
		resultOf(await waitForExecution(environment.client, executionId));

	test('continues on another worker when its worker is killed', async () => {
		const { cluster, gateway } = environment;
		const suspended = await suspendExecution();
		await cluster.killWorker(suspended.worker);
		for (const taskId of suspended.tasks) await gateway.control.finishTask(taskId);
		expect(await pictures(await ended(suspended))).toStrictEqual(
			PROMPTS.map(() => ({ width: 512, height: 512 })),
		);
		const workers = await cluster.workersOf(suspended.executionId);
		expect(workers).toHaveLength(2);
		expect(workers.filter((worker) => worker === suspended.worker)).toHaveLength(1);
		expect(charges()).toBe(PROMPTS.length);
		await cluster.startWorker();
	});

	test('is resumed by callbacks that reach another webhook process than the one that started it', async () => {
		const { cluster, gateway } = environment;
		gateway.control.configure({ callbacks: { mode: 'off' } });
		const suspended = await suspendExecution();
		const other = cluster.webhooks.find(({ url }) => url !== cluster.webhookUrl)?.url ?? '';
		for (const { taskId, callBackUrl } of gateway.control.tasks()) {
			await gateway.control.finishTask(taskId);
			const { pathname, search } = new URL(callBackUrl ?? '');
			expect((await post(`${other}${pathname}${search}`, { taskId })).status).toBe(200);
		}
		expect(await pictures(await ended(suspended))).toHaveLength(PROMPTS.length);
		expect(charges()).toBe(PROMPTS.length);
	});

	test('is resumed once when many callbacks reach both webhook processes', async () => {
		const { cluster, gateway } = environment;
		gateway.control.configure({ callbacks: { mode: 'off' } });
		const suspended = await suspendExecution();
		for (const taskId of suspended.tasks) await gateway.control.finishTask(taskId);
		const { pathname, search } = new URL(gateway.control.tasks()[0]?.callBackUrl ?? '');
		const calls = cluster.webhooks.flatMap(({ url }) =>
			suspended.tasks.map(async (taskId) => await post(`${url}${pathname}${search}`, { taskId })),
		);
		const statuses = (await Promise.all(calls)).map(({ status }) => status);
		expect(statuses).toContain(200);
		// n8n refuses who comes too late with 409; who comes in the moment of waking gets 500, from the read of an
		// execution that is just being written, or from the database, which lets only one process have it.
		for (const status of statuses) expect([200, 409, 500]).toContain(status);
		expect(await pictures(await ended(suspended))).toHaveLength(PROMPTS.length);
		expect(await cluster.workersOf(suspended.executionId)).toHaveLength(2);
		expect(charges()).toBe(PROMPTS.length);
	});

	test('continues once if the check of a callback ends after another process has resumed and suspended it', async () => {
		const { cluster, gateway } = environment;
		gateway.control.configure({ callbacks: { mode: 'off' }, taskDuration: { image: 600_000 } });
		const text = gatewayNode('Text', 'textGeneration', {
			model: byId('sandbox/balanced-2'),
			prompt: '[[say:a dog]]',
		});
		const another = draw({}, 'suspend');
		const workflow = await environment.publish(webhook('onReceived'), eachPrompt, draw({}, 'suspend'), text, {
			...another,
			name: 'Draw another',
			parameters: {
				...another.parameters,
				inputJson: `={{ { ...${JSON.stringify(INPUT)}, prompt: $json.text } }}`,
			},
		});
		await post(workflow.url, { prompts: [{ prompt: 'a cat' }] });
		const [executionId = ''] = await environment.started(workflow, 1);
		const isSuspended = async (): Promise<boolean> =>
			(await environment.client.readStartedExecution(executionId))?.status === 'waiting';
		await until('the execution is suspended', isSuspended);

		const [task] = gateway.control.tasks();
		const { pathname, search } = new URL(task?.callBackUrl ?? '');
		await gateway.control.finishTask(task?.taskId ?? '');
		const slow = gateway.control.hold({
			method: 'GET',
			path: `*${task?.taskId}*`,
			which: () => slow.requests.length === 0,
		});
		const [first, ...others] = cluster.webhooks.map(({ url }) => `${url}${pathname}${search}`);
		const calling = post(first ?? '', {});
		await until('the slow check has begun', () => slow.requests.length === 1);
		for (const url of others) await post(url, {});
		await until('the second task exists', () => gateway.control.tasks().length === 2);
		await until('the execution is suspended again', isSuspended);
		slow.release();
		await calling;
		const polled = (): number =>
			gateway.control.requests({ host: 'api', method: 'GET' }).filter(({ endedAt }) => endedAt === null)
				.length;
		await until('the slow check has ended', () => polled() === 0);

		const second = gateway.control.tasks().find(({ taskId }) => taskId !== task?.taskId);
		await gateway.control.finishTask(second?.taskId ?? '');
		const callback = new URL(second?.callBackUrl ?? '');
		await post(`${cluster.webhookUrl}${callback.pathname}${callback.search}`, {});
		const { status } = resultOf(await waitForExecution(environment.client, executionId));
		expect(status).toBe('success');
		expect(await cluster.workersOf(executionId)).toHaveLength(3);
		expect(charges()).toBe(3);
	});

	test('fails with all task IDs when one of its tasks has failed', async () => {
		const { gateway } = environment;
		const suspended = await suspendExecution();
		const [bad = '', ...good] = suspended.tasks;
		for (const taskId of good) await gateway.control.finishTask(taskId);
		await gateway.control.finishTask(bad, { failCode: 'MODERATION', failMsg: 'not like that' });
		const result = await ended(suspended);
		expect(result.status).toBe('error');
		expect(result.nodes['Draw']?.error?.message).toBe('The media task failed');
		expect(result.error?.description).toContain('not like that');
		for (const taskId of good) expect(result.error?.description).toContain(taskId);
		expect(result.nodes['Each prompt']?.items).toHaveLength(PROMPTS.length);
	});
});

test('a worker that is killed while it waits ends its execution, of which n8n keeps nothing: Retry runs nothing and pays nothing', async () => {
	const { cluster, client, gateway } = environment;
	gateway.control.configure({ taskDuration: { image: 600_000 } });
	const workflow = await environment.publish(webhook('onReceived'), eachPrompt, draw());
	await post(workflow.url, order);
	const [lost = ''] = await environment.started(workflow, 1);
	await until('all tasks exist', () => charges() === PROMPTS.length);
	const [worker = -1] = await cluster.workersOf(lost);
	await cluster.killWorker(worker);
	expect(resultOf(await waitForExecution(client, lost))).toMatchObject({ status: 'error' });
	expect(await cluster.workersOf(lost)).toStrictEqual([worker]);

	const again = resultOf(await waitForExecution(client, await client.retryExecution(lost)));
	expect(again).toMatchObject({ status: 'error', nodes: {} });
	expect(charges()).toBe(PROMPTS.length);
});

test('a worker without the package fails the execution before a node has run, and nothing is charged', async () => {
	const { cluster } = environment;
	for (const index of cluster.workers.keys()) await cluster.killWorker(index);
	await cluster.startWorker({ hasPackage: false });
	const workflow = await environment.publish(webhook('onReceived'), eachPrompt, draw());
	await post(workflow.url, order);
	const [result] = await environment.ended(workflow, 1);
	expect(result).toMatchObject({
		status: 'error',
		error: { message: 'Unrecognized node type: n8n-nodes-ai-gateway.mediaTask' },
	});
	expect(result?.nodes).toStrictEqual({});
	expect(charges()).toBe(0);
});
