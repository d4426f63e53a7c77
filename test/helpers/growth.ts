/** How often each size is tried where the result is not linear: on a busy machine, some take longer. */
const MOST_TRIES = 40;
/** Shorter work is repeated until it takes this long, in microseconds: the clock of the processor is coarse. */
const SHORTEST_US = 20_000;

/** Work of 20,000 steps or more that takes less is not quadratic, in microseconds: its time is mostly that of the memory. */
const FAST_US = 10_000;

/** More than linear work, and less than quadratic work, grows by. */
export const LINEAR = 9;

/**
 * How much more processor time work takes for four times the size: about 4 where it is linear, and 16 where it is
 * quadratic, on any machine.
 *
 * @param work prepares work of a size; what it returns is measured, also if it is asynchronous
 */
export async function growth(work: (size: number) => () => unknown, size: number): Promise<number> {
	const [small, large] = [work(size), work(4 * size)];
	const start = process.cpuUsage();
	await large();
	if (process.cpuUsage(start).user < FAST_US) return 1;
	let repeats = 1;
	const timeOf = async (measured: () => unknown): Promise<number> => {
		const start = process.cpuUsage();
		for (let count = 0; count < repeats; count += 1) await measured();
		const { user, system } = process.cpuUsage(start);
		return user + system;
	};
	while ((await timeOf(small)) < SHORTEST_US) repeats *= 2;
	const [times, longTimes]: [number[], number[]] = [[], []];
	const factor = () => Math.min(...longTimes) / Math.min(...times);
	do {
		times.push(await timeOf(small));
		longTimes.push(await timeOf(large));
	} while (factor() >= LINEAR && times.length < MOST_TRIES);
	return factor();
}
