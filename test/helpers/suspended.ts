import nock from 'nock';

import { requestSuspended } from './contexts';
import { prepare, runFrom, runNode, type RunOptions, type RunResult } from './engine';
import { catalogue, creations, envelope, gateway, model } from './media';
import { olderContext } from './olderN8n';
import { eventually } from './time';

// Executions that are suspended for media tasks, and the callbacks that resume them.

/** The gateway's response to a poll: the task's state, more of its data, or an HTTP status. */
type TaskResponse = string | number | object;

export interface Tasks {
	/** Responds to the polls from now on. */
	respond: (taskId: string) => TaskResponse;
	/** The tasks that were polled, in order. */
	polls: string[];
	/** The task requests. */
	sent: ReturnType<typeof creations>;
	/** The callbacks that the node itself has sent to n8n. */
	calls: string[];
	/** The responses of n8n to the handler of a callback, which asks it to resume the execution. */
	resumes: Array<{ status: number; body: unknown }>;
	/** What responds to that handler in place of n8n. */
	inPlaceOfN8n: { status: number; body: unknown } | undefined;
}

/** The executions that n8n stores, by ID. */
const storedExecutions = new Map<string, StoredExecution>();

interface StoredExecution {
	suspended: RunResult;
	options: RunOptions;
	/** The warnings in n8n's log. */
	warnings: string[];
	resumed?: Promise<RunResult>;
}

/** A gateway with tasks, and an n8n that accepts the node's own calls. */
export function mockTasks(respond: Tasks['respond']): Tasks {
	catalogue();
	const tasks: Tasks = {
		respond,
		polls: [],
		sent: creations(),
		calls: [],
		resumes: [],
		inPlaceOfN8n: undefined,
	};
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
		.post(/media-task.*[?&]item=/)
		.optionally()
		.reply((path) => {
			tasks.calls.push(path);
			return [200, {}];
		});
	nock('https://n8n.test')
		.persist()
		.post(/media-task.*[?&]state=/)
		.optionally()
		.reply(async (path) => {
			const response = tasks.inPlaceOfN8n ?? (await resumeStored(new URL(path, 'https://n8n.test')));
			tasks.resumes.push(response);
			return [response.status, response.body as Body];
		});
	return tasks;
}

type Body = Exclude<Parameters<nock.Interceptor['reply']>[1], undefined | ((...all: never[]) => unknown)>;

/** Passes a request of the handler to the execution as it is stored by now. */
async function resumeStored({ pathname, searchParams }: URL): Promise<Tasks['resumes'][number]> {
	const execution = storedExecutions.get(pathname.split('/').at(-2) ?? '');
	if (!execution) return { status: 404, body: { code: 404, message: 'The execution does not exist' } };
	const query = { state: searchParams.get('state') ?? '' };
	const { responses, resume } = await handleRequest(execution, { query });
	if (resume) execution.resumed = resume();
	return responses[0] ?? { status: 500, body: {} };
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

/** What the node stores of its suspension. */
export const savedState = ({ run: { data } }: RunResult) =>
	data.executionData?.contextData['node:Gateway']?.aiGatewaySuspended as unknown as { id: string };

/** The effects of a callback. */
export interface CallbackOutcome {
	/** The responses to the callback. */
	responses: Array<{ status: number; body: unknown }>;
	/** The warnings in the log. */
	warnings: string[];
	/** The result of the resumed execution; `undefined` when it stays suspended. */
	resumed: RunResult | undefined;
}

/**
 * Passes a callback to a suspended execution as n8n does, and runs the execution when the callback resumes it.
 *
 * @param call its query, or the item in it, and the body
 */
export async function sendCallback(
	suspended: RunResult,
	options: RunOptions,
	{ item, body = {}, ...more }: { item?: string | number; query?: object; body?: unknown } = {},
): Promise<CallbackOutcome> {
	const id = options.executionId ?? '';
	const known = storedExecutions.get(id);
	const warnings: string[] = [];
	const execution: StoredExecution =
		known?.suspended === suspended && known.options === options ? known : { suspended, options, warnings };
	storedExecutions.set(id, execution);
	const { query = item === undefined ? {} : { item: String(item) } } = more;
	const { resume, responses } = await handleRequest({ ...execution, warnings }, { query, body });
	// The handler may have asked n8n to resume it.
	const { resumed = resume?.() } = execution;
	delete execution.resumed;
	return { responses, warnings, resumed: await resumed };
}

/** Passes a request to a suspended execution; `resume` is there when the request resumes it. */
async function handleRequest(
	{ suspended, options, warnings }: StoredExecution,
	{ query, body = {} }: { query: object; body?: unknown },
): Promise<Pick<CallbackOutcome, 'responses'> & { resume?: () => Promise<RunResult> }> {
	const responses: CallbackOutcome['responses'] = [];
	const reply = (status: number, sent: unknown) => responses.push({ status, body: sent });
	const logger = { warn: (text: string) => warnings.push(text) };
	const data = await requestSuspended(
		prepare(options),
		suspended.run.data,
		{ query, body, reply },
		(context) => {
			Object.defineProperty(context, 'logger', { value: logger });
			return options.older ? olderContext(context, options.older) : context;
		},
	);
	return { responses, ...(data && { resume: async () => await runFrom(data, options) }) };
}

/** One item for each prompt. */
export const prompts = (...all: string[]) => all.map((prompt) => ({ json: { prompt } }));

/** Responds that these tasks have ended, and others have not. */
export const ended =
	(...taskIds: string[]) =>
	(taskId: string) =>
		taskIds.includes(taskId) ? 'success' : 'processing';

/** An execution that is suspended for three tasks, t1 to t3. */
export async function threeTasks(
	respond: Tasks['respond'] = () => 'processing',
	settings: NonNullable<RunOptions['settings']> = {},
) {
	const tasks = mockTasks(respond);
	const use = suspending({ options: { concurrency: 1 } }, { items: prompts('a', 'b', 'c'), settings });
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
