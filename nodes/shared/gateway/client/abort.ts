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
