import { setTimeout as pause } from 'node:timers/promises';

/** The name of axios's timeout handler. */
const HTTP_TIMEOUT = 'handleTimeout';

/**
 * Makes time pass faster in each test of a file, for timers and the clock. Timeouts of n8n's HTTP client keep their
 * length.
 */
export function quickTime(factor = 20): void {
	const restored: Array<() => void> = [];
	beforeEach(() => {
		const { setTimeout: timer } = globalThis;
		const { now } = Date;
		const start = now();
		const faster = (work: (...values: unknown[]) => void, delay = 0, ...values: unknown[]) => {
			if (work.name !== HTTP_TIMEOUT) return timer(work, delay / factor, ...values);
			const timeout = timer(work, delay, ...values);
			// Axios stops its timeout when the connection ends; nock does not report that for a failed one.
			restored.push(() => clearTimeout(timeout));
			return timeout;
		};
		const spies = [
			jest.spyOn(globalThis, 'setTimeout').mockImplementation(faster as typeof setTimeout),
			jest.spyOn(Date, 'now').mockImplementation(() => start + (now() - start) * factor),
			jest.spyOn(performance, 'now').mockImplementation(() => (now() - start) * factor),
		];
		restored.push(...spies.map((spy) => () => spy.mockRestore()));
	});
	afterEach(() => {
		for (const restore of restored.splice(0)) restore();
	});
}

/** Waits until a condition holds, for some seconds at most. */
export async function eventually(condition: () => boolean): Promise<void> {
	for (let tries = 0; tries < 2_000 && !condition(); tries += 1) await pause(2);
	expect(condition()).toBe(true);
}
