import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { GatewayClient } from '../../shared/gateway/client/client';
import { pollOnce, pollWithRetries } from '../../shared/gateway/endpoints/polling';
import { hasEnded } from '../../shared/gateway/endpoints/tasks';
import { ApiError } from '../../shared/gateway/errors/errors';
import { backgroundClient, CALLBACK_SETTINGS } from '../../shared/n8n/client';
import { toErrorJson } from '../../shared/run/nodeError';
import { CallbackGuard } from './callbackGuard';
import type { SavedState } from './savedState';
import { itemOfCallback, resumeExecution, stateOfSuspended } from './waitingExecution';

/**
 * n8n resumes the execution as it was when the callback came. So a poll is short: what is not clear by then is left to
 * the node. Milliseconds.
 */
const POLL_TIMEOUT_MS = 5_000;

/** So long before the longest wait is over, in milliseconds, n8n may be resuming the execution itself. */
const LAST_MOMENT_MS = 2_000;

/**
 * Handles a callback to an execution that is suspended until its tasks have ended (§6.4): responds at once, and resumes
 * the execution when all have ended. The callback is only a hint: each task is polled with the credential.
 */
export async function handleResumeCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	context.getResponseObject().status(200).json({ message: 'Received' });
	const workflowData = await resumedItems(context);
	return { noWebhookResponse: true, ...(workflowData ? { workflowData } : {}) };
}

/** What the node continues with; `undefined` when the execution stays suspended. Never throws. */
async function resumedItems(context: IWebhookFunctions): Promise<INodeExecutionData[][] | undefined> {
	const executionId = context.getExecutionId();
	try {
		const guard = CallbackGuard.of(executionId);
		let state: SavedState | undefined;
		const readId = () => (state = stateOfSuspended(context))?.id;
		const check = async (items: ReadonlySet<number | undefined>) => {
			if (!state) return false;
			const client = await backgroundClient(context, CALLBACK_SETTINGS);
			const isOver = await haveAllEnded(client, state, guard.ended, items);
			return isOver && Date.now() < state.until - LAST_MOMENT_MS;
		};
		const resumes = await guard.handle(itemOfCallback(context), readId, check);
		return resumes ? resumeExecution(context) : undefined;
	} catch (error) {
		const { message } = toErrorJson(error);
		context.logger.warn(`A callback to the suspended execution ${executionId} was not checked: ${message}`);
		return undefined;
	}
}

/**
 * Whether no callback is to come any more: no task that has one is known to go on. Polls those whose callback has come
 * first, and ends at the first that goes on.
 *
 * @param ended the tasks that are known to have ended; those that are found are added
 * @param callers the items whose callback has come; `undefined` for one that does not say
 */
async function haveAllEnded(
	client: GatewayClient,
	state: SavedState,
	ended: Set<string>,
	callers: ReadonlySet<number | undefined>,
): Promise<boolean> {
	const items = state.items.filter(({ hasCallback }) => hasCallback);
	const calling = items.filter(({ index }) => callers.has(index));
	for (const { taskId } of calling) {
		if ((await stateAfterRetries(client, taskId, ended)) === 'running') return false;
	}
	for (const { taskId } of items) {
		const poll = calling.length > 0 ? stateOf : stateAfterRetries;
		if ((await poll(client, taskId, ended)) === 'running') return false;
	}
	return true;
}

type State = 'ended' | 'running' | 'unclear';

async function stateAfterRetries(client: GatewayClient, taskId: string, ended: Set<string>): Promise<State> {
	const poll = async () => await stateOf(client, taskId, ended);
	return await pollWithRetries(client, poll, (state) => state === 'ended');
}

/** The state of a task. What the gateway refuses to say will not be said later either: the node reports why. */
async function stateOf(client: GatewayClient, taskId: string, ended: Set<string>): Promise<State> {
	if (ended.has(taskId)) return 'ended';
	const state = await polledState(client, taskId);
	if (state === 'ended') ended.add(taskId);
	return state;
}

async function polledState(client: GatewayClient, taskId: string): Promise<State> {
	try {
		const { task } = await pollOnce(client, taskId, POLL_TIMEOUT_MS);
		if (!task) return 'unclear';
		return hasEnded(task.state) ? 'ended' : 'running';
	} catch (error) {
		if (error instanceof ApiError) return 'ended';
		throw error;
	}
}
