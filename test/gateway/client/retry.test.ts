import fc from 'fast-check';

import { MAX_RETRY_AFTER_MS, retryDelayMs } from '../../../nodes/shared/gateway/client/retry';
import { ApiError } from '../../../nodes/shared/gateway/errors/errors';

/** The pause after a 503, the first one by default. */
function delayMs(
	random: number,
	{ failures = 1, retryAfterMs }: { failures?: number; retryAfterMs?: number } = {},
) {
	const details = {
		message: '',
		description: '',
		outcome: 'rejected',
		status: 503,
		retryable: true,
	} as const;
	return retryDelayMs(
		'read',
		new ApiError({ ...details, retryAfterMs }),
		{ failures, maxRetries: 2e9 },
		random,
	);
}

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the pause before a retry', () => {
	it.each([
		[0, 0.999, 0],
		[2_000, 0, 2_000],
		[2_000, 0.5, 2_100],
		[10_000, 0.5, 10_500],
		[MAX_RETRY_AFTER_MS, 0.5, 300_500],
		[MAX_RETRY_AFTER_MS + 1, 0.5, undefined],
	])('after a Retry-After of %j ms, with the random number %d, is %j ms', (retryAfterMs, random, delay) =>
		expect(delayMs(random, { retryAfterMs })).toBe(delay),
	);

	it('doubles its range with each error, up to 30 s', () => {
		const longest = [1, 2, 3, 10, 1_000].map((failures) => Number(delayMs(0.999_999, { failures })));
		expect(longest.map(Math.round)).toStrictEqual([1_000, 2_000, 4_000, 30_000, 30_000]);
	});

	it('has full jitter: it may be zero', () => {
		expect(delayMs(0)).toBe(0);
	});

	it('is never shorter than Retry-After, nor much longer', () => {
		const asked = fc.double({ min: 0, max: MAX_RETRY_AFTER_MS, noNaN: true });
		fc.assert(
			fc.property(asked, fraction, (retryAfterMs, random) => {
				const delay = Number(delayMs(random, { retryAfterMs }));
				expect(delay).toBeGreaterThanOrEqual(retryAfterMs);
				expect(delay).toBeLessThanOrEqual(retryAfterMs + 1_000);
			}),
		);
	});

	it('is 0 to 30 s after any number of errors', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 1e9 }), fraction, (failures, random) => {
				const delay = Number(delayMs(random, { failures }));
				expect(delay).toBeGreaterThanOrEqual(0);
				expect(delay).toBeLessThanOrEqual(30_000);
			}),
		);
	});
});
