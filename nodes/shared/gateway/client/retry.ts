import type { ApiError, RequestKind } from '../errors/errors';
import { mayRepeat } from '../errors/policy';

/** Base of the exponential backoff: the first delay is at most twice this. */
const BASE_DELAY_MS = 500;

/** The longest delay, unless the gateway asks for a longer one. */
const MAX_DELAY_MS = 30_000;

/** The longest `Retry-After` that the client waits: the limit of a request (§8). A longer one ends the attempts. */
export const MAX_RETRY_AFTER_MS = 300_000;

/**
 * Decides whether to send a request again, and after which delay (§7.6).
 *
 * @param failures failed attempts so far, at least 1
 * @param random a number in [0, 1), for the jitter
 * @returns the delay in milliseconds, or `undefined` if the error is final
 */
export function retryDelayMs(
	kind: RequestKind,
	{ details }: ApiError,
	{ failures, maxRetries }: { failures: number; maxRetries: number },
	random: number,
): number | undefined {
	const { retryAfterMs } = details;
	if (failures > maxRetries || !mayRepeat(kind, details)) return undefined;
	if (retryAfterMs !== undefined)
		return retryAfterMs > MAX_RETRY_AFTER_MS ? undefined : withJitter(retryAfterMs, random);
	return random * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(failures, 16));
}

/** Never earlier than the gateway asks; a little later, so that parallel items and processes do not retry at once. */
function withJitter(retryAfterMs: number, random: number): number {
	return retryAfterMs + random * Math.min(1_000, retryAfterMs * 0.1);
}

/**
 * The pause after a 429, in milliseconds: its `Retry-After`, and at least a second that grows to five, since a
 * `Retry-After` may be 0.
 *
 * @param pauses the number of pauses, with this one
 */
export function pauseMs(retryAfterMs: number, pauses: number, random: number): number {
	const growing = Math.min(500 * 2 ** pauses, 5_000) * (0.75 + random / 2);
	return Math.max(withJitter(retryAfterMs, random), growing);
}
