import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { takesLong } from '../shared/n8n/features';
import { toErrorJson } from '../shared/run/nodeError';
import { checkCallback, type Answer } from './check';
import { readCallback, type IncomingCallback } from './incoming';
import { StartedTasks } from './startedTasks';

/** Calls at a time in this process: n8n 2.40 keeps some 11 MB for each. */
const MAX_CALLS = 300;

/** When a call may be repeated, in seconds. */
const RETRY_AFTER = '10';

const NOT_CHECKED: Answer = { status: 503, message: 'The media task is not checked yet: repeat the call' };

let calls = 0;
let isFull = false;

/** By trigger and most likely ID, the end of the last call with it. */
const ends = new Map<string, Promise<unknown>>();

/**
 * Handles a callback: checks its task, responds, and starts the workflow when the task belongs to the account, has
 * ended, and has not started the workflow before. A check that takes long goes on after the response. Never throws:
 * for an error, n8n would start the workflow with it.
 */
export async function handleCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	let subject = 'A callback';
	calls += 1;
	try {
		if (calls > MAX_CALLS) {
			if (!isFull) context.logger.warn(`${MAX_CALLS} callbacks are being checked: others get status 429`);
			isFull = true;
			return respond(context, { status: 429, message: 'Too many calls at a time: repeat this one' });
		}
		const callback = await readCallback(context);
		const { ids } = callback;
		if (ids.length === 0) return respond(context, { status: 400, message: 'The call names no media task' });
		subject += ` for the media task ${ids.map((id) => JSON.stringify(id)).join(' or ')}`;
		const key = JSON.stringify([context.getWorkflow().id, context.getNode().id, ids[0]]);
		const earlier = ends.get(key);
		if (earlier && (await takesLong(earlier))) return respond(context, NOT_CHECKED);
		const call = checkAndStart(context, callback);
		const end = Promise.allSettled([call, hasResponse(context)]);
		ends.set(key, end);
		void end.then(() => ends.delete(key));
		return await call;
	} catch (error) {
		context.logger.warn(`${subject} was not checked: ${toErrorJson(error).message}`);
		return respond(context, NOT_CHECKED);
	} finally {
		calls -= 1;
		if (calls === 0) isFull = false;
	}
}

async function checkAndStart(
	context: IWebhookFunctions,
	callback: IncomingCallback,
): Promise<IWebhookResponseData> {
	const checking = checkCallback(context, callback, new StartedTasks(context));
	const isLate = await takesLong(checking);
	if (isLate) respond(context, NOT_CHECKED);
	const checked = await checking;
	if (!('item' in checked)) return respond(context, checked);
	const { item, release } = checked;
	if (isLate) return { noWebhookResponse: true, workflowData: [[item]] };
	// n8n responds when it has stored the execution, or has failed to.
	void hasResponse(context).then(async (status) => status >= 400 && (await release()));
	return { workflowData: [[item]] };
}

/** Resolves with the status of the response when it has been sent, or when the caller has gone. */
async function hasResponse(context: IWebhookFunctions): Promise<number> {
	const response = context.getResponseObject();
	if (!response.closed) await new Promise<void>((resolve) => response.once('close', resolve));
	return response.statusCode;
}

/** Responds, unless there has been a response. */
function respond(context: IWebhookFunctions, { status, message }: Answer): IWebhookResponseData {
	const response = context.getResponseObject();
	if (!response.headersSent) {
		if (status > 404) response.setHeader('Retry-After', RETRY_AFTER);
		response.status(status).json({ message });
	}
	return { noWebhookResponse: true };
}
