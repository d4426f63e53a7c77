import { createHash, randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { listMediaModels, listTextModels, type TextModel } from '../gateway/endpoints/models';
import { InvalidInputError } from '../gateway/errors/errors';
import type { CreationContext } from '../gateway/media/idempotency';
import type { MediaModel } from '../gateway/media/mediaModel';
import { asObject, canonicalJson, omit } from '../gateway/util/json';
import type { GatewayClient } from '../gateway/client/client';
import { isStreaming, isTool, storedContext } from '../n8n/features';
import { Catalogue } from '../gateway/endpoints/catalogue';
import { ChunkWriter } from './chunkWriter';
import { DryRun } from './cost/dryRun';
import { ExecutionCost } from './cost/executionCost';
import { Limiter } from './limiter';

/** Key in the node's context, which n8n copies when somebody retries a failed execution. */
const EXECUTION_KEY = 'aiGatewayExecution';

/** What all items of a run share. */
export class RunContext {
	readonly execution: StoredExecution;
	/** For the idempotency keys of its tasks (§4.6). */
	readonly identity: Omit<CreationContext, 'itemIndex'>;
	/** Identifies this run of the node within the execution. The same in each try. */
	readonly run: string;
	/** Whether an AI Agent calls the node: its output is then small JSON without files. */
	readonly isTool: boolean;
	/** Streams responses, when the workflow streams to a chat or webhook. */
	readonly chunkWriter: ChunkWriter | undefined;
	/** What the execution has cost. */
	readonly cost: ExecutionCost;
	private readonly over = new AbortController();
	readonly textModels = new Catalogue<TextModel>(listTextModels, this.over.signal);
	readonly mediaModels = new Catalogue<MediaModel>(listMediaModels, this.over.signal);
	/** Texts to remove from errors, such as the API keys of all items. */
	readonly secrets = new Set<string>();
	/** Work that the run waits for at its end. It does not reject. */
	readonly background: Array<Promise<void>> = [];
	readonly dryRun = new DryRun();
	/** Shown with the node's output. */
	readonly hints = new Set<string>();
	private readonly sessions = new Map<string, Limiter>();

	constructor(context: IExecuteFunctions) {
		this.execution = storedExecution(context);
		this.isTool = isTool(context);
		this.run = this.isTool ? inputDigest(context) : String(context.getWorkflowDataProxy(0).$runIndex ?? 0);
		const workflowId = context.getWorkflow().id ?? '';
		const { root } = this.execution;
		this.identity = { workflowId, nodeId: context.getNode().id, root, run: this.run };
		this.chunkWriter = !this.isTool && isStreaming(context) ? new ChunkWriter(context) : undefined;
		this.cost = new ExecutionCost(context);
	}

	/** Waits for work in the background, and ends reads of a catalogue that nobody waits for any more. */
	async end(): Promise<void> {
		await Promise.all(this.background);
		await this.chunkWriter?.sent;
		this.over.abort();
	}

	/** Does work in a media session, if there is one, while no other work is in it (§7.4: 409, session busy). */
	async inSession<T>(client: GatewayClient, id: string | undefined, work: () => Promise<T>): Promise<T> {
		if (id === undefined) return await work();
		const session = this.sessions.get(id) ?? new Limiter(1);
		this.sessions.set(id, session);
		// If the work before has failed, the run ends during the pause.
		return await session.run(async () => await client.pause(0).then(work));
	}

	/**
	 * A media model that the work of an item needs.
	 *
	 * @throws {ApiError | InvalidInputError} when the catalogue cannot be read, or does not have the model
	 */
	async mediaModel(client: GatewayClient, id: string): Promise<MediaModel> {
		const found = await this.mediaModels.required(client, id);
		if (found) return found;
		throw new InvalidInputError(
			`The gateway has no media model "${id}"`,
			'Model IDs change over time. Choose the model again from the list.',
			'model',
		);
	}
}

/**
 * Identifies the run of an agent's tool. n8n counts each try of a tool as a run of its own, so with the run index
 * a retry would be charged as a new call; and its engine adds the ID that the model gives to each call.
 */
function inputDigest(context: IExecuteFunctions): string {
	const inputs = context.getInputData().map(({ json }) => omit(asObject(json) ?? {}, 'toolCallId'));
	return `tool-${createHash('sha256').update(canonicalJson(inputs)).digest('hex')}`;
}

/** An execution, as the context of the node keeps it. */
interface StoredExecution {
	id: string;
	/** Random, as n8n counts IDs from 1 again in a new database; the same in retries of the execution. */
	root: string;
	/** Whether it is a retry of another one, whose tasks it finds. */
	isRetry: boolean;
	/** When the node ran first in it, in Unix milliseconds. */
	startedAt: number;
}

function storedExecution(context: IExecuteFunctions): StoredExecution {
	const store = storedContext(context, 'node') ?? {};
	const id = context.getExecutionId() ?? '';
	// Nothing else writes to the key.
	const known = store[EXECUTION_KEY] as StoredExecution | undefined;
	if (known?.id === id) return known;
	const { root = randomUUID() } = known ?? {};
	const execution = { id, root, isRetry: known !== undefined, startedAt: Date.now() };
	store[EXECUTION_KEY] = execution;
	return execution;
}
