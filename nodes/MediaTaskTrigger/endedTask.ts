import type { GatewayClient } from '../shared/gateway/client/client';
import { retryDelayMs } from '../shared/gateway/client/retry';
import { POLL_TIMEOUT_MS } from '../shared/gateway/client/transport';
import { pollOnce, pollWithRetries } from '../shared/gateway/endpoints/polling';
import { hasEnded, type MediaTask } from '../shared/gateway/endpoints/tasks';
import { ApiError, asError, InvalidInputError } from '../shared/gateway/errors/errors';
import type { Turn } from './callbackQueue';

/**
 * Polls a task after its callback (§4.7). Polls take turns, pauses between them do not.
 *
 * @returns the task when it has ended; `'running'`, or `'unknown'` when the account has no such task
 * @throws {ApiError} when the gateway rejects the poll, or fails for minutes
 */
export async function endedTask(
	client: GatewayClient,
	taskId: string,
	turn: Turn,
): Promise<MediaTask | 'running' | 'unknown'> {
	return await pollWithRetries(
		client,
		async () => {
			const task = await polled(client, taskId, turn);
			return task === 'unknown' || hasEnded(task.state) ? task : 'running';
		},
		(found) => found !== 'running',
	);
}

/** The pause after a poll that the rate limit refused, in milliseconds. */
const REFUSED_PAUSE_MS = 1_000;

/**
 * Polls until the gateway has responded, as often as its client retries: the callback may not be repeated. The rate limit
 * of the account has a time of its own.
 */
async function polled(client: GatewayClient, taskId: string, turn: Turn): Promise<MediaTask | 'unknown'> {
	const { maxRetries, rateLimitWaitMs = 0 } = client.settings;
	const waitUntil = client.now() + rateLimitWaitMs;
	for (let failures = 1; ; ) {
		const found = await turn(async () => {
			const limitMs = Math.max(waitUntil - client.now(), POLL_TIMEOUT_MS);
			return await pollOnce(client, taskId, limitMs);
		}).catch(unknownTask);
		if (found === 'unknown') return found;
		if (found.task) return found.task;
		// Also a web page, which is no error that the client itself retries.
		const { delivery, retryAfterMs, isRateLimit } = found.transientError.details;
		const left = waitUntil - client.now();
		if (isRateLimit && left > 0) {
			await client.pause(Math.min(REFUSED_PAUSE_MS, left));
			continue;
		}
		const attempt = { failures, maxRetries, delivery, retryable: true, retryAfterMs, idempotent: true };
		const delay = retryDelayMs(attempt, client.random());
		if (delay === undefined) throw found.transientError;
		failures += 1;
		await client.pause(delay);
	}
}

function unknownTask(error: unknown): 'unknown' {
	const status = error instanceof ApiError ? error.details.status : undefined;
	const isNoId = error instanceof InvalidInputError || error instanceof URIError;
	const isUnknown = status === 404 || status === 422 || isNoId;
	if (isUnknown) return 'unknown';
	throw asError(error);
}
