import { type IExecuteFunctions, type IRun, Workflow } from 'n8n-workflow';

import { MediaTask } from '../../../nodes/MediaTask/MediaTask.node';
import { requestContext } from '../../helpers/contexts';
import {
	packageNodes,
	prepare,
	resumeNode,
	runAgain,
	runNode,
	type RunOptions,
	storedBinary,
} from '../../helpers/engine';
import { gateway } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import {
	mockTasks,
	prompts,
	savedState,
	sendCallback,
	stored,
	suspend,
	suspending,
	type Tasks,
} from '../../helpers/suspended';
import { quickTime } from '../../helpers/time';

// Suspending, on n8n's engine. With the real n8n: test/e2e/media-suspend.test.ts.

useNock();

quickTime();

const inOrder = { options: { concurrency: 1 } };

describe('a suspended execution', () => {
	it('sends the gateway a callback URL below the execution’s, and stays suspended for the longest wait', async () => {
		const tasks = mockTasks(() => 'processing');
		const before = Date.now();
		const use = suspending({ options: { maxWait: 10 } }, { executionId: 'execution-1' });
		const { run: execution } = await suspend(tasks, use);
		expect(execution.waitTill?.getTime()).toBeGreaterThanOrEqual(before + 600_000);
		expect(execution.waitTill?.getTime()).toBeLessThanOrEqual(Date.now() + 600_000);
		expect(tasks.sent[0]?.body.callBackUrl).toMatch(
			/^https:\/\/n8n\.test\/webhook-waiting\/execution-1\/media-task\?signature=\w+&item=0$/,
		);
	});

	it('requests callbacks for the last 20 of many tasks: n8n reads the whole execution for each one', async () => {
		const tasks = mockTasks(() => 'processing');
		const items = Array.from({ length: 30 }, (_, n) => ({ json: { n } }));
		await suspend(tasks, suspending({ inputJson: '={{ { n: $json.n } }}' }, { items }));
		expect(tasks.sent).toHaveLength(30);
		const callers = tasks.sent.filter(({ body }) => 'callBackUrl' in body);
		const numbers = callers.map(({ body }) => (body.input as { n: number }).n);
		expect(numbers.sort((a, b) => a - b)).toStrictEqual(Array.from({ length: 20 }, (_, index) => index + 10));
	});
});

const running = async (parameters: object = {}, more: Partial<RunOptions> = {}) => {
	const result = await runNode(suspending(parameters, more));
	expect(result.run.status).toBe('success');
	expect(result.run.waitTill).toBeUndefined();
	return result;
};

describe('the execution keeps running', () => {
	it.each([
		[1, false],
		[1.08, false],
		[1.09, true],
	])('when the longest wait of %d minutes is too short for n8n to resume it', async (maxWait, suspends) => {
		const tasks = mockTasks(() => 'success');
		await running({ options: { maxWait } });
		expect(tasks.sent.map(({ body }) => 'callBackUrl' in body)).toStrictEqual([suspends]);
	});

	it('when no pending task has a callback', async () => {
		let polls = 0;
		const tasks = mockTasks((taskId) => (taskId === 't1' && (polls += 1) < 3 ? 'processing' : 'success'));
		const items = Array.from({ length: 21 }, () => ({ json: {} }));
		const { items: results } = await running({ options: { concurrency: 1 } }, { items });
		expect(results.map(({ json }) => json.state)).toStrictEqual(items.map(() => 'success'));
		expect(tasks.sent.map(({ body }) => 'callBackUrl' in body)).toStrictEqual([
			false,
			...Array<boolean>(20).fill(true),
		]);
	});
});

describe('the execution fails', () => {
	it('for a task that the gateway denies access to', async () => {
		mockTasks(() => 403);
		const { run: execution, error } = await runNode(suspending());
		expect(execution.status).toBe('error');
		expect(execution.waitTill).toBeUndefined();
		expect(error).toMatchObject({ httpCode: '403', context: { taskId: 't1' } });
	});
});

describe('suspend problem', () => {
	afterEach(() => void jest.restoreAllMocks());

	/** Changed properties of n8n's context. */
	type Change = (context: IExecuteFunctions) => PropertyDescriptorMap;

	/** The properties of the context that its type does not declare. */
	type Internals = { executeData: { node: object; data: { main: object[][] } } };

	/** Makes the engine pass a changed context to the node. */
	function onN8nWith(change: Change): void {
		jest.spyOn(packageNodes.mediaTask, 'execute').mockImplementation(async function (
			this: IExecuteFunctions,
		) {
			const changed = Object.create(this, change(this)) as IExecuteFunctions;
			return await MediaTask.prototype.execute.call(changed);
		});
	}

	const executeDataOf = (context: object) => (context as Internals).executeData;

	const run = async (more: Partial<RunOptions> = {}, parameters: object = {}) => {
		const result = await runNode(suspending(parameters, more));
		const [node] = result.run.data.resultData.runData.Gateway ?? [];
		// Another hint says what the tasks cost.
		const hints = (node?.hints ?? []).filter(({ message }) => !message.startsWith('Cost: '));
		return { ...result, hints };
	};

	const hint = (problem: string) => ({
		message: `The execution keeps running instead of sleeping: ${problem}`,
		location: 'outputPane',
	});

	const OTHER_WAY = 'this version of n8n stores suspended executions in another way';
	const NO_URL = 'n8n has no URL that resumes the execution';

	const problems: Array<[string, Change, string]> = [
		['whose context has no executeData', () => ({ executeData: { value: undefined } }), OTHER_WAY],
		[
			'that stores copies of the items',
			(context) => {
				const { node, data } = executeDataOf(context);
				const copies = data.main.map((items) => items.map((item) => ({ ...item })));
				return { executeData: { value: { node, data: { main: copies } } } };
			},
			OTHER_WAY,
		],
		[
			'that has no putExecutionToWait',
			() => ({ putExecutionToWait: { value: undefined } }),
			'this n8n cannot suspend executions',
		],
		[
			'before 2.2, in a sub-workflow',
			() => ({ getMode: { value: () => 'integrated' }, isToolExecution: { value: undefined } }),
			'a sub-workflow can be suspended from n8n 2.2 on',
		],
		[
			'without a resume URL',
			() => ({ getWorkflowDataProxy: { value: () => ({ $runIndex: 0, $execution: {} }) } }),
			NO_URL,
		],
	];

	describe.each(problems)('on an n8n %s', (_, change, problem) => {
		it('creates the tasks without a callback, polls until they have ended, and shows one hint', async () => {
			onN8nWith(change);
			const tasks = mockTasks(() => (tasks.polls.length < 6 ? 'processing' : 'success'));
			const { run: execution, items, hints } = await run({ items: prompts('a', 'b') });
			expect([execution.status, execution.waitTill]).toStrictEqual(['success', undefined]);
			expect(tasks.sent.map(({ body }) => 'callBackUrl' in body)).toStrictEqual([false, false]);
			expect(tasks.polls.length).toBeGreaterThanOrEqual(6);
			expect(items.map(({ json }) => [json.state, 'timedOut' in json])).toStrictEqual([
				['success', false],
				['success', false],
			]);
			expect(hints).toStrictEqual([hint(problem)]);
		});
	});

	const own = 'https://n8n.example.com/done';

	it.each<[string, object, Partial<RunOptions>, string, string | undefined]>([
		['an execution without an ID', {}, { executionId: '' }, 'the execution has no ID', undefined],
		[
			'a node with Retry On Fail, which n8n may run again at once,',
			{},
			{ settings: { retryOnFail: true } },
			"'Retry On Fail' is on",
			undefined,
		],
		[
			'an n8n that the gateway cannot reach',
			{},
			{ n8nUrl: 'http://localhost:5678' },
			'the gateway cannot reach this n8n: "localhost" is an address of a local network. The public URL of n8n is set by N8N_WEBHOOK_URL or, in older versions, WEBHOOK_URL',
			undefined,
		],
		[
			'a task with a callback URL of the user',
			{ options: { callbackUrl: own } },
			{},
			"the task has another 'Callback URL'",
			own,
		],
	])('%s polls and shows a hint', async (_, parameters, more, problem, callBackUrl) => {
		const tasks = mockTasks(() => 'success');
		const { items, hints } = await run(more, parameters);
		expect(items.map(({ json }) => json.state)).toStrictEqual(['success']);
		expect(tasks.sent.map(({ body }) => body.callBackUrl)).toStrictEqual([callBackUrl]);
		expect(hints).toStrictEqual([hint(problem)]);
	});

	it.each<[string, object, Partial<RunOptions>]>([
		['polling is chosen', { waitStrategy: 'poll' }, {}],
		['an AI Agent waits for its tool', {}, { asTool: true }],
		['the longest wait is too short to suspend', { options: { maxWait: 1 } }, {}],
	])('no hint is shown when %s, although this n8n cannot suspend', async (_, parameters, more) => {
		onN8nWith(() => ({ putExecutionToWait: { value: undefined } }));
		const tasks = mockTasks(() => 'success');
		const { run: execution, hints } = await run(more, parameters);
		expect(execution.status).toBe('success');
		expect(tasks.sent).toHaveLength(1);
		expect(hints).toStrictEqual([]);
	});
});

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
		expect(savedState(suspended)).toStrictEqual({
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
		tasks.inPlaceOfN8n = { status: 401, body: '' };
		const request = { body: {}, query: { item: '0' } };
		const context = requestContext({ workflow: renamed, more, mode }, node, request, data);
		const { workflowData } = await new MediaTask().webhook.call(context);
		expect(workflowData?.[0]?.map(({ json }) => json.taskId)).toStrictEqual(['t1']);
	},
);

const byTask = (states: Record<string, string>) => (taskId: string) => ({
	state: states[taskId] ?? 'waiting',
	failMsg: 'no',
});

/** Suspends an execution, sets the responses to further polls, and sends a callback. */
async function resumed(tasks: Tasks, use: RunOptions, then: Tasks['respond']) {
	const suspended = await suspend(tasks, use);
	tasks.respond = then;
	tasks.polls.splice(0);
	const { resumed: result } = await sendCallback(suspended, use, { item: (use.items?.length ?? 1) - 1 });
	if (!result) throw new Error('The execution stays suspended');
	return result;
}

describe('a resumed node', () => {
	it('returns each item’s own result, in order, and creates nothing', async () => {
		const tasks = mockTasks(byTask({ t2: 'success' }));
		const use = suspending(inOrder, { items: prompts('a', 'b', 'c') });
		const result = await resumed(tasks, use, () => 'success');
		expect(result.run.status).toBe('success');
		expect(result.items.map(({ json }) => [json.taskId, json.state, json.priceRub])).toStrictEqual([
			['t1', 'success', 6],
			['t2', 'success', 6],
			['t3', 'success', 6],
		]);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toStrictEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(result.items.map(({ json }) => 'timedOut' in json)).toStrictEqual([false, false, false]);
		expect(tasks.sent).toHaveLength(3);
	});

	it('fails for a failed task, and names all others, also one that had ended before', async () => {
		const tasks = mockTasks(byTask({ t1: 'success' }));
		const use = suspending(inOrder, { items: prompts('a', 'b', 'c') });
		const { run, error } = await resumed(tasks, use, byTask({ t2: 'success', t3: 'fail' }));
		expect(run.status).toBe('error');
		expect(error?.message).toBe('The media task failed');
		expect(error?.description).toMatch(/task t3 .*results of tasks: t1, t2\./);
	});

	it('reads parameters again with the node’s input: its outputs are stored in its place', async () => {
		const parameters = {
			inputJson: '={{ { prompt: $json.prompt.toUpperCase() } }}',
			simplify: '={{ $json.prompt === "a" }}',
			options: {
				concurrency: 1,
				timeout: '={{ $json.prompt.length * 100 }}',
				maxWait: '={{ $json.prompt ? 30 : 0 }}',
			},
		};
		const tasks = mockTasks(() => 'waiting');
		const use = suspending(parameters, { items: prompts('a', 'b') });
		const { error, items } = await resumed(tasks, use, () => 'success');
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject([
			{ taskId: 't1', state: 'success' },
			{ code: 200, data: { taskId: 't2' } },
		]);
	});

	it('has the files of its input again, and so has a retry of the execution, for a task in place of a failed one', async () => {
		const tasks = mockTasks(() => 'processing');
		gateway().persist().post('/api/v1/storage/upload').reply(200, { id: 'f', url: 'https://files.test/f' });
		const data = await storedBinary('a', { mimeType: 'image/png', fileName: 'a.png' });
		const parameters = {
			...{ resource: 'image', operation: 'edit', prompt: '' },
			inputJson: '={{ { prompt: $binary.data.fileName } }}',
			inputFiles: { files: [{ binaryPropertyName: 'data', inputField: 'image_url' }] },
		};
		const item = { json: {}, binary: { data } };
		const use = suspending({ ...parameters, ...inOrder }, { items: [item, item] });
		const failed = await resumed(tasks, use, byTask({ t1: 'fail', t2: 'success' }));
		expect(failed.error?.message).toBe('The media task failed');
		tasks.respond = byTask({ t2: 'success', t3: 'success' });
		const { items } = await runAgain(failed, { ...use, executionId: 'retry', items: stored(failed) });
		expect(items.map(({ json }) => json.taskId)).toStrictEqual(['t3', 't2']);
		expect(tasks.sent[2]?.body.input).toStrictEqual({ prompt: 'a.png', image_url: 'https://files.test/f' });
	});
});

describe('when the longest wait is over', () => {
	const late = async (tasks: Tasks, use: RunOptions, then: Tasks['respond']) => {
		const suspended = await suspend(tasks, use);
		tasks.respond = then;
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 31 * 60_000);
		const result = await resumeNode(suspended, use);
		clock.mockRestore();
		return result;
	};

	it('a pending task is passed on in its last known state, an ended one with its result', async () => {
		const tasks = mockTasks(() => 'processing');
		const use = suspending(inOrder, { items: prompts('a', 'b') });
		const { run, items } = await late(tasks, use, byTask({ t1: 'success', t2: 'waiting' }));
		expect(run.status).toBe('success');
		expect(items.map(({ json }) => json)).toStrictEqual([
			expect.not.objectContaining({ timedOut: true }),
			{
				taskId: 't2',
				state: 'waiting',
				priceRub: 6,
				model: 'acme/painter',
				resultUrls: [],
				timedOut: true,
			},
		]);
		expect(items[0]?.json).toMatchObject({ taskId: 't1', state: 'success' });
	});
});
