import type { GatewayClient } from '../../gateway/client/client';
import { listTextModels, type RetryPolicy, type TextModel } from '../../gateway/endpoints/models';
import { ApiError, asError } from '../../gateway/errors/errors';

/** One try with a short timeout: for optional data, such as the price of a task that exists. */
export const BEST_EFFORT: RetryPolicy = { maxRetries: 0, timeoutLimitMs: 10_000, rateLimitWaitMs: 10_000 };

/** The catalogue of text models, which is fetched once per run. */
export class TextModels {
	/** Read in one try. */
	private bestEffort: Promise<TextModel[]> | undefined;
	/** Read with retries. */
	private required: Promise<TextModel[]> | undefined;

	/** For optional data: fetched in one try, empty when that fails. */
	async known(client: GatewayClient): Promise<TextModel[]> {
		this.bestEffort ??= this.required
			? orNothing(this.required)
			: orNothing(listTextModels(client, BEST_EFFORT));
		return await this.bestEffort;
	}

	/**
	 * For prices that a call needs before it is sent.
	 *
	 * @throws {ApiError} when the catalogue cannot be read
	 */
	async require(client: GatewayClient): Promise<TextModel[]> {
		this.required ??= this.withRetries(client);
		return await this.required;
	}

	private async withRetries(client: GatewayClient): Promise<TextModel[]> {
		const known = await this.bestEffort;
		return known && known.length > 0 ? known : await listTextModels(client);
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
