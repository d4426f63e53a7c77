import fc from 'fast-check';

import type { GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { MAX_RETRY_AFTER_MS, retryDelayMs } from '../../../nodes/shared/gateway/client/retry';
import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import { problemError } from '../../../nodes/shared/gateway/errors/fromResponse';
import { apiErrorOf, rejection, scriptedClient, type Step } from '../../helpers/client';

// When a request is sent again. Which one is: outcome.test.ts.

const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };
const busy = (seconds: number): Step => ({ status: 503, headers: { 'retry-after': String(seconds) } });

/** The pause after a 503, the first one by default. */
function delayMs(random: number, { failures = 1, retryAfterMs = undefined as number | undefined } = {}) {
	const unavailable = { message: '', description: '', outcome: 'rejected', status: 503 } as const;
	const error = new ApiError({ ...unavailable, retryable: true, retryAfterMs });
	return retryDelayMs('read', error, { failures, maxRetries: 2e9 }, random);
}

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

	it('has full jitter: its range doubles with each error, up to 30 s', () => {
		const longest = [1, 2, 3, 10, 1_000].map((failures) => Number(delayMs(0.999_999, { failures })));
		expect(longest.map(Math.round)).toStrictEqual([1_000, 2_000, 4_000, 30_000, 30_000]);
		expect(delayMs(0)).toBe(0);
	});

	it('is never shorter than Retry-After, nor much longer; without one, never more than 30 s', () => {
		const asked = fc.double({ min: 0, max: MAX_RETRY_AFTER_MS, noNaN: true });
		const failed = fc.integer({ min: 1, max: 1e9 });
		const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
		fc.assert(
			fc.property(asked, failed, fraction, (retryAfterMs, failures, random) => {
				const extra = Number(delayMs(random, { retryAfterMs })) - retryAfterMs;
				const own = Number(delayMs(random, { failures }));
				expect([extra >= 0, extra <= 1_000, own >= 0, own <= 30_000]).not.toContain(false);
			}),
		);
	});
});

describe('retries', () => {
	it('fetch a file again when its stream breaks while it is stored', async () => {
		const { client, sent } = scriptedClient([{ body: 'x' }]);
		const store = async () => {
			if (sent.length === 1) throw problemError('lost', 'file');
			return await Promise.resolve('stored');
		};
		expect(await client.downloadUrl('https://files.test/a', store)).toBe('stored');
		expect(sent).toHaveLength(2);
	});

	it('are not made after an error that is not the gateway’s', async () => {
		const bug = new TypeError('a bug');
		const { client, sent, pauses } = scriptedClient([bug, {}]);
		expect(await rejection(client.json(get))).toBe(bug);
		expect([sent.length, pauses]).toStrictEqual([1, []]);
	});

	it('have growing pauses with jitter, and end with the first success', async () => {
		const steps: Step[] = [{ status: 503 }, { status: 500 }, 'lost', { body: '{"a":1}' }];
		const { client, pauses } = scriptedClient(steps, {}, { random: () => 0.1 });
		expect(await client.json(get)).toStrictEqual({ a: 1 });
		expect(pauses).toStrictEqual([100, 200, 400]);
	});

	it('end at once when the run ends during a pause', async () => {
		const { client, sent } = scriptedClient([{ status: 503 }], {}, { stopAt: 0 });
		expect(await rejection(client.json(get))).toMatchObject({ name: 'StoppedError', reason: 'cancelled' });
		expect(sent).toHaveLength(1);
	});
});

describe('the note on tries', () => {
	const descriptionAfter = async (steps: Step[], maxRetries: number) =>
		(await apiErrorOf(scriptedClient(steps, { maxRetries }).client.json(get))).details.description;
	const asks = (minutes: number) => ` The gateway asks to wait ${minutes} minutes before the next try.`;

	it.each<[string, Step[], number, string]>([
		['after one try', [{ status: 503 }], 0, ''],
		['after two tries', [{ status: 503 }], 1, ' It was tried 2 times.'],
		['after a Retry-After', [busy(330)], 3, asks(5.5)],
		['after both', [{ status: 503 }, busy(3_600)], 3, `${asks(60)} It was tried 2 times.`],
	])('%s', async (_, steps, maxRetries, expected) => {
		const alone = await descriptionAfter([{ status: 503 }], 0);
		expect(await descriptionAfter(steps, maxRetries)).toBe(alone + expected);
	});

	it('is not needed after the longest allowed pause', async () => {
		const { client, pauses } = scriptedClient([busy(300), { body: '{"a":1}' }]);
		expect(await client.json(get)).toStrictEqual({ a: 1 });
		expect(pauses).toStrictEqual([300_500]);
	});

	it('is not added to an error of a single try', async () => {
		const error = problemError('lost', 'charge');
		const { client } = scriptedClient([error]);
		expect(await rejection(client.json({ ...get, kind: 'charge' }))).toStrictEqual(error);
	});
});
