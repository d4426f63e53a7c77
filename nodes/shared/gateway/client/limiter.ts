/** Limits concurrency. Work that waits starts in the order in which it came. */
export class Limiter {
	private running = 0;
	private readonly waiting: Array<() => void> = [];

	/** @param max concurrency, at least 1 */
	constructor(private readonly max: number) {}

	async run<T>(work: () => Promise<T>): Promise<T> {
		// A slot passes directly to the next work that waits, which keeps the order.
		if (this.running >= this.max) await new Promise<void>((resolve) => this.waiting.push(resolve));
		else this.running += 1;
		try {
			return await work();
		} finally {
			const next = this.waiting.shift();
			if (next) next();
			else this.running -= 1;
		}
	}
}
