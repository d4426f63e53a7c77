import { createHash, randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import {
	listMediaModels,
	listTextModels,
	type RetryPolicy,
	type TextModel,
} from '../gateway/endpoints/models';
import { ApiError, InvalidInputError } from '../gateway/errors/errors';
import type { CreationContext } from '../gateway/media/idempotency';
import type { MediaModel, MediaType } from '../gateway/media/mediaModel';
import { canonicalJson } from '../gateway/util/json';
import type { GatewayClient } from '../gateway/client/client';
import { ChunkWriter } from './chunkWriter';

/** Key in the node's context for an execution that n8n gives no id. */
const NONCE_KEY = 'aiGatewayRun';

/** For what is only good to know, such as the price of a task that exists: one try, and no long wait. */
const BEST_EFFORT: RetryPolicy = { maxRetries: 0, timeoutLimitMs: 10_000 };

/** What is the same for all items of a run. */
export class RunContext {
	readonly executionId: string;
	/** Which run of the node this is within the execution, the same for each try of it. */
	readonly run: string;
	/** Whether an AI Agent calls the node: it gets small JSON and no files. */
	readonly isTool: boolean;
	/** Where answers are shown while they arrive, when the workflow streams to a chat or webhook. */
	readonly chunkWriter: ChunkWriter | undefined;
	private readonly hints = new Set<string>();
	private textModels: Promise<TextModel[]> | undefined;
	/** Read with all patience, for what depends on it. */
	private mediaModels: Promise<MediaCatalogue> | undefined;
	/** Read in one try. */
	private offhandMediaModels: Promise<MediaCatalogue> | undefined;

	constructor(private readonly context: IExecuteFunctions) {
		this.executionId = context.getExecutionId() || nonce(context);
		this.isTool = context.isToolExecution() || context.getNode().type.endsWith('Tool');
		this.chunkWriter = !this.isTool && context.isStreaming() ? new ChunkWriter(context) : undefined;
		this.run = this.isTool ? inputDigest(context) : String(context.getWorkflowDataProxy(0).$runIndex ?? 0);
	}

	/** Shows a hint with the node's output, each text once. */
	hint(message: string): void {
		if (this.hints.has(message)) return;
		this.hints.add(message);
		this.context.addExecutionHints({ message, location: 'outputPane' });
	}

	/** Where a creation for this item stands, for its idempotency key (§4.6). */
	creationContext(itemIndex: number): CreationContext {
		const workflow = this.context.getWorkflow();
		return {
			workflowId: workflow.id ?? '',
			nodeId: this.context.getNode().id,
			executionId: this.executionId,
			run: this.run,
			itemIndex,
		};
	}

	/** The text models, for advice only: fetched once a run and in one try, empty where they cannot be had. */
	async knownTextModels(client: GatewayClient): Promise<TextModel[]> {
		this.textModels ??= orNothing(listTextModels(client, BEST_EFFORT));
		return await this.textModels;
	}

	/**
	 * A media model, from a catalogue that is fetched once a run. `undefined` when it cannot be told soon: a catalogue
	 * that does not answer must neither fail nor hold up a task that is paid for.
	 */
	async mediaModel(client: GatewayClient, id: string): Promise<MediaModel | undefined> {
		this.offhandMediaModels ??= this.mediaModels ?? fetchMediaCatalogue(client, BEST_EFFORT);
		return (await this.offhandMediaModels).models.get(id);
	}

	/** What a model makes, as far as {@link mediaModel} can tell. */
	async mediaType(client: GatewayClient, id: string): Promise<MediaType | undefined> {
		return (await this.mediaModel(client, id))?.mediaType;
	}

	/**
	 * A media model that something depends on, such as a price limit.
	 *
	 * @throws {ApiError} when the catalogue cannot be read
	 * @throws {InvalidInputError} when it does not have the model
	 */
	async requireMediaModel(client: GatewayClient, id: string): Promise<MediaModel> {
		const { models, error } = await this.mediaCatalogue(client);
		if (error) throw error;
		return models.get(id) ?? notListed(id);
	}

	/**
	 * As {@link mediaModel}, for work that can do without the catalogue, but not with a wrong model.
	 *
	 * @throws {InvalidInputError} when the catalogue could be read and does not have the model
	 */
	async findMediaModel(client: GatewayClient, id: string): Promise<MediaModel | undefined> {
		const { models, error } = await this.mediaCatalogue(client);
		return error ? undefined : (models.get(id) ?? notListed(id));
	}

	private async mediaCatalogue(client: GatewayClient): Promise<MediaCatalogue> {
		this.mediaModels ??= this.patientCatalogue(client);
		return await this.mediaModels;
	}

	private async patientCatalogue(client: GatewayClient): Promise<MediaCatalogue> {
		const known = await this.offhandMediaModels;
		return known && !known.error ? known : await fetchMediaCatalogue(client);
	}
}

function notListed(id: string): never {
	throw new InvalidInputError(
		`The gateway has no media model "${id}"`,
		'Model IDs change over time. Choose the model again from the list. Nothing was sent.',
		'model',
	);
}

/** A list; an empty one where the gateway does not return it. */
async function orNothing<T>(list: Promise<T[]>): Promise<T[]> {
	try {
		return await list;
	} catch (error) {
		if (error instanceof ApiError) return [];
		throw error;
	}
}

/** The media models by ID, or why they could not be read. */
interface MediaCatalogue {
	models: ReadonlyMap<string, MediaModel>;
	error?: ApiError;
}

async function fetchMediaCatalogue(client: GatewayClient, retries?: RetryPolicy): Promise<MediaCatalogue> {
	try {
		const models = await listMediaModels(client, retries);
		return { models: new Map(models.map((model) => [model.id, model])) };
	} catch (error) {
		if (error instanceof ApiError) return { models: new Map(), error };
		throw error;
	}
}

/**
 * What stands for the run of an agent's tool: n8n counts each try of a tool as a run of its own, so the run index
 * would make a retry look like a new call, and pay for it.
 */
function inputDigest(context: IExecuteFunctions): string {
	const inputs = context.getInputData().map(({ json }) => json);
	return `tool-${createHash('sha256').update(canonicalJson(inputs)).digest('hex')}`;
}

/** A stand-in for the execution's id that is the same in each try of the node. */
function nonce(context: IExecuteFunctions): string {
	const store = context.getContext('node');
	const kept: unknown = store[NONCE_KEY];
	if (typeof kept === 'string') return kept;
	const fresh = randomUUID();
	store[NONCE_KEY] = fresh;
	return fresh;
}
