import {
	sleep,
	type INodeExecutionData,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import type { GatewayClient } from '../../shared/gateway/client/client';
import { CALLBACK_PAUSES_MS, pollOnce, pollUntil } from '../../shared/gateway/endpoints/polling';
import { hasEnded } from '../../shared/gateway/endpoints/tasks';
import { ApiError, asError } from '../../shared/gateway/errors/errors';
import { callbackClient } from '../../shared/n8n/client';
import { toErrorJson } from '../../shared/run/nodeError';
import { CallbackGuard } from './callbackGuard';
import type { SavedState } from './savedState';
import { readResumeRequest, requestResume, resumeExecution, stateOfSuspended } from './waitingExecution';

/**
 * Short, because n8n resumes the execution in the state of when the callback came. The node polls what is unclear
 * by then. Milliseconds.
 */
const POLL_TIMEOUT_MS = 5_000;

/** Before the end of the longest wait, n8n may already be resuming the execution itself. Milliseconds. */
const LAST_MOMENT_MS = 2_000;

/**
 * Handles a callback to a suspended execution (§6.4): responds at once, and has the execution resumed when all
 * tasks have ended. The content of the callback is not trusted: each task is polled with the credential. Never
 * throws: for an error, n8n would resume the execution with it.
 */
export async function handleResumeCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	let hasResponse = false;
	try {
		const response = context.getResponseObject();
		const { item, stateId } = readResumeRequest(context);
		hasResponse = true;
		response.status(200).json({ message: 'Received', ...(stateId === undefined ? {} : { state: stateId }) });
		const workflowData =
			stateId === undefined ? await itemsAfterCallback(context, item) : resumedItems(context, stateId);
		if (workflowData) return { noWebhookResponse: true, workflowData };
	} catch (error) {
		const { message } = toErrorJson(error);
		context.logger.warn(
			`A callback to the suspended execution ${context.getExecutionId()} was not checked: ${message}`,
		);
	}
	// Without a response from here, n8n responds.
	return hasResponse ? { noWebhookResponse: true } : {};
}

/** The items of the resumed execution; `undefined` when it is not suspended in this state any more. */
function resumedItems(context: IWebhookFunctions, stateId: string): INodeExecutionData[][] | undefined {
	const state = stateOfSuspended(context);
	if (state?.id !== stateId || !isInTime(state)) return undefined;
	return CallbackGuard.of(context.getExecutionId()).claim(stateId)
		? resumeExecution(context, stateId)
		: undefined;
}

/**
 * Checks the tasks after a callback, and resumes the execution when all have ended.
 *
 * @returns the items of the resumed execution, when n8n cannot reach itself to resume it
 */
async function itemsAfterCallback(
	context: IWebhookFunctions,
	item: number | undefined,
): Promise<INodeExecutionData[][] | undefined> {
	const guard = CallbackGuard.of(context.getExecutionId());
	let state: SavedState | undefined;
	const read = () => {
		state = stateOfSuspended(context);
		return state && { id: state.id, items: itemsOf(state) };
	};
	const check = async (items: ReadonlySet<number>) => {
		if (!state) return false;
		const client = await callbackClient(context);
		const isOver = await haveAllEnded(client, state, guard.ended, items);
		return isOver && isInTime(state);
	};
	const resumes = await guard.handle(item, read, check);
	if (!resumes || !state || (await requestResume(context, state.id, sleep))) return undefined;
	return guard.claim(state.id) ? resumeExecution(context, state.id) : undefined;
}

function isInTime({ until }: SavedState): boolean {
	return Date.now() < until - LAST_MOMENT_MS;
}

/** The items with a task of the execution, also those whose task had ended before it was suspended. */
function itemsOf({ tasks }: SavedState): ReadonlySet<number> {
	return new Set(Object.keys(tasks).map(Number));
}

/**
 * Whether no task with a callback is known to be running. Polls first the tasks whose callback has come, several times:
 * they may still read as running for a moment. Stops at the first that is running.
 *
 * @param ended the IDs of tasks that have ended; further ones are added
 * @param received the items whose callback has come
 */
async function haveAllEnded(
	client: GatewayClient,
	state: SavedState,
	ended: Set<string>,
	received: ReadonlySet<number>,
): Promise<boolean> {
	const { callbacks, tasks } = state;
	const first = callbacks.filter((index) => received.has(index));
	for (const index of new Set([...first, ...callbacks])) {
		const taskId = tasks[index] ?? '';
		if (ended.has(taskId)) continue;
		const isFirst = first.length === 0 || first.includes(index);
		const found = await stateOf(client, taskId, isFirst ? CALLBACK_PAUSES_MS : [0]);
		if (found === 'running') return false;
		if (found === 'ended') ended.add(taskId);
	}
	return true;
}

/** The state of a task. One whose poll ends in an error counts as ended: the node reports the error. */
async function stateOf(
	client: GatewayClient,
	taskId: string,
	pausesMs: readonly number[],
): Promise<'ended' | 'running' | 'unclear'> {
	try {
		const found = await pollUntil({
			pauseMs: (polls) => pausesMs[polls],
			poll: async () => await pollOnce(client, taskId, POLL_TIMEOUT_MS),
			pause: async (milliseconds) => await client.pause(milliseconds),
		});
		if (!found?.task) return 'unclear';
		return hasEnded(found.task.state) ? 'ended' : 'running';
	} catch (error) {
		if (error instanceof ApiError) return 'ended';
		throw asError(error);
	}
}
