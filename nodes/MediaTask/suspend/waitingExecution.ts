import {
	sleep,
	type IBinaryKeyData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type IWebhookDescription,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { asArray, asNumber, asObject, asText, objectIn, omit } from '../../shared/gateway/util/json';
import { storedContext } from '../../shared/n8n/context';

// Everything that depends on how n8n suspends and resumes an execution, beyond its types: n8n stores the node's
// input, and on resuming disables the node and passes the input on. Here the node's output is stored in place of
// its input, and the node is enabled again, so that it runs again.

/** What is stored with a suspended execution. A type, not an interface: n8n stores plain data. */
export type SavedState = {
	id: string;
	/** When the execution resumes without a callback, in Unix milliseconds. */
	until: number;
	/** The tasks that have not ended, by item. */
	tasks: Record<string, string>;
	/** The items for whose tasks the gateway sends a callback. */
	callbacks: string[];
	/** The JSON data of the node's input items, instead of which its outputs are stored. */
	input: IDataObject[];
};

/** Below the execution's resume URL; a path of its own, so that a repeated callback cannot resume a later *Wait* node. */
const PATH = 'media-task';

/** The webhooks that resume an execution. Referenced in the description: a node that only suspends is no trigger. */
export const resumeWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		// §6.4 does not say which method a callback has.
		httpMethod: '=POST,GET,PUT',
		responseMode: 'onReceived',
		path: PATH,
		restartWebhook: true,
		isFullPath: true,
	},
];

/** Key in the node's context, which n8n stores with the execution. For another shape of the state, use another key. */
const SUSPENDED_KEY = 'aiGatewaySuspended';

/** Key for the files of the node's input, which no callback needs. */
const FILES = 'aiGatewaySuspendedFiles';

/** Key in the context that the execution's nodes share. */
const UNTIL = 'aiGatewaySuspendedUntil';

/** Field of the first item of a resumed execution. Only the handler of a callback sets it, to the state's ID. */
const TOKEN = 'aiGatewayResumed';

/** Query parameter of the callback URL: the item whose task has ended. */
export const ITEM = 'item';

/** Query parameter of the request with which the handler of a callback resumes the execution: the state's ID. */
export const STATE = 'state';

/** What is found once for all items of a run. */
const runs = new WeakMap<
	IExecuteFunctions,
	{ support?: ReturnType<typeof findSupport>; resumed?: SavedState }
>();

/** The URL that resumes the execution, and why this n8n cannot suspend it, if so. Found once for all items. */
export function suspendSupport(context: IExecuteFunctions) {
	const support = runs.get(context)?.support ?? findSupport(context);
	runs.set(context, { ...runs.get(context), support });
	return support;
}

function findSupport(context: IExecuteFunctions) {
	const url = resumeUrlOf(context);
	return { url, problem: suspendProblem(context, url) };
}

function suspendProblem(context: IExecuteFunctions, url: URL | undefined): string | undefined {
	if (!context.getExecutionId()) return 'the execution has no ID';
	// n8n would run the node again at once if its first item has failed.
	if (context.getNode().retryOnFail) return "'Retry On Fail' is on";
	if (!url) return 'n8n has no URL that resumes the execution';
	if (context.getMode() === 'integrated')
		return 'n8n may continue the parent of a sub-workflow without its results';
	if (respondsWithOutput(context))
		return 'the webhook or chat would get its response before the result (n8n’s Respond to Webhook node waits for it)';
	const [stored] = storedInput(context) ?? [];
	// n8n must store these very items, and disable this very node.
	const isAsExpected = stored !== undefined && stored === context.getInputData()[0] && runningNode(context);
	return isAsExpected ? undefined : 'this version of n8n stores suspended executions in another way';
}

/** The response mode of triggers that may respond with the output of the last node, if none is set. */
const RESPONSE_MODES: ReadonlyMap<string, string> = new Map([
	['n8n-nodes-base.webhook', 'onReceived'],
	['@n8n/n8n-nodes-langchain.chatTrigger', 'lastNode'],
]);

/** Whether a webhook or a chat gets the output of the workflow as its response, as soon as the execution is suspended. */
function respondsWithOutput(context: IExecuteFunctions): boolean {
	const parents = context.getParentNodes(context.getNode().name, { includeNodeParameters: true });
	return parents.some(({ type, disabled, parameters }) => {
		const initial = RESPONSE_MODES.get(type);
		if (initial === undefined || disabled) return false;
		const { responseMode = initial } = { ...asObject(parameters?.options), ...parameters };
		return responseMode === 'lastNode' || responseMode === 'streaming';
	});
}

/** The URL that resumes the execution, if it has an ID. Its query has a secret, without which n8n responds with 401. */
function resumeUrlOf(context: IExecuteFunctions): URL | undefined {
	const execution = asObject(context.getWorkflowDataProxy(0).$execution);
	const url = context.getExecutionId() && asText(execution?.resumeUrl);
	return url && URL.canParse(url) ? new URL(url) : undefined;
}

export function webhookUrl(resumeUrl: URL, parameter: typeof ITEM | typeof STATE, value: string): string {
	const url = new URL(resumeUrl);
	url.pathname += `/${PATH}`;
	url.searchParams.set(parameter, value);
	return url.href;
}

/** How long n8n may take to respond to itself, in milliseconds. */
const OWN_REQUEST_MS = 30_000;

export const ANY_RESPONSE = { returnFullResponse: true, ignoreHttpStatusErrors: true } as const;

/** The pauses before each request, in milliseconds: if n8n fails, another process may be resuming the execution. */
const OWN_PAUSES_MS = [0, 500, 2_000, 10_000, 30_000];

/**
 * Asks n8n to resume the execution from a saved state. n8n then reads it again: while a callback is checked, another
 * process may have resumed it, and n8n would resume it again in the state of when the callback came.
 * Returns `false` when n8n cannot reach itself.
 */
export async function requestResume(context: IWebhookFunctions, id: string): Promise<boolean> {
	const base = asText(context.evaluateExpression('{{ $execution.resumeUrl }}'));
	if (base === undefined || !URL.canParse(base)) return false;
	const url = webhookUrl(new URL(base), STATE, id);
	const request = { method: 'POST', url, timeout: OWN_REQUEST_MS, ...ANY_RESPONSE } as const;
	for (const pauseMs of OWN_PAUSES_MS) {
		await sleep(pauseMs);
		const response: unknown = await context.helpers.httpRequest(request).catch(() => undefined);
		const { statusCode, body } = asObject(response) ?? {};
		const status = Number(statusCode ?? 0);
		const { state, message } = objectIn(body) ?? {};
		// 404 and 409: the execution has ended, runs, or waits for something else.
		const isOver = (status === 404 || status === 409) && typeof message === 'string';
		if (isOver || state === id) return true;
		if (status < 500) return false;
	}
	return false;
}

/** Suspends the execution in n8n's database, with what each item outputs if it resumes without a callback. */
export async function suspendExecution(
	context: IExecuteFunctions,
	outputs: readonly INodeExecutionData[],
	state: Omit<SavedState, 'input'>,
): Promise<void> {
	const input = context.getInputData();
	const saved: SavedState = { ...state, input: input.map(({ json }) => json) };
	const files = input.map(({ binary = {} }) => binary);
	// These item objects are the node's own; only their `json` and `binary` belong to the output of the node
	// before.
	for (const [index, item] of input.entries()) {
		const { json, binary } = outputs[index] ?? item;
		item.json = json;
		if (binary) item.binary = binary;
		else delete item.binary;
	}
	// With *Execute Once*, n8n stores more items and would pass them on.
	storedInput(context)?.splice(input.length);
	// When the wait is over, n8n disables the node that is stored here: also for a run that another branch has queued.
	const { executeData } = asObject(context) ?? {};
	Object.assign(executeData ?? {}, { node: { ...runningNode(context) } });
	Object.assign(context.getContext('node'), { [SUSPENDED_KEY]: saved, [FILES]: files });
	context.getContext('flow')[UNTIL] = state.until;
	await context.putExecutionToWait(new Date(state.until));
}

/** When the longest wait of the execution's last suspension ends or ended, in Unix milliseconds; 0 without one. */
export function lastSuspendedUntil(context: IExecuteFunctions): number {
	return asNumber(storedContext(context, 'flow')?.[UNTIL]) ?? 0;
}

/** Restores the input of a node that runs again after a callback. Its earlier outputs were stored instead. */
export function restoreInput(context: IExecuteFunctions): void {
	const input = context.getInputData();
	const token = asText(input[0]?.json[TOKEN]);
	const store = storedContext(context, 'node') ?? {};
	const state = store[SUSPENDED_KEY] as SavedState | undefined;
	// Another suspension: the field came with the data of the input.
	if (token === undefined || state?.id !== token) return;
	const files = store[FILES] as IBinaryKeyData[] | undefined;
	for (const [index, item] of input.entries()) {
		item.json = state.input[index] ?? omit(item.json, TOKEN);
		item.binary = files?.[index] ?? {};
	}
	runs.set(context, { ...runs.get(context), resumed: state });
}

/** The state of the suspension that this run of the node resumes; `undefined` when it runs for the first time. */
export function resumedState(context: IExecuteFunctions): SavedState | undefined {
	return runs.get(context)?.resumed;
}

/** The saved state of the execution that a callback is for; `undefined` when the node has not suspended it. */
export function stateOfSuspended(context: IWebhookFunctions): SavedState | undefined {
	// Braces in the node's name would end the expression.
	const name = JSON.stringify(context.getNode().name).replace(
		/[{}]/g,
		(brace) => `\\u00${brace.charCodeAt(0).toString(16)}`,
	);
	return context.evaluateExpression(`{{ $node[${name}].context.${SUSPENDED_KEY} }}`) as
		| SavedState
		| undefined;
}

/**
 * What the webhook returns to resume the execution: n8n runs the node again, with the stored items. n8n disables the node
 * to pass these on; here it is enabled again. `undefined` when this n8n works differently: the execution then resumes at
 * the end of its longest wait.
 */
export function resumeExecution(context: IWebhookFunctions, id: string): INodeExecutionData[][] | undefined {
	const node = runningNode(context);
	const [first, ...others] = (storedInput(context) ?? []).filter(isItem);
	if (!node || !first) return undefined;
	Reflect.set(node, 'disabled', false);
	return [[{ ...first, json: { ...first.json, [TOKEN]: id } }, ...others]];
}

function isItem(value: unknown): value is INodeExecutionData {
	return asObject(asObject(value)?.json) !== undefined;
}

function runningNode(context: object): object | undefined {
	return asObject(asObject(asObject(context)?.executeData)?.node);
}

function storedInput(context: object): unknown[] | undefined {
	const { data } = asObject(asObject(context)?.executeData) ?? {};
	const [first] = asArray(asObject(data)?.main);
	return Array.isArray(first) ? first : undefined;
}
