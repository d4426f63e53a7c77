/** Limits concurrency. Work that waits starts in the order in which it came. */
export class Limiter {
	private running = 0;
	private readonly waiting: Array<() => void> = [];

	/** @param max concurrency, at least 1 */
	constructor(private readonly max: number) {}

	/** Runs `work` as soon as a slot is free. */
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

/**
 * Calls `work` for 0 … count − 1 in ascending order, at most `max` at a time. Resolves when all started calls
 * have ended; `work` must not reject.
 *
 * @param mayStart called before each start; nothing more starts when it returns false
 */
export async function forEachIndex(
	count: number,
	max: number,
	mayStart: () => boolean,
	work: (index: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	const worker = async () => {
		while (next < count && mayStart()) {
			const index = next;
			next += 1;
			await work(index);
		}
	};
	await Promise.all(Array.from({ length: Math.min(max, count) }, worker));
}
