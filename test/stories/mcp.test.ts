import { createRunExecutionData, NodeConnectionTypes, type IExecuteFunctions } from 'n8n-workflow';

import { binaryStorage, packageNodes } from '../helpers/engine';
import { agentsContext, supplyContext } from '../helpers/contexts';
import { asObject } from '../../nodes/shared/gateway/util/json';
import { eventually, passTime } from '../helpers/time';
import type { FaultAction } from '../../sandbox/gateway/gateway';
import { image, text, useStories } from './support';

// What MCP clients get, and what they pay for, through n8n's MCP Server Trigger. They give up, and ask again. The same goes
// for n8n's Agents, which are in no workflow.

const { gateway, spent } = useStories();

const MCP = '@n8n/n8n-nodes-langchain.mcpTrigger';
const CALL_AGAIN =
	'The task continues. To get its result, call again with the same input: that costs nothing.';
const NOTHING = 'Nothing has been created or charged yet. Call again with the same input.';
const SAME =
	'This is the same task as before. To get another one, change the input, or call again after ten minutes.';
const POLLS = { method: 'GET', path: '/async/media/tasks/*' };

interface Settings {
	options?: object;
	node?: 'mediaTask' | 'textGeneration';
	/** The type of the node that calls the tool; `Agents` are in no workflow. */
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

type ToolOptions = Parameters<typeof supplyContext>[0] & Pick<Settings, 'name' | 'workflow' | 'resumeToken'>;

/** A call that a client sends: what n8n returns to it, and after how many milliseconds. */
async function call(prompt: string, { options, node = 'mediaTask', parent = MCP, ...more }: Settings = {}) {
	await binaryStorage();
	const { baseUrl } = gateway;
	const { parameters } = (node === 'mediaTask' ? image : text)({
		prompt: "={{ $fromAI('prompt', 'What it shows', 'string') }}",
		...more.parameters,
		options: options ?? {},
	});
	const credential = { baseUrl, apiKey: more.apiKey ?? gateway.apiKey };
	const tool = { node, parameters, credential };
	const context =
		parent === 'Agents' ? agentsContext(tool, { prompt }) : toolContext(prompt, { ...more, ...tool, parent });
	const start = Date.now();
	const [[output] = []] = await packageNodes[node].execute.call(context);
	return { ...output?.json, ms: Date.now() - start } as Result;
}

/** Calls are remembered in the process: those of each test are of a workflow of its own. */
const thisTest = () => expect.getState().currentTestName ?? '';

/** A tool that a node of a workflow calls. */
function toolContext(
	prompt: string,
	{ name = 'Draw', workflow: id = thisTest(), resumeToken = 'the same', ...options }: ToolOptions,
): IExecuteFunctions {
	const execution = createRunExecutionData({ resumeToken });
	const { context } = supplyContext({ ...options, asTool: true, execution });
	const own = { ...context.getNode(), name };
	Object.assign(context, { getNode: () => own, getWorkflow: () => ({ id }) });
	context.addInputData(NodeConnectionTypes.AiTool, [[{ json: { prompt } }]]);
	return context as unknown as IExecuteFunctions;
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
	for (const result of results)
		expect(result).toMatchObject({ state: 'success', resultUrls: pictures()[0], priceRub: 1.8 });
	expect(results.map((result) => asObject(result)?.note)).toStrictEqual([undefined, SAME, SAME]);
	expect([creations(), spent()]).toStrictEqual([1, '1.8']);
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

/** Two calls of the same caller. */
const CALLERS: Array<[string, Settings, Settings]> = [
	['an MCP client', {}, {}],
	['an MCP client in queue mode', { executionId: '1' }, { executionId: '2' }],
	["n8n's Agents", { parent: 'Agents' }, { parent: 'Agents' }],
];

test.each(CALLERS)(
	'a result of %s is that of equal calls for ten minutes, and is then made anew',
	async (_, one, other) => {
		const first = await call('cow', one);
		expect(first).not.toHaveProperty('note');
		for (const wait of [0, 590_000]) {
			await passTime(wait);
			const { taskId, resultUrls } = first;
			expect(await call('cow', other)).toMatchObject({ taskId, resultUrls, note: SAME });
		}
		await passTime(10_000);
		const later = await call('cow', other);
		expect(later).not.toHaveProperty('note');
		expect([creations(), spent()]).toStrictEqual([2, '3.6']);
	},
);

test.each<[string, () => Settings[]]>([
	['with other settings', () => [{}, { parameters: { prompt: 'a fox' } }]],
	['of two nodes', () => [{}, { name: 'Draw 2' }]],
	['of two workflows', () => [{}, { workflow: 'two' }]],
	['of two accounts', () => [{}, { apiKey: gateway.control.createKey({ account: 'second' }).key }]],
	['of MCP clients and Agents', () => [{}, { parent: 'Agents' }]],
	[
		'of Agents with two prompts',
		() => ['a', 'b'].map((prompt) => ({ parent: 'Agents', parameters: { prompt } })),
	],
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

test.each<[string, FaultAction, RegExp]>([
	['is refused', { kind: 'error', code: 'insufficient_quota' }, /This call was not charged/],
	['loses its task', { kind: 'loseResponse' }, /The task may have been created and charged/],
])('when the first of two calls at once %s, the other one has the picture', async (_, action, said) => {
	// A creation is sent up to four times.
	const times = action.kind === 'error' ? 1 : 4;
	gateway.control.addFault({ match: { method: 'POST', path: '/async/media/tasks' }, action, times });
	const [one, other] = await Promise.all([call('yak'), call('yak')]);
	expect(one?.error).toMatch(said);
	expect(other).toMatchObject({ state: 'success', resultUrls: pictures()[0] });
	expect((await call('yak')).taskId).toBe(other?.taskId);
	expect([pictures().length, spent()]).toStrictEqual([1, '1.8']);
});

test('when one of two calls at once is refused, and the other one loses its task, the next call gets it', async () => {
	const match = { method: 'POST', path: '/async/media/tasks' };
	gateway.control.addFault({ match, action: { kind: 'error', code: 'insufficient_quota' } });
	gateway.control.addFault({ match, action: { kind: 'loseResponse' }, times: 4 });
	const [one, other] = await Promise.all([call('gnu'), call('gnu')]);
	expect(one?.error).toMatch(/This call was not charged/);
	expect(other?.error).toMatch(/The task may have been created and charged/);
	expect(await call('gnu')).toMatchObject({ state: 'success', resultUrls: pictures()[0] });
	expect([pictures().length, spent()]).toStrictEqual([1, '1.8']);
});

test('when the task of two calls at once fails, both say so, and the next call creates another', async () => {
	lasting(5);
	const results = await Promise.all([call('[[fail]]'), call('[[fail]]')]);
	for (const { error } of results) expect(error).toMatch(/^The media task failed/);
	expect(creations()).toBe(1);
	await call('[[fail]]');
	expect(creations()).toBe(2);
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

test.each(CALLERS)(
	'a failed task of %s is an error, and the next call creates another',
	async (_, one, other) => {
		lasting(12);
		expect((await call('[[fail]]', one)).error).toMatch(/^The media task failed/);
		await call('[[fail]]', other);
		expect(creations()).toBe(2);
	},
);

test('a task that somebody deletes is an error, and the next call creates another', async () => {
	lasting(1_000);
	const { taskId = '' } = await call('owl');
	const headers = { authorization: `Bearer ${gateway.apiKey}` };
	await fetch(`${gateway.baseUrl}/async/media/tasks/${taskId}`, { method: 'DELETE', headers });
	expect((await call('owl')).error).toMatch(/^The task of this item was deleted at the gateway\. .*Restore/);
	lasting(0);
	expect(await call('owl')).toMatchObject({ state: 'success', resultUrls: pictures()[1] });
	expect(creations()).toBe(2);
});

test('a picture that somebody deletes after its call is made again by the call after next', async () => {
	const { taskId = '' } = await call('emu');
	const headers = { authorization: `Bearer ${gateway.apiKey}` };
	await fetch(`${gateway.baseUrl}/async/media/tasks/${taskId}`, { method: 'DELETE', headers });
	const { error, ms } = await call('emu');
	expect(error).toMatch(/^The task of this item was deleted at the gateway\. .*Restore/);
	expect(ms).toBeLessThan(5_000);
	expect(await call('emu')).toMatchObject({ state: 'success', resultUrls: pictures()[1] });
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
