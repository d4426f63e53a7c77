import type { IExecuteFunctions } from 'n8n-workflow';

import { MediaTask } from '../../../nodes/MediaTask/MediaTask.node';
import { packageNodes, runNode, type RunOptions } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { prompts, suspending, mockTasks } from '../../helpers/suspended';
import { quickTime } from '../../helpers/time';

// Suspending on an n8n that does not suspend and resume as the node expects.

useNock();
quickTime();
afterEach(() => void jest.restoreAllMocks());

/** Changed properties of n8n's context. */
type Change = (context: IExecuteFunctions) => PropertyDescriptorMap;

/** The properties of the context that its type does not declare. */
type Internals = { executeData: { node: object; data: { main: object[][] } } };

/** Makes the engine pass a changed context to the node. */
function onN8nWith(change: Change): void {
	jest.spyOn(packageNodes.mediaTask, 'execute').mockImplementation(async function (this: IExecuteFunctions) {
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

describe('no hint is shown', () => {
	it.each<[string, object, Partial<RunOptions>]>([
		['polling is chosen', { waitStrategy: 'poll' }, {}],
		['an AI Agent waits for its tool', {}, { asTool: true }],
		['the longest wait is too short to suspend', { options: { maxWait: 1 } }, {}],
	])('when %s, although this n8n cannot suspend', async (_, parameters, more) => {
		onN8nWith(() => ({ putExecutionToWait: { value: undefined } }));
		const tasks = mockTasks(() => 'success');
		const { run: execution, hints } = await run(more, parameters);
		expect(execution.status).toBe('success');
		expect(tasks.sent).toHaveLength(1);
		expect(hints).toStrictEqual([]);
	});
});
