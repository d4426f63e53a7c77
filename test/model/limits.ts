import type { History, Operation } from './history';

/** *Timeout*, the longest pause before a retry, and the last poll and the catalogue around a wait. Milliseconds. */
const TIMEOUT_MS = 1_000;
const RETRY_AFTER_MS = 2_200;
const LAST_POLL_MS = 6_000;
const SLACK_MS = 5_000;
/** The longest pause at the slowest pace, and the window of the limit before it. */
const PACED_MS = 45_000;

/** The longest time that an execution of a history may take, in milliseconds. */
export function runLimitMs(history: History): number {
	const { operations, tries, loop } = history;
	const once = operations.reduce((sum, operation) => sum + nodeLimitMs(history, operation) + SLACK_MS, 0);
	return (loop ? 2 : 1) * tries * once;
}

function nodeLimitMs(history: History, operation: Operation): number {
	const { items, maxRetries, maxWait, hasFile, download } = history;
	const attempts = maxRetries + 1;
	const backoff = Math.max(500 * 2 ** attempts, RETRY_AFTER_MS * maxRetries);
	// Each attempt may hang until its timeout, twice: before the headers and within the body.
	const pause = isRefused(history) ? PACED_MS : 0;
	const request = attempts * (TIMEOUT_MS * 3 + pause) + backoff;
	const waits = operation === 'poll' || operation === 'suspend';
	const requests = 2 + (hasFile ? 1 : 0) + (waits ? 2 : 0) + (download ? 1 : 0);
	const wait = waits ? maxWait * 1_000 + LAST_POLL_MS : 0;
	return items * requests * request + wait;
}

/** Whether the gateway refuses requests of the history with 429. */
function isRefused({ limit, fates }: History): boolean {
	return (
		limit !== null ||
		Object.values(fates)
			.flat()
			.some((fate) => fate.startsWith('busy'))
	);
}
