import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { resultOf } from '../../sandbox/n8n/executions';
import type { StoredWorkflow, WorkflowNode } from '../../sandbox/n8n/types';
import { useOwnEnvironment, type OwnEnvironment } from './support/environment';
import { eventually } from './support/eventually';
import { call, listening, publishTrigger, type PublishedTrigger } from './support/mediaTrigger';
import { pictures, suspendExecution, type Suspended } from './support/suspended';
import { Wallet } from './support/wallet';
import { byId, gatewayNode, workflowOf } from './support/workflows';

// What n8n was in the middle of when it was killed goes on when it is started again.

let environment: OwnEnvironment;
let suspended: Suspended;
/** The balance trigger has told of a low balance; in the second wallet, it has risen again since. */
let told: Wallet;
let risen: Wallet;
/** A media trigger that a task has started, and one whose call was not answered. */
let started: PublishedTrigger;
let unanswered: PublishedTrigger;
let ended: string;
let answer: unknown;
/** A workflow whose picture is there, and whose video is not; and its tasks. */
let making: StoredWorkflow;
let made: string[];
/** A workflow that makes a picture of each row of a list at a URL; the list, and the tasks by their prompts. */
let painting: StoredWorkflow;
let list = ['a cat', 'a dog', 'a cow'];
let painted: Map<unknown, string>;
const lists = createServer((_, response) => {
	response.setHeader('Content-Type', 'application/json');
	response.end(JSON.stringify(list.map((prompt) => ({ prompt }))));
});

useOwnEnvironment((own) => (environment = own), {
	gateway: { settings: { taskDuration: { image: 600_000 } } },
});

const finished = async ({ workflow }: PublishedTrigger, count: number) =>
	expect(await environment.executionsOf(workflow, count)).toHaveLength(count);

beforeAll(async () => {
	const { control } = environment.gateway;
	const below = { fireOn: 'below', threshold: 100 };
	told = await Wallet.watched(environment, below, '50.00');
	risen = await Wallet.watched(environment, below, '50.00');
	await risen.set('150.00');
	await risen.told();
	suspended = await suspendExecution(environment, pictures(['a cat', 'a dog']));
	[ended = ''] = suspended.tasks;
	await control.finishTask(ended);
	started = await publishTrigger(environment, { downloadResults: false });
	unanswered = await publishTrigger(environment, { downloadResults: false });
	await call(started.url, { taskId: ended });
	await finished(started, 1);

	await paint();
	await make();
	const polls = () => control.requests({ method: 'GET', path: `/async/media/tasks/${ended}` }).length;
	const before = polls();
	const { release } = control.hold({ path: `/async/media/tasks/${ended}` });
	const calling = call(unanswered.url, { taskId: ended }).catch(() => 'none');
	await eventually(() => {
		if (polls() === before) throw new Error('It is not checked');
	});
	environment.server.kill();
	answer = await calling;
	release();
	await environment.restart();
}, 300_000);

afterAll(() => void lists.close());

const webhookOf = (webhookId: string): WorkflowNode => ({
	name: 'Webhook',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2.1,
	webhookId,
	parameters: { httpMethod: 'POST', path: webhookId, responseMode: 'onReceived', options: {} },
});

function generating(name: string, resource: string, model: string, value: object, prompt = 'waves') {
	const input = { mappingMode: 'defineBelow', value, matchingColumns: [], schema: [] };
	const parameters = { resource, operation: 'generate', model: byId(model), prompt, input };
	return gatewayNode(name, 'mediaTask', parameters);
}

const picturing = (prompt?: string) =>
	generating('Picture', 'image', 'aurora/canvas-1', { quality: 'draft', size: '512x512' }, prompt);

/** Calls the webhook of a workflow that is published, and waits for the tasks that it creates. */
async function tasksOf(webhookId: string, count: number) {
	const { client, gateway } = environment;
	const before = gateway.control.tasks().length;
	await eventually(async () => {
		expect((await call(`${client.url}/webhook/${webhookId}`, {})).status).toBe(200);
	});
	return await eventually(() => {
		const tasks = gateway.control.tasks().slice(before);
		expect(tasks).toHaveLength(count);
		return Promise.resolve(tasks);
	});
}

/** Starts a workflow that reads the list, and makes a picture of each row. */
async function paint(): Promise<void> {
	await new Promise<void>((resolve) => lists.listen(0, '127.0.0.1', resolve));
	const url = `http://127.0.0.1:${(lists.address() as AddressInfo).port}/`;
	const webhookId = randomUUID();
	const rows: WorkflowNode = {
		name: 'Rows',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { url, options: {} },
	};
	const nodes = [webhookOf(webhookId), rows, picturing('={{ $json.prompt }}')];
	const workflow = workflowOf('Killed rows', nodes, { Webhook: ['Rows'], Rows: ['Picture'] });
	workflow.nodes.shift();
	painting = await environment.publish(workflow);
	const tasks = await tasksOf(webhookId, 3);
	painted = new Map(tasks.map(({ input, taskId }) => [input.prompt, taskId]));
}

/** Starts a workflow that makes a picture, then a video. */
async function make(): Promise<void> {
	const { control } = environment.gateway;
	const webhookId = randomUUID();
	const webhook = webhookOf(webhookId);
	const video = generating('Video', 'video', 'lumen/motion-2', { duration: 5 });
	// n8n keeps a run of each node that had begun but that of the last one in this list.
	const nodes = [video, webhook, picturing()];
	const workflow = workflowOf('Killed', nodes, { Webhook: ['Picture'], Picture: ['Video'] });
	workflow.nodes.shift();
	making = await environment.publish(workflow);
	control.configure({ taskDuration: { image: 0, video: 600_000 } });
	made = (await tasksOf(webhookId, 2)).map(({ taskId }) => taskId);
}

/** The ID of the execution that was killed. */
async function crashed(workflow: StoredWorkflow): Promise<string> {
	const [execution] = await environment.executionsOf(workflow, 1);
	expect(execution?.status).toBe('crashed');
	return execution?.executionId ?? '';
}

test('rows that have moved when n8n starts again keep their pictures, and a new one is paid for', async () => {
	const { client, gateway } = environment;
	const { control } = gateway;
	const id = await crashed(painting);
	for (const taskId of painted.values()) await control.finishTask(taskId);
	control.configure({ taskDuration: { image: 0 } });
	list = ['a dog', 'an owl', 'a cow'];
	const paid = control.ledger().length;
	const { status, nodes } = resultOf(await client.readExecution(await client.retryExecution(id, false)));
	expect(status).toBe('success');
	const created = control.tasks().at(-1);
	expect([control.ledger().length - paid, created?.input.prompt]).toStrictEqual([1, 'an owl']);
	expect(nodes['Picture']?.items.map(({ json }) => json['taskId'])).toStrictEqual([
		painted.get('a dog'),
		created?.taskId,
		painted.get('a cow'),
	]);
});

test('a retry of what was killed between two media nodes returns both results, and pays nothing', async () => {
	const { client, gateway } = environment;
	const { control } = gateway;
	const id = await crashed(making);
	await control.finishTask(made[1] ?? '');
	control.configure({ taskDuration: { video: 0 } });
	const paid = control.ledger().length;
	const { status, nodes } = resultOf(await client.readExecution(await client.retryExecution(id, false)));
	expect(status).toBe('success');
	expect(control.ledger()).toHaveLength(paid);
	const items = ['Picture', 'Video'].flatMap((name) => nodes[name]?.items ?? []);
	expect(items.map(({ json }) => json['taskId'])).toStrictEqual(made);
	expect(items.map(({ binary = {} }) => Object.keys(binary))).toStrictEqual([['data'], ['data']]);
});

test('a suspended execution resumes when its last task ends', async () => {
	const { client, gateway } = environment;
	expect((await client.readExecution(suspended.executionId)).status).toBe('waiting');
	await gateway.control.finishTask(suspended.tasks[1] ?? '');
	const result = await environment.end(suspended.executionId);
	expect(result.status).toBe('success');
	expect(result.nodes['After']?.items.map(({ json }) => json['taskId'])).toStrictEqual(suspended.tasks);
	expect(Object.keys(result.nodes['After']?.items[0]?.binary ?? {})).toStrictEqual(['data']);
});

test('the media trigger does not start again for the same task', async () => {
	await listening(started.url);
	expect((await call(started.url, { taskId: ended })).status).toBe(200);
	// A later task shows that the earlier call has been dealt with.
	await environment.gateway.control.finishTask(suspended.tasks[1] ?? '');
	await call(started.url, { taskId: suspended.tasks[1] });
	await finished(started, 2);
});

test('a call that was not answered starts the workflow when it is repeated', async () => {
	expect(answer).toBe('none');
	await listening(unanswered.url);
	expect((await call(unanswered.url, { taskId: ended })).status).toBe(200);
	await finished(unanswered, 1);
});

test('the balance trigger knows whether it has told, and that the balance has risen', async () => {
	await told.set('40.00');
	await risen.set('60.00');
	await eventually(async () => expect(await told.amounts()).toStrictEqual(['50.00']));
	await eventually(async () => expect(await risen.amounts()).toStrictEqual(['50.00', '60.00']));
});
