/** How often each size is tried where the result is not linear: on a busy machine, some take longer. */
const MOST_TRIES = 40;
/** Shorter work is repeated until it takes this long, in microseconds: the clock of the processor is coarse. */
const SHORTEST_US = 20_000;

/** More than linear work, and less than quadratic work, grows by. */
export const LINEAR = 9;

/**
 * How much more processor time work takes for four times the size: about 4 where it is linear, and 16 where it is
 * quadratic, on any machine.
 *
 * @param work prepares work of a size; what it returns is measured
 */
export function growth(work: (size: number) => () => unknown, size: number): number {
	const [small, large] = [work(size), work(4 * size)];
	let repeats = 1;
	const timeOf = (measured: () => unknown): number => {
		const start = process.cpuUsage();
		for (let count = 0; count < repeats; count += 1) measured();
		const { user, system } = process.cpuUsage(start);
		return user + system;
	};
	while (timeOf(small) < SHORTEST_US) repeats *= 2;
	const [times, longTimes]: [number[], number[]] = [[], []];
	const factor = () => Math.min(...longTimes) / Math.min(...times);
	do {
		times.push(timeOf(small));
		longTimes.push(timeOf(large));
	} while (factor() >= LINEAR && times.length < MOST_TRIES);
	return factor();
}
