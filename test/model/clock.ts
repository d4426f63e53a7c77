import { performance } from 'node:perf_hooks';

const { setTimeout: startTimer } = globalThis;

/** The shortest time without work after which the process only waits for a timer, in milliseconds. */
const IDLE_MS = 0.5;
/** The longest work without a received byte, in milliseconds. */
const WORK_MS = 0.15;
/** Idle times without any timer after which nothing can happen any more. */
const IDLE_TIMES = 40;

/** Pending work of the operating system that ends by itself. */
const PASSING = /^(FSReq|Write|Shutdown|TCPConnect|GetAddrInfo|Zlib)/;

/**
 * A clock that stands still while the process works or its sockets move, and goes on to the next timer as soon as
 * nothing else happens. Timeouts of hours take milliseconds, and a busy machine makes none expire early.
 */
export class Clock {
	start(): void {
		jest.useFakeTimers({
			doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'hrtime', 'performance'],
		});
	}

	stop(): void {
		jest.clearAllTimers();
		jest.useRealTimers();
	}

	/**
	 * Lets time pass until a promise has settled.
	 *
	 * @param limitMs the longest time, in milliseconds of this clock
	 * @returns whether it has settled
	 */
	async until(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
		let isSettled = false;
		const settle = (): void => void (isSettled = true);
		promise.then(settle, settle);
		const end = Date.now() + limitMs;
		let idle = 0;
		while (!isSettled && idle < IDLE_TIMES) {
			await this.nextIdle();
			if (isSettled || Date.now() > end) break;
			if (jest.getTimerCount() > 0) {
				jest.advanceTimersToNextTimer();
				idle = 0;
			} else idle += 1;
		}
		return isSettled;
	}

	/** Lets time pass until nothing is left to wait for, at most `limitMs`. */
	async drain(limitMs: number): Promise<void> {
		const end = Date.now() + limitMs;
		for (;;) {
			await this.nextIdle();
			if (jest.getTimerCount() === 0 || Date.now() > end) return;
			jest.advanceTimersToNextTimer();
		}
	}

	/** Waits until the process has had nothing to do for a moment. */
	private async nextIdle(): Promise<void> {
		for (;;) {
			const before = performance.eventLoopUtilization();
			await new Promise((resolve) => startTimer(resolve, 1));
			const waited = performance.eventLoopUtilization();
			const { idle } = performance.eventLoopUtilization(waited, before);
			// The timer comes before what the sockets have received meanwhile.
			for (let count = 0; count < 2; count += 1) await new Promise((resolve) => setImmediate(resolve));
			const { active } = performance.eventLoopUtilization(waited);
			const isQuiet = idle >= IDLE_MS && active <= WORK_MS;
			if (isQuiet && !process.getActiveResourcesInfo().some((kind) => PASSING.test(kind))) return;
		}
	}
}
