import { ApiError, asError, StoppedError } from '../errors/errors';
import type { RequestKind } from '../errors/errors';
import { abortable, throwIfAborted } from './abort';
import type { RateGate } from './rate/rateGate';
import { RateLimitWait, type RateLimitDependencies, type RateLimitSettings } from './rate/rateLimitWait';
import { retryDelayMs } from './retry';

/** How often a request is sent. */
export interface RetrySettings extends Pick<RateLimitSettings, 'rateLimitWaitMs' | 'requestsPerMinute'> {
	/** Retries after a failed attempt (§7.6). */
	maxRetries: number;
}

/** What the attempts of a request depend on. */
export interface AttemptDependencies extends RateLimitDependencies {
	/** Unix milliseconds. */
	now: () => number;
	/** Runs `work` when one of the slots for parallel requests of this kind is free. */
	withSlot: <T>(work: () => Promise<T>, kind: RequestKind) => Promise<T>;
}

/** A request that may be sent several times. */
export interface AttemptedRequest extends Omit<RateLimitSettings, 'requestsPerMinute'> {
	/** Aborts the request: nothing more is sent, pauses end, the connection is closed. */
	signal?: AbortSignal | undefined;
}

/**
 * Sends a request until it succeeds, or until §7.6 or the settings forbid another attempt. Each attempt waits for a
 * slot and for the rate limit. A 429 of the account's rate limit is no failed attempt: it has a time limit of its own.
 *
 * @param gate the rate limit that applies to the request, if any
 * @param attempt sends it once
 * @throws {ApiError} the last error, with the outcome of all attempts
 * @throws {StoppedError} as soon as the run ends or nobody waits for the response
 */
export async function withRetries<T>(
	request: AttemptedRequest,
	gate: RateGate | undefined,
	settings: RetrySettings,
	dependencies: AttemptDependencies,
	attempt: () => Promise<T>,
): Promise<T> {
	const { kind, signal, isFallback } = request;
	const { rateLimitWaitMs = settings.rateLimitWaitMs } = request;
	// A poll is sent again by its caller.
	const isPoll = kind === 'poll';
	const maxRetries = isPoll ? 0 : settings.maxRetries;
	const pause = async (milliseconds: number) =>
		await abortable(signal, async () => await dependencies.pause(milliseconds));
	const waiting = { kind, rateLimitWaitMs, requestsPerMinute: settings.requestsPerMinute, isFallback };
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
	let outcome: StoppedError['outcome'] = 'notSent';
	let wait = async () => await Promise.resolve();
	for (let failures = 1; ; ) {
		try {
			await wait();
			return await abortable(signal, async () => await dependencies.withSlot(inSlot, kind));
		} catch (error) {
			// A request that nobody waits for any more goes on.
			if (!(error instanceof ApiError)) throw stoppedAfter(error, isInFlight ? 'unknown' : outcome);
			const isRefused = error.details.isRateLimit && !isPoll;
			const delay = isRefused
				? limit.pauseMs(error)
				: retryDelayMs(kind, error, { failures, maxRetries }, dependencies.random());
			if (delay === undefined) throw failedAfter(limit, error, outcome);
			if (error.details.outcome === 'unknown') outcome = 'unknown';
			if (!isRefused) failures += 1;
			wait = async () => await (isRefused ? limit.wait('account', delay) : pause(delay));
		}
	}
}

/** An error response that ends the attempts, with their number and the outcome of all. */
function failedAfter({ sent }: RateLimitWait, error: ApiError, outcome: StoppedError['outcome']): ApiError {
	const { description, ...details } = error.details;
	return error.with({
		description: sent > 1 ? `${description} It was tried ${sent} times.` : description,
		outcome: outcome === 'unknown' ? outcome : details.outcome,
	});
}

/** An error that ends the attempts. For a stop, with the outcome of the attempts. */
function stoppedAfter(error: unknown, outcome: StoppedError['outcome']): Error {
	const isUnknown = error instanceof StoppedError && outcome === 'unknown';
	return isUnknown ? new StoppedError(error.reason, outcome) : asError(error);
}
