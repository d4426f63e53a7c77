import { sleep } from 'n8n-workflow';

/** As many items as are read at once, before the first request: a file in S3 takes a request. */
const READ_AHEAD = 8;

/** How long items are read before others of the process may work, in milliseconds. */
const READING_MS = 50;

/** What is read of each item, in their order; a few are read while one is waited for. */
export function* readAhead<T>(
	indexes: readonly number[],
	read: (index: number) => Promise<T>,
): Generator<[index: number, reading: Promise<T>]> {
	const begun: Array<[number, Promise<T>]> = [];
	for (const index of indexes) {
		const reading = read(index);
		// It is reported when it is waited for.
		reading.catch(() => undefined);
		begun.push([index, reading]);
		const [first] = begun.length < READ_AHEAD ? [] : begun.splice(0, 1);
		if (first) yield first;
	}
	yield* begun;
}

/** Lets others of the process work, each {@link READING_MS}. */
export function pauses(): () => Promise<void> {
	let since = performance.now();
	return async () => {
		if (performance.now() - since < READING_MS) return;
		await sleep(0);
		since = performance.now();
	};
}
