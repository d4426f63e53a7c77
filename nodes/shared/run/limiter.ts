/** Bounds how many pieces of work run at once. Those who wait are served in the order in which they came. */
export class Limiter {
	private running = 0;
	private readonly waiting: Array<() => void> = [];

	/** @param max pieces of work at once, at least 1 */
	constructor(private readonly max: number) {}

	/** Runs `work` as soon as a slot is free, and frees the slot when it has ended. */
	async run<T>(work: () => Promise<T>): Promise<T> {
		// The slot of the one who ends passes to the one who waits, so nobody overtakes.
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
 * Calls `work` for 0 … count − 1, at most `max` at a time, in ascending order of start.
 * Ends when all started ones have ended; `work` must not reject.
 *
 * @param mayStart asked before each start; false starts no more
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
