/** Measures the time in which at least one request waits. */
export class WaitMeter {
	/** The time so far, in milliseconds, without waits that have not ended. */
	totalMs = 0;
	private waiting = 0;
	private since = 0;

	/** @param now returns milliseconds */
	constructor(private readonly now: () => number) {}

	/** Measures a wait. */
	async during(wait: Promise<void>): Promise<void> {
		if (this.waiting === 0) this.since = this.now();
		this.waiting += 1;
		await wait.finally(() => {
			this.waiting -= 1;
			if (this.waiting === 0) this.totalMs += this.now() - this.since;
		});
	}
}
