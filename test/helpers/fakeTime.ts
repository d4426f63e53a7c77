/** Iterations of the event loop between two steps of the clock. */
const ITERATIONS = 3;
const STEP_MS = 100;

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
	while (!isSettled) {
		for (let count = 0; count < iterations; count += 1) await new Promise((resolve) => setImmediate(resolve));
		if (!isSettled && jest.getTimerCount() > 0) await jest.advanceTimersByTimeAsync(STEP_MS);
	}
	return await promise;
}
