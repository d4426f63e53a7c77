import nock from 'nock';
import { Workflow, type IRun } from 'n8n-workflow';

import { MediaTask } from '../../../nodes/MediaTask/MediaTask.node';
import { requestContext } from '../../helpers/contexts';
import {
	prepare,
	storedBinary,
	resumeNode,
	runNode,
	type RunOptions,
	type RunResult,
} from '../../helpers/engine';
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

describe('a resumed execution keeps the settings of the suspended one', () => {
	const items = prompts('a', 'b', 'c', 'd', 'e', 'f');
	const result = { state: 'success', resultJson: '{"resultUrls":["https://files.test/a"]}' };

	it.each([1, 2])('%i requests at a time', async (concurrency) => {
		const parameters = {
			downloadResults: true,
			options: { concurrency: `={{ $json.prompt ? ${concurrency} : 50 }}` },
		};
		const { tasks, use, suspended } = await suspendFor(parameters, { items });
		tasks.respond = () => result;
		let running = 0;
		let most = 0;
		nock('https://files.test')
			.persist()
			.get('/a')
			.reply(async () => {
				running += 1;
				most = Math.max(most, running);
				await new Promise((resolve) => setTimeout(resolve, 500));
				running -= 1;
				return [200, 'bytes', { 'content-type': 'image/png' }];
			});
		const { resumed } = await sendCallback(suspended, use, { item: 0 });
		expect(resumed?.items.map(({ json }) => json.state)).toStrictEqual(Array(6).fill('success'));
		expect(most).toBe(concurrency);
	});

	it.each([0, 2])('%i retries', async (maxRetries) => {
		const parameters = {
			downloadResults: true,
			options: { maxRetries: `={{ $json.prompt ? ${maxRetries} : 5 }}` },
		};
		const { tasks, use, suspended } = await suspendFor(parameters, { items: prompts('a') });
		tasks.respond = () => result;
		let requests = 0;
		nock('https://files.test')
			.persist()
			.get('/a')
			.reply(() => {
				requests += 1;
				return [503];
			});
		const { resumed } = await sendCallback(suspended, use, { item: 0 });
		expect(resumed?.error?.httpCode).toBe('503');
		expect(requests).toBe(maxRetries + 1);
	});
});

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

	it.each<[string, (json: StoredJson) => void]>([
		['without a task', (json) => (json.taskId = undefined)],
		['of other tasks', (json) => (json.taskId = 'other')],
		['that are not timed out', (json) => (json.timedOut = false)],
	])('is recognised by the callback, not by its items: items %s', async (_, input) => {
		const { tasks, use, suspended } = await suspendFor({}, { items });
		const { resumed } = await sendCallback(changed(suspended, { input }), use, { item: 0 });
		expect(resumed?.items.map(({ json }) => json.taskId)).toStrictEqual(['t1', 't2']);
		expect(tasks.sent).toHaveLength(2);
	});

	it('is ignored when its timed-out items come back without a callback, as in a loop: they are new orders', async () => {
		const { tasks, use, suspended } = await suspendFor({}, { items });
		expect(stored(suspended).map(({ json }) => json.timedOut)).toStrictEqual([true, true]);
		await resumeNode(suspended, use, { token: null, isNextRun: true });
		expect(tasks.sent).toHaveLength(4);
	});

	it('leaves no mark of the callback on the error items, which name their tasks', async () => {
		const { use, suspended } = await suspendFor(
			{},
			{ items, settings: { onError: 'continueRegularOutput' } },
		);
		const credential = { baseUrl: 'no address', apiKey: 'sk-test' };
		const { items: passedOn } = await resumeNode(suspended, { ...use, credential });
		expect(passedOn.map(({ json }) => json.error)).toMatchObject([{ taskId: 't1' }, { taskId: 't2' }]);
		expect(JSON.stringify(passedOn)).not.toContain('aiGatewayResumed');
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
	it('has the files of ended items, and not those of the input', async () => {
		const facts = { mimeType: 'text/plain', fileName: 'input.txt' };
		const items = await Promise.all(
			['a', 'b'].map(async (prompt) => ({
				json: { prompt },
				binary: { input: await storedBinary(prompt, facts) },
			})),
		);
		nock('https://files.test').get('/a.png').reply(200, 'bytes');
		const tasks = mockTasks((taskId) =>
			taskId === 't1'
				? { state: 'success', resultJson: '{"resultUrls":["https://files.test/a.png"]}' }
				: 'processing',
		);
		const options = { concurrency: 1 };
		const suspended = await suspend(tasks, suspending({ downloadResults: true, options }, { items }));
		expect(stored(suspended).map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual([['data'], []]);
		expect(stored(suspended)[1]).not.toHaveProperty('binary');
		const source = suspended.run.data.resultData.runData.Source?.[0]?.data?.main?.[0];
		expect(source?.map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual([['input'], ['input']]);
	});

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

it('resumes nothing on an n8n that does not provide the node to run', async () => {
	const { use, suspended } = await suspendFor({}, { items: prompts('a', 'b') });
	const { responses, resumed } = await sendCallback(suspended, use, {
		item: 0,
		hasRunningNode: false,
	});
	expect(responses).toStrictEqual([{ status: 200, body: { message: 'Received' } }]);
	expect(resumed).toBeUndefined();
});
