import { ApiError, asError, StoppedError } from '../errors/errors';
import { abortable, throwIfAborted } from './abort';
import type { RateGate } from './rate/rateGate';
import type { Lane } from './rate/waitQueue';
import { RateLimitWait, type RateLimitDependencies, type RateLimitSettings } from './rate/rateLimitWait';
import { retryDelayMs, withAttempts } from './retry';

/** How often a request is sent. */
export interface RetrySettings extends Pick<RateLimitSettings, 'rateLimitWaitMs' | 'requestsPerMinute'> {
	/** Retries after a failed attempt (§7.6). */
	maxRetries: number;
}

/** What the attempts of a request depend on. */
export interface AttemptDependencies extends RateLimitDependencies {
	/** Runs `work` when one of the slots for parallel requests is free. Polls have slots of their own. */
	withSlot: <T>(work: () => Promise<T>, lane: Lane) => Promise<T>;
}

/** A request that may be sent several times. */
export interface AttemptedRequest {
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** Whether sending it twice has the same effect as sending it once. Default: true for GET and DELETE only. */
	idempotent?: boolean;
	/** Replaces `maxRetries` of the settings, for callers that retry on their own. */
	maxRetries?: number | undefined;
	/** Replaces `rateLimitWaitMs` of the settings. */
	rateLimitWaitMs?: number | undefined;
	/** Default: `other`. */
	lane?: Lane | undefined;
	/** When it came, in Unix milliseconds: its place among those that wait for the rate limit. Default: now. */
	since?: number | undefined;
	/** Whether the limit of tokens applies to it (§7.3). */
	usesTokens?: boolean | undefined;
	/** Whether it is sent once even while the gateway refuses requests: the limit may be that of another model. */
	isFallback?: boolean | undefined;
	/** 5xx statuses after which the request had no effect; after the others that is unknown. */
	statusesWithoutEffect?: ReadonlySet<number> | undefined;
	/** Aborts the request: nothing more is sent, pauses end, the connection is closed. */
	signal?: AbortSignal | undefined;
}

/** Whether sending a request twice has the same effect as sending it once. */
export function isIdempotent({ method, idempotent }: AttemptedRequest): boolean {
	return idempotent ?? (method === 'GET' || method === 'DELETE');
}

/**
 * Sends a request until it succeeds, or until §7.6 or the settings forbid another attempt. Each attempt waits for a
 * slot and for the rate limit. A 429 of the account's rate limit is no failed attempt: it has a time limit of its own.
 *
 * @param gate the rate limit that applies to the request, if any
 * @param attempt sends it once
 * @throws {ApiError} the last error
 * @throws {StoppedError} as soon as the run ends or nobody waits for the response
 */
export async function withRetries<T>(
	request: AttemptedRequest,
	gate: RateGate | undefined,
	settings: RetrySettings,
	dependencies: AttemptDependencies,
	attempt: () => Promise<T>,
): Promise<T> {
	const { maxRetries = settings.maxRetries, signal, statusesWithoutEffect, lane = 'other' } = request;
	const idempotent = isIdempotent(request);
	const { requestsPerMinute } = settings;
	const { rateLimitWaitMs = settings.rateLimitWaitMs } = request;
	const { since, isFallback, usesTokens } = request;
	const waiting = { rateLimitWaitMs, requestsPerMinute, lane, since, isFallback, usesTokens, signal };
	const limit = gate && new RateLimitWait(gate, waiting, dependencies);
	let isInFlight = false;
	const send = async () => {
		isInFlight = true;
		return await attempt().finally(() => (isInFlight = false));
	};
	const inSlot = async () => {
		// The wait for the slot may have been long.
		throwIfAborted(signal);
		return await (limit ? limit.attempt(send) : send());
	};
	let mayHaveTakenEffect = false;
	for (let failures = 1; ; ) {
		try {
			return await abortable(signal, async () => await dependencies.withSlot(inSlot, lane));
		} catch (error) {
			// A request that nobody waits for any more goes on.
			if (!(error instanceof ApiError)) throw stoppedAfter(error, mayHaveTakenEffect || isInFlight);
			const { delivery, retryable, retryAfterMs, isRateLimit, status = 0 } = error.details;
			if (isRateLimit && request.maxRetries === undefined && limit?.mayWait(error)) continue;
			const retried = { failures, maxRetries, delivery, retryable, retryAfterMs, idempotent };
			const delay = isRateLimit ? undefined : retryDelayMs(retried, dependencies.random());
			if (delay === undefined) {
				const known = mayHaveTakenEffect ? error.with({ mayHaveTakenEffect }) : error;
				const refusals = limit?.refusals ?? 0;
				throw withAttempts(known, failures - (isRateLimit ? 1 : 0) + refusals, limit);
			}
			failures += 1;
			mayHaveTakenEffect ||= delivery === 'unknown' || (status >= 500 && !statusesWithoutEffect?.has(status));
			await abortable(signal, async () => await dependencies.pause(delay)).catch((stopped: unknown) => {
				throw stoppedAfter(stopped, mayHaveTakenEffect);
			});
		}
	}
}

/** An error that ends the attempts. For a stop, with whether an attempt may have, or may have had, its effect. */
function stoppedAfter(error: unknown, mayHaveTakenEffect: boolean): Error {
	const isStop = error instanceof StoppedError && mayHaveTakenEffect;
	return isStop ? new StoppedError(error.reason, true) : asError(error);
}
