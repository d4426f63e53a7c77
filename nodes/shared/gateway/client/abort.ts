import { StoppedError } from '../errors/errors';

/**
 * Does work for somebody who may stop waiting for it. What is under way then goes on by itself, and its outcome is of no
 * interest any more.
 *
 * @param signal tells that nobody waits any more; without one the work is simply done
 * @throws {Stopped} as soon as the signal is aborted; before the work begins when it was already
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

/** @throws {Stopped} when the signal is aborted */
export function throwIfAborted(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw new StoppedError('not waited for');
}
