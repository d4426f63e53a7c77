import { checkPng } from '../../sandbox/demo/png';
import type { WorkflowJson } from '../../sandbox/n8n/types';
import { loadExample, loadExamples } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';
import { suspendExecution, type Suspended } from './support/suspended';

// The example workflows, besides that of the demo (main-job.test.ts), as a user imports and runs them.

let environment: Environment;

/** Starts first and is checked last: n8n waits for at least a minute. */
let late: Suspended;

useEnvironment((started) => (environment = started));
beforeAll(async () => {
	late = await suspendedPictures(withMaxWait(await loadExample('long-tasks'), 1.2));
});

describe("n8n's migration report for 3.0", () => {
	/** The rules that concern stored workflows, with how many each concerns. */
	async function concerned(): Promise<Array<[rule: string, workflows: number]>> {
		const { report } = await environment.client.send<{
			report: { workflowResults: Array<{ ruleId: string; nbAffectedWorkflows: number }> };
		}>('POST', '/rest/breaking-changes/report/refresh?version=v3', {});
		return report.workflowResults.map(({ ruleId, nbAffectedWorkflows }) => [ruleId, nbAffectedWorkflows]);
	}

	it('names a removed node', async () => {
		const node = { id: 'f', name: 'Old', type: 'n8n-nodes-base.function', typeVersion: 1 };
		const { id } = await environment.client.createWorkflow({
			name: 'Old',
			nodes: [{ ...node, position: [0, 0], parameters: {} }],
			connections: {},
			settings: {},
		});
		expect(await concerned()).toStrictEqual([['function-removed-v3', 1]]);
		await environment.client.send('POST', `/rest/workflows/${id}/archive`, {});
		await environment.client.send('DELETE', `/rest/workflows/${id}`, undefined);
	});

	it('has nothing to say about the examples', async () => {
		const examples = await loadExamples();
		expect(examples).toHaveLength(12);
		for (const { workflow } of examples) await environment.store(workflow);
		expect(await concerned()).toStrictEqual([]);
	});
});

test('many pictures at once: results have picture and price, failed items leave through the error output', async () => {
	const result = await environment.runWorkflow(await loadExample('bulk-media'));
	expect(result.error).toBeUndefined();
	const pictures = result.nodes['Pictures']?.items ?? [];
	expect(pictures).toHaveLength(4);
	for (const item of pictures) {
		expect(item.json).toMatchObject({ state: 'success', priceRub: expect.any(Number) as number });
		expect(await checkPng(await environment.readBinary(item))).toStrictEqual({ width: 512, height: 512 });
	}
	expect(result.nodes['What went wrong']?.items.map(({ json }) => json)).toStrictEqual([
		{
			idea: 'a fox in the first snow',
			problem: "The price of the task is unknown, so 'Max Price (₽)' cannot be kept",
			hint: expect.stringContaining("'quality'") as string,
		},
	]);
	const others = new Set(late.tasks);
	const paid = environment.gateway.control.ledger().filter(({ taskId }) => !others.has(taskId ?? ''));
	expect(paid).toHaveLength(4);
	expect(pictures.reduce((sum, { json }) => sum + Number(json['priceRub']), 0)).toBeCloseTo(
		paid.reduce((sum, { amount }) => sum + Number(amount), 0),
	);
});

/** Runs the pictures of the pipeline until they are suspended; they end when they are told to. */
async function suspendedPictures(workflow: WorkflowJson): Promise<Suspended> {
	const { control } = environment.gateway;
	control.configure({ taskDuration: { image: 600_000 } });
	const suspended = await suspendExecution(environment, workflow);
	control.configure({ taskDuration: { image: 500 } });
	return suspended;
}

function withMaxWait(workflow: WorkflowJson, minutes: number): WorkflowJson {
	const text = JSON.stringify(workflow);
	expect(text).toContain('"maxWait":60');
	return JSON.parse(text.replace('"maxWait":60', `"maxWait":${minutes}`)) as WorkflowJson;
}

const ended = async ({ executionId }: Suspended) => await environment.end(executionId);
const failure = { failCode: 'MODERATION', failMsg: 'not like that' };
const charges = (tasks: string[]) =>
	environment.gateway.control.ledger().filter(({ taskId }) => tasks.includes(taskId ?? ''));

test('a suspended execution stores its pictures or reports why not', async () => {
	const suspended = await suspendedPictures(await loadExample('long-tasks'));
	const [first = '', second = ''] = suspended.tasks;
	await environment.gateway.control.finishTask(first, failure);
	await environment.gateway.control.finishTask(second, 'success');
	const result = await ended(suspended);
	expect(result.status).toBe('success');
	expect(result.nodes['Keep in storage']?.items).toHaveLength(1);
	expect(result.nodes['Keep in storage']?.items[0]?.json).toMatchObject({ mimeType: 'image/png' });
	expect(result.nodes['What went wrong']?.items.map(({ json }) => json)).toMatchObject([
		{ idea: expect.any(String) as string, problem: 'The media task failed', taskId: first },
	]);
	expect(result.nodes).not.toHaveProperty('Wait again');
	expect(charges(suspended.tasks)).toHaveLength(2);
});

test('pictures without a callback in time are waited for again', async () => {
	const { control } = environment.gateway;
	control.configure({ callbacks: { mode: 'off' } });
	const end = ended(late);
	// Its tasks end after its wait.
	const status = async () => (await environment.client.readStartedExecution(late.executionId))?.status;
	// n8n resumes executions once a minute.
	await eventually(async () => expect(await status()).not.toBe('waiting'), 200_000);
	for (const taskId of late.tasks) await control.finishTask(taskId, 'success');
	const result = await end;
	expect(result.status).toBe('success');
	expect(result.nodes['Timed out?']?.items.map(({ json }) => json)).toMatchObject([
		{ timedOut: true },
		{ timedOut: true },
	]);
	expect(result.nodes['Wait again']?.items.map(({ json }) => json['state'])).toStrictEqual([
		'success',
		'success',
	]);
	expect(result.nodes['Keep in storage']?.items).toHaveLength(2);
	expect(charges(late.tasks)).toHaveLength(2);
});
