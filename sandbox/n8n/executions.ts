import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeExecutionData, IRunExecutionData, ITaskData } from 'n8n-workflow';
import { parseFlatted } from './flatted';

/** An execution as n8n's API gives it: its data is text in the `flatted` format. */
export interface StoredExecution {
	id: string;
	workflowId: string;
	status: string;
	mode: string;
	startedAt: string;
	stoppedAt?: string | null;
	customData?: Record<string, string>;
	data: string;
}

export interface Execution extends Omit<StoredExecution, 'data'> {
	data: IRunExecutionData;
}

export interface RunResult {
	executionId: string;
	/** n8n's word: `success`, `error`, `canceled`, `crashed`, `waiting`. */
	status: string;
	/** What each node that ran gave, by its name. */
	nodes: Record<string, NodeResult>;
	/** The failure that ended the execution. */
	error?: FailureText;
}

/** What one node gave in its last run. */
export interface NodeResult {
	/** The items of the first output. */
	items: INodeExecutionData[];
	/** The items of each output; the last is the error output where a node has one. */
	outputs: INodeExecutionData[][];
	/** How often the node ran. */
	runs: number;
	error?: FailureText;
}

export interface FailureText {
	message: string;
	description?: string;
	httpCode?: string;
}

const ended = new Set(['success', 'error', 'canceled', 'crashed']);
const lookEvery = { first: 50, longest: 500 };

/** Decodes what n8n's API says about an execution. */
export function parseExecution(stored: StoredExecution): Execution {
	return { ...stored, data: parseFlatted(stored.data) as IRunExecutionData };
}

/**
 * Waits until an execution has ended (or, when asked, is suspended) and returns it.
 * @param options.timeout milliseconds, default 120,000
 * @param options.orWaiting also return when it has been suspended
 * @throws when it has not ended by then
 */
export async function waitForExecution(
	client: { readStartedExecution(id: string): Promise<Execution | undefined> },
	id: string,
	options: { timeout?: number; orWaiting?: boolean; signal?: AbortSignal } = {},
): Promise<Execution> {
	const deadline = Date.now() + (options.timeout ?? 120_000);
	for (let pause = lookEvery.first; ; pause = Math.min(pause * 1.5, lookEvery.longest)) {
		const execution = await client.readStartedExecution(id);
		const status = execution?.status ?? 'new';
		if (execution && (ended.has(status) || (options.orWaiting === true && status === 'waiting')))
			return execution;
		if (Date.now() > deadline) throw new Error(`Execution ${id} is still "${status}".`);
		await sleep(pause, undefined, options.signal ? { signal: options.signal } : {});
	}
}

/** Puts an execution into the form that tests and the demo read. */
export function resultOf(execution: Execution): RunResult {
	const { runData, error } = execution.data.resultData;
	const nodes = Object.entries(runData).flatMap(([name, runs]) => {
		const last = runs.at(-1);
		return last === undefined ? [] : [[name, nodeResult(last, runs.length)] as const];
	});
	return {
		executionId: execution.id,
		status: execution.status,
		nodes: Object.fromEntries(nodes),
		...(error ? { error: failureText(error) } : {}),
	};
}

function nodeResult(run: ITaskData, runs: number): NodeResult {
	const outputs = (run.data?.['main'] ?? []).map((items) => items ?? []);
	return { items: outputs[0] ?? [], outputs, runs, ...(run.error ? { error: failureText(run.error) } : {}) };
}

function failureText(error: object): FailureText {
	const { message = 'unknown error', description, httpCode } = error as Partial<FailureText>;
	return { message, ...(description && { description }), ...(httpCode && { httpCode }) };
}
