import fc from 'fast-check';

import { RateGate } from '../../../../nodes/shared/gateway/client/rate/rateGate';
import {
	LimitedAccount,
	sendAll,
	VirtualClock,
	type AccountLimit,
	type Load,
} from '../../../helpers/limitedAccount';

// Properties of the gate, for limits that it does not know.

/** The same numbers in each run, from 0 to 1. */
function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
		return state / 4_294_967_296;
	};
}

/** Sends requests of several processes at the same time. */
async function outcome(limit: AccountLimit, load: Load, processes: number, seed: number) {
	const clock = new VirtualClock();
	const account = new LimitedAccount(limit, clock);
	const start = clock.now();
	const sending = Array.from({ length: processes }, async (_, index) =>
		sendAll(load, account, clock, randomFrom(seed + index)),
	);
	const errors = (await clock.run(Promise.all(sending))).flat();
	const spanMs = (account.taken.at(-1) ?? start) - start;
	return {
		errors,
		taken: account.taken.length,
		refused: account.refused.length,
		/** Of what the limit allows in this time. */
		share: account.taken.length / ((limit.requests / limit.windowMs) * spanMs),
	};
}

const limits = fc.record({
	requests: fc.integer({ min: 20, max: 400 }),
	windowMs: fc.constantFrom(10_000, 20_000, 60_000),
	kind: fc.constantFrom('sliding' as const, 'fixed' as const, 'bucket' as const),
	retryAfter: fc.boolean(),
});
const loads = fc.record({
	requests: fc.integer({ min: 1, max: 200 }),
	concurrency: fc.integer({ min: 1, max: 30 }),
	latencyMs: fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 10_000 })),
	settings: fc.record({ usesTokens: fc.boolean() }),
});

it('every request is taken once, also when independent processes share a limit', async () => {
	await fc.assert(
		fc.asyncProperty(
			limits,
			loads,
			fc.integer({ min: 1, max: 3 }),
			fc.nat(),
			async (...[limit, load, processes, seed]) => {
				const { errors, taken } = await outcome(limit, load, processes, seed);
				expect([errors, taken]).toStrictEqual([[], load.requests * processes]);
			},
		),
		{ numRuns: 60 },
	);
}, 60_000);

it('one process gets all requests through any limit', async () => {
	const low = fc.tuple(limits, fc.integer({ min: 5, max: 20 }));
	await fc.assert(
		fc.asyncProperty(low, loads, fc.nat(), async ([limit, requests], load, seed) => {
			const { errors, taken } = await outcome({ ...limit, requests }, load, 1, seed);
			expect([errors, taken]).toStrictEqual([[], load.requests]);
		}),
		{ numRuns: 60 },
	);
}, 60_000);

describe.each([true, false])('a limit per minute, Retry-After: %s', (retryAfter) => {
	it.each([
		['one process', 1, 1_000, 8],
		['one process with three executions', 1, 1_000, 24],
		['two processes', 2, 500, 8],
	])(
		'is used by 95 %%, and 3 %% of the requests are refused: %s',
		async (_, processes, requests, concurrency) => {
			for (const perMinute of [150, 200, 400]) {
				const limit = { requests: perMinute, windowMs: 60_000, kind: 'sliding', retryAfter } as const;
				const load: Load = { requests, concurrency, latencyMs: [20, 80] };
				const { errors, taken, refused, share } = await outcome(limit, load, processes, perMinute);
				expect(errors).toStrictEqual([]);
				// The processes know nothing of each other.
				expect(share).toBeGreaterThan(processes > 1 ? 0.92 : 0.95);
				expect(refused / (taken + refused)).toBeLessThan(0.03);
			}
		},
		60_000,
	);
});

it('once the limit is known, a window seldom has more requests than are allowed', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 20, max: 300 }),
			fc.boolean(),
			fc.nat(),
			async (requests, retryAfter, seed) => {
				const clock = new VirtualClock();
				const limit = { requests, windowMs: 60_000, kind: 'sliding', retryAfter } as const;
				const account = new LimitedAccount(limit, clock);
				const start = clock.now();
				const load: Load = { requests: requests * 8, concurrency: 8, latencyMs: [20, 80] };
				await clock.run(sendAll(load, account, clock, randomFrom(seed)));
				const late = account.refused.filter((time) => time - start > 70_000);
				expect(late.length).toBeLessThanOrEqual(Math.max(20, 0.03 * requests * 8));
			},
		),
		{ numRuns: 30 },
	);
}, 60_000);

it('Requests per Minute is exceeded in no minute, and no request waits forever', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 50 }),
			fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 120 }),
			async (requestsPerMinute, gaps) => {
				const clock = new VirtualClock();
				const gate = new RateGate({ now: clock.now, sleep: clock.sleep, random: () => 0.5 });
				const sent: number[] = [];
				const send = async () => {
					const settings = { lane: 'other', longestMs: 0, requestsPerMinute } as const;
					const { at } = gate.tryPass(requestsPerMinute) ?? (await gate.wait(settings));
					sent.push(at);
				};
				const sending: Array<Promise<void>> = [];
				const arrivals = async () => {
					for (const gap of gaps) {
						await clock.sleep(gap % 3 === 0 ? 0 : gap);
						sending.push(send());
					}
					await Promise.all(sending);
				};
				await clock.run(arrivals());
				expect(sent).toHaveLength(gaps.length);
				const over = sent.filter(
					(time, index) => time - (sent[index - requestsPerMinute] ?? -Infinity) < 60_000,
				);
				expect(over).toStrictEqual([]);
			},
		),
		{ numRuns: 60 },
	);
}, 60_000);

it('the smallest Requests per Minute of the running nodes counts, until its node has sent nothing for a minute', async () => {
	const clock = new VirtualClock();
	const gate = new RateGate({ now: clock.now, sleep: clock.sleep, random: () => 0.5 });
	const passing = (count: number, limit: number) =>
		Array.from({ length: count }, () => gate.tryPass(limit)).filter(Boolean).length;
	expect(passing(5, 100)).toBe(5);
	expect(passing(10, 8)).toBe(3);
	expect(passing(5, 0)).toBe(0);
	await clock.run(clock.sleep(61_000));
	expect(passing(200, 100)).toBe(100);
});
