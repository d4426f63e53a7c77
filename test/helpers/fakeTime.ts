/** Real turns of the event loop that an exchange gets between two steps of the clock. */
const TURNS = 3;
const STEP_MS = 100;

/** Gives a test file a clock of its own, which stands still unless something is waited for. */
export function useFakeTime(): void {
	beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
	afterEach(() => void jest.useRealTimers());
}

/** Moves the clock on, in small steps while a timer is set, until a promise has settled. */
export async function inFakeTime<T>(promise: Promise<T>): Promise<T> {
	let isSettled = false;
	const settle = () => void (isSettled = true);
	promise.then(settle, settle);
	while (!isSettled) {
		for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
		if (!isSettled && jest.getTimerCount() > 0) await jest.advanceTimersByTimeAsync(STEP_MS);
	}
	return await promise;
}
