import fc from 'fast-check';

import { MAX_RETRY_AFTER_MS, retryDelayMs, type Attempt } from '../../../nodes/shared/gateway/client/retry';

const answered: Attempt = {
	failures: 1,
	maxRetries: 3,
	delivery: 'responded',
	retryable: true,
	idempotent: false,
};

describe('the decision to send again', () => {
	const cases: Array<[string, Partial<Attempt>, boolean]> = [
		['an answered, retryable failure is repeated', {}, true],
		['an answered, final failure is not', { retryable: false }, false],
		['the last allowed retry is used', { failures: 3 }, true],
		['no more than the allowed retries are used', { failures: 4 }, false],
		['no retries are allowed', { maxRetries: 0 }, false],
		[
			'a request that never arrived is repeated, whatever it is',
			{ delivery: 'notSent', idempotent: false },
			true,
		],
		[
			'a lost answer of a repeatable request is fetched again',
			{ delivery: 'unknown', idempotent: true },
			true,
		],
		['a lost answer of a charged request is not', { delivery: 'unknown', idempotent: false }, false],
		['a short Retry-After is waited for', { retryAfterMs: 2_000 }, true],
		['a Retry-After at the ceiling is waited for', { retryAfterMs: 300_000 }, true],
		['a Retry-After beyond the ceiling ends it', { retryAfterMs: MAX_RETRY_AFTER_MS + 1 }, false],
	];
	test.each(cases)('%s', (_, attempt, repeats) => {
		expect(retryDelayMs({ ...answered, ...attempt }, 0.5) !== undefined).toBe(repeats);
	});

	it.each([
		[0, 0.999, 0],
		[2_000, 0, 2_000],
		[2_000, 0.5, 2_100],
		[10_000, 0.5, 10_500],
		[300_000, 0.5, 300_500],
	])('waits after a Retry-After of %i ms, with chance %d, for %i ms', (retryAfterMs, random, delay) =>
		expect(retryDelayMs({ ...answered, retryAfterMs }, random)).toBe(delay),
	);

	it('doubles the range of the pause with each failure, up to 30 s', () => {
		const longest = [1, 2, 3, 10, 1_000].map((failures) =>
			retryDelayMs({ ...answered, failures, maxRetries: 2_000 }, 0.999_999),
		);
		expect(longest.map((delay) => Math.round(Number(delay)))).toStrictEqual([
			1_000, 2_000, 4_000, 30_000, 30_000,
		]);
	});

	it('has full jitter: the pause may be as short as nothing', () => {
		expect(retryDelayMs(answered, 0)).toBe(0);
	});

	it('never comes back earlier than Retry-After asks, nor much later', () => {
		fc.assert(
			fc.property(
				fc.double({ min: 0, max: MAX_RETRY_AFTER_MS, noNaN: true }),
				fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
				(retryAfterMs, random) => {
					const delay = Number(retryDelayMs({ ...answered, retryAfterMs }, random));
					expect(delay).toBeGreaterThanOrEqual(retryAfterMs);
					expect(delay).toBeLessThanOrEqual(retryAfterMs + 1_000);
				},
			),
		);
	});

	it('gives a finite pause of 0 to 30 s for any number of failures', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 1e9 }),
				fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
				(failures, random) => {
					const delay = Number(retryDelayMs({ ...answered, failures, maxRetries: 2e9 }, random));
					expect(delay).toBeGreaterThanOrEqual(0);
					expect(delay).toBeLessThanOrEqual(30_000);
				},
			),
		);
	});
});
