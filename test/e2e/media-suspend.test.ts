import type { INodeExecutionData } from 'n8n-workflow';

import { checkPng } from '../../sandbox/demo/png';
import type { WorkflowNode } from '../../sandbox/n8n/types';
import { withCredential } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';
import { call } from './support/mediaTrigger';
import { pictures, suspendExecution, withNext, type Suspended } from './support/suspended';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// Gateway Media Task with "Sleep Until the Gateway Calls" on the real n8n: what resumes the execution, and with what it continues.

let environment: Environment;

useEnvironment((started) => (environment = started), {
	settings: { taskDuration: { image: 600_000, video: 600_000, music: 600_000 } },
});

const end = async ({ executionId }: Suspended) => await environment.end(executionId);

async function status({ executionId }: Suspended): Promise<string> {
	return (await environment.client.readExecution(executionId)).status;
}

const finish = async (taskId: string | undefined, outcome: 'success' | object = 'success') =>
	await environment.gateway.control.finishTask(taskId ?? '', outcome as 'success');
const asked = (items: INodeExecutionData[] = []) => items.map(({ json }) => json['asked']);
const charged = () => environment.gateway.control.ledger().length;

/** The address that a task calls. */
function resumeUrl(taskId: string | undefined): string {
	const task = environment.gateway.control.tasks().find((candidate) => candidate.taskId === taskId);
	return task?.callBackUrl ?? '';
}

test('many tasks resume the execution once, when the last has ended; other callbacks change nothing', async () => {
	const before = charged();
	const suspended = await suspendExecution(environment, pictures(['a cat', 'no file', 'a dog']));
	const { tasks, executionId } = suspended;
	expect(tasks).toHaveLength(3);
	const url = resumeUrl(tasks[0]);
	expect((await call(url.replace(/\?.*/, ''), { taskId: tasks[0] })).status).toBe(401);
	expect((await call(url, { taskId: tasks[0], state: 'success' })).status).toBe(200);
	expect((await call(url, 'what')).status).toBe(200);
	await finish(tasks[1]);
	await finish(tasks[0]);
	for (let count = 0; count < 3; count += 1) await environment.gateway.control.repeatCallback(tasks[0] ?? '');
	expect(await status(suspended)).toBe('waiting');
	await finish(tasks[2]);
	const result = await end(suspended);
	expect(result).toMatchObject({ status: 'success' });
	expect(result.nodes['Picture {"x"}']?.runs).toBe(1);
	const items = result.nodes['After']?.items ?? [];
	expect(asked(items)).toStrictEqual(['a cat', 'no file', 'a dog']);
	expect(items.map(({ json }) => json['taskId'])).toStrictEqual(tasks);
	expect(items[0]?.json).toMatchObject({
		model: 'aurora/canvas-1',
		state: 'success',
		priceRub: expect.any(Number) as number,
	});
	expect(items[0]?.json).not.toHaveProperty('timedOut');
	expect(items.map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual([['data'], [], ['data']]);
	const [first] = items;
	expect(first && (await checkPng(await environment.readBinary(first)))).toStrictEqual({
		width: 512,
		height: 512,
	});
	expect((await environment.gateway.control.repeatCallback(tasks[0] ?? '')).status).toBe(409);
	expect((await environment.client.readExecution(executionId)).status).toBe('success');
	expect(charged() - before).toBe(3);
});

test('where files are part of the JSON data, the results come back, and the next node finds their files', async () => {
	const workflow = withNext(
		pictures(['a cat', 'a dog']),
		gatewayNode('Keep', 'storage', { operation: 'upload' }),
	);
	const suspended = await suspendExecution(environment, {
		...workflow,
		settings: { ...workflow.settings, binaryMode: 'combined' },
	});
	for (const taskId of suspended.tasks) await finish(taskId);
	const result = await end(suspended);
	expect(result.status).toBe('success');
	const items = result.nodes['After']?.items ?? [];
	expect(asked(items)).toStrictEqual(['a cat', 'a dog']);
	expect(items.map(({ json }) => Object.keys(json['_files'] ?? {}))).toStrictEqual([['data'], ['data']]);
	const kept = result.nodes['Keep']?.items ?? [];
	expect(kept.map(({ json }) => json['mimeType'])).toStrictEqual(['image/png', 'image/png']);
});

test('with the error output, failed items leave there with their input; the others continue', async () => {
	const before = charged();
	const workflow = pictures(['bad', 'a cat', 'a dog'], {}, { onError: 'continueErrorOutput' });
	const suspended = await suspendExecution(environment, workflow);
	const [first, second] = suspended.tasks;
	await finish(first, { failCode: 'MODERATION', failMsg: 'not like that' });
	await finish(second);
	const result = await end(suspended);
	expect(result.status).toBe('success');
	expect(asked(result.nodes['After']?.items)).toStrictEqual(['a dog']);
	expect(result.nodes['Failed']?.items.map(({ json }) => json)).toMatchObject([
		{ prompt: 'bad', error: { httpCode: '422' } },
		{ prompt: 'a cat', error: { code: 'MODERATION', taskId: first } },
	]);
	expect(charged() - before).toBe(2);
});

test('of more than 20 tasks the last 20 resume the execution, which polls the others', async () => {
	const before = charged();
	const prompts = Array.from({ length: 30 }, (_, n) => (n === 3 ? 'a cat' : 'no file'));
	const suspended = await suspendExecution(environment, pictures(prompts));
	const { tasks } = suspended;
	expect(tasks).toHaveLength(30);
	const [slow, ...rest] = tasks;
	expect(tasks.map((taskId) => resumeUrl(taskId) !== '')).toStrictEqual(tasks.map((_, index) => index >= 10));
	for (const taskId of rest.slice(0, -1)) await finish(taskId);
	expect(await status(suspended)).toBe('waiting');
	await finish(rest.at(-1));
	await eventually(async () => expect(await status(suspended)).toBe('running'));
	await finish(slow);
	const result = await end(suspended);
	expect(result.status).toBe('success');
	const items = result.nodes['After']?.items ?? [];
	expect(items.map(({ json }) => json['taskId'])).toStrictEqual(tasks);
	expect(items.map(({ json }) => json['state'])).toStrictEqual(tasks.map(() => 'success'));
	expect(asked(items)).toStrictEqual(prompts);
	expect(items.flatMap(({ binary }, index) => (binary?.['data'] ? [index] : []))).toStrictEqual([3]);
	expect(charged() - before).toBe(30);
});

test('a callback that comes before the execution is suspended is repeated', async () => {
	environment.gateway.control.configure({ callbacks: { mode: 'off' } });
	const suspended = await suspendExecution(environment, pictures(['a cat', 'a dog']));
	await Promise.all(suspended.tasks.map(async (taskId) => await finish(taskId)));
	const result = await end(suspended);
	environment.gateway.control.configure({ callbacks: { mode: 'on' } });
	expect(
		environment.gateway.control.callbacks().filter(({ taskId }) => suspended.tasks.includes(taskId ?? '')),
	).toStrictEqual([]);
	expect(result.status).toBe('success');
	expect(asked(result.nodes['After']?.items)).toStrictEqual(['a cat', 'a dog']);
});

test('in a loop it is suspended each time, and a callback of an earlier turn resumes nothing', async () => {
	const workflow = pictures(['a cat', 'a dog']);
	const loop = {
		name: 'Loop',
		id: 'loop',
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { batchSize: 1, options: {} },
		position: [300, 200] as [number, number],
	};
	const to = (node: string) => [{ node, type: 'main', index: 0 }];
	const suspended = await suspendExecution(environment, {
		...workflow,
		nodes: [...workflow.nodes, loop],
		connections: {
			...workflow.connections,
			Prompts: { main: [to('Loop')] },
			Loop: { main: [to('After'), to('Picture {"x"}')] },
			'Picture {"x"}': { main: [to('Loop')] },
		},
	});
	const [first = ''] = suspended.tasks;
	await finish(first);
	const second = await secondTask(first);
	await environment.gateway.control.repeatCallback(first);
	expect(await status(suspended)).toBe('waiting');
	await finish(second);
	const result = await end(suspended);
	expect(result.status).toBe('success');
	expect(result.nodes['Picture {"x"}']?.runs).toBe(2);
	expect(result.nodes['After']?.items.map(({ json }) => json['taskId'])).toStrictEqual([first, second]);
	expect(result.nodes['After']?.items.map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual([
		['data'],
		['data'],
	]);

	/** The task of the second turn, once the execution is suspended for it. */
	async function secondTask(before: string): Promise<string> {
		return await eventually(async () => {
			const tasks = environment.gateway.control.tasks().map(({ taskId }) => taskId);
			const next = tasks[tasks.indexOf(before) + 1];
			expect(await status(suspended)).toBe('waiting');
			if (next === undefined) throw new Error('there is no task of the second turn');
			return next;
		}, 30_000);
	}
});

/** Files cannot be downloaded. */
const loseFiles = () =>
	environment.gateway.control.addFault({
		match: { host: 'files' },
		action: { kind: 'raw', status: 403, body: 'html' },
		times: 0,
	});
/** *Retry* with the workflow as it is stored now. */
const retry = async (executionId: string) =>
	await environment.end(await environment.client.retryExecution(executionId, true));

test('what fails after resuming can be retried without paying again', async () => {
	const before = charged();
	const suspended = await suspendExecution(
		environment,
		pictures(['a cat', 'a dog'], { options: { maxRetries: 0 } }),
	);
	loseFiles();
	for (const taskId of suspended.tasks) await finish(taskId);
	const failed = await end(suspended);
	environment.gateway.control.clearFaults();
	expect(failed.status).toBe('error');
	expect(failed.error?.description).toMatch(/With 'Download Results' off, a retry .* Task .* is paid for\./);
	const result = await retry(suspended.executionId);
	expect(result.status).toBe('success');
	expect(result.nodes['After']?.items.map(({ json }) => json['taskId'])).toStrictEqual(suspended.tasks);
	expect(charged() - before).toBe(2);
});

test('a retry with the saved workflow makes a new picture, if the prompt was corrected', async () => {
	const { client, credential, gateway } = environment;
	const { control } = gateway;
	const before = control.tasks().length;
	control.configure({ taskDuration: { image: 0 } });
	const draw = (prompt: string) => {
		const inputJson = JSON.stringify({ prompt, quality: 'draft', size: '512x512' });
		return pictures(['a cat'], { waitStrategy: 'poll', inputJson });
	};
	loseFiles();
	const failed = await environment.execute(draw('a cat'));
	expect(failed.status).toBe('error');
	control.clearFaults();
	await client.updateWorkflow(failed.workflowId, withCredential(draw('a red cat'), credential));
	const { nodes } = await retry(failed.id);
	const tasks = control.tasks().slice(before);
	expect(tasks.map(({ input }) => input['prompt'])).toStrictEqual(['a cat', 'a red cat']);
	expect(
		nodes['After']?.items.map(({ json, binary }) => [json['taskId'], Object.keys(binary ?? {})]),
	).toStrictEqual([[tasks[1]?.taskId, ['data']]]);
});

describe('where n8n would go on without the result, the execution keeps running', () => {
	const picture = gatewayNode('Picture', 'mediaTask', {
		resource: 'image',
		operation: 'generate',
		model: byId('aurora/canvas-1'),
		prompt: '={{ $json.prompt ?? $json.body.prompt }}',
		waitStrategy: 'suspend',
	});
	const behind = (trigger: WorkflowNode) =>
		workflowOf('Draw', [trigger, picture], { [trigger.name]: ['Picture'] });
	let before: number;

	beforeEach(() => {
		environment.gateway.control.configure({ taskDuration: { image: 500 } });
		before = charged();
	});

	test('a sub-workflow that runs once for each item returns each picture to its parent', async () => {
		const trigger = { name: 'Called', type: 'n8n-nodes-base.executeWorkflowTrigger', typeVersion: 1.1 };
		const { id } = await environment.publish(
			behind({ ...trigger, parameters: { inputSource: 'passthrough' } }),
		);
		const parameters = {
			workflowId: byId(id),
			workflowInputs: { mappingMode: 'defineBelow', value: {} },
			mode: 'each',
			options: { waitForSubWorkflow: true },
		};
		const prompts = itemsNode('Prompts', [{ prompt: 'a cat' }, { prompt: 'a dog' }, { prompt: 'a cow' }]);
		const sub = { name: 'Sub', type: 'n8n-nodes-base.executeWorkflow', typeVersion: 1.3, parameters };
		const parent = workflowOf('Parent', [prompts, sub], { Start: ['Prompts'], Prompts: ['Sub'] });
		const { nodes } = await environment.runWorkflow(parent);
		const items = nodes['Sub']?.items ?? [];
		expect(items.map(({ json, binary }) => [json['state'], Object.keys(binary ?? {})])).toStrictEqual(
			Array(3).fill(['success', ['data']]),
		);
		expect(charged() - before).toBe(3);
	});

	test('a webhook that responds with the output of the last node has the picture', async () => {
		const path = 'draw-5f6c1c6e';
		const trigger = { name: 'Hook', type: 'n8n-nodes-base.webhook', typeVersion: 2.1, webhookId: path };
		const parameters = { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} };
		await environment.publish(behind({ ...trigger, parameters }));
		const url = `${environment.client.url}/webhook/${path}`;
		const response = await eventually(async () => {
			const called = await call(url, { prompt: 'a cat' });
			// n8n registers it a moment later.
			expect(called.status).not.toBe(404);
			return called;
		}, 30_000);
		const body: unknown = await response.json();
		expect(body).toMatchObject({ state: 'success', resultUrls: [expect.any(String)] });
		expect(charged() - before).toBe(1);
	});
});
