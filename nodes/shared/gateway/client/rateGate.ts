import { ApiError } from '../errors/errors';
import { pauseMs } from './retry';

/** A request that is not refused within this time counts as accepted: the response of a text may take minutes. */
const ACCEPTED_AFTER_MS = 2_000;

/** How often requests ask whether the first one after a pause was accepted; with jitter, so that none is always last. */
const PROBE_INTERVAL_MS = 100;

/**
 * The rate limit of an account (§7.3, §7.6). A 429 concerns its own request: the limit may be that of its model, or it
 * needs more tokens than are left. After two in a row all requests of the account pause, then one is sent, and when that
 * is accepted, all are.
 */
export class RateGate {
	private count = 0;
	/** The number of the last refused request, until a later one is accepted. Only responses to later ones count. */
	private refusal: number | undefined;
	/** Pauses since a request was accepted. After each, one request is sent. */
	private pauses = 0;
	private pausedUntil = -Infinity;
	/** The number of the request that is sent after a pause: the others wait for it. */
	private probeRequest: number | undefined;

	/**
	 * @param clock is never set back, in milliseconds
	 * @param random returns numbers in [0, 1)
	 */
	constructor(
		private readonly clock: { now(): number } = performance,
		private readonly random: () => number = Math.random,
	) {}

	/** Lets a request pass, and returns its number; or says how long it waits before it asks again. */
	pass(): number | { waitMs: number } {
		const now = this.clock.now();
		const { probeRequest, pausedUntil } = this;
		if (now < pausedUntil) {
			const stepMs = PROBE_INTERVAL_MS * (0.5 + this.random());
			return { waitMs: (probeRequest === undefined ? pausedUntil - now : 0) + stepMs };
		}
		if (probeRequest !== undefined) this.accepted(probeRequest);
		this.count += 1;
		if (this.pauses > 0) {
			this.probeRequest = this.count;
			this.pausedUntil = now + ACCEPTED_AFTER_MS;
		}
		return this.count;
	}

	/** @param number that of `pass`; 0 for a request that was sent whatever the pause: it says nothing about the account */
	ended(number: number, error: unknown): void {
		const { isRateLimit, outcome } = error instanceof ApiError ? error.details : {};
		if (isRateLimit) this.refused(number);
		else if (error === undefined || outcome === 'rejected') this.accepted(number);
		// Its outcome is not known: the next request is sent instead.
		else if (this.probeRequest === number) this.endPause();
	}

	private accepted(number: number): void {
		if (this.refusal === undefined || number <= this.refusal) return;
		this.refusal = undefined;
		this.pauses = 0;
		this.endPause();
	}

	private endPause(): void {
		this.probeRequest = undefined;
		this.pausedUntil = -Infinity;
	}

	/** `Retry-After` concerns the request alone: it may be that of its model, or a mistake. */
	private refused(number: number): void {
		if (number <= (this.refusal ?? 0)) return;
		const isSecond = this.refusal !== undefined;
		this.refusal = isSecond ? this.count : number;
		if (isSecond) this.startPause();
	}

	private startPause(): void {
		this.pauses += 1;
		this.pausedUntil = this.clock.now() + pauseMs(0, this.pauses, this.random());
		this.probeRequest = undefined;
	}
}

/** Measures the time in which at least one request waits. */
export class WaitMeter {
	/** The time so far, in milliseconds, without waits that have not ended. */
	totalMs = 0;
	private waiting = 0;
	private since = 0;

	/** @param now returns milliseconds */
	constructor(private readonly now: () => number) {}

	async during(wait: Promise<void>): Promise<void> {
		if (this.waiting === 0) this.since = this.now();
		this.waiting += 1;
		await wait.finally(() => {
			this.waiting -= 1;
			if (this.waiting === 0) this.totalMs += this.now() - this.since;
		});
	}
}
