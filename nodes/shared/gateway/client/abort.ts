import { StoppedError } from '../errors/errors';

/**
 * Runs `work` until the signal is aborted. Work that has begun continues, and its result is ignored.
 *
 * @throws {StoppedError} as soon as the signal is aborted; `work` does not start if it is aborted already
 */
export async function abortable<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
	if (!signal) return await work();
	throwIfAborted(signal);
	let onAbort: () => void = () => undefined;
	const aborted = new Promise<never>((_, reject) => {
		onAbort = () => reject(new StoppedError('not waited for'));
		signal.addEventListener('abort', onAbort);
	});
	try {
		return await Promise.race([work(), aborted]);
	} finally {
		signal.removeEventListener('abort', onAbort);
	}
}

/** @throws {StoppedError} if the signal is aborted */
export function throwIfAborted(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw new StoppedError('not waited for');
}

/** Node's timers end at once when they are longer than 24 days, and may continue where `sleep` takes no signal. */
const MAX_STEP_MS = 60_000;

/** What limits the time of work. */
interface Clock {
	sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Does work for a limited time.
 *
 * @param work gets a signal that is aborted when the time is over
 * @returns its result; `undefined` when the time is over
 */
export async function withinTime<T>(
	clock: Clock,
	milliseconds: number,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
	const done = new AbortController();
	const over = new AbortController();
	const limit = async (): Promise<undefined> => {
		for (let left = milliseconds; left > 0 && !done.signal.aborted; left -= MAX_STEP_MS) {
			// Rejects when the work is done.
			await clock.sleep(Math.min(left, MAX_STEP_MS), done.signal).catch(() => undefined);
		}
		return undefined;
	};
	try {
		return await Promise.race([work(over.signal), limit()]);
	} finally {
		done.abort();
		over.abort();
	}
}
