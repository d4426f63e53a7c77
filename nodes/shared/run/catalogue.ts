import type { GatewayClient } from '../gateway/client/client';

/** How long the models are waited for where a call can do without them, in milliseconds. */
const OPTIONAL_MS = 10_000;

/** So many times a run fails to read a catalogue before it gives up: else, an outage would delay each item. */
const MAX_READS = 3;

/** A catalogue of models. All items of a run share one read for each account; after a failure, the next item reads it. */
export class Catalogue<Model> {
	private readonly reads = new Map<string, { models: Promise<Model[]>; late: Promise<void> }>();
	private failures = 0;

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

	private readWith(client: GatewayClient) {
		const { account } = client;
		const known = this.reads.get(account);
		if (known) return known;
		const models = this.list(client, this.signal);
		const over = new AbortController();
		const late = client.sleep(OPTIONAL_MS, over.signal).catch(() => undefined);
		const read = { models, late };
		this.reads.set(account, read);
		const onFailure = () => {
			this.failures += 1;
			if (this.failures < MAX_READS) this.reads.delete(account);
		};
		models.catch(onFailure).finally(() => over.abort());
		return read;
	}
}
