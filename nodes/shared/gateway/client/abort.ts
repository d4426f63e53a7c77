import { StoppedError } from '../errors/errors';

/** Runs `work`, or throws as soon as the signal is aborted. Work that has begun continues, and its result is ignored. */
export async function abortable<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
	throwIfAborted(signal);
	const done = new AbortController();
	const aborted = new Promise<never>((_, reject) => {
		const stop = () => reject(new StoppedError('not waited for'));
		signal?.addEventListener('abort', stop, { signal: done.signal });
	});
	return await Promise.race([work(), aborted]).finally(() => done.abort('done'));
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw new StoppedError('not waited for');
}
