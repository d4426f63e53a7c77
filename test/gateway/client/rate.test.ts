import fc from 'fast-check';

import { accountOf } from '../../../nodes/shared/gateway/client/client';
import { RateGate, WaitMeter } from '../../../nodes/shared/gateway/client/rateGate';
import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import { problemError } from '../../../nodes/shared/gateway/errors/fromResponse';
import { runScenario, type Scenario } from '../../helpers/rateScenario';
import { rateScenarios, timeOf } from '../../helpers/rateScenarios';
import { median } from '../../../bench/measure';

// The rules of the gate. The jitter is in the middle.

const FREE_ERROR = new ApiError({
	message: '',
	description: '',
	outcome: 'rejected',
	kind: 'read',
	retryable: false,
});
const UNSENT = FREE_ERROR.with({ status: 404, outcome: 'notSent' });
const LOST = problemError('lost', 'read');
const refusal = (retryAfterMs?: number) => FREE_ERROR.with({ status: 429, isRateLimit: true, retryAfterMs });

function setUp() {
	let now = 0;
	const gate = new RateGate({ now: () => now }, () => 0.5);
	const pass = (): number => {
		const answer = gate.pass();
		if (typeof answer === 'number') return answer;
		throw new Error(`It waits ${answer.waitMs} ms`);
	};
	/** Waits until a request passes. Returns its number, and how long it has waited. */
	const next = () => {
		const begin = now;
		for (;;) {
			const answer = gate.pass();
			if (typeof answer === 'number') return { passage: answer, waitedMs: now - begin };
			now += answer.waitMs;
		}
	};
	return { gate, pass, next };
}

/** The gate of an account that has refused two requests, and another one in flight. */
function paused(retryAfterMs?: number) {
	const one = setUp();
	for (const passage of [one.pass(), one.pass(), one.pass()]) one.gate.ended(passage, refusal(retryAfterMs));
	return one;
}

it('refusals with a request taken in between pause nobody', () => {
	const { gate, pass } = setUp();
	for (let count = 0; count < 20; count += 1) {
		const [refused, taken] = [pass(), pass()];
		gate.ended(refused, refusal(60_000));
		gate.ended(taken, count % 2 === 0 ? undefined : FREE_ERROR);
	}
	expect(pass()).toBe(41);
});

it.each([
	['that was sent before', () => undefined],
	['whose response was lost', () => LOST],
	['that was not sent, because its file could not be opened', () => UNSENT],
])('a request %s does not show that others are taken', (name, end) => {
	const { gate, pass } = setUp();
	const [before, first, after, second] = [pass(), pass(), pass(), pass()];
	gate.ended(first, refusal());
	gate.ended(name.includes('before') ? before : after, end());
	gate.ended(second, refusal());
	expect(() => pass()).toThrow('It waits 1100 ms');
});

it('the pause doubles up to 5 s, whatever the Retry-After and what is in flight, until a request is taken', () => {
	const { gate, next, pass } = paused(3_600_000);
	const waits: number[] = [];
	for (let count = 0; count < 5; count += 1) {
		const { passage, waitedMs } = next();
		waits.push(waitedMs);
		gate.ended(passage, refusal());
	}
	expect(waits).toStrictEqual([1_100, 2_100, 4_100, 5_100, 5_100]);
	gate.ended(next().passage, undefined);
	for (const passage of [pass(), pass()]) gate.ended(passage, refusal());
	expect(next().waitedMs).toBe(1_100);
});

describe('after a pause one request is sent', () => {
	it('and the others when it was taken', () => {
		const { gate, next, pass } = paused();
		const { passage } = next();
		expect(() => pass()).toThrow('It waits 100 ms');
		gate.ended(passage, undefined);
		for (let count = 0; count < 100; count += 1) pass();
	});

	it('and the others when it is not refused for 2 s', () => {
		const { next } = paused();
		next();
		expect([next().waitedMs, next().waitedMs]).toStrictEqual([2_000, 0]);
	});

	it('and another one when its response was lost', () => {
		const { gate, next, pass } = paused();
		gate.ended(next().passage, LOST);
		pass();
		expect(() => pass()).toThrow('It waits 100 ms');
	});
});

it.each([[undefined], [refusal(90_000)], [LOST]])(
	'a request that ignores pauses neither ends nor lengthens one: %#',
	(end) => {
		const { gate, next, pass } = paused();
		gate.ended(0, end);
		gate.ended(0, end);
		expect(next().waitedMs).toBe(1_100);
		gate.ended(0, end);
		expect(() => pass()).toThrow('It waits 100 ms');
	},
);

it('an account is a base URL, in any spelling, and a key, which cannot be read from it', () => {
	const account = accountOf({ baseUrl: 'https://a.test', secrets: ['sk-1'] });
	for (const baseUrl of ['https://A.test', 'HTTPS://a.test', 'https://a.test:443', 'https://a.test/'])
		expect(accountOf({ baseUrl, secrets: ['sk-1', 'another'] })).toBe(account);
	expect(accountOf({ baseUrl: 'https://a.test', secrets: ['sk-2'] })).not.toBe(account);
	expect(accountOf({ baseUrl: 'https://b.test', secrets: ['sk-1'] })).not.toBe(account);
	expect(account).toMatch(/^[0-9a-f]{32}$/);
});

it('WaitMeter measures the time in which at least one request waits', async () => {
	let now = 0;
	const meter = new WaitMeter(() => now);
	for (const [begin, second, end, last] of [
		[10, 15, 20, 30],
		[50, 52, 56, 57],
	] as const) {
		now = begin;
		let endFirst: () => void = () => undefined;
		const first = meter.during(new Promise((resolve) => (endFirst = resolve)));
		now = second;
		let endSecond: () => void = () => undefined;
		const other = meter.during(new Promise((resolve) => (endSecond = resolve)));
		now = end;
		endFirst();
		await first;
		now = last;
		endSecond();
		await other;
	}
	expect(meter.totalMs).toBe(27);
});

// How long work takes at a rate limit that the client does not know.

const SEEDS = [1, 2, 3];

it.each(rateScenarios)('work takes little longer than the limit asks for: $name', async (one) => {
	const times: number[] = [];
	for (const seed of SEEDS) {
		const outcome = await runScenario(one.scenario, seed);
		expect(outcome.failed).toStrictEqual(one.neverFits === undefined ? [] : [one.neverFits]);
		times.push(timeOf(one, outcome));
	}
	expect(median(times) / one.ideal).toBeLessThanOrEqual(one.bound);
});

const first = (n: number) => n === 0;
it.each<[string, Scenario]>([
	...rateScenarios
		.filter(({ scenario }) => scenario.refusedOnce)
		.map(({ name, scenario }): [string, Scenario] => [name, scenario]),
	[
		'the first of 200, with Retry-After: 60',
		{ texts: 200, concurrency: 20, refusedOnce: { which: first, retryAfter: 60 } },
	],
])('a text that is refused once does not delay the others: %s', async (_, scenario) => {
	const isRefused = (n: number) => scenario.refusedOnce?.which(n) ?? false;
	const lastOf = async (played: Scenario) => {
		const { ends } = await runScenario(played, 1);
		return Math.max(...ends.filter((_none, n) => !isRefused(n)));
	};
	const delay = (await lastOf(scenario)) - (await lastOf({ ...scenario, refusedOnce: undefined }));
	const count = Array.from({ length: scenario.texts }, (_none, n) => n).filter(isRefused).length;
	expect(delay / count).toBeLessThanOrEqual(0.5);
});

it.each([false, true])(
	'three texts that never fit cost the others seconds, Retry-After: %s',
	async (retryAfter) => {
		const scenario: Scenario = {
			texts: 103,
			concurrency: 8,
			tokens: (n) => (n < 3 ? 1_001 : 1),
			limit: { tokens: 1_000, windowMs: 60_000, kind: 'sliding', retryAfter },
		};
		const { ends, failed } = await runScenario(scenario, 1);
		expect(failed.sort()).toStrictEqual([0, 1, 2]);
		expect(Math.max(...ends.slice(3))).toBeLessThan(20);
	},
);

it('every text is taken once at any limit, also by processes that know nothing of each other', async () => {
	const scenarios: fc.Arbitrary<Scenario> = fc.record({
		texts: fc.integer({ min: 1, max: 50 }),
		concurrency: fc.integer({ min: 1, max: 30 }),
		processes: fc.integer({ min: 1, max: 3 }),
		textMs: fc.integer({ min: 0, max: 10_000 }),
		limit: fc.record({
			tokens: fc.integer({ min: 20, max: 400 }),
			windowMs: fc.constantFrom(5_000, 10_000, 20_000),
			kind: fc.constantFrom('sliding', 'fixed', 'bucket'),
			retryAfter: fc.boolean(),
		}),
	});
	await fc.assert(
		fc.asyncProperty(scenarios, fc.nat(), async (scenario, seed) => {
			const { taken, failed } = await runScenario(scenario, seed);
			expect(failed).toStrictEqual([]);
			const all = Array.from({ length: scenario.texts * (scenario.processes ?? 1) }, (_, n) => n);
			expect(taken.sort((one, other) => one - other)).toStrictEqual(all);
		}),
		{ numRuns: 30 },
	);
});
