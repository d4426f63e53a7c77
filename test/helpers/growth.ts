/** How often each size is tried. */
const TRIES = 3;

/**
 * How much more processor time work takes for four times the size: about 4 where it is linear, and 16 where it is
 * quadratic, on any machine.
 *
 * @param work prepares work of a size; what it returns is measured
 */
export function growth(work: (size: number) => () => unknown, size: number): number {
	const timeOf = (size: number): number => {
		const measured = work(size);
		const start = process.cpuUsage();
		measured();
		const { user, system } = process.cpuUsage(start);
		return user + system;
	};
	// The first time, the code is not compiled yet.
	timeOf(size);
	const times = Array.from({ length: TRIES }, () => [timeOf(size), timeOf(4 * size)] as const);
	const least = (index: 0 | 1) => Math.min(...times.map((pair) => pair[index]));
	return least(1) / least(0);
}

/** More than linear work, and less than quadratic work, grows by. */
export const LINEAR = 9;
