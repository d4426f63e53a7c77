/**
 * Turns pieces that work hands over while it goes on into a sequence that is read at the reader's own pace.
 *
 * @param work gets the function that takes a piece; rejects when nobody reads any more
 * @returns the pieces in order; ends, or throws, as the work does
 */
export async function* handedOver<T>(
	work: (take: (piece: T) => Promise<void>) => Promise<void>,
): AsyncGenerator<T> {
	const pieces: T[] = [];
	let outcome: { error?: unknown } | undefined;
	let isAbandoned = false;
	let wake: () => void = () => undefined;
	const end = (result: { error?: unknown }) => {
		outcome = result;
		wake();
	};
	void work(async (piece) => {
		if (isAbandoned) throw new Error('Nobody reads the answer any more');
		pieces.push(piece);
		wake();
	}).then(
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
		isAbandoned = true;
	}
}
