import { ApiError, asError, StoppedError } from '../errors/errors';
import type { RequestKind } from '../errors/errors';
import { abortable, throwIfAborted } from './limits';
import type { HttpRequest } from './transport';
import type { RateGate, WaitMeter } from './rateGate';
import { pauseMs, retryDelayMs } from './retry';

export interface RequestSettings {
	/** Retries after a failed attempt (§7.6). */
	maxRetries: number;
	/** How long a request waits while the gateway refuses it. Default: 15 minutes. */
	rateLimitWaitMs?: number | undefined;
	/** The longest time of one exchange, body included, in milliseconds. */
	timeoutMs?: number | undefined;
}

export interface AttemptDependencies {
	gate: RateGate;
	waitMeter?: WaitMeter | undefined;
	/** Unix milliseconds. */
	now: () => number;
	/** A number in [0, 1). */
	random: () => number;
	/** Rejects with {@link StoppedError} as soon as the run ends. */
	pause: (milliseconds: number) => Promise<void>;
	/** Runs `work` when one of the slots for parallel requests of this kind is free. */
	withSlot: <T>(work: () => Promise<T>, kind: RequestKind) => Promise<T>;
}

/** A request that may be sent several times. When its signal is aborted, nothing more is sent, and pauses end. */
export type AttemptedRequest = Pick<HttpRequest, 'kind' | 'signal'> &
	Pick<RequestSettings, 'rateLimitWaitMs'>;

export class Attempts<T> {
	private readonly gate: RateGate | undefined;
	private sent = 0;
	private failures = 0;
	private refusals = 0;
	/** How long it may wait for the rate limit of the account, in milliseconds, and has waited. */
	private readonly waitMs: number;
	private waitedMs = 0;
	/** `unknown` after an attempt that may have had its effect. */
	private outcome: StoppedError['outcome'] = 'notSent';

	/** @param attempt sends the request once */
	constructor(
		private readonly request: AttemptedRequest,
		private readonly settings: RequestSettings,
		private readonly dependencies: AttemptDependencies,
		private readonly attempt: () => Promise<T>,
	) {
		const { kind, rateLimitWaitMs = Infinity } = request;
		this.waitMs = Math.min(rateLimitWaitMs, settings.rateLimitWaitMs ?? 15 * 60_000);
		const hasNoKey = kind === 'file' || kind === 'catalogue';
		this.gate = hasNoKey ? undefined : dependencies.gate;
	}

	/**
	 * Sends the request until it succeeds, or until §7.6 or the settings forbid another attempt. Each attempt waits for a
	 * slot and for the rate limit. A 429 of the account's rate limit is no failed attempt: it has a time limit of its own.
	 * The error that it throws has the outcome of all attempts.
	 */
	async run(): Promise<T> {
		const { signal, kind } = this.request;
		const inSlot = async () => await this.dependencies.withSlot(async () => await this.send(), kind);
		try {
			for (;;) {
				try {
					return await abortable(signal, inSlot);
				} catch (error) {
					if (!(error instanceof ApiError)) throw asError(error);
					await this.pauseAfter(error);
				}
			}
		} catch (error) {
			throw this.lastError(error);
		}
	}

	private async send(): Promise<T> {
		const { gate, outcome } = this;
		// The wait for the slot may have been long.
		throwIfAborted(this.request.signal);
		const passage = await this.pass();
		this.sent += 1;
		// Until it has ended: when nobody waits for it any more, it goes on.
		this.outcome = 'unknown';
		let error: unknown;
		try {
			return await this.attempt();
		} catch (thrown) {
			error = thrown;
			const mayHaveEffect = thrown instanceof ApiError && thrown.details.outcome === 'unknown';
			this.outcome = mayHaveEffect ? 'unknown' : outcome;
			throw asError(thrown);
		} finally {
			gate?.ended(passage, error);
		}
	}

	private get leftMs(): number {
		return this.waitMs - this.waitedMs;
	}

	/**
	 * Waits until the rate limit allows the request. When its time is over, it ignores the pauses of the account, and its
	 * number at the gate is 0.
	 */
	private async pass(): Promise<number> {
		while (this.gate && this.leftMs > 0) {
			const answer = this.gate.pass();
			if (typeof answer === 'number') return answer;
			await this.waitForLimit(answer.waitMs);
		}
		return 0;
	}

	/** @throws {ApiError} `error`, if it is the last one */
	private async pauseAfter(error: ApiError): Promise<void> {
		const { kind } = this.request;
		const { isRateLimit, retryAfterMs = 0 } = error.details;
		const random = this.dependencies.random();
		// A poll is sent again by its caller.
		if (kind === 'poll') throw error;
		if (isRateLimit) {
			if (this.leftMs <= retryAfterMs) throw error;
			this.refusals += 1;
			await this.waitForLimit(pauseMs(retryAfterMs, this.refusals, random));
			return;
		}
		this.failures += 1;
		const tries = { failures: this.failures, maxRetries: this.settings.maxRetries };
		const delayMs = retryDelayMs(kind, error, tries, random);
		if (delayMs === undefined) throw error;
		await this.pause(delayMs);
	}

	private async waitForLimit(milliseconds: number): Promise<void> {
		const waitMs = Math.min(milliseconds, this.leftMs);
		this.waitedMs += waitMs;
		const wait = this.pause(waitMs);
		await (this.dependencies.waitMeter?.during(wait) ?? wait);
	}

	private async pause(milliseconds: number): Promise<void> {
		await abortable(this.request.signal, async () => await this.dependencies.pause(milliseconds));
	}

	/** The error that ends the attempts, with their number and the outcome of all. */
	private lastError(error: unknown): Error {
		const isUnknown = this.outcome === 'unknown';
		if (error instanceof StoppedError) return isUnknown ? new StoppedError(error.reason, 'unknown') : error;
		if (!(error instanceof ApiError)) return asError(error);
		const { description, outcome } = error.details;
		return error.with({
			description: this.sent > 1 ? `${description} It was tried ${this.sent} times.` : description,
			outcome: isUnknown ? 'unknown' : outcome,
		});
	}
}
