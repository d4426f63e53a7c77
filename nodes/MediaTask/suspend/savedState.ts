import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	IWebhookDescription,
	IWebhookFunctions,
} from 'n8n-workflow';

import {
	asArray,
	asNumber,
	asObject,
	asObjects,
	asText,
	type JsonObject,
} from '../../shared/gateway/util/json';
import type { RequestSettings } from '../../shared/gateway/client/client';

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

/** Parameter of the address that says which item calls. */
const ITEM = 'item';

/** A sleep, as it is stored with the execution. */
export interface Sleep {
	/** Tells it from other sleeps of the execution. */
	id: string;
	/** The longest sleep, in Unix milliseconds. */
	until: number;
	/** How many items are worked on at the same time. */
	concurrency: number;
	/** What is to be done on waking up. The items that are not among these are done. */
	items: SleepingItem[];
	/** The tasks that are paid for, by item: also those of items that are done. */
	tasks: Record<string, string>;
}

/** An item that is slept for. */
export interface SleepingItem {
	index: number;
	taskId: string;
	/** Whether somebody calls when its task has ended. */
	calls: boolean;
	/** What the operation must know to go on. */
	memo: JsonObject;
	settings: RequestSettings;
}

/**
 * The address that wakes the execution, once it sleeps. Carries a secret of the execution's; without it n8n answers 401.
 *
 * @returns `undefined` where the execution cannot be woken: it has no id
 */
export function wakeUpUrl(context: IExecuteFunctions, itemIndex: number): string | undefined {
	const url = resumeUrl(context);
	if (!url) return undefined;
	url.pathname += `/${PATH}`;
	url.searchParams.set(ITEM, String(itemIndex));
	return url.href;
}

/** What must not be shown of the address that wakes the execution: whoever has it can call. */
export function wakeUpSecrets(context: IExecuteFunctions): string[] {
	return [...(resumeUrl(context)?.searchParams.values() ?? [])];
}

function resumeUrl(context: IExecuteFunctions): URL | undefined {
	const { $execution } = context.getWorkflowDataProxy(0) as { $execution?: { resumeUrl?: unknown } };
	const url = asText($execution?.resumeUrl);
	return context.getExecutionId() && url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
}

/** The item whose task a call is about, as its address says. */
export function callingItem(context: IWebhookFunctions): number | undefined {
	const index = Number(asText(asObject(context.getQueryData())?.[ITEM]));
	return Number.isInteger(index) ? index : undefined;
}

/**
 * Puts the execution to sleep in n8n's database.
 *
 * @param items one for each input item: what the node puts out if nobody calls in time. n8n then passes the input
 *   on, so they take its place.
 */
export async function fallAsleep(
	context: IExecuteFunctions,
	items: readonly INodeExecutionData[],
	sleep: Sleep,
): Promise<void> {
	const input = context.getInputData();
	// These item objects are the node's own; what the node before put out keeps its `json` and `binary`.
	for (const [index, item] of input.entries()) {
		const { json, binary } = items[index] ?? item;
		item.json = json;
		if (binary) item.binary = binary;
		else delete item.binary;
	}
	// With *Execute Once* there are more, which n8n would pass on as they came.
	const { executeData } = context as unknown as Internals;
	executeData?.data?.main?.[0]?.splice(input.length);
	context.getContext('node')[KEY] = sleep as unknown as IDataObject;
	await context.putExecutionToWait(new Date(sleep.until));
}

/**
 * The sleep from which the node has been woken; `undefined` when it runs for the first time. What n8n stores of a
 * sleep stays there, so it is told by the node's input: that is what was put to sleep.
 */
export function sleepBefore(context: IExecuteFunctions): Sleep | undefined {
	const sleep = readStored(context.getContext('node')[KEY]);
	const input = context.getInputData();
	const isInput = ({ index, taskId }: SleepingItem) => {
		const json = input[index]?.json;
		return json?.taskId === taskId && json.timedOut === true;
	};
	return sleep?.items.every(isInput) ? sleep : undefined;
}

/** Reads what an execution that is called in its sleep sleeps for; `undefined` when it is nothing of ours. */
export function readSleep(context: IWebhookFunctions): Sleep | undefined {
	// A name can hold anything; braces would end the expression.
	const name = JSON.stringify(context.getNode().name).replace(
		/[{}]/g,
		(brace) => `\\u00${brace.charCodeAt(0).toString(16)}`,
	);
	return readStored(context.evaluateExpression(`{{ $node[${name}].context.${KEY} }}`));
}

/** Reads what another version of the package may have stored: what is missing must not cost an item its result. */
function readStored(value: unknown): Sleep | undefined {
	const stored = asObject(value);
	const id = asText(stored?.id);
	const items = asObjects(stored?.items).map(sleepingItem);
	if (!stored || id === undefined || items.length === 0) return undefined;
	return {
		id,
		until: asNumber(stored.until) ?? 0,
		concurrency: Math.max(asNumber(stored.concurrency) ?? 1, 1),
		items,
		tasks: Object.fromEntries(
			Object.entries(asObject(stored.tasks) ?? {}).flatMap(([index, value]) => {
				const taskId = asText(value);
				return taskId === undefined ? [] : [[index, taskId] as const];
			}),
		),
	};
}

function sleepingItem({ index, taskId, calls, memo, settings }: JsonObject): SleepingItem {
	const { maxRetries, timeoutMs } = asObject(settings) ?? {};
	return {
		index: Number(index),
		taskId: asText(taskId) ?? '',
		calls: calls === true,
		memo: asObject(memo) ?? {},
		settings: { maxRetries: asNumber(maxRetries) ?? 0, timeoutMs: asNumber(timeoutMs) },
	};
}

/** What n8n's functions have beyond their types: the node as it waits to be run, with its input. */
interface Internals {
	executeData?: {
		node?: Pick<INode, 'disabled'>;
		data?: { main?: Array<INodeExecutionData[] | null> };
	};
}

/**
 * Wakes the execution: n8n runs the node again, with the items as they were put to sleep. By itself n8n would let a
 * node that was called put out what the call's answer gives, and to that end switches the node off; it is switched on
 * again here. An n8n that has no such switch passes the items on as if nobody had called.
 *
 * @returns what the call's answer gives
 */
export function wake(context: IWebhookFunctions): INodeExecutionData[][] {
	const { executeData } = context as unknown as Internals;
	if (executeData?.node) executeData.node.disabled = false;
	else context.logger.error('This n8n does not let a node go on after a call; its items pass on as they are');
	return [asArray(context.evaluateExpression('{{ $input.all() }}')) as unknown as INodeExecutionData[]];
}
