import { StoppedError } from '../shared/gateway/errors/errors';

/** Work that produces chunks; `signal` aborts when the reader has left. */
export type Work<T> = (take: (chunk: T) => Promise<void>, signal: AbortSignal) => Promise<void>;

/**
 * Turns the chunks that `work` produces into an async generator. The reader does not slow the work down.
 *
 * @param work gets the function that takes a chunk, which rejects when the reader has left
 * @param signal ends the reading while it waits
 * @returns the chunks in order; ends, or throws, as the work does
 */
export async function* iterateChunks<T>(work: Work<T>, signal?: AbortSignal): AsyncGenerator<T> {
	const chunks: T[] = [];
	const reading = new AbortController();
	const leave = () => reading.abort();
	let outcome: { error?: unknown } | undefined;
	let notify: () => void = () => undefined;
	const end = (result: { error?: unknown }) => {
		outcome = result;
		notify();
	};
	const take = async (chunk: T) => {
		if (reading.signal.aborted) throw new StoppedError('not waited for');
		chunks.push(chunk);
		notify();
	};
	signal?.addEventListener('abort', leave, { once: true });
	if (signal?.aborted) leave();
	void work(take, reading.signal).then(
		() => end({}),
		(error: unknown) => end({ error }),
	);
	try {
		for (;;) {
			const next = new Promise<void>((resolve) => (notify = resolve));
			for (const chunk of chunks.splice(0)) yield chunk;
			if (chunks.length > 0) continue;
			if (!outcome) await next;
			else if ('error' in outcome) throw outcome.error;
			else return;
		}
	} finally {
		signal?.removeEventListener('abort', leave);
		leave();
	}
}
