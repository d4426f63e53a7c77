import { createRunExecutionData, NodeConnectionTypes, type IExecuteFunctions } from 'n8n-workflow';

import { binaryStorage, packageNodes } from '../helpers/engine';
import { supplyContext } from '../helpers/contexts';
import { eventually, passTime } from '../helpers/time';
import { image, text, useStories } from './support';

// What MCP clients get, and what they pay for, through n8n's MCP Server Trigger. They give up, and ask again.

const { gateway, spent } = useStories();

const MCP = '@n8n/n8n-nodes-langchain.mcpTrigger';
const CALL_AGAIN =
	'The task continues. To get its result, call again with the same input: that costs nothing.';
const NOTHING = 'Nothing has been created or charged yet. Call again with the same input.';
const ANOTHER = 'An equal call before had the same result. To get another one, call again.';
const POLLS = { method: 'GET', path: '/async/media/tasks/*' };

interface Settings {
	options?: object;
	node?: 'mediaTask' | 'textGeneration';
	parent?: string;
	apiKey?: string;
	parameters?: object;
	/** In queue mode, each call is an execution. */
	executionId?: string;
	/** What n8n makes for an execution. */
	resumeToken?: string;
	/** The names of the node and the workflow. */
	name?: string;
	workflow?: string;
}

/** What it reads. */
interface Result {
	ms: number;
	taskId?: string;
	resultUrls?: string[];
	error?: string;
	text?: string;
}

/** A call that a client sends: what n8n returns to it, and after how many milliseconds. */
async function call(prompt: string, { options, node = 'mediaTask', parent = MCP, ...more }: Settings = {}) {
	await binaryStorage();
	const { baseUrl } = gateway;
	const { parameters } = (node === 'mediaTask' ? image : text)({
		prompt: "={{ $fromAI('prompt', 'What it shows', 'string') }}",
		...more.parameters,
		options: options ?? {},
	});
	const { context } = supplyContext({
		node,
		parameters,
		credential: { baseUrl, apiKey: more.apiKey ?? gateway.apiKey },
		asTool: true,
		parent,
		...(more.executionId === undefined ? {} : { executionId: more.executionId }),
		execution: createRunExecutionData({ resumeToken: more.resumeToken ?? 'the same' }),
	});
	const { name = 'Draw', workflow: id = 'one' } = more;
	const own = { ...context.getNode(), name };
	Object.assign(context, { getNode: () => own, getWorkflow: () => ({ id }) });
	context.addInputData(NodeConnectionTypes.AiTool, [[{ json: { prompt } }]]);
	const start = Date.now();
	const type = packageNodes[node];
	const [[output] = []] = await type.execute.call(context as unknown as IExecuteFunctions);
	return { ...output?.json, ms: Date.now() - start } as Result;
}

const creations = () => gateway.control.requests({ method: 'POST', path: '/async/media/tasks' }).length;
const pictures = () => gateway.control.tasks().map(({ resultUrls }) => resultUrls);

/** A task of this many seconds. */
const lasting = (seconds: number) => gateway.control.configure({ taskDuration: { image: seconds * 1_000 } });

test('a client that gives up twice, and asks again, pays for one picture and gets it', async () => {
	lasting(12);
	const calls = [0, 5_000, 10_000].map(async (ms) => {
		await passTime(ms);
		return await call('cat');
	});
	const results = await Promise.all(calls);
	expect(pictures()).toHaveLength(1);
	for (const result of results) {
		expect(result).toMatchObject({ state: 'success', resultUrls: pictures()[0], priceRub: 1.8 });
		expect(result).not.toHaveProperty('note');
	}
	expect([creations(), spent()]).toStrictEqual([1, '1.8']);
	// The last one has it within 10 seconds: the next call is for another picture.
	await call('cat');
	expect([pictures().length, spent()]).toStrictEqual([2, '3.6']);
});

test('a task that is still running after 40 seconds returns its ID and state, and the next call its picture', async () => {
	lasting(100);
	const { ms, ...first } = await call('dog');
	const [task] = gateway.control.tasks();
	expect(first).toStrictEqual({ taskId: task?.taskId, state: 'processing', note: CALL_AGAIN });
	expect(ms).toBeLessThanOrEqual(45_000);
	expect(await call('dog')).toMatchObject({ taskId: task?.taskId, state: 'processing', note: CALL_AGAIN });
	const third = await call('dog');
	expect(third).toMatchObject({ state: 'success', resultUrls: pictures()[0] });
	expect(third).not.toHaveProperty('note');
	expect([creations(), spent()]).toStrictEqual([1, '1.8']);
});

test('what came late is returned once more for two minutes, which its note says, and is then made anew', async () => {
	lasting(15);
	const first = await call('cow');
	expect(first).not.toHaveProperty('note');
	await passTime(100_000);
	const second = await call('cow');
	expect(second).toMatchObject({ taskId: first.taskId, resultUrls: first.resultUrls, note: ANOTHER });
	expect((await call('cow')).taskId).not.toBe(first.taskId);
	await passTime(120_000);
	await call('cow');
	expect([creations(), spent()]).toStrictEqual([3, '5.4']);
});

test.each<[string, () => Settings[]]>([
	['with other settings', () => [{}, { parameters: { prompt: 'a fox' } }]],
	['of two nodes', () => [{}, { name: 'Draw 2' }]],
	['of two workflows', () => [{}, { workflow: 'two' }]],
	['of two accounts', () => [{}, { apiKey: gateway.control.createKey({ account: 'second' }).key }]],
	['of AI Agents', () => ['a', 'b'].map((resumeToken) => ({ parent: 'agent', resumeToken }))],
])('calls %s at the same time are tasks of their own', async (_, settings) => {
	lasting(5);
	await Promise.all(settings().map(async (one) => await call('fox', one)));
	expect(pictures()).toHaveLength(2);
});

test('a call that waits for the rate limit creates nothing after its answer', async () => {
	gateway.control.addFault({
		match: { method: 'POST', path: '/async/media/tasks' },
		action: { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 60 },
	});
	const { ms, error } = await call('owl');
	expect([error, ms]).toStrictEqual([NOTHING, 45_000]);
	await passTime(600_000);
	expect([creations(), spent()]).toStrictEqual([1, '0']);
	expect(await call('owl')).toMatchObject({ state: 'success', resultUrls: pictures()[0] });
	expect([pictures().length, spent()]).toStrictEqual([1, '1.8']);
});

test.each<[string, () => () => void]>([
	['does not respond', () => gateway.control.hold({ method: 'POST', path: '/async/media/tasks' }).release],
	[
		'breaks the connection each time',
		() => {
			gateway.control.addFault({
				match: { method: 'POST', path: '/async/media/tasks' },
				action: { kind: 'loseResponse' },
				times: 0,
			});
			return () => gateway.control.clearFaults();
		},
	],
])('a gateway that %s may have charged the task, which an equal call gets', async (_, disturb) => {
	const calm = disturb();
	const { ms, error } = await call('elk');
	expect(error).toMatch(
		/^[^.]+\. The task may have been created and charged\. Call again with the same input: it is the same task\.$/,
	);
	expect(ms).toBeLessThanOrEqual(45_000);
	calm();
	expect(await call('elk')).toMatchObject({ state: 'success', resultUrls: pictures()[0] });
	expect([pictures().length, spent()]).toStrictEqual([1, '1.8']);
});

test('a call during the creation waits for it, and sends none of its own', async () => {
	const creation = gateway.control.hold({ method: 'POST', path: '/async/media/tasks' });
	const calls = [call('bat'), call('bat')];
	await eventually(() => creation.requests.length === 1);
	creation.release();
	const [one, other] = await Promise.all(calls);
	expect(one?.taskId).toBe(other?.taskId);
	expect([creations(), spent()]).toStrictEqual([1, '1.8']);
});

test('while a call has nothing yet, a later one goes on', async () => {
	gateway.control.addFault({
		match: { method: 'POST', path: '/async/media/tasks' },
		action: { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 60 },
	});
	const first = call('hen');
	await passTime(30_000);
	const second = call('hen');
	expect(await first).toMatchObject({ error: NOTHING, ms: 45_000 });
	expect(await second).toMatchObject({ state: 'success', resultUrls: pictures()[0] });
	expect([pictures().length, spent()]).toStrictEqual([1, '1.8']);
});

test('*Wait* returns the state of a task that takes longer', async () => {
	lasting(100);
	const { taskId } = await call('pig', { parameters: { resource: 'task', operation: 'create' } });
	const wait = { parameters: { resource: 'task', operation: 'wait', taskId: String(taskId) } };
	const { ms, ...first } = await call('pig', wait);
	expect(first).toStrictEqual({ taskId, state: 'processing', note: CALL_AGAIN });
	expect(ms).toBeLessThanOrEqual(45_000);
	await call('pig', wait);
	expect(await call('pig', wait)).toMatchObject({ state: 'success', resultUrls: pictures()[0] });
	expect(creations()).toBe(1);
});

test('a poll that does not respond ends with the call', async () => {
	lasting(10);
	gateway.control.addFault({ match: { ...POLLS, nth: 2 }, action: { kind: 'hang' }, times: 0 });
	const { ms, ...answer } = await call('ant');
	expect(answer).toStrictEqual({
		taskId: gateway.control.tasks()[0]?.taskId,
		state: 'processing',
		note: CALL_AGAIN,
	});
	expect(ms).toBeLessThanOrEqual(45_000);
});

test('a failed task is returned as an error, and the next call creates another', async () => {
	const { error } = await call('[[fail]]');
	expect(error).toMatch(/^The media task failed/);
	await call('[[fail]]');
	expect(creations()).toBe(2);
});

test('the late error of a task is returned once more, too, also in another execution of queue mode', async () => {
	lasting(12);
	for (const executionId of ['1', '2'])
		expect((await call('[[fail]]', { executionId })).error).toMatch(/^The media task failed/);
	expect(creations()).toBe(1);
	await call('[[fail]]', { executionId: '3' });
	expect(creations()).toBe(2);
});

test('a task that somebody deletes is an error, and the next call creates another', async () => {
	lasting(1_000);
	const { taskId = '' } = await call('owl');
	const headers = { authorization: `Bearer ${gateway.apiKey}` };
	await fetch(`${gateway.baseUrl}/async/media/tasks/${taskId}`, { method: 'DELETE', headers });
	expect((await call('owl')).error).toMatch(/^The gateway has no such media task\. .*Restore/);
	lasting(0);
	expect(await call('owl')).toMatchObject({ state: 'success', resultUrls: pictures()[1] });
	expect(creations()).toBe(2);
});

test('a request that is rejected is sent again by the next call', async () => {
	gateway.control.addFault({
		match: { method: 'POST', path: '/async/media/tasks' },
		action: { kind: 'error', code: 'insufficient_quota' },
	});
	expect((await call('cub')).error).toMatch(/This call was not charged/);
	expect(await call('cub')).toMatchObject({ state: 'success' });
	expect(creations()).toBe(2);
});

test('a text is a call of its own each time, and has no time limit of this kind', async () => {
	const held = gateway.control.hold({ path: '/chat/completions' });
	const asked = call('[[say:hi]]', { node: 'textGeneration' });
	await passTime(60_000);
	held.release();
	const { ms, text: said } = await asked;
	expect(said).toBe('hi');
	expect(ms).toBeGreaterThanOrEqual(60_000);
	await call('[[say:hi]]', { node: 'textGeneration' });
	expect(gateway.charges()).toBe(2);
});
