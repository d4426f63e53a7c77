import type {
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookDescription,
	IWebhookFunctions,
} from 'n8n-workflow';

import { asArray, asObject, asText } from '../../shared/gateway/util/json';
import { readSavedState, type SavedState } from './savedState';

// All that rests on how n8n suspends and resumes an execution, beyond what its types promise: it stores the node's
// input, and passes it on when the execution resumes, with the node disabled. Here the node's output is stored in place
// of its input, and the node is enabled again, so that it runs once more.

/**
 * The path below the execution's resume URL at which the gateway's callbacks arrive. With one of its own, a repeated
 * callback cannot resume a *Wait* node further down the workflow, such as one that waits for somebody's approval.
 */
const PATH = 'media-task';

/** How a suspended execution is resumed. By reference in a description: a node that only suspends is no trigger. */
export const resumeWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		// §6.4 does not show the method of a callback.
		httpMethod: '=POST,GET,PUT',
		responseMode: 'onReceived',
		path: PATH,
		restartWebhook: true,
		isFullPath: true,
	},
];

/** Key in the node's context, which n8n stores with the execution. */
const KEY = 'aiGatewaySuspended';

/** Query parameter of the callback URL: the item whose task has ended. */
const ITEM = 'item';

/**
 * Why this n8n cannot suspend this execution so that it resumes as it should; `undefined` when it can. To be asked
 * before anything is created.
 */
export function suspendProblem(context: IExecuteFunctions): string | undefined {
	if (!context.getExecutionId()) return 'the execution has no ID';
	if (!resumeUrl(context)) return 'n8n gives no URL that resumes the execution';
	if (typeof context.putExecutionToWait !== 'function') return 'this n8n cannot suspend executions';
	const [stored] = storedInput(context) ?? [];
	// What is stored must be these very items, and the node the one that n8n disables.
	const isAsExpected = stored !== undefined && stored === context.getInputData()[0] && runningNode(context);
	return isAsExpected ? undefined : 'this version of n8n stores suspended executions in another way';
}

/**
 * The URL that resumes the execution, once it is suspended. Carries a secret of the execution; without it n8n responds
 * with 401.
 *
 * @returns `undefined` where the execution cannot be resumed: it has no ID
 */
export function callbackUrlOf(context: IExecuteFunctions, itemIndex: number): string | undefined {
	const url = resumeUrl(context);
	if (!url) return undefined;
	url.pathname += `/${PATH}`;
	url.searchParams.set(ITEM, String(itemIndex));
	return url.href;
}

/** The secrets of the URL that resumes the execution: whoever has them can resume it. */
export function resumeSecrets(context: IExecuteFunctions): string[] {
	return [...(resumeUrl(context)?.searchParams.values() ?? [])];
}

function resumeUrl(context: IExecuteFunctions): URL | undefined {
	const execution = asObject(property(context.getWorkflowDataProxy(0), '$execution'));
	const url = asText(execution?.resumeUrl);
	return context.getExecutionId() && url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
}

/** The item of a callback, as its URL says. */
export function itemOfCallback(context: IWebhookFunctions): number | undefined {
	const index = Number(asText(asObject(context.getQueryData())?.[ITEM]));
	return Number.isInteger(index) ? index : undefined;
}

/**
 * Suspends the execution in n8n's database.
 *
 * @param outputs one for each input item: the node's output if the execution resumes without a callback
 */
export async function suspendExecution(
	context: IExecuteFunctions,
	outputs: readonly INodeExecutionData[],
	state: SavedState,
): Promise<void> {
	const input = context.getInputData();
	// These item objects are the node's own; the output of the node before keeps its `json` and `binary`.
	for (const [index, item] of input.entries()) {
		const { json, binary } = outputs[index] ?? item;
		item.json = json;
		if (binary) item.binary = binary;
		else delete item.binary;
	}
	// With *Execute Once* there are more, which n8n would pass on as they came.
	storedInput(context)?.splice(input.length);
	context.getContext('node')[KEY] = state;
	await context.putExecutionToWait(new Date(state.until));
}

/**
 * The state of the suspended execution that this run resumes; `undefined` when the node runs for the first time. What
 * n8n stores stays there, so a resumed run is recognised by the node's input: its own output.
 */
export function stateOfResumedRun(context: IExecuteFunctions): SavedState | undefined {
	const state = readSavedState(context.getContext('node')[KEY]);
	const input = context.getInputData();
	const isInput = ({ index, taskId }: SavedState['items'][number]) => {
		const json = input[index]?.json;
		return json?.taskId === taskId && json.timedOut === true;
	};
	return state?.items.every(isInput) ? state : undefined;
}

/** The state of the suspended execution that a callback is for; `undefined` when the node has not suspended it. */
export function stateOfSuspended(context: IWebhookFunctions): SavedState | undefined {
	// A name can hold anything; braces would end the expression.
	const name = JSON.stringify(context.getNode().name).replace(
		/[{}]/g,
		(brace) => `\\u00${brace.charCodeAt(0).toString(16)}`,
	);
	return readSavedState(context.evaluateExpression(`{{ $node[${name}].context.${KEY} }}`));
}

/**
 * Resumes the execution: n8n runs the node again, with the items as they were stored. By itself n8n would pass on what
 * the webhook returns, and to that end disables the node; it is enabled again here.
 *
 * @returns what the webhook returns; `undefined` where this n8n has no such switch: the execution then resumes when
 *   its longest wait is over
 */
export function resumeExecution(context: IWebhookFunctions): INodeExecutionData[][] | undefined {
	const node = runningNode(context);
	if (!node) {
		context.logger.error(
			'This version of n8n does not let a node run again after a callback: the execution resumes when its longest wait is over',
		);
		return undefined;
	}
	Reflect.set(node, 'disabled', false);
	const items: unknown[] = asArray(context.evaluateExpression('{{ $input.all() }}'));
	return [items.filter(isItem)];
}

function isItem(value: unknown): value is INodeExecutionData {
	return asObject(property(value, 'json')) !== undefined;
}

/** The node as n8n is about to run it. */
function runningNode(context: object): object | undefined {
	const node = property(property(context, 'executeData'), 'node');
	return typeof node === 'object' && node !== null ? node : undefined;
}

/** The node's first input as n8n stores it. */
function storedInput(context: object): unknown[] | undefined {
	const inputs = property(property(property(context, 'executeData'), 'data'), 'main');
	const first: unknown = Array.isArray(inputs) ? inputs[0] : undefined;
	return Array.isArray(first) ? first : undefined;
}

function property(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
