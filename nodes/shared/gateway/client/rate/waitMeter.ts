/** Measures the time in which at least one request waits. */
export class WaitMeter {
	private waiting = 0;
	private since = 0;
	private sum = 0;

	/** @param now returns Unix milliseconds */
	constructor(private readonly now: () => number) {}

	/** The time so far, in milliseconds, without waits that have not ended. */
	get totalMs(): number {
		return this.sum;
	}

	/** A request begins to wait. */
	begin(): void {
		if (this.waiting === 0) this.since = this.now();
		this.waiting += 1;
	}

	/** A request no longer waits. */
	end(): void {
		this.waiting -= 1;
		if (this.waiting === 0) this.sum += this.now() - this.since;
	}
}
