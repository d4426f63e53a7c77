import fc from 'fast-check';

import { MAX_RETRY_AFTER_MS, retryDelayMs, type Attempt } from '../../../nodes/shared/gateway/client/retry';

const responded: Attempt = {
	failures: 1,
	maxRetries: 3,
	outcome: 'rejected',
	retryable: true,
	idempotent: false,
};

describe('the decision to retry', () => {
	const cases: Array<[string, Partial<Attempt>, boolean]> = [
		['a retryable error response is repeated', {}, true],
		['a final error response is not repeated', { retryable: false }, false],
		['the last allowed retry is used', { failures: 3 }, true],
		['no more than the allowed retries are used', { failures: 4 }, false],
		['nothing is repeated without retries', { maxRetries: 0 }, false],
		[
			'a request that was not sent is repeated, whatever it is',
			{ outcome: 'notSent', idempotent: false },
			true,
		],
		[
			'an idempotent request with a lost response is repeated',
			{ outcome: 'unknown', idempotent: true },
			true,
		],
		[
			'a charged request with a lost response is not repeated',
			{ outcome: 'unknown', idempotent: false },
			false,
		],
		['a short Retry-After is waited for', { retryAfterMs: 2_000 }, true],
		['a Retry-After at the ceiling is waited for', { retryAfterMs: 300_000 }, true],
		['a Retry-After beyond the ceiling ends the request', { retryAfterMs: MAX_RETRY_AFTER_MS + 1 }, false],
	];
	test.each(cases)('%s', (_, attempt, repeats) => {
		expect(retryDelayMs({ ...responded, ...attempt }, 0.5) !== undefined).toBe(repeats);
	});

	it.each([
		[0, 0.999, 0],
		[2_000, 0, 2_000],
		[2_000, 0.5, 2_100],
		[10_000, 0.5, 10_500],
		[300_000, 0.5, 300_500],
	])('after a Retry-After of %i ms, with the random number %d, waits %i ms', (retryAfterMs, random, delay) =>
		expect(retryDelayMs({ ...responded, retryAfterMs }, random)).toBe(delay),
	);

	it('doubles the range of the pause with each error, up to 30 s', () => {
		const longest = [1, 2, 3, 10, 1_000].map((failures) =>
			retryDelayMs({ ...responded, failures, maxRetries: 2_000 }, 0.999_999),
		);
		expect(longest.map((delay) => Math.round(Number(delay)))).toStrictEqual([
			1_000, 2_000, 4_000, 30_000, 30_000,
		]);
	});

	it('has full jitter: the pause may be zero', () => {
		expect(retryDelayMs(responded, 0)).toBe(0);
	});

	it('never waits for less than Retry-After asks, nor much longer', () => {
		fc.assert(
			fc.property(
				fc.double({ min: 0, max: MAX_RETRY_AFTER_MS, noNaN: true }),
				fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
				(retryAfterMs, random) => {
					const delay = Number(retryDelayMs({ ...responded, retryAfterMs }, random));
					expect(delay).toBeGreaterThanOrEqual(retryAfterMs);
					expect(delay).toBeLessThanOrEqual(retryAfterMs + 1_000);
				},
			),
		);
	});

	it('returns a finite pause of 0 to 30 s for any number of errors', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 1e9 }),
				fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
				(failures, random) => {
					const delay = Number(retryDelayMs({ ...responded, failures, maxRetries: 2e9 }, random));
					expect(delay).toBeGreaterThanOrEqual(0);
					expect(delay).toBeLessThanOrEqual(30_000);
				},
			),
		);
	});
});
