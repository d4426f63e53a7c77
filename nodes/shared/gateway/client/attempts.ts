import { ApiError, asError, StoppedError } from '../errors/errors';
import { abortable, throwIfAborted } from './abort';
import type { RateGate } from './rate/rateGate';
import { RateLimitWait, type RateLimitDependencies, type RateLimitSettings } from './rate/rateLimitWait';
import { retryDelayMs, withAttempts } from './retry';

/**
 * `poll`: for requests that ask for the state of a task. `catalogue`: for those that cost nothing and need no key (§5);
 * they are also sent when another item has failed.
 */
export type Lane = 'poll' | 'catalogue' | 'other';

/** How often a request is sent. */
export interface RetrySettings extends Pick<RateLimitSettings, 'rateLimitWaitMs' | 'requestsPerMinute'> {
	/** Retries after a failed attempt (§7.6). */
	maxRetries: number;
}

/** What the attempts of a request depend on. */
export interface AttemptDependencies extends RateLimitDependencies {
	/** Unix milliseconds. */
	now: () => number;
	/** Runs `work` when one of the slots for parallel requests is free. Polls have slots of their own. */
	withSlot: <T>(work: () => Promise<T>, lane: Lane) => Promise<T>;
}

/** A request that may be sent several times. */
export interface AttemptedRequest extends Omit<RateLimitSettings, 'requestsPerMinute'> {
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** Whether sending it twice has the same effect as sending it once. Default: true for GET and DELETE only. */
	idempotent?: boolean;
	/** Replaces `maxRetries` of the settings, for callers that retry on their own. */
	maxRetries?: number | undefined;
	/** Default: `other`. */
	lane?: Lane | undefined;
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
	const { rateLimitWaitMs = settings.rateLimitWaitMs, isFallback } = request;
	const { requestsPerMinute } = settings;
	const pause = async (milliseconds: number) =>
		await abortable(signal, async () => await dependencies.pause(milliseconds));
	const waiting = { rateLimitWaitMs, requestsPerMinute, isFallback };
	const limit = new RateLimitWait(gate, waiting, { ...dependencies, pause });
	let isInFlight = false;
	const send = async () => {
		isInFlight = true;
		return await attempt().finally(() => (isInFlight = false));
	};
	const inSlot = async () => {
		// The wait for the slot may have been long.
		throwIfAborted(signal);
		return await limit.send(send);
	};
	let mayHaveTakenEffect = false;
	for (let failures = 1; ; ) {
		try {
			return await abortable(signal, async () => await dependencies.withSlot(inSlot, lane));
		} catch (error) {
			// A request that nobody waits for any more goes on.
			if (!(error instanceof ApiError)) throw stoppedAfter(error, mayHaveTakenEffect || isInFlight);
			const { delivery, retryable, retryAfterMs, isRateLimit, status = 0 } = error.details;
			const retried = { failures, maxRetries, delivery, retryable, retryAfterMs, idempotent };
			const isRefused = isRateLimit && request.maxRetries === undefined;
			const delay = isRefused ? limit.pauseMs(error) : retryDelayMs(retried, dependencies.random());
			if (delay === undefined) {
				const known = mayHaveTakenEffect ? error.with({ mayHaveTakenEffect }) : error;
				throw withAttempts(known, limit);
			}
			const hadEffect = delivery === 'unknown' || (status >= 500 && !statusesWithoutEffect?.has(status));
			mayHaveTakenEffect ||= hadEffect;
			if (!isRefused) failures += 1;
			await (isRefused ? limit.wait('account', delay) : pause(delay)).catch((stopped: unknown) => {
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
