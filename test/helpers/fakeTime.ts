/** Iterations of the event loop between two steps of the clock. */
const ITERATIONS = 3;
const STEP_MS = 100;

/** As long as a test may take, in real time: without an end, the loop would run on after a test that has failed. Milliseconds. */
const LIMIT_MS = 20_000;
const realNow = performance.now.bind(performance);

/** Uses a fake clock in a test file; it moves only in `inFakeTime`. */
export function useFakeTime(): void {
	beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
	afterEach(() => void jest.useRealTimers());
}

/**
 * Moves the clock in small steps while a timer is set, until a promise has settled.
 *
 * @param iterations of the event loop between two steps: more where requests may not take long
 */
export async function inFakeTime<T>(promise: Promise<T>, iterations = ITERATIONS): Promise<T> {
	let isSettled = false;
	const settle = () => void (isSettled = true);
	promise.then(settle, settle);
	for (const end = realNow() + LIMIT_MS; !isSettled; ) {
		if (realNow() > end) throw new Error('The promise has not settled');
		for (let count = 0; count < iterations; count += 1) await new Promise((resolve) => setImmediate(resolve));
		if (!isSettled && jest.getTimerCount() > 0) await jest.advanceTimersByTimeAsync(STEP_MS);
	}
	return await promise;
}
