import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { backgroundClient, CALLBACK_SETTINGS } from '../../shared/n8n/backgroundClient';
import { toErrorJson } from '../../shared/run/nodeError';
import { callingItem, readSleep, wake, type Sleep } from './savedState';
import { pollOnce, pollWithRetries } from '../../shared/gateway/endpoints/polling';
import { ApiError, asError } from '../../shared/gateway/errors/errors';
import { hasEnded } from '../../shared/gateway/endpoints/tasks';
import type { GatewayClient } from '../../shared/gateway/client/client';
import { WakeUpGuard } from './callbackGuard';

/**
 * n8n goes on with the execution as it was when the call came. So a look is short: what is not clear by then is left to
 * the node. Milliseconds.
 */
const LOOK_PATIENCE_MS = 5_000;

/** So long before the longest sleep is over, in milliseconds, n8n may be waking the execution itself. */
const LAST_MOMENT_MS = 2_000;

/**
 * Answers a call to an execution that sleeps until its tasks have ended (§6.4), at once, and wakes it when all have.
 * The call is only a hint that it is time to look: each task is asked for with the credential.
 */
export async function answerWakeUpCall(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	context.getResponseObject().status(200).json({ message: 'Received' });
	const workflowData = await wokenItems(context);
	return { noWebhookResponse: true, ...(workflowData ? { workflowData } : {}) };
}

/** What the node goes on with; `undefined` when the execution sleeps on. Never throws. */
async function wokenItems(context: IWebhookFunctions): Promise<INodeExecutionData[][] | undefined> {
	const executionId = context.getExecutionId();
	try {
		const guard = WakeUpGuard.of(executionId);
		let sleep: Sleep | undefined;
		const readId = () => (sleep = readSleep(context))?.id;
		const look = async (callers: ReadonlySet<number | undefined>) => {
			if (!sleep) return false;
			const client = await backgroundClient(context, CALLBACK_SETTINGS);
			const over = await isOver(client, sleep, guard.ended, callers);
			return over && Date.now() < sleep.until - LAST_MOMENT_MS;
		};
		return (await guard.answer(callingItem(context), readId, look)) ? wake(context) : undefined;
	} catch (error) {
		const { message } = toErrorJson(error);
		context.logger.warn(`A callback to the sleeping execution ${executionId} was not checked: ${message}`);
		return undefined;
	}
}

/**
 * Whether no call is to come any more: no task that will call is known to be going on. Looks at those that have called
 * first, and ends at the first that goes on.
 *
 * @param ended the tasks that are known to have ended; those that are found are added
 * @param callers the items that have called; `undefined` for a call that does not say
 */
async function isOver(
	client: GatewayClient,
	sleep: Sleep,
	ended: Set<string>,
	callers: ReadonlySet<number | undefined>,
): Promise<boolean> {
	const items = sleep.items.filter(({ calls }) => calls);
	const calling = items.filter(({ index }) => callers.has(index));
	for (const { taskId } of calling) {
		if ((await stateAfterPauses(client, taskId, ended)) === 'running') return false;
	}
	for (const { taskId } of items) {
		const look = calling.length > 0 ? stateOf : stateAfterPauses;
		if ((await look(client, taskId, ended)) === 'running') return false;
	}
	return true;
}

type State = 'ended' | 'running' | 'unclear';

/** The state of a task, with some patience for one that has not ended. */
async function stateAfterPauses(client: GatewayClient, taskId: string, ended: Set<string>): Promise<State> {
	const look = async () => await stateOf(client, taskId, ended);
	return await pollWithRetries(client, look, (state) => state === 'ended');
}

/** The state of a task. What the gateway refuses to tell will not be told later either: the node says why. */
async function stateOf(client: GatewayClient, taskId: string, ended: Set<string>): Promise<State> {
	if (ended.has(taskId)) return 'ended';
	const state = await pollOnce(client, taskId, LOOK_PATIENCE_MS).then(
		({ task }): State => (task ? (hasEnded(task.state) ? 'ended' : 'running') : 'unclear'),
		(error: unknown) => (error instanceof ApiError ? 'ended' : Promise.reject(asError(error))),
	);
	if (state === 'ended') ended.add(taskId);
	return state;
}
