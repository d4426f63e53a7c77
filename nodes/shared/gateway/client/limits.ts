import { StoppedError } from '../errors/errors';

/** How long an exchange, or the transfer of a stream, may take, in milliseconds. */
export interface TimeLimits {
	totalMs: number;
	/** Without a byte; keep-alive events count as data. */
	idleMs: number;
}

/** The limits of a file's transfer: as long as data comes within the timeout, it may take twelve times as long. */
export function fileLimits(timeoutMs: number): TimeLimits {
	return { totalMs: 12 * timeoutMs, idleMs: timeoutMs };
}

export class TimeLimitError extends Error {
	constructor(readonly limit: 'total' | 'idle') {
		super('The time is over');
	}
}

/** One for all: another reason, or none, makes an error with a stack for each request. */
const DONE = new Error('done');

/** The longest sleep: it ends within this time, also where `sleep` takes no signal. */
const MAX_INTERVAL_MS = 1_000;

/**
 * Runs `work`, and throws as soon as its time is over or the signal is aborted; the work continues, and its result is ignored.
 * Sleeps at intervals, because a timer for each chunk would cost more than reading it. `work` calls `touch` when data has
 * come, which begins the idle time anew.
 */
export async function withinLimits<T>(
	{ totalMs, idleMs, signal }: TimeLimits & { signal?: AbortSignal | undefined },
	{ now, sleep }: { now(): number; sleep(milliseconds: number, signal: AbortSignal): Promise<void> },
	work: (touch: () => void) => Promise<T>,
): Promise<T> {
	if (signal?.aborted) throw new StoppedError('not waited for');
	const end = now() + totalMs;
	let last = now();
	const done = new AbortController();
	const timeLimit = async (): Promise<never> => {
		for (;;) {
			done.signal.throwIfAborted();
			const [totalLeftMs, idleLeftMs] = [end - now(), last + idleMs - now()];
			if (totalLeftMs <= 0) throw new TimeLimitError('total');
			if (idleLeftMs <= 0) throw new TimeLimitError('idle');
			await sleep(Math.min(totalLeftMs, idleLeftMs, MAX_INTERVAL_MS), done.signal);
		}
	};
	try {
		const ends = signal ? [aborted(signal, done.signal)] : [];
		return await Promise.race([work(() => (last = now())), timeLimit(), ...ends]);
	} finally {
		done.abort(DONE);
	}
}

/** Runs `work`, or throws as soon as the signal is aborted. Work that has begun continues, and its result is ignored. */
export async function abortable<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
	if (!signal) return await work();
	if (signal.aborted) throw new StoppedError('not waited for');
	const done = new AbortController();
	return await Promise.race([work(), aborted(signal, done.signal)]).finally(() => done.abort(DONE));
}

/** Rejects when the signal is aborted before the work is done. */
async function aborted(signal: AbortSignal, done: AbortSignal): Promise<never> {
	return await new Promise<never>((_, reject) => {
		const stop = () => reject(new StoppedError('not waited for'));
		signal.addEventListener('abort', stop, { signal: done });
	});
}
