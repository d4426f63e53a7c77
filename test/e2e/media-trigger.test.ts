import type { StoredWorkflow } from '../../sandbox/n8n/types';
import { useEnvironment, type Environment } from './support/environment';
import { call, publishTrigger, type PublishedTrigger } from './support/mediaTrigger';
import { byId, gatewayNode, workflowOf } from './support/workflows';

// The trigger on the real n8n: who calls, and what starts.

let environment: Environment;

useEnvironment((started) => (environment = started), {
	settings: { taskDuration: { image: 600_000 }, callbacks: { mode: 'off' } },
});

/** Publishes a trigger, and waits until its webhook is there. */
const publish = async (parameters?: object, settings?: object): Promise<PublishedTrigger> =>
	await publishTrigger(environment, parameters, settings);

/** A task of the account that has ended. */
async function task(callbackUrl?: string): Promise<string> {
	const create = gatewayNode('Create', 'mediaTask', {
		operation: 'create',
		model: byId('aurora/canvas-1'),
		inputMode: 'json',
		inputJson: '{"prompt": "a cat", "quality": "draft", "size": "512x512"}',
		options: callbackUrl ? { callbackUrl } : {},
	});
	const created = await environment.runWorkflow(workflowOf('Create', [create], { Start: ['Create'] }));
	const taskId = created.nodes['Create']?.items[0]?.json['taskId'];
	if (typeof taskId !== 'string') throw new Error(`no task was created: ${JSON.stringify(created.error)}`);
	await environment.gateway.control.finishTask(taskId);
	return taskId;
}

/** What the node behind the trigger got in the only execution. */
async function itemOf(workflow: StoredWorkflow) {
	const [result, ...others] = await environment.executionsOf(workflow, 1);
	expect(others).toStrictEqual([]);
	return result?.nodes['After']?.items[0];
}

test('a task that has ended starts the workflow with its result, on the gateway’s callback', async () => {
	const { workflow, url } = await publish();
	environment.gateway.control.configure({ callbacks: { mode: 'on' } });
	const taskId = await task(url);
	const item = await itemOf(workflow);
	environment.gateway.control.configure({ callbacks: { mode: 'off' } });
	expect(item?.json).toMatchObject({ taskId, state: 'success' });
	expect(item?.binary?.['data']?.mimeType).toBe('image/png');
	expect(environment.gateway.control.callbacks().at(-1)).toMatchObject({ status: 200 });
});

test.each<[string, string, (taskId: string) => string | FormData | Uint8Array]>([
	...['application/octet-stream', 'application/vnd.gateway+json', ''].map(
		(type): [string, string, (taskId: string) => Uint8Array] => [
			`bytes with the media type '${type}'`,
			type,
			(taskId) => new TextEncoder().encode(JSON.stringify({ data: { taskId } })),
		],
	),
	['a text', 'text/plain', (taskId) => taskId],
	['a text that was sent as a form', 'application/x-www-form-urlencoded', (taskId) => taskId],
	['JSON that was sent as a form', 'application/x-www-form-urlencoded', (id) => JSON.stringify({ id })],
	[
		'a form with JSON in a field',
		'application/x-www-form-urlencoded',
		(taskId) => `payload=${encodeURIComponent(JSON.stringify({ data: { 'task-id': taskId } }))}`,
	],
	['XML', 'application/xml', (taskId) => `<callback><task>${taskId}</task></callback>`],
	['a form with files', '', (taskId) => multipart({ payload: JSON.stringify({ TaskID: taskId }) })],
])('a callback of %s starts the workflow', async (_, type, bodyOf) => {
	const { workflow, url } = await publish({ downloadResults: false });
	const taskId = await task();
	const headers = type === '' ? {} : { 'content-type': type };
	const response = await fetch(url, { method: 'POST', headers, body: bodyOf(taskId) });
	expect(response.status).toBe(200);
	expect((await itemOf(workflow))?.json).toMatchObject({ taskId, state: 'success' });
});

function multipart(fields: Record<string, string>): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	form.append('file', new Blob(['x']), 'a.txt');
	return form;
}

test('starts a workflow where files are part of the JSON data', async () => {
	const { workflow, url } = await publish({}, { binaryMode: 'combined' });
	const taskId = await task();
	expect((await call(url, { taskId })).status).toBe(200);
	expect((await itemOf(workflow))?.json).toMatchObject({ taskId, _files: { data: {} } });
});
