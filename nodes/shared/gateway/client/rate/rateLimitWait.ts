import { ApiError, asError } from '../../errors/errors';
import type { RequestKind } from '../../errors/errors';
import { BY_STATUS } from '../../errors/texts/statuses';
import { pauseMs } from '../retry';
import type { Passage, RateGate, Wait } from './rateGate';
import type { WaitMeter } from './waitMeter';

/** The error of a request that was not sent. */
const PAUSED = {
	message: BY_STATUS[429].message,
	description:
		"It has just rejected other requests of this n8n. Raise the option 'Rate Limit Wait (Minutes)', or send fewer requests at a time.",
	status: 429,
	code: 'rate_limit_exceeded',
	retryable: true,
	isRateLimit: true,
} as const;

/** How a request waits. */
export interface RateLimitSettings {
	/** That of its errors. */
	kind: RequestKind;
	/** How long it waits while the gateway refuses it. Default: 15 minutes. */
	rateLimitWaitMs?: number | undefined;
	/** The most requests of the account in a minute; 0, the default: as many as the gateway takes. */
	requestsPerMinute?: number | undefined;
	/** Whether it is sent once even while the account pauses: the limit may be that of another model. */
	isFallback?: boolean | undefined;
}

/** What a request depends on to wait. */
export interface RateLimitDependencies {
	/** Measure the waits, by their reason. */
	waitMeters?: Record<Wait['reason'], WaitMeter> | undefined;
	/** A number in [0, 1). */
	random: () => number;
	/** Rejects with {@link StoppedError} as soon as the run ends or nobody waits for the response. */
	pause: (milliseconds: number) => Promise<void>;
}

/** The waits of one request for the rate limit. */
export class RateLimitWait {
	/** How often it was sent. */
	sent = 0;
	private readonly longestMs: number;
	/** How long it has waited for its account, in milliseconds. */
	private waitedMs = 0;
	private refusals = 0;
	private isOver = false;

	/** @param gate that of its account; `undefined` for a request without a key */
	constructor(
		private readonly gate: RateGate | undefined,
		private readonly settings: RateLimitSettings,
		private readonly dependencies: RateLimitDependencies,
	) {
		this.longestMs = settings.rateLimitWaitMs ?? 15 * 60_000;
	}

	/**
	 * Sends the request as soon as the rate limit allows.
	 *
	 * @throws {ApiError} that of `attempt`; if the account pauses for longer than the request waits
	 */
	async send<T>(attempt: () => Promise<T>): Promise<T> {
		const passage = await this.pass();
		this.sent += 1;
		let error: unknown;
		try {
			return await attempt();
		} catch (thrown) {
			error = thrown;
			throw asError(thrown);
		} finally {
			if (passage) this.gate?.ended(passage, error);
		}
	}

	/**
	 * The pause after a 429, in milliseconds. Others go on: the limit may not be that of the account.
	 *
	 * @returns `undefined` when its time is over
	 */
	pauseMs({ details: { retryAfterMs } }: ApiError): number | undefined {
		if (this.isOver || this.leftMs <= (retryAfterMs ?? 0)) return undefined;
		const milliseconds = pauseMs(retryAfterMs, this.refusals, this.dependencies.random());
		this.refusals += 1;
		return Math.min(milliseconds, this.leftMs);
	}

	/** Waits, and counts it. */
	async wait(reason: Wait['reason'], milliseconds: number): Promise<void> {
		const { waitMeters, pause } = this.dependencies;
		waitMeters?.[reason].begin();
		await pause(milliseconds).finally(() => waitMeters?.[reason].end());
		if (reason === 'account') this.waitedMs += milliseconds;
	}

	private get leftMs(): number {
		return this.longestMs - this.waitedMs;
	}

	private async pass(): Promise<Passage | undefined> {
		const { kind, requestsPerMinute = 0, isFallback = false } = this.settings;
		for (;;) {
			const answer = this.gate?.pass(requestsPerMinute, isFallback && this.sent === 0);
			if (!answer || 'number' in answer) return answer;
			const { reason, milliseconds } = answer;
			this.isOver = reason === 'account' && milliseconds > this.leftMs;
			const outcome = this.sent > 0 ? 'rejected' : 'notSent';
			if (this.isOver) throw new ApiError({ ...PAUSED, kind, outcome });
			await this.wait(reason, Math.ceil(milliseconds));
		}
	}
}
