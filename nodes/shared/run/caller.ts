import { createHash } from 'node:crypto';
import { sleep, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { asObject, canonicalJson, omit } from '../gateway/util/json';
import { currentAccount } from '../n8n/client';
import { isTool, readOwnCall, sharesNoExecution } from '../n8n/context';
import type { Declarations } from '../params/parameter';
import { digest, writtenDigest } from './charge/keys';
import type { ItemRecord } from './charge/record';
import type { Records } from './charge/records';
import { McpCalls, unfinished, type McpCall } from './mcpCalls';
import { toErrorJson, type ErrorJson } from './nodeError';

/** What differs between a workflow, a tool of an AI Agent, and a tool whose calls share no execution. */
export interface Caller {
	/** Whether a model reads the outputs: they are then small JSON without files. */
	readonly isTool: boolean;
	/** Identifies the run of the node within the execution, the same in each attempt. */
	readonly runId: string;
	/** Its answer is due when the signal is aborted, also for the items that have not begun. */
	readonly call?: Pick<McpCall, 'signal' | 'waitMs' | 'forget' | 'shared' | 'end'>;
	/** Whether an item repeats a call of before, whose task it gets. */
	again(record: ItemRecord | undefined): boolean;
	/** The outputs of an item. */
	deliver(outputs: INodeExecutionData[], isRepeated: boolean): INodeExecutionData[];
	/** The output in place of an error, where the call is answered before its task has ended. */
	unfinished?(error: unknown, record: ItemRecord | undefined): INodeExecutionData | undefined;
	/** The field `error` of an item that has failed. */
	errorOf(error: unknown): ErrorJson | string;
	/** Ends a run without an error. Returns whether the sums of its costs are final. */
	end(records: Records, outputs: readonly INodeExecutionData[]): boolean;
}

/** @param isOfTask whether the operation creates a media task, or waits for one */
export async function callerOf(
	context: IExecuteFunctions,
	declared: Declarations,
	isOfTask: boolean,
): Promise<Caller> {
	if (!isTool(context)) return new Workflow(context);
	readOwnCall(context);
	const runId = toolRun(context, declared);
	if (!isOfTask || !sharesNoExecution(context)) return new AgentTool(runId);
	const { id = '' } = context.getWorkflow();
	const account = await currentAccount(context);
	return new McpTool(runId, mcpCalls.begin(digest([id, context.getNode().name, account, runId])));
}

class Workflow implements Caller {
	readonly isTool = false;
	readonly runId: string;

	constructor(private readonly context: IExecuteFunctions) {
		this.runId = String(Number(context.getWorkflowDataProxy(0).$runIndex ?? 0));
	}

	again() {
		return false;
	}

	deliver(outputs: INodeExecutionData[]) {
		return outputs;
	}

	errorOf(error: unknown) {
		return toErrorJson(error);
	}

	end(records: Records, [first]: readonly INodeExecutionData[]) {
		// n8n runs a node with *Retry On Fail* again for any such field of the first item, also of a result.
		if (this.context.getNode().retryOnFail && first?.json.error !== undefined) return false;
		records.clear();
		return true;
	}
}

class AgentTool implements Caller {
	readonly isTool = true;
	protected readonly sameTask: string =
		'This is the same task as before. To get another result, change the input.';

	constructor(readonly runId: string) {}

	again(record: ItemRecord | undefined) {
		return record?.key !== undefined && (record.state === 'done' || record.error === undefined);
	}

	deliver(outputs: INodeExecutionData[], isRepeated: boolean) {
		if (!isRepeated) return outputs;
		return outputs.map(({ json, ...rest }) => ({ ...rest, json: { ...json, note: this.sameTask } }));
	}

	/** A model reads text; from an error that is thrown, an agent of version 2 has none. */
	errorOf(error: unknown) {
		const { message, description } = toErrorJson(error);
		return [message, description].filter(Boolean).join('. ');
	}

	/** An agent may repeat the call: its tasks are kept, and what may be charged. */
	end(records: Records) {
		records.endTool();
		return true;
	}
}

/** A tool of an MCP client, or of n8n's Agents. */
class McpTool extends AgentTool {
	protected override readonly sameTask =
		'This is the same task as before. To get another one, change the input, or call again after ten minutes.';

	constructor(
		runId: string,
		readonly call: McpCall,
	) {
		super(runId);
	}

	override deliver(outputs: INodeExecutionData[], isRepeated: boolean) {
		this.call.returned();
		return super.deliver(outputs, isRepeated);
	}

	unfinished(error: unknown, record: ItemRecord | undefined) {
		const json = unfinished(error, record);
		return json && { json };
	}
}

const mcpCalls = new McpCalls({ now: () => performance.now(), sleep });

/**
 * Identifies a call of a tool. Each attempt is a run of its own, so with the run index a retry would be charged as a new call; and
 * n8n's engine adds the ID that the model gives to each call.
 */
function toolRun(context: IExecuteFunctions, declared: Declarations): string {
	const call: unknown[] = context.getInputData().map(({ json }) => omit(asObject(json) ?? {}, 'toolCallId'));
	try {
		// Expressions may read more than the input, such as the row of a loop around the agent.
		const names = Object.keys(context.getNode().parameters);
		const values = names.map((name) => [name, context.getNodeParameter(name, 0, null)]);
		call.push(writtenDigest(Object.fromEntries(values), declared));
	} catch {
		// The operation says what cannot be read.
	}
	return `tool-${createHash('sha256').update(canonicalJson(call)).digest('hex')}`;
}
