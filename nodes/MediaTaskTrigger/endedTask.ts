import type { GatewayClient } from '../shared/gateway/client/client';
import { retryDelayMs } from '../shared/gateway/client/retry';
import { POLL_TIMEOUT_MS } from '../shared/gateway/client/transport';
import {
	CALLBACK_PAUSES_MS,
	pollOnce,
	pollUntil,
	type PollResult,
} from '../shared/gateway/endpoints/polling';
import { hasEnded, type MediaTask } from '../shared/gateway/endpoints/tasks';
import { ApiError, asError, InvalidInputError } from '../shared/gateway/errors/errors';
import type { Turn } from './callbackQueue';

/** The pause after a poll that the rate limit refused, in milliseconds. */
const REFUSED_PAUSE_MS = 1_000;

/**
 * Polls a task after its callback (§4.7), which may not be repeated: as often as its client retries, until the gateway
 * has responded. The rate limit of the account has a time of its own. Polls take turns, pauses between them do not.
 *
 * @returns the task when it has ended; `'running'`, or `'unknown'` when the account has no such task
 * @throws {ApiError} when the gateway rejects the poll, or fails for minutes
 */
export async function endedTask(
	client: GatewayClient,
	taskId: string,
	turn: Turn,
): Promise<MediaTask | 'running' | 'unknown'> {
	const { maxRetries, rateLimitWaitMs = 0 } = client.settings;
	const waitUntil = client.now() + rateLimitWaitMs;
	let failures = 0;
	let responses = 0;
	const pauseMs = (_: number, last: PollResult | undefined) => {
		const error = last?.transientError;
		if (!error) return CALLBACK_PAUSES_MS[responses++];
		const leftMs = waitUntil - client.now();
		if (error.details.isRateLimit && leftMs > 0) return Math.min(REFUSED_PAUSE_MS, leftMs);
		failures += 1;
		// Also a web page, which is no error that the client itself retries.
		const repeatable = error.with({ retryable: true });
		return retryDelayMs('poll', repeatable, { failures, maxRetries }, client.random());
	};
	const poll = async () =>
		await turn(async () => {
			const limitMs = Math.max(waitUntil - client.now(), POLL_TIMEOUT_MS);
			return await pollOnce(client, taskId, limitMs);
		});
	const pause = async (milliseconds: number) => await client.pause(milliseconds);
	try {
		const found = await pollUntil({ pauseMs, poll, pause });
		if (found?.transientError) throw found.transientError;
		return found && hasEnded(found.task.state) ? found.task : 'running';
	} catch (error) {
		if (isUnknownTask(error)) return 'unknown';
		throw asError(error);
	}
}

function isUnknownTask(error: unknown): boolean {
	const status = error instanceof ApiError ? error.details.status : undefined;
	return status === 404 || status === 422 || error instanceof InvalidInputError || error instanceof URIError;
}
