import { StoppedError } from '../shared/gateway/errors/errors';

/** Work that hands over pieces; `signal` tells it that nobody reads them any more. */
export type Work<T> = (take: (piece: T) => Promise<void>, signal: AbortSignal) => Promise<void>;

/**
 * Turns pieces that work hands over while it goes on into a sequence that is read at the reader's own pace.
 *
 * @param work gets the function that takes a piece, which rejects when nobody reads any more
 * @param signal the reader's, with which it gives up while it waits
 * @returns the pieces in order; ends, or throws, as the work does
 */
export async function* iterateChunks<T>(work: Work<T>, signal?: AbortSignal): AsyncGenerator<T> {
	const pieces: T[] = [];
	const reading = new AbortController();
	const leave = () => reading.abort();
	let outcome: { error?: unknown } | undefined;
	let wake: () => void = () => undefined;
	const end = (result: { error?: unknown }) => {
		outcome = result;
		wake();
	};
	const take = async (piece: T) => {
		if (reading.signal.aborted) throw new StoppedError('not waited for');
		pieces.push(piece);
		wake();
	};
	signal?.addEventListener('abort', leave, { once: true });
	if (signal?.aborted) leave();
	void work(take, reading.signal).then(
		() => end({}),
		(error: unknown) => end({ error }),
	);
	try {
		for (;;) {
			const next = new Promise<void>((resolve) => (wake = resolve));
			for (const piece of pieces.splice(0)) yield piece;
			if (pieces.length > 0) continue;
			if (!outcome) await next;
			else if ('error' in outcome) throw outcome.error;
			else return;
		}
	} finally {
		signal?.removeEventListener('abort', leave);
		leave();
	}
}
