import { checkPng } from '../../sandbox/demo/png';
import type { RunResult } from '../../sandbox/n8n/executions';
import type { StoredWorkflow, WorkflowJson } from '../../sandbox/n8n/types';
import { loadExample, loadExamples } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';
import { call } from './support/mediaTrigger';
import { suspendExecution, type Suspended } from './support/suspended';
import { everySecond } from './support/workflows';

// The example workflows, besides that of the demo (main-job.test.ts), as a user imports and runs them.

let environment: Environment;

/** Starts first and is checked last: n8n waits for at least a minute. */
let late: Suspended;

useEnvironment((started) => (environment = started));
beforeAll(async () => {
	late = await suspendedPictures(withMaxWait(await loadExample('callback-pipeline'), 1.2));
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
		expect(examples).toHaveLength(10);
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
	const suspended = await suspendedPictures(await loadExample('callback-pipeline'));
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

describe('pictures that a webhook requests and the trigger stores', () => {
	let workflow: StoredWorkflow;
	beforeAll(async () => {
		workflow = await environment.publish(await loadExample('callback-pipeline'));
	});

	/** Orders a picture, as a web shop would. */
	async function order(): Promise<string> {
		const response = await eventually(async () => {
			// The webhook is there a moment after the workflow has been published.
			const answer = await call(`${environment.client.url}/webhook/order-picture`, { idea: 'a fox' });
			expect(answer.status).not.toBe(404);
			return answer;
		}, 30_000);
		return ((await response.json()) as { taskId: string }).taskId;
	}

	/** The executions that the trigger has started, once there are so many. */
	async function started(count: number): Promise<RunResult[]> {
		return await eventually(async () => {
			const results = await environment.executionsOf(workflow, 0);
			const found = results.filter(({ nodes }) => 'Picture task ended' in nodes);
			expect(found.length).toBeGreaterThanOrEqual(count);
			return found;
		}, 30_000);
	}

	test('each task starts it once, with failed ones reported', async () => {
		const { control } = environment.gateway;
		control.configure({ taskDuration: { image: 600_000 } });
		const [good, bad] = [await order(), await order()];
		const [{ callBackUrl } = { callBackUrl: null }] = control.tasks().filter(({ taskId }) => taskId === good);
		await control.forgeCallback({ url: callBackUrl ?? '', body: { taskId: good, state: 'success' } });
		await control.forgeCallback({ url: callBackUrl ?? '', body: { taskId: 'of-somebody-else' } });
		await control.finishTask(good, 'success');
		await control.repeatCallback(good);
		await control.finishTask(bad, failure);
		await control.repeatCallback(bad);
		const results = await started(2);
		expect(results).toHaveLength(2);
		expect(results.flatMap(({ nodes }) => nodes['Why it failed']?.items ?? [])).toMatchObject([
			{ json: { taskId: bad, problem: 'not like that' } },
		]);
		const [kept, ...more] = results.flatMap(({ nodes }) => nodes['Keep the picture']?.items ?? []);
		expect(more).toStrictEqual([]);
		expect(kept?.json).toMatchObject({ mimeType: 'image/png' });
		expect(charges([good, bad])).toHaveLength(2);
		control.configure({ taskDuration: { image: 500 } });
	});
});

test('an alert on a low balance: every hour while it is low, and once by the trigger', async () => {
	const { control } = environment.gateway;
	const example = JSON.stringify(await loadExample('balance-alert'));
	// What takes hours there takes seconds here.
	const quick = example
		.replace('{"field":"hours"}', '{"field":"seconds","secondsInterval":1}')
		.replace('[{"mode":"everyX","value":5,"unit":"minutes"}]', JSON.stringify(everySecond));
	expect(quick.length).toBeGreaterThan(example.length + 100);
	const workflow = await environment.store(JSON.parse(quick) as WorkflowJson);
	const rubles = control.balance();
	control.setBalance('500.00');
	await environment.client.activate(workflow);

	/** What the workflow has told, and how often its trigger has noted that the balance has risen. */
	const state = async () => {
		const results = (await environment.executionsOf(workflow, 0)).reverse();
		const of = (name: string) =>
			results.flatMap(({ nodes }) => nodes[name]?.items.map(({ json }) => json['message']) ?? []);
		const rises = results.filter(({ nodes }) => nodes['Balance is low']?.items.length === 0).length;
		return { hourly: of('Alert'), once: of('Alert once'), rises };
	};
	const told = (amount: string) =>
		`Only ₽${amount} are left at the AI gateway. Top the wallet up, or workflows will stop.`;
	/** Sets the balance, and waits until both ways have seen what there is to see. */
	const set = async (amount: string, isSeen: (seen: Awaited<ReturnType<typeof state>>) => boolean) => {
		control.setBalance(amount);
		await eventually(async () => expect(isSeen(await state())).toBe(true), 30_000);
	};
	await set('99.50', ({ hourly, once }) => hourly.includes(told('99.50')) && once.length === 1);
	await set('98.00', ({ hourly }) => hourly.includes(told('98.00')));
	await set('110.00', ({ rises }) => rises === 1);
	await set('42.42', ({ hourly, once }) => hourly.includes(told('42.42')) && once.length === 2);
	await environment.client.deactivate(workflow);
	control.setBalance(rubles);
	const { hourly, once } = await state();
	expect(once).toStrictEqual([told('99.50'), told('42.42')]);
	expect([...new Set(hourly)]).toStrictEqual([told('99.50'), told('98.00'), told('42.42')]);
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
