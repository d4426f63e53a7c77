import fc from 'fast-check';

import { parseRetryAfter } from '../../../nodes/shared/gateway/errors/fromResponse';

describe('Retry-After', () => {
	const now = Date.parse('2026-03-01T12:00:00Z');
	const cases: Array<[string | undefined, number | undefined]> = [
		[undefined, undefined],
		['', undefined],
		['  ', undefined],
		['0', 0],
		['7', 7_000],
		[' 7 ', 7_000],
		['1.5', 1_500],
		['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
		['12.25', 12_250],
		['12.', undefined],
		['9'.repeat(400), undefined],
		['01 Mar 2026 12:00:30 GMT', 30_000],
		['Sun, 01 Mar 2026 12:00:30 +0000', undefined],
		['SUN, 01 MAR 2026 12:00:30 GMT', 30_000],
		['Sun, 01 Mar 2026 11:59:00 GMT', 0],
		['-5', undefined],
		['1e3', undefined],
		['2026-03-01T12:00:30Z', undefined],
		['soon', undefined],
		['12 monkeys', undefined],
		// Mistakes: a Unix time in place of seconds, and the end of time.
		['1767225600', undefined],
		['Fri, 31 Dec 9999 23:59:59 GMT', undefined],
	];
	test.each(cases)('%j means %j ms', (header, expected) =>
		expect(parseRetryAfter(header, now)).toBe(expected),
	);

	it('reads any text without an exception, and never returns a negative or infinite pause', () => {
		fc.assert(
			fc.property(
				fc.oneof(
					fc.string(),
					fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
				),
				(header) => {
					const delay = parseRetryAfter(header, now) ?? 0;
					expect(Number.isFinite(delay) && delay >= 0).toBe(true);
				},
			),
		);
	});
});
