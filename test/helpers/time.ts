import { setTimeout as pause } from 'node:timers/promises';

/** What axios calls its timeouts. */
const HTTP_TIMEOUT = 'handleTimeout';

/**
 * Lets time pass faster in each test of a file: pauses end earlier, and the clock agrees with them. A request may take
 * the time that it takes: n8n's HTTP client gives up no earlier.
 */
export function quickTime(factor = 50): void {
	const restored: Array<() => void> = [];
	beforeEach(() => {
		const { setTimeout: timer } = globalThis;
		const { now } = Date;
		const start = now();
		const quicker = (work: (...values: unknown[]) => void, delay = 0, ...values: unknown[]) => {
			if (work.name !== HTTP_TIMEOUT) return timer(work, delay / factor, ...values);
			const timeout = timer(work, delay, ...values);
			// Axios waits for the end of a connection to stop its timeout; nock does not tell that of one that failed.
			restored.push(() => clearTimeout(timeout));
			return timeout;
		};
		const spies = [
			jest.spyOn(globalThis, 'setTimeout').mockImplementation(quicker as typeof setTimeout),
			jest.spyOn(Date, 'now').mockImplementation(() => start + (now() - start) * factor),
		];
		restored.push(...spies.map((spy) => () => spy.mockRestore()));
	});
	afterEach(() => {
		for (const restore of restored.splice(0)) restore();
	});
}

/** Waits until a condition holds, at most some seconds. */
export async function eventually(condition: () => boolean): Promise<void> {
	for (let tries = 0; tries < 2_000 && !condition(); tries += 1) await pause(2);
	expect(condition()).toBe(true);
}
