/**
 * Reads a `Retry-After` header: whole or fractional seconds, or an HTTP date.
 *
 * @param now the current time in Unix milliseconds
 * @returns milliseconds from now (0 for a time in the past), or `undefined` if the header is not usable
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
	const value = header?.trim();
	if (!value) return undefined;
	if (/^\d+(\.\d+)?$/.test(value)) {
		return plausible(Number(value) * 1000);
	}
	// Date.parse accepts "-5" and "1e3"; an HTTP date contains the name of a month.
	if (!/[a-z]{3}/i.test(value)) return undefined;
	// A date without a zone would be read as local time.
	const time = Date.parse(/(GMT|UTC|Z|[+-]\d{2}:?\d{2})$/i.test(value) ? value : `${value} GMT`);
	return Number.isNaN(time) ? undefined : plausible(Math.max(0, time - now));
}

/** A longer delay is a mistake, such as a Unix time in place of seconds. */
const LONGEST_PLAUSIBLE_MS = 24 * 3_600_000;

function plausible(milliseconds: number): number | undefined {
	return milliseconds <= LONGEST_PLAUSIBLE_MS ? milliseconds : undefined;
}
