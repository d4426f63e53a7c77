import type { ApiError, RequestKind } from '../errors/errors';
import { mayRepeat } from '../errors/policy';

/** Base of the exponential backoff: the first delay is at most twice this. */
const BASE_DELAY_MS = 500;

/** The longest delay, unless the gateway asks for a longer one. */
const MAX_DELAY_MS = 30_000;

/** The longest `Retry-After` that the client waits: the limit of a request (§8). A longer one ends the attempts. */
export const MAX_RETRY_AFTER_MS = 300_000;

/** The delay after which a request is sent again (§7.6); `undefined` if its error is final. */
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

/** The pause after a 429: its `Retry-After`, which may be 0, and at least a second that grows to five with the pauses. */
export function pauseMs(retryAfterMs: number, pauses: number, random: number): number {
	const growing = Math.min(500 * 2 ** pauses, 5_000) * (0.75 + random / 2);
	return Math.max(withJitter(retryAfterMs, random), growing);
}
