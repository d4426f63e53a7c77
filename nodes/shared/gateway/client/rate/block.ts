import type { ApiError } from '../../errors/errors';
import type { Measurement } from './pace';

/** The pauses without a `Retry-After`, in milliseconds. Each is twice as long as the one before. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/**
 * A shorter `Retry-After`, such as 0 or a date that the clock of this server has passed, does not say when: requests
 * would follow each other at once.
 */
const SHORTEST_RETRY_AFTER_MS = 1_000;

/** §7.3: the window of a limit. */
const MINUTE_MS = 60_000;

/** After so long a request is sent in any case, in milliseconds: a longer `Retry-After` may be a mistake. */
const LONGEST_BLOCK_MS = 15 * 60_000;

/** The longest time that is added to a `Retry-After`, in milliseconds, so that processes do not step together. */
const MAX_JITTER_MS = 1_000;

/** The time in which the gateway refuses all requests of an account. */
export class Block {
	/** When the gateway takes requests again, in Unix milliseconds: as it says, or a guess. */
	until: number;
	/** When the next request may be sent, in Unix milliseconds: not later than `until`. */
	opensAt: number;
	/** The requests that were refused. */
	readonly refused = new Set<object>();
	private pauseMs = FIRST_PAUSE_MS;
	/** When the gateway said that it takes requests again, in Unix milliseconds. */
	private toldAt: number | undefined;

	/**
	 * @param taken the requests of the last minute that were not refused, and when the first was sent
	 * @param refusedAt when the last refused request was sent
	 * @param error the last refusal
	 * @param since the time of the refusal
	 * @param random a number in [0, 1)
	 */
	constructor(
		private readonly taken: { count: number; first: number },
		private refusedAt: number,
		public error: ApiError,
		readonly since: number,
		random: number,
	) {
		this.until = this.pauseUntil(since, random);
		this.opensAt = opening(this.until, since);
	}

	/** A request that was sent before the block was refused. */
	alsoRefused(error: ApiError, now: number, random: number): void {
		this.taken.count -= 1;
		this.extend(error, now, random);
	}

	/** Takes over what a refusal says about the end of the block. */
	extend(error: ApiError, now: number, random: number): void {
		if (toldMs(error) === undefined) return;
		this.error = error;
		this.until = Math.max(this.until, this.pauseUntil(now, random));
		this.opensAt = opening(this.until, now);
	}

	/** A request that was sent during the block was refused. */
	probeRefused(sentAt: number, error: ApiError, now: number, random: number): void {
		this.refusedAt = sentAt;
		this.error = error;
		this.pauseMs = Math.min(this.pauseMs * 2, MAX_PAUSE_MS);
		this.until = this.pauseUntil(now, random);
		this.opensAt = opening(this.until, now);
	}

	/**
	 * What the gateway takes in a window. Its length is known only from above and from below: it is a minute if that
	 * fits (§7.3), else the middle.
	 *
	 * @param takenAt when the request was sent that was taken again
	 */
	measured(takenAt: number): Measurement {
		const { count, first } = this.taken;
		const longest = (this.toldAt ?? takenAt) - first;
		const shortest = this.refusedAt - first;
		const isMinute = shortest < MINUTE_MS && longest >= MINUTE_MS;
		const middle = this.toldAt !== undefined ? longest : (shortest + longest) / 2;
		return { count, spanMs: isMinute ? MINUTE_MS : middle };
	}

	private pauseUntil(now: number, random: number): number {
		const retryAfterMs = toldMs(this.error);
		this.toldAt = retryAfterMs === undefined ? undefined : now + retryAfterMs;
		if (retryAfterMs !== undefined)
			return now + retryAfterMs + random * Math.min(MAX_JITTER_MS, retryAfterMs * 0.1);
		const pauseEnd = now + this.pauseMs * (0.75 + random / 2);
		// A minute after the first request, the window has passed.
		const minuteEnd = this.taken.first + MINUTE_MS + random * MAX_JITTER_MS;
		return minuteEnd > now ? Math.min(pauseEnd, minuteEnd) : pauseEnd;
	}
}

/** @param now the time of the refusal */
function opening(until: number, now: number): number {
	return Math.min(until, now + LONGEST_BLOCK_MS);
}

/** In how many milliseconds the gateway takes requests again, if it says so. */
function toldMs({ details: { retryAfterMs = 0 } }: ApiError): number | undefined {
	return retryAfterMs < SHORTEST_RETRY_AFTER_MS ? undefined : retryAfterMs;
}
