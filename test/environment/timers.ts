// `timers` in tests, as nock imports it.
export * from 'node:timers';

/** On the timers of `globalThis`, which a test may replace: nock waits with them. */
export const setTimeout = (work: () => void, milliseconds?: number): NodeJS.Timeout =>
	globalThis.setTimeout(work, milliseconds);

export const clearTimeout = (timer: NodeJS.Timeout | undefined): void => globalThis.clearTimeout(timer);
