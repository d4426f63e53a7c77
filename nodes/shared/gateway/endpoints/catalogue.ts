import type { GatewayClient } from '../client/client';
import { beforeSending } from '../errors/errors';

/** How long the models are waited for where a call can do without them, in milliseconds. */
const OPTIONAL_MS = 10_000;

/** A catalogue of models. All items of a run share one read for each account; after a failure, the next item reads it. */
export class Catalogue<Model extends { id: string }> {
	private readonly reads = new Map<string, { models: Promise<Model[]>; late: Promise<Model[]> }>();

	/** @param signal ends a read that nobody waits for any more */
	constructor(
		private readonly list: (client: GatewayClient, signal?: AbortSignal) => Promise<Model[]>,
		private readonly signal?: AbortSignal,
	) {}

	/** A model that a call can do without, e.g. for the price of one that is paid for, if it can be read soon. */
	async known(client: GatewayClient, id: unknown): Promise<Model | undefined> {
		const { models, late } = this.read(client);
		const known = await Promise.race([models, late]).catch(() => []);
		return known.find((model) => model.id === id);
	}

	/** A model that a call needs before it is sent. */
	async required(client: GatewayClient, id: unknown): Promise<Model | undefined> {
		const models = await this.read(client).models.catch((error: unknown) => {
			throw beforeSending(error);
		});
		return models.find((model) => model.id === id);
	}

	private read(client: GatewayClient) {
		const known = this.reads.get(client.account);
		if (known) return known;
		const models = this.list(client, this.signal);
		const over = new AbortController();
		const late = client.sleep(OPTIONAL_MS, over.signal).then(() => [] as Model[]);
		const read = { models, late: late.catch(() => []) };
		this.reads.set(client.account, read);
		models.catch(() => this.reads.delete(client.account)).finally(() => over.abort());
		return read;
	}
}
