import type { Delivery } from '../errors/errors';

/** Half of the first pause's range (up to 1 s): small against a generation, large against a hiccup. */
const BASE_DELAY_MS = 500;

/** No pause of our own grows beyond this. */
const MAX_DELAY_MS = 30_000;

/** The longest `Retry-After` that is waited for: the ceiling of a request (§8). A longer one is reported instead. */
export const MAX_RETRY_AFTER_MS = 300_000;

/** What the decision to retry depends on. */
export interface Attempt {
	/** Failures so far, counting from 1. */
	failures: number;
	/** Retries that the user allows. */
	maxRetries: number;
	delivery: Delivery;
	retryable: boolean;
	retryAfterMs?: number | undefined;
	/** Whether sending the request twice does what sending it once does (§7.6: GET, DELETE, an Idempotency-Key). */
	idempotent: boolean;
}

/**
 * Decides whether to send a request again, and after which pause (§7.6).
 *
 * @param random a number in [0, 1), for the jitter
 * @returns the pause in milliseconds, or `undefined` when the failure is final
 */
export function retryDelayMs(attempt: Attempt, random: number): number | undefined {
	const { failures, maxRetries, retryAfterMs } = attempt;
	if (failures > maxRetries || !attempt.retryable) return undefined;
	if (attempt.delivery === 'unknown' && !attempt.idempotent) return undefined;
	if (retryAfterMs !== undefined) {
		if (retryAfterMs > MAX_RETRY_AFTER_MS) return undefined;
		// Never earlier than asked; a little later, so that parallel items do not return all at once.
		return retryAfterMs + random * Math.min(1_000, retryAfterMs * 0.1);
	}
	return random * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(failures, 16));
}
