// `node:timers/promises` in tests.
export * from 'timers/promises';

/** On the timers of `globalThis`, which a test may replace. */
export async function setTimeout<T>(
	delay = 0,
	value?: T,
	{ signal }: { signal?: AbortSignal } = {},
): Promise<T | undefined> {
	return await new Promise((resolve, reject) => {
		const timer = globalThis.setTimeout(() => {
			signal?.removeEventListener('abort', stop);
			resolve(value);
		}, delay);
		const stop = (): void => {
			clearTimeout(timer);
			reject(new Error('The timer was stopped'));
		};
		if (signal?.aborted) stop();
		else signal?.addEventListener('abort', stop, { once: true });
	});
}
