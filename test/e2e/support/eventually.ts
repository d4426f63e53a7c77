import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats a check until it holds.
 *
 * @param timeout milliseconds
 * @returns what it gives in the end
 * @throws its last failure, when it does not hold in time
 */
export async function eventually<T>(check: () => T | Promise<T>, timeout = 60_000): Promise<T> {
	for (const end = Date.now() + timeout; ; ) {
		try {
			return await check();
		} catch (error) {
			if (Date.now() > end) throw error;
		}
		await sleep(50);
	}
}
