import type { GatewayClient } from '../gateway/client/client';
import type { RetryPolicy } from '../gateway/endpoints/models';
import { ApiError, asError } from '../gateway/errors/errors';

/** One try with a short timeout: for optional data, such as the price of a task that exists. */
const BEST_EFFORT: RetryPolicy = { maxRetries: 0, timeoutLimitMs: 10_000, rateLimitWaitMs: 10_000 };

/** So often a run reads a catalogue again that it could not read: without a limit, an outage would delay each item. */
const MAX_FAILURES = 3;

/**
 * A catalogue of models, which a run fetches once for each account. After a failure, the next item fetches it again.
 */
export class Catalogue<Model> {
	private readonly reads = new Map<string, Reads<Model>>();

	constructor(private readonly list: (client: GatewayClient, policy?: RetryPolicy) => Promise<Model[]>) {}

	/** For optional data: fetched in one try, empty when that fails. */
	async known(client: GatewayClient): Promise<Model[]> {
		const { required, bestEffort } = this.readsOf(client);
		const read = required.current;
		return await orNothing(read ?? bestEffort.get(async () => await this.list(client, BEST_EFFORT)));
	}

	/**
	 * For what a call needs before it is sent.
	 *
	 * @throws {ApiError} when the catalogue cannot be read
	 */
	async require(client: GatewayClient): Promise<Model[]> {
		const { required, bestEffort } = this.readsOf(client);
		return await required.get(async () => {
			const known = await orNothing(bestEffort.current ?? Promise.resolve([]));
			return known.length > 0 ? known : await this.list(client);
		});
	}

	private readsOf({ account }: GatewayClient): Reads<Model> {
		const reads = this.reads.get(account) ?? { bestEffort: new SharedRead(), required: new SharedRead() };
		this.reads.set(account, reads);
		return reads;
	}
}

interface Reads<Model> {
	/** In one try. */
	bestEffort: SharedRead<Model[]>;
	/** With retries. */
	required: SharedRead<Model[]>;
}

/** Data that is read once, and again after a failure. */
class SharedRead<T> {
	private promise: Promise<T> | undefined;
	private failures = 0;

	/** The data, or a failure that is not read again; `undefined` if there is none yet. */
	get current(): Promise<T> | undefined {
		return this.promise;
	}

	async get(read: () => Promise<T>): Promise<T> {
		this.promise ??= this.countingFailures(read);
		return await this.promise;
	}

	private async countingFailures(read: () => Promise<T>): Promise<T> {
		try {
			return await read();
		} catch (error) {
			this.failures += 1;
			if (this.failures < MAX_FAILURES) this.promise = undefined;
			throw asError(error);
		}
	}
}

/** The list; an empty one when the gateway does not return it. */
async function orNothing<T>(list: Promise<T[]>): Promise<T[]> {
	try {
		return await list;
	} catch (error) {
		if (error instanceof ApiError) return [];
		throw asError(error);
	}
}
