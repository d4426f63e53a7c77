import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { taskIdsIn } from '../shared/gateway/media/callbacks';
import { toErrorJson } from '../shared/run/nodeError';
import { checkCallback, NOT_CHECKED, type Answer } from './check';
import { readCallback } from './incoming';
import { StartedTasks } from './startedTasks';

/** When a call may be repeated, in seconds. */
const RETRY_AFTER = '10';

/** Calls at a time in this process: n8n 2.40 keeps some 11 MB for each. */
const MAX_WAITING_CALLS = 300;
let calls = 0;

/** Never throws: for an error, n8n would start the workflow with it. */
export async function handleCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	let subject = 'A callback';
	if (calls >= MAX_WAITING_CALLS) return respond(context, NOT_CHECKED);
	calls += 1;
	try {
		const ids = taskIdsIn(await readCallback(context));
		if (ids.length === 0) return respond(context, { status: 400, message: 'The call names no media task' });
		subject += ` for the media task ${ids.map((id) => JSON.stringify(id)).join(' or ')}`;
		const checked = await checkCallback(context, ids, new StartedTasks(context));
		if (!('item' in checked)) return respond(context, checked);
		const { item, ended } = checked;
		// n8n responds when it has stored the execution, or has failed to.
		void hasResponse(context).then(async (status) => await ended(status < 400));
		return { workflowData: [[item]] };
	} catch (error) {
		context.logger.warn(`${subject} was not checked: ${toErrorJson(error).message}`);
		return respond(context, NOT_CHECKED);
	} finally {
		calls -= 1;
	}
}

/** Resolves with the status of the response when it has been sent, or when the caller has gone. */
async function hasResponse(context: IWebhookFunctions): Promise<number> {
	const response = context.getResponseObject();
	if (!response.closed) await new Promise<void>((resolve) => response.once('close', resolve));
	return response.statusCode;
}

function respond(context: IWebhookFunctions, { status, message }: Answer): IWebhookResponseData {
	const response = context.getResponseObject();
	if (status > 404) response.setHeader('Retry-After', RETRY_AFTER);
	response.status(status).json({ message });
	return { noWebhookResponse: true };
}
