import type { GatewayClient } from '../gateway/client/client';

/** How long the models are waited for where a call can do without them, in milliseconds. */
const OPTIONAL_MS = 10_000;

/** So often a run reads a catalogue that it cannot read: without a limit, an outage would delay each item. */
const MAX_READS = 3;

interface Read<Model> {
	/** Rejects when the catalogue cannot be read. */
	models: Promise<Model[]>;
	/** Resolves after {@link OPTIONAL_MS}. */
	late: Promise<void>;
	hasFailed: boolean;
	/** How often the catalogue has been read. */
	count: number;
}

/** A catalogue of models. All items of a run share one read for each account; after a failure, the next item reads it. */
export class Catalogue<Model> {
	private readonly reads = new Map<string, Read<Model>>();

	/** @param signal ends a read that nobody waits for any more */
	constructor(
		private readonly list: (client: GatewayClient, signal?: AbortSignal) => Promise<Model[]>,
		private readonly signal?: AbortSignal,
	) {}

	/** For what a call can do without, such as the price of one that is paid for: empty if it cannot be read soon. */
	async known(client: GatewayClient): Promise<Model[]> {
		const { models, late } = this.readWith(client);
		return (await Promise.race([models, late]).catch(() => [])) ?? [];
	}

	/**
	 * For what a call needs before it is sent.
	 *
	 * @throws {ApiError} when the catalogue cannot be read
	 */
	async require(client: GatewayClient): Promise<Model[]> {
		return await this.readWith(client).models;
	}

	private readWith(client: GatewayClient): Read<Model> {
		const { account } = client;
		const last = this.reads.get(account);
		if (last && (!last.hasFailed || last.count === MAX_READS)) return last;
		const models = this.list(client, this.signal);
		const over = new AbortController();
		const late = client.sleep(OPTIONAL_MS, over.signal).catch(() => undefined);
		const read = { models, late, hasFailed: false, count: (last?.count ?? 0) + 1 };
		models.catch(() => (read.hasFailed = true)).finally(() => over.abort());
		this.reads.set(account, read);
		return read;
	}
}
