import nock from 'nock';
import type {
	INodeExecutionData,
	INodeParameters,
	IWebhookFunctions,
	IWebhookResponseData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';
import { webhookContext, type IncomingRequest } from '../../helpers/contexts';
import { binaryStorage, type RunOptions } from '../../helpers/engine';
import { envelope, TASKS } from '../../helpers/media';

let count = 0;

/** A new task: within a process, a trigger starts once for a task. */
export const freshTask = () => `task-${(count += 1)}`;

/** The effects of a callback. */
export interface CallbackOutcome {
	/** The item that starts the workflow. */
	item: INodeExecutionData | undefined;
	result: IWebhookResponseData;
	/** Status and body of the response. */
	response: unknown[];
	/** The number of warnings in n8n's log. */
	warnings: number;
}

export interface CallbackOptions {
	mode?: WorkflowExecuteMode;
	/** The node's static data. */
	store?: object;
	/** Called when the response is sent. */
	onResponse?: () => void;
	nodeId?: string;
	/** The version of the node; the newest by default. */
	typeVersion?: number;
	/** Where the callback comes from. */
	ip?: string;
	/** The body as it came. */
	rawBody?: Buffer;
	credential?: RunOptions['credential'];
}

/** The context of a callback, and what is sent in response: headers, status and body. */
export function callbackContext(
	parameters: INodeParameters,
	request: IncomingRequest,
	{
		mode = 'webhook',
		store = {},
		onResponse,
		nodeId = 'node-1',
		typeVersion,
		ip,
		rawBody,
		credential,
	}: CallbackOptions = {},
): { context: IWebhookFunctions; response: unknown[] } {
	const settings = { id: nodeId, ...(typeVersion === undefined ? {} : { typeVersion }) };
	const options = { node: 'mediaTaskTrigger', parameters, mode, store, settings } as const;
	const context = webhookContext({ ...options, ...(credential ? { credential } : {}) }, request);
	Object.assign(context.getRequestObject(), { ip, rawBody });
	const response: unknown[] = [];
	const recorder = {
		setHeader: (name: string, value: string) => response.push(`${name}: ${value}`),
		status: (status: number) => {
			response.push(status);
			return recorder;
		},
		json: (body: unknown) => {
			response.push(body);
			onResponse?.();
		},
	};
	Object.assign(context, { getResponseObject: () => recorder });
	return { context, response };
}

/** Sends a callback to the trigger. */
export async function sendCallback(
	parameters: INodeParameters,
	request: IncomingRequest,
	options: CallbackOptions = {},
): Promise<CallbackOutcome> {
	await binaryStorage();
	const { context, response } = callbackContext(parameters, request, options);
	const warn = jest.spyOn(context.logger, 'warn');
	const result = await new MediaTaskTrigger().webhook.call(context);
	const warnings = warn.mock.calls.length;
	warn.mockRestore();
	return { item: result.workflowData?.[0]?.[0], result, response, warnings };
}

const signed = () => nock('https://gateway.test', { reqheaders: { authorization: 'Bearer sk-test' } });

/** Responds with a task's states, one for each request; the last one repeats. Counts the requests. */
export function task(taskId: string, ...states: object[]): { requests: number } {
	return polls(taskId, (count) => [200, envelope({ taskId, ...states[Math.min(count, states.length) - 1] })]);
}

/** Responds to the polls of a task, counted from 1. Counts the requests. */
function polls(
	taskId: string,
	respond: (count: number) => [status: number, body: nock.Body],
): { requests: number } {
	const seen = { requests: 0 };
	signed()
		.persist()
		.get(`${TASKS}/${taskId}`)
		.reply(() => respond((seen.requests += 1)));
	return seen;
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
		const interceptor = signed().patch(`${TASKS}/${taskId}/archive`, (body) => {
			seen.bodies[index] = body;
			return true;
		});
		if (status === 0) interceptor.replyWithError(Object.assign(new Error('lost'), { code: 'ECONNRESET' }));
		else interceptor.reply(status, status === 204 ? '' : envelope(null, status));
	}
	return seen;
}
