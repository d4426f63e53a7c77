import type { IExecuteFunctions } from 'n8n-workflow';

import { MediaTask } from '../../../nodes/MediaTask/MediaTask.node';
import { packageNodes, resumeNode, runFrom, runNode, type RunOptions } from '../../helpers/engine';
import { envelope, gateway, TASKS } from '../../helpers/media';
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
import { passTime } from '../../helpers/time';
import { CONTINUE } from '../../helpers/values';

// Suspending, on n8n's engine. With the real n8n: test/e2e/media-suspend.test.ts.

useNock();
const inOrder = { options: { concurrency: 1 } };

const callers = ({ sent }: Tasks) => sent.map(({ body }) => 'callBackUrl' in body);

it.each([
	[1, false],
	[1.08, false],
	[1.09, true],
])('a longest wait of %d minutes is long enough for n8n to resume it: %s', async (maxWait, suspends) => {
	const tasks = mockTasks(() => 'success');
	const { run, hints } = await runNode(suspending({ options: { maxWait } }));
	expect([run.status, run.waitTill]).toStrictEqual(['success', undefined]);
	expect(JSON.stringify(hints).includes("'Max Wait (Minutes)' is not longer")).toBe(!suspends);
	expect(callers(tasks)).toStrictEqual([suspends]);
});

it('the execution keeps running when less than a minute is left after a creation that had to wait', async () => {
	gateway().post(TASKS).reply(429, envelope(null, 429), { 'retry-after': '60' });
	const tasks = mockTasks(() => (tasks.polls.length < 3 ? 'processing' : 'success'));
	const { run, items } = await runNode(suspending({ options: { maxWait: 1.5 } }));
	expect([run.status, run.waitTill]).toStrictEqual(['success', undefined]);
	expect([items[0]?.json.state, callers(tasks)]).toStrictEqual(['success', [true]]);
});

it('the execution keeps running when no pending task has a callback', async () => {
	let polls = 0;
	const tasks = mockTasks((taskId) => (taskId === 't1' && (polls += 1) < 3 ? 'processing' : 'success'));
	const items = Array.from({ length: 21 }, () => ({ json: {} }));
	const { run, items: results } = await runNode(suspending(inOrder, { items }));
	expect([run.status, run.waitTill]).toStrictEqual(['success', undefined]);
	expect(results.map(({ json }) => json.state)).toStrictEqual(items.map(() => 'success'));
	expect(callers(tasks)).toStrictEqual([false, ...Array<boolean>(20).fill(true)]);
});

it('the execution fails for a task that the gateway denies access to', async () => {
	mockTasks(() => 403);
	const { run, error } = await runNode(suspending());
	expect([run.status, run.waitTill]).toStrictEqual(['error', undefined]);
	expect(error).toMatchObject({ httpCode: '403', context: { taskId: 't1' } });
});

it('when the wait of the first of two branches is over, the node runs for the second one, too', async () => {
	const tasks = mockTasks(() => 'processing');
	const use = suspending({}, { branches: 2, items: prompts('a', 'b') });
	const { run: suspended } = await suspend(tasks, use);
	// As n8n stores and reads it: what is the same object stays so.
	const { run } = await runFrom(structuredClone(suspended.data), use);
	expect(tasks.sent).toHaveLength(4);
	const [first] = run.data.resultData.runData.Gateway ?? [];
	expect(first?.data?.main?.[0]?.map(({ json }) => [json.taskId, json.timedOut])).toStrictEqual([
		['t1', true],
		['t2', true],
	]);
	expect(run.status).toBe('waiting');
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
	const without =
		(name: string, value?: unknown): Change =>
		() => ({ [name]: { value } });
	const copiedItems: Change = (context) => {
		const { node, data } = executeDataOf(context);
		const main = data.main.map((items) => items.map((item) => ({ ...item })));
		return { executeData: { value: { node, data: { main } } } };
	};
	const behind = (type: string, parameters: object, disabled = false) =>
		without('getParentNodes', () => [{ type, parameters, disabled }]);
	const WEBHOOK = 'n8n-nodes-base.webhook';
	const CHAT = '@n8n/n8n-nodes-langchain.chatTrigger';
	const TOO_EARLY =
		'the webhook or chat would get its response before the result (n8n’s Respond to Webhook node waits for it)';
	const OF_PARENT = 'n8n may continue the parent of a sub-workflow without its results';
	const noUrl = without('getWorkflowDataProxy', () => ({ $runIndex: 0, $execution: {} }));
	const UNREACHABLE =
		'the gateway cannot reach this n8n: "localhost" is an address of a local network. The public URL of n8n is set by N8N_WEBHOOK_URL or, in older versions, WEBHOOK_URL';

	const OF_OTHERS = "with 'Idempotency Key', and in a retry, the task may call another execution back";
	const keys = { options: { idempotencyKey: '=order-{{ $itemIndex }}' } };

	it.each<[string, string, { change?: Change; more?: Partial<RunOptions>; parameters?: object }]>([
		['an n8n whose context has no executeData', OTHER_WAY, { change: without('executeData') }],
		['an n8n that stores copies of the items', OTHER_WAY, { change: copiedItems }],
		['a sub-workflow', OF_PARENT, { change: without('getMode', () => 'integrated') }],
		['a webhook that responds late', TOO_EARLY, { change: behind(WEBHOOK, { responseMode: 'lastNode' }) }],
		['a chat', TOO_EARLY, { change: behind(CHAT, { options: {} }) }],
		['a chat that streams', TOO_EARLY, { change: behind(CHAT, { options: { responseMode: 'streaming' } }) }],
		['no resume URL', 'n8n has no URL that resumes the execution', { change: noUrl }],
		['an execution without an ID', 'the execution has no ID', { more: { executionId: '' } }],
		['an Idempotency Key', OF_OTHERS, { parameters: keys }],
		['another try at once', "'Retry On Fail' is on", { more: { settings: { retryOnFail: true } } }],
		['an n8n that the gateway cannot reach', UNREACHABLE, { more: { n8nUrl: 'http://localhost:5678' } }],
	])('with %s, tasks have no callback, are polled until they end, and one hint says why', async (...row) => {
		const [, problem, { change, more, parameters }] = row;
		if (change) onN8nWith(change);
		const tasks = mockTasks(() => (tasks.polls.length < 3 ? 'processing' : 'success'));
		const given = { items: prompts('a', 'b'), ...more };
		const { run: execution, items, hints } = await run(given, parameters);
		expect([execution.status, execution.waitTill]).toStrictEqual(['success', undefined]);
		expect(callers(tasks)).toStrictEqual([false, false]);
		const states = items.map(({ json }) => [json.state, 'timedOut' in json]);
		expect(states).toStrictEqual(Array(2).fill(['success', false]));
		expect(hints).toStrictEqual([hint(problem)]);
	});

	it.each<[string, ...Parameters<typeof behind>]>([
		['a webhook that responds at once', WEBHOOK, {}],
		['a webhook with a node that responds', WEBHOOK, { responseMode: 'responseNode' }],
		['a webhook that is disabled', WEBHOOK, { responseMode: 'lastNode' }, true],
		['a chat with nodes that respond', CHAT, { options: { responseMode: 'responseNodes' } }],
		['another trigger', 'n8n-nodes-base.formTrigger', { responseMode: 'lastNode' }],
	])('behind %s, the execution is suspended', async (_, ...trigger) => {
		onN8nWith(behind(...trigger));
		const tasks = mockTasks(() => 'processing');
		await suspend(tasks, suspending());
		expect(callers(tasks)).toStrictEqual([true]);
	});

	it('a task with a callback URL of the user keeps it, and a hint says why it is polled', async () => {
		const callbackUrl = 'https://n8n.example.com/done';
		const tasks = mockTasks(() => 'success');
		const { items, hints } = await run({}, { options: { callbackUrl } });
		expect(items.map(({ json }) => json.state)).toStrictEqual(['success']);
		expect(tasks.sent.map(({ body }) => body.callBackUrl)).toStrictEqual([callbackUrl]);
		expect(hints).toStrictEqual([hint("the task has another 'Callback URL'")]);
	});

	it.each<[string, object, Partial<RunOptions>]>([
		['polling is chosen', { waitStrategy: 'poll' }, {}],
		['an AI Agent waits for its tool', {}, { asTool: true }],
	])('no hint is shown when %s, although this n8n cannot suspend', async (_, parameters, more) => {
		onN8nWith(without('executeData'));
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

	it('ends with the longest of different waits, also if its task is the second of many, and has no callback', async () => {
		const options = { maxWait: '={{ $json.prompt === "b" ? 60 : 10 }}' };
		const texts = ['a', 'b', ...Array<string>(20).fill('c')];
		const { suspended } = await suspendFor({ options }, { items: prompts(...texts) });
		expect(Number(suspended.run.waitTill) - Date.now()).toBeGreaterThan(30 * 60_000);
	});

	it.each<[string, ReturnType<typeof stored> | undefined]>([
		['its timed-out items come back without a callback', undefined],
		[
			'the items have the mark of another suspension',
			[{ json: { aiGatewayResumed: 'another' } }, { json: {} }],
		],
	])('is ignored in a loop when %s: they are new orders', async (_, next) => {
		const inputJson = '={{ { prompt: $json.prompt ?? "another" } }}';
		const { tasks, use, suspended } = await suspendFor({ inputJson, options: { concurrency: 1 } }, { items });
		expect(stored(suspended).map(({ json }) => json.timedOut)).toStrictEqual([true, true]);
		const { data } = suspended.run;
		delete data.waitTill;
		for (const entry of data.executionData?.nodeExecutionStack ?? []) {
			entry.node.disabled = false;
			if (next) entry.data.main = [next];
		}
		const { run } = await runFrom(data, use);
		const sent = tasks.sent.map(({ body }) => (body.input as { prompt: string }).prompt);
		expect(sent).toStrictEqual(['a', 'b', 'another', 'another']);
		const outputs = run.data.resultData.runData.Gateway?.at(-1)?.data?.main?.[0] ?? [];
		expect(outputs.map(({ json }) => json.taskId)).toStrictEqual(['t3', 't4']);
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

	it.each([{}, { settings: CONTINUE }])(
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

	it.each<[string, string, Array<string | number>]>([
		['first', 'which has no callback', ['processing', 'processing']],
		['last', 'which could not be read when its callback came', [503, 503, 503, 'processing', 'processing']],
	])('waits for the task of the %s of 21 items, %s: it does not sleep again', async (place, _, responses) => {
		const tasks = mockTasks(() => 'processing');
		const use = suspending(inOrder, { items: prompts(...Array<string>(21).fill('a')) });
		const awaited = place === 'first' ? 't1' : 't21';
		const { run, items } = await resumed(tasks, use, (taskId) => {
			const polls = tasks.polls.filter((polled) => polled === awaited);
			return (taskId === awaited && responses[polls.length - 1]) || 'success';
		});
		expect([run.status, tasks.sent.length]).toStrictEqual(['success', 21]);
		expect(items.map(({ json }) => json.state)).toStrictEqual(Array(21).fill('success'));
		expect(tasks.polls.filter((polled) => polled === awaited)).toHaveLength(responses.length + 1);
	});
});

it('when the longest wait is over, a pending task is passed on in its last known state, an ended one with its result', async () => {
	const tasks = mockTasks(() => 'processing');
	const use = suspending(inOrder, { items: prompts('a', 'b') });
	const suspended = await suspend(tasks, use);
	tasks.respond = byTask({ t1: 'success', t2: 'waiting' });
	await passTime(31 * 60_000);
	const { run, items } = await resumeNode(suspended, use);
	expect(run.status).toBe('success');
	const [ended, pending] = items.map(({ json }) => json);
	expect(ended).toMatchObject({ taskId: 't1', state: 'success' });
	expect(ended).not.toHaveProperty('timedOut');
	const task = { taskId: 't2', state: 'waiting', priceRub: 6, model: 'acme/painter', resultUrls: [] };
	expect(pending).toStrictEqual({ ...task, timedOut: true });
});
