import { Workflow, type IRun } from 'n8n-workflow';

import { MediaTask } from '../../../nodes/MediaTask/MediaTask.node';
import { requestContext } from '../../helpers/contexts';
import { prepare, resumeNode, runNode, type RunOptions, type RunResult } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { sendCallback, prompts, stored, suspend, suspending, mockTasks } from '../../helpers/suspended';
import { quickTime } from '../../helpers/time';

// The saved state of a suspended execution, and how a resumed one reads it.

useNock();
quickTime();

type StoredJson = Record<string, unknown>;

/** A copy of a suspended execution with a changed saved state or node input. */
function changed(
	suspended: RunResult,
	change: { state?: (state: StoredJson) => void; input?: (json: StoredJson) => void },
): RunResult {
	const data = JSON.parse(JSON.stringify(suspended.run.data)) as IRun['data'];
	const context = data.executionData?.contextData['node:Gateway'] ?? {};
	change.state?.(context.aiGatewaySuspended as StoredJson);
	const copy = { ...suspended, run: { ...suspended.run, data } };
	for (const { json } of stored(copy)) change.input?.(json);
	return copy;
}

/** Suspends an execution with one task for each item. */
async function suspendFor(parameters: object = {}, more: Partial<RunOptions> = {}) {
	const tasks = mockTasks(() => 'processing');
	const use = suspending(parameters, more);
	const suspended = await suspend(tasks, use);
	tasks.polls.splice(0);
	tasks.respond = () => 'success';
	return { tasks, use, suspended };
}

const secretOf = (address: unknown) => new URL(String(address)).searchParams.get('signature') ?? 'none';

describe('saved state', () => {
	const items = prompts('a', 'b');

	it('has these field names: for others, use another key', async () => {
		const { suspended } = await suspendFor({}, { items });
		const state: StoredJson = {};
		changed(suspended, { state: (own) => Object.assign(state, own) });
		expect(state).toStrictEqual({
			id: expect.any(String) as string,
			until: expect.any(Number) as number,
			tasks: { 0: 't1', 1: 't2' },
			callbacks: ['0', '1'],
			input: items.map(({ json }) => json),
		});
	});

	it('ends with the longest of different waits', async () => {
		const options = { maxWait: '={{ $json.prompt === "b" ? 60 : 10 }}' };
		const { suspended } = await suspendFor({ options }, { items: prompts('a', 'b', 'c') });
		expect(Number(suspended.run.waitTill) - Date.now()).toBeGreaterThan(30 * 60_000);
	});

	it('is ignored when its timed-out items come back without a callback, as in a loop: they are new orders', async () => {
		const inputJson = '={{ { prompt: $json.prompt ?? "another" } }}';
		const { tasks, use, suspended } = await suspendFor({ inputJson, options: { concurrency: 1 } }, { items });
		expect(stored(suspended).map(({ json }) => json.timedOut)).toStrictEqual([true, true]);
		await resumeNode(suspended, use, { token: null, isNextRun: true });
		const sent = tasks.sent.map(({ body }) => (body.input as { prompt: string }).prompt);
		expect(sent).toStrictEqual(['a', 'b', 'another', 'another']);
	});

	it.each(['suspend', 'poll'])('is not made by a field of the input (%s)', async (strategy) => {
		const tasks = mockTasks(() => 'success');
		const [first, ...others] = prompts('a', 'b');
		const forged = { json: { ...first?.json, aiGatewayResumed: 'x', state: 'success' } };
		const use = suspending({ waitStrategy: strategy }, { items: [forged, ...others] });
		const { items: outputs } = await runNode(use);
		expect(outputs.map(({ json }) => json.taskId).sort()).toStrictEqual(['t1', 't2']);
		expect(tasks.sent).toHaveLength(2);
	});

	it('that belongs to another suspension is not restored, and creates nothing', async () => {
		const { tasks, use, suspended } = await suspendFor({}, { items });
		await resumeNode(suspended, use, { token: 'another' });
		expect(tasks.sent).toHaveLength(2);
	});
});

describe('the stored execution', () => {
	it('has neither the secret of the callback URL nor the API key', async () => {
		const { tasks, suspended } = await suspendFor();
		const secret = secretOf(tasks.sent[0]?.body.callBackUrl);
		expect(secret).toMatch(/^[0-9a-f]{16,}$/);
		const { resultData, executionData } = suspended.run.data;
		const all = JSON.stringify([resultData, executionData]);
		expect(all).not.toContain(secret);
		expect(all).not.toContain('sk-test');
	});

	it.each([{}, { settings: { onError: 'continueRegularOutput' as const } }])(
		'has no secret in an error of a resumed execution: %j',
		async (more) => {
			const { tasks, use, suspended } = await suspendFor({}, more);
			const address = String(tasks.sent[0]?.body.callBackUrl);
			tasks.respond = () => ({ state: 'fail', failMsg: `no answer from ${address} with sk-test` });
			const { resumed } = await sendCallback(suspended, use, { item: 0 });
			const all = JSON.stringify([resumed?.run.data.resultData, resumed?.error?.description]);
			expect(all).toContain('no answer from https://n8n.test/webhook-waiting/');
			expect(all).not.toContain(secretOf(address));
			expect(all).not.toContain('sk-test');
		},
	);
});

it.each(['plain', 'with "quotes" and \\', 'with {{ braces }} and }', 'it’s `odd` $'])(
	'resumes a node with any name: %s',
	async (name) => {
		const { tasks, use, suspended } = await suspendFor();
		const { workflow, mode, more } = prepare(use);
		const renamed = new Workflow({
			nodes: Object.values(workflow.nodes).map((node) =>
				node.name === 'Gateway' ? { ...node, name } : node,
			),
			connections: {},
			active: false,
			nodeTypes: workflow.nodeTypes,
		});
		const node = renamed.getNode(name);
		if (!node) throw new Error('The workflow has no such node');
		const text = JSON.stringify(suspended.run.data)
			.replaceAll('"Gateway"', () => JSON.stringify(name))
			.replaceAll('"node:Gateway"', () => JSON.stringify(`node:${name}`));
		const data = JSON.parse(text) as IRun['data'];
		tasks.inPlaceOfN8n = { status: 502, body: '' };
		const request = { body: {}, query: { item: '0' } };
		const context = requestContext({ workflow: renamed, more, mode }, node, request, data);
		const { workflowData } = await new MediaTask().webhook.call(context);
		expect(workflowData?.[0]?.map(({ json }) => json.taskId)).toStrictEqual(['t1']);
	},
);

it('resolves the callback URL to the node’s webhook for each HTTP method of a gateway', async () => {
	const { tasks } = await suspendFor();
	const { pathname, searchParams } = new URL(String(tasks.sent[0]?.body.callBackUrl));
	expect(new MediaTask().description.webhooks).toStrictEqual([
		{
			name: 'default',
			httpMethod: '=POST,GET,PUT',
			responseMode: 'onReceived',
			path: pathname.split('/').at(-1),
			restartWebhook: true,
			isFullPath: true,
		},
	]);
	expect([...searchParams.keys()]).toStrictEqual(['signature', 'item']);
});
