import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { listMediaModels, type MediaType } from '../gateway/catalogue';
import { ApiFailure } from '../gateway/failure';
import type { CreationPlace } from '../gateway/idempotency';
import type { GatewayClient } from '../gateway/request';

/** Key in the node's context for an execution that n8n gives no id. */
const NONCE_KEY = 'aiGatewayRun';

/** What is the same for all items of a run. */
export class RunFacts {
	readonly executionId: string;
	readonly runIndex: number;
	/** Whether an AI Agent calls the node: it gets small JSON and no files. */
	readonly isTool: boolean;
	private mediaTypes: Promise<Map<string, MediaType | undefined>> | undefined;

	constructor(private readonly context: IExecuteFunctions) {
		this.executionId = context.getExecutionId() || nonce(context);
		this.runIndex = Number(context.getWorkflowDataProxy(0).$runIndex ?? 0);
		this.isTool = context.isToolExecution() || context.getNode().type.endsWith('Tool');
	}

	/** Where a creation for this item stands, for its idempotency key (§4.6). */
	place(itemIndex: number): CreationPlace {
		const workflow = this.context.getWorkflow();
		return {
			workflowId: workflow.id ?? '',
			nodeId: this.context.getNode().id,
			executionId: this.executionId,
			runIndex: this.runIndex,
			itemIndex,
		};
	}

	/**
	 * What a model makes, from a catalogue that is fetched once a run. `undefined` when it cannot be told: a
	 * catalogue that does not answer must not fail a task that is already paid for.
	 */
	async mediaType(client: GatewayClient, model: string): Promise<MediaType | undefined> {
		this.mediaTypes ??= fetchMediaTypes(client);
		return (await this.mediaTypes).get(model);
	}
}

async function fetchMediaTypes(client: GatewayClient): Promise<Map<string, MediaType | undefined>> {
	const models = await listMediaModels(client).catch((error: unknown) => {
		if (error instanceof ApiFailure) return [];
		return Promise.reject(error as Error);
	});
	return new Map(models.map(({ id, mediaType }) => [id, mediaType]));
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
