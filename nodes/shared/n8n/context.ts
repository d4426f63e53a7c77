import * as n8nWorkflow from 'n8n-workflow';
import type { ContextType, IBinaryData, IExecuteFunctions, NodeTypeAndVersion } from 'n8n-workflow';

import type { Usage } from '../gateway/text/formats/completion';
import { asObject } from '../gateway/util/json';

// What a newer n8n has, and n8n 1.100, the oldest that is supported, does not. Version numbers are those of
// n8n-workflow; n8n 1.100 comes with 1.97.

/**
 * What n8n stores with the execution, for the node or for all its nodes; `undefined` without an execution: an agent of
 * n8n that is not in a workflow runs a node so.
 */
export function storedContext(
	context: Partial<Pick<IExecuteFunctions, 'getContext'>>,
	kind: ContextType,
): Record<string, unknown> | undefined {
	try {
		return context.getContext?.(kind);
	} catch {
		return undefined;
	}
}

/** The functions of an execution that may be missing. */
interface NewerFunctions {
	/** From n8n-workflow 2.2 on. */
	isToolExecution?(): boolean;
	/** These two from 1.99 on. */
	isStreaming?(): boolean;
	sendChunk?: ChunkSender['sendChunk'];
	/** There from the start, but not in sub-nodes and an agent's tool. */
	addExecutionHints?: IExecuteFunctions['addExecutionHints'];
	/** Without `parameters` in the oldest. */
	getParentNodes?(name: string, options: { includeNodeParameters: true }): NodeTypeAndVersion[];
	/** Missing in the oldest. */
	getWorkflowSettings?(): {
		redactionPolicy?: string;
		saveDataErrorExecution?: string;
		saveManualExecutions?: unknown;
	};
	/** Only in an execution of its own, not in an agent's tool. */
	sendResponse?: IExecuteFunctions['sendResponse'];
}

/** What a chunk is to its response. */
export type ChunkType = 'begin' | 'item' | 'end' | 'error';

/** n8n's functions for streaming. */
export interface ChunkSender {
	sendChunk(type: ChunkType, itemIndex: number, text?: string): void | Promise<void>;
}

/** Whether an AI Agent calls the node as a sub-node, or n8n's engine calls it for an agent. */
export function isTool(context: IExecuteFunctions): boolean {
	const { isToolExecution: ask, sendResponse }: NewerFunctions = context;
	const isSubNode = ask ? ask.call(context) : typeof sendResponse !== 'function';
	return isSubNode || context.getNode().type.endsWith('Tool');
}

/** The response mode of triggers that may respond with the output of the last node, if none is set. */
const RESPONSE_MODES: ReadonlyMap<string, string> = new Map([
	['n8n-nodes-base.webhook', 'onReceived'],
	['@n8n/n8n-nodes-langchain.chatTrigger', 'lastNode'],
]);

/** Whether a webhook or a chat gets the output of the workflow as its response, as soon as the execution is suspended. */
export function respondsWithOutput(context: IExecuteFunctions): boolean {
	const { getParentNodes }: NewerFunctions = context;
	const options = { includeNodeParameters: true } as const;
	const parents = getParentNodes?.call(context, context.getNode().name, options) ?? [];
	return parents.some(({ type, disabled, parameters }) => {
		const initial = RESPONSE_MODES.get(type);
		if (initial === undefined || disabled || !parameters) return false;
		const { responseMode = initial } = { ...asObject(parameters.options), ...parameters };
		return responseMode === 'lastNode' || responseMode === 'streaming';
	});
}

/** Whether the workflow streams its response to a chat or webhook. An older n8n never does. */
export function isStreaming(context: IExecuteFunctions): context is IExecuteFunctions & ChunkSender {
	const { isStreaming: ask, sendChunk }: NewerFunctions = context;
	return ask?.call(context) === true && typeof sendChunk === 'function';
}

/** Whether outputs may be stored beside the items: n8n does not redact them there. */
export function keepsOutputs(context: object): boolean {
	const { getWorkflowSettings }: NewerFunctions = context;
	return (getWorkflowSettings?.call(context).redactionPolicy ?? 'none') === 'none';
}

/** Whether n8n keeps an execution that fails, as far as the workflow says it: else there is no *Retry*. */
export function savesFailures(context: IExecuteFunctions): boolean {
	const { getWorkflowSettings }: NewerFunctions = context;
	const { saveDataErrorExecution, saveManualExecutions } = getWorkflowSettings?.call(context) ?? {};
	return context.getMode() === 'manual' ? saveManualExecutions !== false : saveDataErrorExecution !== 'none';
}

/** Shows a hint with the node's output; its text may still change. An agent's tool has none in an older n8n. */
export function addHint(context: object, message: string): { message: string } {
	const hint = { message, location: 'outputPane' as const };
	const { addExecutionHints }: NewerFunctions = context;
	addExecutionHints?.call(context, hint);
	return hint;
}

/** Whether an object is a file of n8n. n8n-workflow exports this function from 2.5 on. */
export function isBinaryValue(value: object): value is IBinaryData {
	const { mimeType, data, id }: Partial<IBinaryData> = value;
	return mimeType !== undefined && (typeof data === 'string' || typeof id === 'string');
}

/** The functions of n8n-workflow that may be missing, or may take less. */
interface NewerExports {
	/** Takes a signal from 2.34 on; before, its timer runs on after an abort. */
	sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
	/** From 2.16 on. */
	accumulateTokenUsage?(context: IExecuteFunctions, inputTokens: number, outputTokens: number): void;
}

const newer: NewerExports = n8nWorkflow;

/** Resolves after a time; rejects when the signal is aborted, where n8n can. */
export const { sleep: sleepUnlessAborted } = newer;

/** Adds the tokens of a request to those of the execution, where n8n counts them and the format reports them. */
export function addTokenUsage(context: IExecuteFunctions, { inputTokens, outputTokens }: Usage): void {
	if (inputTokens === null && outputTokens === null) return;
	newer.accumulateTokenUsage?.(context, inputTokens ?? 0, outputTokens ?? 0);
}
