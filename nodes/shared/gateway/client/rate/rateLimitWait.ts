import { ApiError, asError } from '../../errors/errors';
import type { OnStop, Passage, RateGate } from './rateGate';
import type { WaitMeter } from './waitMeter';
import type { Lane } from './waitQueue';

/** How long a request waits by default while the gateway refuses it, in milliseconds. */
const LONGEST_WAIT_MS = 15 * 60_000;

/** A refused request keeps its place; after so many refusals it is last once: the token limit may refuse only this one. */
const REFUSALS_UNTIL_LAST = 4;

/** How a request waits. */
export interface RateLimitSettings {
	/** How long it waits while the gateway refuses it, in milliseconds. Default: 15 minutes. */
	rateLimitWaitMs?: number | undefined;
	/** The most requests of the account in a minute; 0, the default: as many as the gateway takes. */
	requestsPerMinute?: number | undefined;
	lane?: Lane | undefined;
	signal?: AbortSignal | undefined;
}

/** What a request depends on to wait. */
export interface RateLimitDependencies {
	gate: RateGate;
	onStop?: OnStop | undefined;
	waitMeter?: WaitMeter | undefined;
	now: () => number;
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
	private isOver = false;

	constructor(
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
		const { gate } = this.dependencies;
		this.since ??= this.dependencies.now();
		const passage = gate.tryPass(this.settings.requestsPerMinute) ?? (await this.wait());
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

	private async wait(): Promise<Passage> {
		const { gate, onStop, waitMeter, now } = this.dependencies;
		const { lane = 'other', signal, requestsPerMinute } = this.settings;
		const start = now();
		const longestMs = (this.firstRefusal ?? start) + this.longestMs - start;
		const isLast = this.refusals > 0 && this.refusals % REFUSALS_UNTIL_LAST === 0;
		const since = isLast ? start : this.since;
		waitMeter?.begin();
		try {
			return await gate.wait({ lane, since, longestMs, signal, onStop, requestsPerMinute });
		} catch (error) {
			this.isOver = true;
			throw asError(error);
		} finally {
			waitMeter?.end();
			this.waitedMs += now() - start;
		}
	}

	private report(passage: Passage, error: unknown): void {
		const { gate, now } = this.dependencies;
		if (!(error instanceof ApiError)) return gate.lost(passage);
		if (error.details.isRateLimit) {
			this.refusals += 1;
			this.firstRefusal ??= now();
			gate.refused(passage, error);
		} else if (error.details.delivery === 'responded') gate.accepted(passage);
		else gate.lost(passage);
	}
}
