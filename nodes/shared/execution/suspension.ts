import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type IWebhookDescription,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { asArray, asObject, asObjects, asText, type JsonObject } from '../gateway/json';

/**
 * The path below the execution's resume URL at which our calls arrive. With one of its own, a call that is repeated
 * cannot wake a *Wait* node further down the workflow, such as one that waits for somebody's approval.
 */
const PATH = 'media-task';

/** How a sleeping execution is woken. By reference in a description: a node that only sleeps is no trigger. */
export const wakeUpWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		// §6.4 does not show how the gateway calls.
		httpMethod: '=POST,GET,PUT',
		responseMode: 'onReceived',
		path: PATH,
		restartWebhook: true,
		isFullPath: true,
	},
];

/** Key in the node's context, which n8n stores with the execution. */
const KEY = 'aiGatewayAsleep';

/** A sleep, as it is stored with the execution. */
export interface Sleep {
	/** Tells it from other sleeps of the execution. */
	id: string;
	/** What is to be done on waking up, by index of the item; the other items are done. */
	items: Array<{ index: number; memo: JsonObject }>;
	/** How many items are worked on at the same time. */
	concurrency: number;
}

/**
 * The address that wakes the execution, once it sleeps. Carries a secret of the execution's; without it n8n answers 401.
 *
 * @returns `undefined` where the execution cannot be woken: it has no id
 */
export function wakeUpUrl(context: IExecuteFunctions): string | undefined {
	const { $execution } = context.getWorkflowDataProxy(0) as { $execution?: { resumeUrl?: unknown } };
	const resumeUrl = asText($execution?.resumeUrl);
	if (!context.getExecutionId() || resumeUrl === undefined || !URL.canParse(resumeUrl)) return undefined;
	const url = new URL(resumeUrl);
	url.pathname = `${url.pathname.replace(/\/+$/, '')}/${PATH}`;
	return url.href;
}

/**
 * Puts the execution to sleep in n8n's database.
 *
 * @param items one for each input item: what the node puts out if nobody calls in time. n8n then passes the input
 *   on, so they take its place.
 * @param until Unix milliseconds
 */
export async function fallAsleep(
	context: IExecuteFunctions,
	items: readonly INodeExecutionData[],
	sleep: Sleep,
	until: number,
): Promise<void> {
	// These item objects are the node's own; what the node before put out keeps its `json` and `binary`.
	for (const [index, input] of context.getInputData().entries()) {
		const { json, binary } = items[index] ?? input;
		input.json = json;
		if (binary) input.binary = binary;
		else delete input.binary;
	}
	context.getContext('node')[KEY] = sleep as unknown as IDataObject;
	await context.putExecutionToWait(new Date(until));
}

/** What an execution that was called in its sleep has to do. */
export interface Awakening {
	sleep: Sleep;
	/** The items as they were put to sleep. */
	items: INodeExecutionData[];
}

/** Reads what the execution sleeps for; `undefined` when it is nothing of ours. */
export function readSleep(context: IWebhookFunctions): Awakening | undefined {
	// A name can hold anything; braces would end the expression.
	const name = JSON.stringify(context.getNode().name).replace(
		/[{}]/g,
		(brace) => `\\u00${brace.charCodeAt(0).toString(16)}`,
	);
	const stored = asObject(context.evaluateExpression(`{{ $node[${name}].context.${KEY} }}`));
	const id = asText(stored?.id);
	if (id === undefined) return undefined;
	const sleep: Sleep = {
		id,
		items: asObjects(stored?.items).map(({ index, memo }) => ({
			index: Number(index),
			memo: asObject(memo) ?? {},
		})),
		concurrency: Number(stored?.concurrency),
	};
	const items = asArray(context.evaluateExpression('{{ $input.all() }}')) as unknown as INodeExecutionData[];
	return { sleep, items };
}

/** Whether the node's *On Error* lets the workflow go on. */
export function continuesOnFail(context: IWebhookFunctions): boolean {
	const { onError, continueOnFail } = context.getNode();
	return onError === undefined ? continueOnFail === true : onError !== 'stopWorkflow';
}

/**
 * Makes the node fail when the execution goes on. A node has no say in this: what a call's answer gives is what the node
 * puts out. But n8n fails a node whose sub-workflow has failed in its sleep, by an error in the sleeping node's
 * metadata, and that is what is used here.
 *
 * @returns whether it could be done
 */
export function failOnWaking(context: IWebhookFunctions, error: Error): boolean {
	const { executeData } = context as unknown as { executeData?: { metadata?: object } };
	if (!executeData) return false;
	const { name, message, stack } = error;
	const { description = null } =
		error instanceof NodeApiError || error instanceof NodeOperationError ? error : {};
	// Plain data: in queue mode it reaches the process that goes on through the database.
	const facts = { ...error, name, message, stack, description, cause: undefined };
	executeData.metadata = { ...executeData.metadata, resumeError: facts };
	return true;
}
