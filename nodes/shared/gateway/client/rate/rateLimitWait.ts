import { ApiError, asError } from '../../errors/errors';
import { abortable } from '../abort';
import type { OnStop, Passage } from './passage';
import type { RateGate } from './rateGate';
import type { WaitMeter } from './waitMeter';
import type { Lane } from './waitQueue';

/** How long a request waits by default while the gateway refuses it, in milliseconds. */
const LONGEST_WAIT_MS = 15 * 60_000;

/** The most others that are to be taken before a request that was refused. */
const MOST_OTHERS_FIRST = 15;

/** The pauses of a request that alone is refused, in milliseconds. Each is twice as long as the one before. */
const FIRST_OWN_PAUSE_MS = 2_000;
const MAX_OWN_PAUSE_MS = 30_000;

/** How a request waits. */
export interface RateLimitSettings {
	/** How long it waits while the gateway refuses it, in milliseconds. Default: 15 minutes. */
	rateLimitWaitMs?: number | undefined;
	/** The most requests of the account in a minute; 0, the default: as many as the gateway takes. */
	requestsPerMinute?: number | undefined;
	lane?: Lane | undefined;
	signal?: AbortSignal | undefined;
	/** When it came, in Unix milliseconds: its place among those that wait. Default: now. */
	since?: number | undefined;
	/** Whether the limit of tokens applies to it (§7.3), so that it may be the only one that is refused. */
	usesTokens?: boolean | undefined;
	/** Whether it is sent once even while the gateway refuses requests: the limit may be that of another model. */
	isFallback?: boolean | undefined;
}

/** Measure the waits of requests. */
export interface WaitMeters {
	/** For the rate limit of the account. */
	account: WaitMeter;
	/** For the limit that a node sets. */
	own: WaitMeter;
}

/** What a request depends on to wait. */
export interface RateLimitDependencies {
	onStop?: OnStop | undefined;
	waitMeters?: WaitMeters | undefined;
	/** Unix milliseconds. */
	now: () => number;
	/** Waits; rejects with {@link StoppedError} if the run ends first. */
	pause: (milliseconds: number) => Promise<void>;
	/** A number in [0, 1). */
	random: () => number;
}

/** The waits of one request for the rate limit of its account. */
export class RateLimitWait {
	/** How often the gateway has refused it. */
	refusals = 0;
	/** How long it has waited, in milliseconds. */
	waitedMs = 0;
	readonly longestMs: number;
	/** When it came: its place among those that wait. */
	private since: number | undefined;
	private firstRefusal: number | undefined;
	/** When the request was sent that was refused last. */
	private lastRefused = Infinity;
	/**
	 * Whether the gateway takes others between its refusals: it has more tokens than are left, or its model has a limit
	 * of its own.
	 */
	private isRefusedAlone = false;
	/** The pause before the next try then, in milliseconds. */
	private ownPauseMs = 0;
	private isOver = false;

	constructor(
		private readonly gate: RateGate,
		private readonly settings: RateLimitSettings,
		private readonly dependencies: RateLimitDependencies,
	) {
		this.longestMs = settings.rateLimitWaitMs ?? LONGEST_WAIT_MS;
	}

	/**
	 * Sends the request as soon as the rate limit allows.
	 *
	 * @throws {ApiError} of another request, when the gateway has refused all requests for too long
	 * @throws {StoppedError} when the run ends or nobody waits for the response
	 */
	async attempt<T>(send: () => Promise<T>): Promise<T> {
		const { gate } = this;
		this.since ??= this.settings.since ?? this.dependencies.now();
		const passage = this.isRefusedAlone ? await this.waitAlone() : await this.pass();
		const { usesTokens = false } = this.settings;
		passage.usesTokens = usesTokens;
		try {
			const result = await send();
			gate.accepted(passage);
			return result;
		} catch (error) {
			this.report(passage, error);
			throw asError(error);
		}
	}

	/** Whether the request may wait on after this refusal. */
	mayWait({ details: { retryAfterMs = 0 } }: ApiError): boolean {
		if (this.isOver || this.firstRefusal === undefined) return false;
		return this.dependencies.now() + retryAfterMs < this.firstRefusal + this.longestMs;
	}

	/** Whether half of the time for refusals is over. */
	private get isLate(): boolean {
		return this.dependencies.now() - (this.firstRefusal ?? Infinity) > this.longestMs / 2;
	}

	private async pass(): Promise<Passage> {
		const { requestsPerMinute, isFallback } = this.settings;
		const mayPassBlock = isFallback && this.refusals === 0;
		return (
			this.gate.tryPass(requestsPerMinute) ??
			(mayPassBlock ? this.gate.passBlock(requestsPerMinute) : undefined) ??
			(await this.measured(async () => await this.wait()))
		);
	}

	private async wait(): Promise<Passage> {
		const { lane = 'other', signal, requestsPerMinute, usesTokens } = this.settings;
		const { onStop, now } = this.dependencies;
		const start = now();
		const longestMs = (this.firstRefusal ?? start) + this.longestMs - start;
		// It keeps its place, but others are to be taken first: the gateway may refuse only this one.
		const isTested = usesTokens && !this.isRefusedAlone;
		const count = !isTested ? 0 : Math.min(2 ** this.refusals - 1, MOST_OTHERS_FIRST);
		const hasTime = this.refusals > 0 && !this.isLate;
		const { since } = this;
		try {
			return await this.gate.wait({
				lane,
				since,
				afterOthers: hasTime ? { count, sentAfter: this.lastRefused } : undefined,
				longestMs,
				signal,
				onStop,
				requestsPerMinute,
			});
		} catch (error) {
			this.isOver = true;
			throw asError(error);
		}
	}

	/**
	 * Waits while others pass. When half of the time is over, the others wait for a minute, so that the request has the
	 * whole limit.
	 */
	private async waitAlone(): Promise<Passage> {
		const { gate } = this;
		const { pause, now } = this.dependencies;
		const { signal, requestsPerMinute } = this.settings;
		return await this.measured(async () => {
			const leftMs = (this.firstRefusal ?? now()) + this.longestMs - now();
			const holdMs = this.isLate ? gate.hold(leftMs) : undefined;
			const pauseMs = Math.max(Math.min(this.ownPauseMs, leftMs), 0);
			await abortable(signal, async () => await pause(holdMs ?? pauseMs));
			return holdMs === undefined
				? (gate.tryPass(requestsPerMinute) ?? (await this.wait()))
				: gate.passHold();
		});
	}

	private async measured(wait: () => Promise<Passage>): Promise<Passage> {
		const { waitMeters, now } = this.dependencies;
		const waitMeter = waitMeters?.[this.refusals > 0 || this.gate.isLimited ? 'account' : 'own'];
		const start = now();
		waitMeter?.begin();
		try {
			return await wait();
		} finally {
			waitMeter?.end();
			this.waitedMs += now() - start;
		}
	}

	private report(passage: Passage, error: unknown): void {
		const { gate } = this;
		if (!(error instanceof ApiError) || error.details.isSource) return gate.lost(passage);
		if (error.details.isRateLimit) {
			this.refusals += 1;
			this.firstRefusal ??= this.dependencies.now();
			if (this.settings.usesTokens)
				this.isRefusedAlone = gate.takesOthers(this.lastRefused) ?? this.isRefusedAlone;
			this.lastRefused = passage.at;
			if (this.isRefusedAlone) this.refusedAlone(passage, error);
			else gate.refused(passage, error, this);
		} else if (error.details.delivery === 'responded') gate.accepted(passage);
		else gate.lost(passage);
	}

	private refusedAlone(passage: Passage, { details: { retryAfterMs = 0 } }: ApiError): void {
		const { random } = this.dependencies;
		const pauseMs = this.ownPauseMs === 0 ? FIRST_OWN_PAUSE_MS : this.ownPauseMs * 2;
		this.ownPauseMs = Math.min(Math.max(pauseMs, retryAfterMs), Math.max(MAX_OWN_PAUSE_MS, retryAfterMs));
		this.ownPauseMs *= 1 + random() / 10;
		this.gate.refusedAlone(passage, this);
	}
}
