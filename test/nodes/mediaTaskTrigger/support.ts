import type nock from 'nock';
import type {
	INodeExecutionData,
	INodeParameters,
	IWebhookResponseData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';
import { RecordedResponse, webhookContext, type IncomingRequest } from '../../helpers/contexts';
import { binaryStorage, type RunOptions } from '../../helpers/engine';
import { envelope, TASKS, gateway, polls } from '../../helpers/media';

let count = 0;

/** A new task: within a process, a trigger starts once for a task. */
export const freshTask = () => `task-${(count += 1)}`;

/** The effects of a callback. */
export interface CallbackOutcome {
	/** The item that starts the workflow. */
	item: INodeExecutionData | undefined;
	result: IWebhookResponseData;
	/** Status of the response. */
	status: number;
	/** The message of a response that n8n has not sent. */
	message: string | undefined;
	retryAfter: string | undefined;
	/** The number of warnings in n8n's log. */
	warnings: number;
}

export interface CallbackOptions {
	mode?: WorkflowExecuteMode;
	/** The node's static data. */
	store?: object;
	/** The status with which n8n responds when the workflow starts; 0 if the caller has gone before. */
	n8nStatus?: number;
	nodeId?: string;
	workflowId?: string;
	/** The body as it came; that of the request by default. */
	rawBody?: Buffer | undefined;
	credential?: RunOptions['credential'];
}

/** The context of a callback, and the response to it. */
export function callbackContext(
	parameters: INodeParameters,
	request: IncomingRequest,
	{
		mode = 'webhook',
		store = {},
		nodeId = 'node-1',
		workflowId = 'workflow-1',
		credential,
		...more
	}: CallbackOptions = {},
) {
	const settings = { id: nodeId };
	const options = { node: 'mediaTaskTrigger', parameters, mode, store, settings, workflowId } as const;
	const context = webhookContext({ ...options, ...(credential ? { credential } : {}) }, request);
	const rawBody = 'rawBody' in more ? more.rawBody : Buffer.from(JSON.stringify(request.body ?? {}));
	Object.assign(context.getRequestObject(), { rawBody });
	let message: string | undefined;
	const response = new RecordedResponse((_, json) => (message = (json as { message?: string }).message));
	Object.assign(context, { getResponseObject: () => response });
	return { context, response, messageOf: () => message };
}

/** Sends a callback to the trigger. */
export async function sendCallback(
	parameters: INodeParameters,
	request: IncomingRequest,
	options: CallbackOptions = {},
): Promise<CallbackOutcome> {
	await binaryStorage();
	const { n8nStatus = 200 } = options;
	const { context, response, messageOf } = callbackContext(parameters, request, options);
	const warn = jest.spyOn(context.logger, 'warn');
	const result = await new MediaTaskTrigger().webhook.call(context);
	const warnings = warn.mock.calls.length;
	warn.mockRestore();
	if (!response.headersSent && n8nStatus > 0) response.status(n8nStatus).json({});
	const { statusCode: status, headers } = response;
	const item = result.workflowData?.[0]?.[0];
	return { item, result, status, message: messageOf(), retryAfter: headers['Retry-After'], warnings };
}

/** Responds to so many polls of a task with a status and a body, then with its success. Counts the requests. */
export function successAfter(
	count: number,
	taskId: string,
	status: number,
	body: nock.Body,
): { requests: number } {
	const success = envelope({ taskId, state: 'success' });
	return polls(taskId, (polled) => (polled > count ? [200, success] : [status, body]));
}

/** Responds to polls of a task with an error. Counts the requests. */
export function errorResponse(taskId: string, status: number): { requests: number } {
	return polls(taskId, () => [status, envelope(null, status)]);
}

/** Responds to requests to archive a task with these statuses, in order; 0 loses the response. */
export function archiving(taskId: string, ...statuses: number[]): { bodies: unknown[] } {
	const seen: { bodies: unknown[] } = { bodies: [] };
	for (const [index, status] of statuses.entries()) {
		const interceptor = gateway().patch(`${TASKS}/${taskId}/archive`, (body) => {
			seen.bodies[index] = body;
			return true;
		});
		if (status === 0) interceptor.replyWithError(Object.assign(new Error('lost'), { code: 'ECONNRESET' }));
		else interceptor.reply(status, status === 204 ? '' : envelope(null, status));
	}
	return seen;
}
