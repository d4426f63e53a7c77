import nock from 'nock';
import { WebhookContext, WorkflowExecute } from 'n8n-core';
import type { IRun, IWebhookFunctions } from 'n8n-workflow';

import { packageNodes, prepare, result, runNode, type RunOptions, type RunResult } from './engine';
import { catalogue, creations, envelope, gateway, model } from './media';
import { eventually } from './time';

// Executions that are suspended for media tasks, and the callbacks that resume them. For files with `quickTime()`.

/** The gateway's response to a poll: the task's state, more of its data, or an HTTP status. */
export type TaskResponse = string | number | object;

export interface Tasks {
	/** Responds to the polls from now on. */
	respond: (taskId: string) => TaskResponse;
	/** The tasks that were polled, in order. */
	polls: string[];
	/** The task requests. */
	sent: ReturnType<typeof creations>;
	/** The URLs that the node itself has called. */
	calls: string[];
}

/** A gateway with tasks, and an n8n that accepts the node's own calls. */
export function mockTasks(respond: Tasks['respond']): Tasks {
	catalogue();
	const tasks: Tasks = { respond, polls: [], sent: creations(), calls: [] };
	gateway()
		.persist()
		.get(/\/tasks\/t\d+$/)
		.optionally()
		.reply((path) => {
			const taskId = path.split('/').at(-1) ?? '';
			tasks.polls.push(taskId);
			const response = tasks.respond(taskId);
			if (typeof response === 'number') return [response, envelope(null, response)];
			const data = typeof response === 'string' ? { state: response } : response;
			const createTime = 1_760_000_000_000;
			return [200, envelope({ taskId, model: 'acme/painter', createTime, ...data })];
		});
	nock('https://n8n.test')
		.persist()
		.post(/media-task/)
		.optionally()
		.reply((path) => {
			tasks.calls.push(path);
			return [200, {}];
		});
	return tasks;
}

let executions = 0;

/** A node that creates a task for each item and suspends its execution; each call has another execution ID. */
export const suspending = (parameters: object = {}, more: Partial<RunOptions> = {}): RunOptions => ({
	node: 'mediaTask',
	executionId: `suspended-${(executions += 1)}`,
	...more,
	parameters: {
		resource: 'task',
		operation: 'createAndWait',
		model,
		inputMode: 'json',
		inputJson: '{"prompt": "a cat"}',
		waitStrategy: 'suspend',
		downloadResults: false,
		...parameters,
	},
});

/**
 * Runs a node that suspends its execution. The background check that follows has ended when this returns: it finds
 * all tasks ended, and its polls are not recorded.
 */
export async function suspend(tasks: Tasks, options: RunOptions): Promise<RunResult> {
	const suspended = await runNode(options);
	expect(suspended.run.status).toBe('waiting');
	const { respond, polls, calls } = tasks;
	Object.assign(tasks, { respond: () => 'success', polls: [] });
	const before = calls.length;
	await eventually(() => calls.length > before);
	Object.assign(tasks, { respond, polls });
	return suspended;
}

/** The suspended node's input, as n8n stores it. */
export const stored = ({ run: { data } }: RunResult) =>
	data.executionData?.nodeExecutionStack[0]?.data.main?.[0] ?? [];

/** The effects of a callback. */
export interface CallbackOutcome {
	/** The responses to the callback. */
	responses: Array<{ status: number; body: unknown }>;
	/** Whether n8n is told that the node has responded. */
	responded: boolean;
	/** The warnings in the log. */
	warnings: string[];
	/** The errors in the log. */
	errors: string[];
	/** The result of the resumed execution; `undefined` when it stays suspended. */
	resumed: RunResult | undefined;
}

/**
 * Passes a callback to a suspended execution as n8n does, and runs the execution when the callback resumes it.
 *
 * @param call the item in the query, the body, and whether n8n provides the node that it is about to run
 */
export async function sendCallback(
	suspended: RunResult,
	options: RunOptions,
	call: { item?: string | number; body?: unknown; hasRunningNode?: boolean } = {},
): Promise<CallbackOutcome> {
	const { workflow, mode, more } = prepare(options);
	const data = JSON.parse(JSON.stringify(suspended.run.data)) as IRun['data'];
	delete data.waitTill;
	data.resultData.runData.Gateway?.pop();
	const [waiting] = data.executionData?.nodeExecutionStack ?? [];
	const node = workflow.getNode('Gateway');
	if (!waiting || !node) throw new Error('The execution is not suspended');
	waiting.node.disabled = true;
	const responses: CallbackOutcome['responses'] = [];
	let status = 0;
	const httpResponse = {
		status: (code: number) => ((status = code), httpResponse),
		json: (body: unknown) => (responses.push({ status, body }), httpResponse),
	};
	const query = call.item === undefined ? {} : { item: String(call.item) };
	Object.assign(more, {
		httpRequest: { body: call.body ?? {}, query, headers: {}, params: {} },
		httpResponse,
	});
	const webhook = { webhookDescription: { name: 'default' }, isTest: false };
	const context = new WebhookContext(
		workflow,
		node,
		more,
		mode,
		webhook as unknown as ConstructorParameters<typeof WebhookContext>[4],
		[],
		data,
	);
	const warnings: string[] = [];
	const errors: string[] = [];
	const logger = { warn: (text: string) => warnings.push(text), error: (text: string) => errors.push(text) };
	Object.defineProperty(context, 'logger', { value: logger });
	if (call.hasRunningNode === false) Object.defineProperty(context, 'executeData', { value: undefined });
	const { workflowData, noWebhookResponse } = await packageNodes.mediaTask.webhook.call(
		context as unknown as IWebhookFunctions,
	);
	const outcome = { responses, responded: noWebhookResponse === true, warnings, errors };
	if (!workflowData) return { ...outcome, resumed: undefined };
	waiting.data.main = workflowData;
	const run = await new WorkflowExecute(more, mode, data).processRunExecutionData(workflow);
	return { ...outcome, resumed: result(run) };
}

/** One item for each prompt. */
export const prompts = (...all: string[]) => all.map((prompt) => ({ json: { prompt } }));

/** Responds that these tasks have ended, and others have not. */
export const ended =
	(...taskIds: string[]) =>
	(taskId: string) =>
		taskIds.includes(taskId) ? 'success' : 'processing';

/** An execution that is suspended for three tasks, t1 to t3. */
export async function threeTasks(respond: Tasks['respond'] = () => 'processing') {
	const tasks = mockTasks(respond);
	const use = suspending({ options: { concurrency: 1 } }, { items: prompts('a', 'b', 'c') });
	const suspended = await suspend(tasks, use);
	tasks.polls.splice(0);
	/** Sends a callback; returns whether it resumes the execution, and the tasks that were polled. */
	const call = async (item?: string | number, body?: unknown) => {
		tasks.polls.splice(0);
		const { resumed } = await sendCallback(suspended, use, { ...(item === undefined ? {} : { item }), body });
		return { resumes: resumed !== undefined, polls: [...tasks.polls] };
	};
	return { tasks, use, suspended, call };
}
