import { StateClock, StateTimes } from '../../../nodes/shared/gateway/endpoints/stateTimes';

/** The times of a task that is polled at these seconds. */
function timesOf(...polls: Array<[second: number, state: string]>): Map<string, number> {
	let now = 0;
	const clock = new StateClock(() => now);
	for (const [second, state] of polls) {
		now = second * 1_000;
		clock.found(state, state === 'success');
	}
	return clock.times;
}

const summaryOf = (...tasks: Array<Map<string, number>>) => {
	const times = new StateTimes();
	for (const [index, task] of tasks.entries()) times.add(`t${index}`, task);
	return times.summary;
};

describe('the times of polled tasks', () => {
	it('count a state until the next one is found', () => {
		const task = timesOf([5, 'waiting'], [20, 'processing'], [50, 'processing'], [60, 'success']);
		expect(summaryOf(task)).toBe('1 media task: waiting 20 seconds, processing 40 seconds');
	});

	it('are those of the slowest of several tasks', () => {
		const [one, other] = [timesOf([4, 'waiting'], [10, 'success']), timesOf([130, 'success'])];
		expect(summaryOf(one, other)).toBe(
			'2 media tasks: waiting up to 10 seconds, processing up to 2.2 minutes',
		);
	});

	it('are not shown below a second', () => {
		expect(summaryOf(timesOf([0, 'waiting'], [0.9, 'success']))).toBeUndefined();
		expect(summaryOf()).toBeUndefined();
	});

	it('count a task once, with its last times', () => {
		const times = new StateTimes();
		times.add('t1', timesOf([2, 'waiting']));
		times.add('t1', timesOf([2, 'waiting'], [9, 'success']));
		expect(times.summary).toBe('1 media task: waiting 9 seconds');
	});
});
