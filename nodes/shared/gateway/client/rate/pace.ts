/** Requests that are this late may follow each other at once, in milliseconds: timers are not exact. */
const TOLERANCE_MS = 100;

/** The pace stays a little below what was measured: at the limit itself, requests are refused now and then. */
const HEADROOM = 0.98;

/** The slowest pace, in requests per millisecond: other processes may have taken the whole limit for a while. */
const MIN_RATE = 1 / 30_000;

/** The first step of growth, as a part of the pace. Each further step is twice as large. */
const FIRST_STEP = 0.02;
const MAX_STEP = 1;

/** The most by which the pace falls when requests are refused, as a part of it. Twice as large with each refusal. */
const FIRST_DROP = 0.05;
const MAX_DROP = 0.5;

/** Steps of growth in a window, after the first. */
const STEPS_PER_WINDOW = 4;

/** The lowest and highest length of a window, in milliseconds. */
const MIN_WINDOW_MS = 5_000;
const MAX_WINDOW_MS = 60_000;

/** What was measured of an account's limit. */
export interface Measurement {
	/** Requests that the gateway took. */
	count: number;
	/** The time in which it took them, in milliseconds. */
	spanMs: number;
}

/**
 * The pace of an account's requests: spreads them evenly, and falls back to what the gateway has taken when one is
 * refused. Grows after a window of 5 to 60 s in which none was refused, then after each quarter of it.
 */
export class Pace {
	/** When the next request may be sent, in Unix milliseconds. */
	next: number;
	/** Requests per millisecond. */
	private rate: number;
	private readonly windowMs: number;
	private step: number;
	private drop = FIRST_DROP;
	/** The paces before each step since the last refusal. */
	private earlier: number[] = [];
	/** The begin of the window. */
	private start: number;
	/** Whether requests had to wait in this window: only then does it show that the pace is not too high. */
	private isUsed = false;

	/** @param measured up to the first refusal, and the time until the gateway took requests again */
	constructor({ count, spanMs }: Measurement, now: number) {
		this.rate = Math.max((HEADROOM * count) / Math.max(spanMs, 1), MIN_RATE);
		this.windowMs = Math.min(Math.max(spanMs, MIN_WINDOW_MS), MAX_WINDOW_MS);
		this.step = this.firstStep();
		this.start = now;
		this.next = now + 1 / this.rate;
	}

	copy(): Pace {
		const copy = Object.assign(new Pace({ count: 0, spanMs: 0 }, 0), this);
		copy.earlier = [...this.earlier];
		return copy;
	}

	/** A request is sent. */
	take(now: number): void {
		this.next = Math.max(this.next, now - TOLERANCE_MS) + 1 / this.rate;
		const windows = this.earlier.length === 0 ? 1 : 1 / STEPS_PER_WINDOW;
		if (now - this.start < this.windowMs * windows) return;
		if (this.isUsed) this.grow();
		this.start = now;
		this.isUsed = false;
	}

	/** A request has to wait. */
	holdBack(): void {
		this.isUsed = true;
	}

	private grow(): void {
		this.drop = FIRST_DROP;
		this.earlier.push(this.rate);
		this.rate *= 1 + this.step;
		this.step = Math.min(this.step * 2, MAX_STEP);
	}

	/** About one request in a window. */
	private firstStep(): number {
		return Math.min(Math.max(1 / (this.rate * this.windowMs), FIRST_STEP), MAX_STEP);
	}

	/**
	 * Requests were refused, and are taken again now.
	 *
	 * @param measured since requests were taken again the last time
	 */
	reduce({ count, spanMs }: Measurement, now: number): void {
		const { earlier, rate } = this;
		const measured = (HEADROOM * count) / Math.max(spanMs, 1);
		// The pace of a window ago was not too high.
		const known = earlier.at(-STEPS_PER_WINDOW) ?? earlier[0] ?? rate * (1 - this.drop);
		this.rate = Math.max(Math.min(Math.max(measured, known), rate), MIN_RATE);
		if (earlier.length === 0) this.drop = Math.min(this.drop * 2, MAX_DROP);
		this.earlier = [];
		this.step = this.firstStep();
		this.start = now;
		this.isUsed = false;
		this.next = now + 1 / this.rate;
	}
}
