/**
 * Limits how often something happens: up to `max` times at once, then once each `refillMs`. What turns out to be
 * legitimate is given back.
 */
export class Budget {
	private left: number;
	private at: number;

	/**
	 * @param max how often at once
	 * @param refillMs milliseconds until one more is allowed
	 * @param now returns Unix milliseconds
	 */
	constructor(
		private readonly max: number,
		private readonly refillMs: number,
		private readonly now: () => number,
	) {
		this.left = max;
		this.at = now();
	}

	/** Takes one; returns false when none is left. */
	take(): boolean {
		if (this.isEmpty) return false;
		this.left -= 1;
		return true;
	}

	/** Gives some back. */
	refund(count: number): void {
		this.left = Math.min(this.max, this.left + count);
	}

	get isEmpty(): boolean {
		return this.refilled() < 1;
	}

	/** Milliseconds until one more is allowed; 0 when one is. */
	get waitMs(): number {
		return Math.ceil(Math.max(1 - this.refilled(), 0) * this.refillMs);
	}

	private refilled(): number {
		const now = this.now();
		// A clock that is set back refills nothing.
		this.left = Math.min(this.max, this.left + Math.max(now - this.at, 0) / this.refillMs);
		this.at = now;
		return this.left;
	}
}
