import type { IBinaryKeyData, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import type { GatewayClient, Slots } from '../shared/gateway/client/client';
import { Limiter } from '../shared/gateway/client/limits';
import { CALLBACK_PAUSES_MS, pollUntil, type PollResult } from '../shared/gateway/endpoints/polling';
import { setArchived, hasEnded, isMissing, type GatewayTask } from '../shared/gateway/endpoints/tasks';
import { ApiError, asError } from '../shared/gateway/errors/errors';
import { CALLBACK_SETTINGS, connect } from '../shared/n8n/client';
import { compact } from '../shared/gateway/util/json';
import { downloadFiles, taskJson } from '../shared/n8n/taskResults';
import { readParameters } from '../shared/params/nodeParameters';
import { toErrorJson, type ErrorJson } from '../shared/run/nodeError';
import { parameters } from './fields';
import type { StartedTasks } from './startedTasks';

/** Requests at a time in this process: anybody who knows a trigger's URL can cause them. Not those for files. */
const requests = new Limiter(16);
const slots: Slots = { reads: requests, requests, files: new Limiter(Infinity) };

/** The answer to a call. With 200 it is done with, with 503 it is to be repeated. */
export interface Answer {
	status: number;
	message: string;
}

const UNKNOWN_TASK: Answer = { status: 404, message: 'The account has no such media task' };
const STARTED: Answer = { status: 200, message: 'The media task has started the workflow' };
export const NOT_CHECKED: Answer = {
	status: 503,
	message: 'The media task is not checked yet: repeat the call',
};

interface Start {
	item: INodeExecutionData;
	/** Is called when n8n has started it, or has failed to: then a repeated call starts it. */
	ended: (hasStarted: boolean) => Promise<void>;
}

/**
 * Finds out whether a callback starts the workflow, with the first task of the IDs in it that can. Its content is not
 * trusted: the task is polled with the credential. Downloads the files, and archives the task. Rejects when the task could
 * not be polled.
 */
export async function checkCallback(
	context: IWebhookFunctions,
	named: readonly string[],
	startedTasks: StartedTasks,
): Promise<Answer | Start> {
	const ids = named.filter((id) => startedTasks.stateOf(id) !== 'started');
	if (ids.length === 0) return STARTED;
	const client = await connect(context, CALLBACK_SETTINGS, { slots });
	let answer = ids.length < named.length ? STARTED : UNKNOWN_TASK;
	let rejection: Error | undefined;
	for (const id of ids) {
		const task = await findTask(client, id).catch((error: unknown) => {
			// What only looks like an ID does not keep the others from being polled.
			if (!(error instanceof ApiError) || error.details.retryable) throw asError(error);
			rejection ??= error;
		});
		const checked = task ? await checkTask(context, client, task, startedTasks) : UNKNOWN_TASK;
		if ('item' in checked) return checked;
		if (answer === UNKNOWN_TASK) answer = checked;
	}
	if (rejection) throw rejection;
	return answer;
}

async function checkTask(
	context: IWebhookFunctions,
	client: GatewayClient,
	task: GatewayTask,
	startedTasks: StartedTasks,
): Promise<Answer | Start> {
	const { events, downloadResults, options } = readParameters(context, parameters);
	const { taskId, state } = task;
	if (!hasEnded(state)) return { status: 200, message: 'The media task has not ended' };
	if (events !== 'both' && events !== state)
		return { status: 200, message: 'A media task in this state does not start the workflow' };
	// Meanwhile, another call may have come this far.
	const before = startedTasks.stateOf(taskId);
	if (before !== undefined) return before === 'started' ? STARTED : NOT_CHECKED;
	startedTasks.begin(taskId);
	let binary: IBinaryKeyData | undefined;
	let downloadError: ErrorJson | undefined;
	if (downloadResults && state === 'success') {
		try {
			binary = await downloadFiles({ client, n8n: context }, task, options.binaryPropertyName);
		} catch (error) {
			// The callback may not come again, so the workflow starts without the files.
			downloadError = toErrorJson(error);
		}
	}
	// Last, so that little can happen between it and the start.
	const isOurs = !options.archiveTask || (await setFlag(context, client, taskId));
	if (!isOurs && !startedTasks.isTest) {
		startedTasks.end(taskId, 'started');
		return STARTED;
	}
	startedTasks.add(taskId);
	const json = compact({ ...taskJson(task), downloadError });
	const ended = async (hasStarted: boolean) => {
		startedTasks.end(taskId, hasStarted ? 'started' : 'failed');
		if (!hasStarted && options.archiveTask) await setFlag(context, client, taskId, false);
	};
	return { item: { json, ...(binary ? { binary } : {}) }, ended };
}

/** Polls a task (§4.7); `undefined` when the account does not have it. */
async function findTask(client: GatewayClient, id: string): Promise<GatewayTask | undefined> {
	const pauseMs = (polls: number, last?: PollResult) =>
		last?.transientError ? undefined : CALLBACK_PAUSES_MS[polls];
	// Without a limit, the client repeats a poll that fails.
	const found = await pollUntil(client, id, pauseMs, () => ({ limitMs: Infinity })).catch(ifUnknown);
	if (found?.transientError) throw asError(found.transientError);
	return found?.task;
}

/** @throws {Error} unless the account has no task with this ID, or no task can have it */
function ifUnknown(error: unknown): undefined {
	const { status = 0 } = error instanceof ApiError ? error.details : {};
	if (status === 404 || status === 422) return;
	throw asError(error);
}

/** Sets a task's flag; returns false when it is set already (§3.2), maybe by another process. */
async function setFlag(context: IWebhookFunctions, client: GatewayClient, taskId: string, value = true) {
	try {
		await setArchived(client, taskId, value);
	} catch (error) {
		if (isMissing(error)) return false;
		// Better two starts than none.
		const { message } = toErrorJson(error);
		context.logger.warn(`The media task ${taskId} could not be ${value ? '' : 'un'}archived: ${message}`);
	}
	return true;
}
