import { createHash } from 'node:crypto';
import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import type { GatewayClient } from '../gateway/client/client';
import { Catalogue, listMediaModels, listTextModels, type TextModel } from '../gateway/endpoints/models';
import { InvalidInputError } from '../gateway/errors/errors';
import type { MediaModel } from '../gateway/media/price';
import { asObject, canonicalJson, omit } from '../gateway/util/json';
import { currentAccount } from '../n8n/client';
import { isTool, sharesNoExecution } from '../n8n/context';
import { Hints } from '../n8n/hints';
import type { Declarations } from '../params/parameter';
import { DryRun } from './charge/dryRun';
import { digest, writtenDigest } from './charge/keys';
import { Records } from './charge/records';
import { Ledger } from './charge/ledger';
import { ChunkWriter } from './chunkWriter';
import { McpCalls, type McpCall } from './mcpCalls';

export class RunContext {
	/** Whether an AI Agent calls the node: its output is then small JSON without files. */
	readonly isTool: boolean;
	/** Whether the execution is a retry of another one, which may have created its tasks. */
	readonly isRetry: boolean;
	readonly records: Records;
	readonly ledger: Ledger;
	/** Streams responses, when the workflow streams to a chat or webhook. */
	readonly chunkWriter: ChunkWriter | undefined;
	private readonly over = new AbortController();
	readonly textModels = new Catalogue<TextModel>(listTextModels, this.over.signal);
	readonly mediaModels = new Catalogue<MediaModel>(listMediaModels, this.over.signal);
	/** Texts to remove from errors, such as the API keys of all items. */
	readonly secrets = new Set<string>();
	/** Work that the run waits for at its end. It does not reject. */
	readonly background: Array<Promise<unknown>> = [];
	readonly dryRun: DryRun;
	readonly hints: Hints;

	/** @param call the call of an MCP client, or of n8n's Agents */
	constructor(
		context: IExecuteFunctions,
		declared: Declarations,
		readonly call?: McpCall,
	) {
		this.isTool = isTool(context);
		this.isRetry = context.getMode() === 'retry';
		this.hints = new Hints(context, this.secrets);
		const run = runOf(context, declared, this.isTool);
		// Each call of an agent's tool has a hint of its own.
		this.ledger = new Ledger(context, this.isTool ? undefined : run);
		this.records = new Records(context, declared, run, this.ledger, call?.shared.store);
		this.dryRun = new DryRun(() => this.records.others().some(([, { isBefore }]) => isBefore));
		this.chunkWriter = !this.isTool && context.isStreaming() ? new ChunkWriter(context) : undefined;
	}

	/** Waits for work in the background, and ends reads of a catalogue that nobody waits for any more. */
	async end(): Promise<void> {
		await Promise.all(this.background);
		await this.chunkWriter?.sent;
		this.over.abort();
	}

	/** @throws {ApiError | InvalidInputError} when the catalogue cannot be read, or does not have the model */
	async mediaModel(client: GatewayClient, id: string): Promise<MediaModel> {
		const found = await this.mediaModels.required(client, id);
		if (found) return found;
		throw new InvalidInputError(
			`The gateway has no media model "${id}"`,
			'Choose the model again from the list: IDs change. Text models are for Gateway Text Generation.',
			'model',
		);
	}
}

const mcpCalls = new McpCalls({ now: () => performance.now(), sleep });

/** The call of an MCP client, or of n8n's Agents, for a media task; `undefined` for others. */
export async function mcpCallOf(
	context: IExecuteFunctions,
	declared: Declarations,
): Promise<McpCall | undefined> {
	if (!sharesNoExecution(context)) return undefined;
	const { id = '' } = context.getWorkflow();
	const account = await currentAccount(context);
	return mcpCalls.begin(digest([id, context.getNode().name, account, runOf(context, declared, true)]));
}

/**
 * Identifies the run of the node within the execution, the same in each try. Each try of an agent's tool is a run of its own, so with the run index a retry would be charged as a
 * new call; and n8n's engine adds the ID that the model gives to each call.
 */
function runOf(context: IExecuteFunctions, declared: Declarations, isToolRun: boolean): string {
	if (!isToolRun) {
		const runIndex = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
		return String(runIndex);
	}
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
