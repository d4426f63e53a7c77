import type { ContextType, IExecuteFunctions } from 'n8n-workflow';

import { asArray, asObject, asText, fieldOf } from '../gateway/util/json';

/** `undefined` without an execution: an agent of n8n that is not in a workflow runs a node so. */
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

type NodeContext = Pick<IExecuteFunctions, 'getNode'>;

/** Whether an AI Agent calls the node as a sub-node, or n8n's engine calls it for an agent. */
export function isTool(context: NodeContext & { isToolExecution?(): boolean }): boolean {
	// The function is there from n8n 2.2 on; before, each tool has a type of its own.
	return context.isToolExecution?.() === true || context.getNode().type.endsWith('Tool');
}

/**
 * Whether equal calls of a tool share no execution: those of MCP clients, through n8n's *MCP Server Trigger*, and of n8n's
 * Agents, which have none. n8n does not declare `parentNode`.
 */
export function sharesNoExecution(context: IExecuteFunctions): boolean {
	const parent = asObject(Reflect.get(context, 'parentNode'));
	const isMcp = asText(parent?.type)?.endsWith('.mcpTrigger') === true;
	return isMcp || (isTool(context) && storedContext(context, 'node') === undefined);
}

/**
 * Lets the expressions of a tool read the input of its own call. Of an agent that works on several items at once, n8n numbers
 * the calls for each item from the same run on, and `$fromAI` reads the input of another call.
 */
export function readOwnCall(context: IExecuteFunctions): void {
	const execution = asObject(Reflect.get(context, 'runExecutionData'));
	const runData = asObject(asObject(execution?.resultData)?.runData);
	const runs = asArray(fieldOf(runData, context.getNode().name));
	const [own] = context.getInputData();
	const isOwn = (run: unknown) => {
		const { ai_tool: input } = asObject(asObject(run)?.inputOverride) ?? {};
		return [input].flat(2)[0] === own;
	};
	const index = runs.findIndex(isOwn);
	const current: unknown = Reflect.get(context, 'runIndex');
	if (index >= 0 && !isOwn(runs[Number(current)])) Reflect.set(context, 'runIndex', index);
}

export interface WorkflowSettings {
	redactionPolicy?: string;
	saveDataErrorExecution?: string;
	saveManualExecutions?: unknown;
}

/** The settings of the workflow; none in early n8n 1.123 and in 2.0 to 2.4, which do not tell them. */
export function workflowSettings(
	context: NodeContext & { getWorkflowSettings?(): WorkflowSettings },
): WorkflowSettings {
	return context.getWorkflowSettings?.() ?? {};
}
