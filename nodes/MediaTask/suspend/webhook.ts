import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { GatewayClient } from '../../shared/gateway/client/client';
import { CALLBACK_PAUSES_MS, pollUntil } from '../../shared/gateway/endpoints/polling';
import { hasEnded } from '../../shared/gateway/endpoints/tasks';
import { ApiError, asError } from '../../shared/gateway/errors/errors';
import { asObject, asText, fieldOf } from '../../shared/gateway/util/json';
import { CALLBACK_SETTINGS, connect } from '../../shared/n8n/client';
import { toErrorJson } from '../../shared/run/nodeError';
import {
	ITEM,
	requestResume,
	resumeExecution,
	STATE,
	stateOfSuspended,
	type SavedState,
} from './waitingExecution';

/** Short: n8n resumes the execution in the state of when the callback came. The node polls what is unclear by then. */
const CALLBACK_POLL_MS = 5_000;

/** Before the end of the longest wait, n8n may already be resuming the execution itself. Milliseconds. */
const LAST_MOMENT_MS = 2_000;

/**
 * Handles a callback to a suspended execution (§6.4): has the execution resumed when all tasks have ended, and responds
 * then. The content of the callback is not trusted: each task is polled with the credential. Never throws: for an error, n8n
 * would resume the execution with it.
 */
export async function handleResumeCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = context.getResponseObject();
	try {
		const query = asObject(context.getQueryData()) ?? {};
		const [item, stateId] = [asText(query[ITEM]), asText(query[STATE])];
		const workflowData =
			stateId === undefined ? await itemsAfterCallback(context, item) : resumedItems(context, stateId);
		response.status(200).json({ message: 'Received', ...(stateId === undefined ? {} : { state: stateId }) });
		if (workflowData) return { noWebhookResponse: true, workflowData };
	} catch (error) {
		const { message } = toErrorJson(error);
		context.logger.warn(
			`A callback to the suspended execution ${context.getExecutionId()} was not checked: ${message}`,
		);
		response.status(503).json({ message: 'The media tasks are not checked yet: repeat the call' });
	}
	return { noWebhookResponse: true };
}

/** The suspensions that this process has resumed last. */
const resumed = new Set<string>();
const MAX_RESUMED = 500;

/** The items of the resumed execution; `undefined` when it is not suspended in this state any more. */
function resumedItems(context: IWebhookFunctions, stateId: string): INodeExecutionData[][] | undefined {
	const state = stateOfSuspended(context);
	if (state?.id !== stateId || !isInTime(state) || resumed.has(stateId)) return undefined;
	resumed.add(stateId);
	for (const oldest of [...resumed].slice(0, -MAX_RESUMED)) resumed.delete(oldest);
	return resumeExecution(context, stateId);
}

/** The checks in progress, by suspension, and the items whose callbacks have come meanwhile. */
const checks = new Map<string, { received: Set<string>; ended: Promise<unknown> }>();

/**
 * Checks the tasks after a callback, and has the execution resumed when all have ended. Callbacks that come at the same
 * time lead to one check, and to another one for those that come during it. A callback for no item leads to none: where
 * n8n has no secret in the URL, anybody can send one. Returns the resumed items only when n8n cannot reach itself.
 */
async function itemsAfterCallback(
	context: IWebhookFunctions,
	item: string | undefined,
): Promise<INodeExecutionData[][] | undefined> {
	const state = stateOfSuspended(context);
	if (item === undefined || !state || !Object.hasOwn(state.tasks, item) || resumed.has(state.id))
		return undefined;
	const running = checks.get(state.id);
	if (running) {
		running.received.add(item);
		await running.ended;
		return undefined;
	}
	const received = new Set([item]);
	const ended = check(context, state, received).finally(() => checks.delete(state.id));
	checks.set(state.id, { received, ended });
	return await ended;
}

async function check(context: IWebhookFunctions, state: SavedState, received: Set<string>) {
	// Where it cannot be read, as one that depends on the item, the node polls with that of each item.
	const client = await connect(context, CALLBACK_SETTINGS).catch(() => undefined);
	while (received.size > 0) {
		const items = [...received];
		received.clear();
		if ((client && !(await haveAllEnded(client, state, items))) || !isInTime(state)) continue;
		const isDone = await requestResume(context, state.id);
		return isDone ? undefined : resumedItems(context, state.id);
	}
	return undefined;
}

function isInTime({ until }: SavedState): boolean {
	return Date.now() < until - LAST_MOMENT_MS;
}

/**
 * Whether no task with a callback is known to be running. Those whose callback has come may read so for a moment. If a
 * poll fails for good, the node reports the error.
 */
async function haveAllEnded(
	client: GatewayClient,
	{ callbacks, tasks }: SavedState,
	received: readonly string[],
): Promise<boolean> {
	for (const index of new Set([...received, ...callbacks])) {
		const pausesMs = received.includes(index) ? CALLBACK_PAUSES_MS : [0];
		const pauseMs = (polls: number) => pausesMs[polls];
		try {
			const options = () => ({ limitMs: CALLBACK_POLL_MS });
			const found = await pollUntil(client, fieldOf(tasks, index) ?? '', pauseMs, options);
			if (found?.task && !hasEnded(found.task.state)) return false;
		} catch (error) {
			if (!(error instanceof ApiError)) throw asError(error);
		}
	}
	return true;
}
