import { setTimeout as pause } from 'node:timers/promises';

/**
 * Lets time pass faster in each test of a file: timers end earlier, and the clock agrees with them. For pauses between
 * polls; a request takes the time that it takes.
 */
export function quickTime(factor = 50): void {
	const restored: Array<() => void> = [];
	beforeEach(() => {
		const { setTimeout: timer } = globalThis;
		const { now } = Date;
		const start = now();
		const quicker = (work: (...values: unknown[]) => void, delay = 0, ...values: unknown[]) =>
			timer(work, delay / factor, ...values);
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
