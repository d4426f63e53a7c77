/** A longer delay is a mistake, such as a Unix time in place of seconds. */
const LONGEST_MS = 24 * 3_600_000;

/**
 * Reads a `Retry-After` header: whole or fractional seconds, or an HTTP date. Returns milliseconds from now, at least 0;
 * `undefined` if the header is not usable.
 */
export function parseRetryAfter(header = '', now: number): number | undefined {
	const value = header.trim();
	const isDate = value.endsWith('GMT');
	if (!isDate && !/^\d+(\.\d+)?$/.test(value)) return undefined;
	const milliseconds = isDate ? Math.max(0, Date.parse(value) - now) : Number(value) * 1_000;
	return milliseconds <= LONGEST_MS ? milliseconds : undefined;
}
