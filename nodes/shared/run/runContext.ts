import type { IExecuteFunctions } from 'n8n-workflow';

import type { GatewayClient } from '../gateway/client/client';
import { Catalogue, listMediaModels, listTextModels, type TextModel } from '../gateway/endpoints/models';
import { InvalidInputError } from '../gateway/errors/errors';
import type { MediaModel } from '../gateway/media/price';
import { Hints } from '../n8n/hints';
import type { Caller } from './caller';
import type { Declarations } from '../params/parameter';
import { DryRun } from './charge/dryRun';
import { Records } from './charge/records';
import { Ledger } from './charge/ledger';
import { ChunkWriter } from './chunkWriter';

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

	constructor(
		context: IExecuteFunctions,
		declared: Declarations,
		readonly caller: Caller,
	) {
		const { isTool, runId, call } = caller;
		this.isTool = isTool;
		this.isRetry = context.getMode() === 'retry';
		this.hints = new Hints(context, this.secrets);
		// Each call of an agent's tool has a hint of its own.
		this.ledger = new Ledger(context, isTool ? undefined : runId);
		this.records = new Records(context, declared, runId, this.ledger, call?.shared.store);
		this.dryRun = new DryRun(this.records, this.hints);
		this.chunkWriter = !this.isTool && context.isStreaming() ? new ChunkWriter(context) : undefined;
	}

	/** A task has failed, or is gone: a later call may make it again. */
	taskEnded(taskId: string, end: 'failed' | 'gone'): void {
		if (end === 'failed') this.ledger.taskFailed(taskId);
		this.caller.call?.forget();
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
