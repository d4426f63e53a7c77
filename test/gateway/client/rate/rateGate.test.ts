import type { WaitSettings } from '../../../../nodes/shared/gateway/client/rate/passage';
import { RateGate } from '../../../../nodes/shared/gateway/client/rate/rateGate';
import type { Lane } from '../../../../nodes/shared/gateway/client/rate/waitQueue';
import { StoppedError } from '../../../../nodes/shared/gateway/errors/errors';
import { RunSignal } from '../../../../nodes/shared/n8n/runSignal';
import { rejection } from '../../../helpers/client';
import { refusal, VirtualClock } from '../../../helpers/limitedAccount';

/** A gate on a clock of its own; jitter is in the middle. */
function setUp() {
	const clock = new VirtualClock();
	const start = clock.now();
	const gate = new RateGate({ now: clock.now, sleep: clock.sleep, random: () => 0.5 });
	const wait = async (settings: Partial<WaitSettings> = {}) =>
		await gate.wait({ lane: 'other', longestMs: Infinity, ...settings });
	/** Seconds since the start. */
	const seconds = () => (clock.now() - start) / 1_000;
	return { clock, gate, wait, seconds };
}

/** A gate whose account refuses requests; `taken` were sent before. */
function blocked(taken = 0, retryAfterMs?: number) {
	const { gate, ...rest } = setUp();
	for (let count = 0; count < taken; count += 1) gate.tryPass();
	const refused = gate.tryPass();
	if (!refused) throw new Error('The gate is closed');
	gate.refused(refused, refusal(retryAfterMs));
	return { gate, ...rest };
}

describe('without a refusal', () => {
	it('any number of requests pass at once, without a timer', () => {
		const { gate } = setUp();
		const passages = Array.from({ length: 10_000 }, () => gate.tryPass());
		expect(passages.every((passage) => passage !== undefined)).toBe(true);
	});
});

describe('after a 429', () => {
	it('no request passes until Retry-After, then one', async () => {
		const { gate, clock, wait, seconds } = blocked(10, 7_000);
		expect(gate.tryPass()).toBeUndefined();
		await clock.run(wait());
		expect(seconds()).toBeGreaterThanOrEqual(7);
		expect(seconds()).toBeLessThanOrEqual(7.5);
		expect(gate.tryPass()).toBeUndefined();
	});

	it.each([
		[2_000, 2.1],
		[60_000, 60.5],
	])('a little time is added to a Retry-After of %d ms: no two processes come at once', async (...times) => {
		const [retryAfterMs, expected] = times;
		const { clock, wait, seconds } = blocked(0, retryAfterMs);
		await clock.run(wait());
		expect(seconds()).toBeCloseTo(expected, 3);
	});

	it('without Retry-After, the pause doubles up to a minute, and a minute after the first request one passes', async () => {
		const { gate, clock, wait, seconds } = blocked(10);
		const times: number[] = [];
		for (let count = 0; count < 9; count += 1) {
			const passage = await clock.run(wait());
			times.push(Math.round(seconds()));
			gate.refused(passage, refusal());
		}
		expect(times).toStrictEqual([1, 3, 7, 15, 31, 61, 121, 181, 241]);
	});

	it.each([0, 20])(
		'a Retry-After of %d ms says nothing: the pause doubles all the same',
		async (retryAfterMs) => {
			const { gate, clock, wait, seconds } = blocked(10, retryAfterMs);
			const times: number[] = [];
			for (let count = 0; count < 4; count += 1) {
				const passage = await clock.run(wait());
				times.push(Math.round(seconds()));
				gate.refused(passage, refusal(retryAfterMs));
			}
			expect(times).toStrictEqual([1, 3, 7, 15]);
		},
	);

	it('a request that is not refused for two seconds has been taken, though its response takes longer', async () => {
		const { gate, clock, wait, seconds } = blocked(60, 10_000);
		await clock.run(wait());
		const probe = seconds();
		await clock.run(wait());
		expect(seconds() - probe).toBeCloseTo(2, 0);
		expect(gate.tryPass()).toBeUndefined();
	});

	it('the next request passes as soon as the connection of the first is lost', async () => {
		const { gate, clock, wait, seconds } = blocked(60, 10_000);
		const probe = await clock.run(wait());
		const next = wait();
		gate.lost(probe);
		const at = seconds();
		await clock.run(next);
		expect(seconds()).toBe(at);
	});

	it('requests pass at the pace that was measured', async () => {
		const { gate, clock, wait, seconds } = blocked(60);
		let passage = await clock.run(wait());
		while (seconds() < 60) {
			gate.refused(passage, refusal());
			passage = await clock.run(wait());
		}
		gate.accepted(passage);
		const begin = seconds();
		for (let count = 0; count < 30; count += 1) gate.accepted(await clock.run(wait()));
		// 60 in a minute, and 2 % less.
		expect(seconds() - begin).toBeGreaterThan(30);
		expect(seconds() - begin).toBeLessThan(31.5);
	});

	it('the longest Retry-After of several refusals counts', async () => {
		const { gate, clock, wait, seconds } = setUp();
		const [first, second] = [gate.tryPass(), gate.tryPass()];
		if (first) gate.refused(first, refusal(30_000));
		if (second) gate.refused(second, refusal(5_000));
		await clock.run(wait());
		expect(seconds()).toBeGreaterThanOrEqual(30);
	});

	it('requests that were refused are not counted', async () => {
		const { gate, clock, wait, seconds } = setUp();
		const burst = Array.from({ length: 60 }, () => gate.tryPass());
		for (const passage of burst.slice(30)) if (passage) gate.refused(passage, refusal(59_000));
		gate.accepted(await clock.run(wait()));
		const begin = seconds();
		for (let count = 0; count < 10; count += 1) gate.accepted(await clock.run(wait()));
		expect(seconds() - begin).toBeGreaterThan(20);
		expect(seconds() - begin).toBeLessThan(21);
	});

	it('the pace does not grow while no request has to wait', async () => {
		const { gate, clock, wait, seconds } = blocked(60, 59_000);
		gate.accepted(await clock.run(wait()));
		while (seconds() < 900) {
			await clock.run(clock.sleep(30_000));
			expect(gate.tryPass()).toBeDefined();
		}
		const begin = seconds();
		for (let count = 0; count < 10; count += 1) await clock.run(wait());
		expect(seconds() - begin).toBeGreaterThan(9.9);
	});

	it('requests pass freely when none was taken before: nothing is known of the limit', async () => {
		const { gate, clock, wait, seconds } = blocked(0, 2_000);
		gate.accepted(await clock.run(wait()));
		expect(seconds()).toBeLessThan(3);
		expect(gate.tryPass()).toBeDefined();
		expect(gate.tryPass()).toBeDefined();
	});

	it('the limit is forgotten after an idle minute', async () => {
		const { gate, clock, wait } = blocked(1, 1_000);
		gate.accepted(await clock.run(wait()));
		expect([gate.isIdle, gate.tryPass()]).toStrictEqual([false, undefined]);
		await clock.run(clock.sleep(60_001));
		expect(gate.isIdle).toBe(true);
		expect([gate.tryPass(), gate.tryPass()]).toStrictEqual([{ at: clock.now() }, { at: clock.now() }]);
	});

	it('the limit is forgotten when the clock is set back', () => {
		let now = 10_000_000;
		const { gate } = setUp();
		const sleep = async () => await Promise.resolve();
		const other = new RateGate({ now: () => now, sleep, random: () => 0 });
		for (const one of [gate, other]) {
			const refused = one.tryPass();
			if (!refused) throw new Error('The gate is closed');
			one.refused(refused, refusal(30_000));
		}
		now -= 3_600_000;
		expect([gate.tryPass(), other.tryPass(1), other.tryPass(1)]).toStrictEqual([
			undefined,
			{ at: now },
			undefined,
		]);
	});

	it('the limit is forgotten when the clock is set back while requests wait', async () => {
		let now = 10_000_000;
		let naps = 0;
		const sleep = async () => {
			naps += 1;
			if (naps > 1) return await new Promise<void>(() => undefined);
			now -= 3_600_000;
		};
		const gate = new RateGate({ now: () => now, sleep, random: () => 0 });
		const refused = gate.tryPass();
		if (refused) gate.refused(refused, refusal(30_000));
		const passed = gate.wait({ lane: 'other', longestMs: Infinity });
		const passage = jest.fn();
		void passed.then(passage);
		await new Promise((resolve) => setImmediate(resolve));
		expect(passage.mock.calls).toStrictEqual([[{ at: now }]]);
	});

	it('a refusal of a request that was sent within a millisecond of the first one counts', async () => {
		const { gate, clock, wait } = blocked(0, 2_000);
		gate.accepted(await clock.run(wait()));
		const next = gate.tryPass();
		if (!next) throw new Error('The gate is closed');
		gate.refused(next, refusal(10_000));
		const begin = clock.now();
		await clock.run(wait());
		expect(clock.now() - begin).toBeGreaterThanOrEqual(10_000);
	});

	it('a late rejection of a request that was sent before does not count again', async () => {
		const { gate, clock, wait } = setUp();
		const [early, late] = [gate.tryPass(), gate.tryPass()];
		if (!early || !late) throw new Error('The gate is closed');
		gate.refused(early, refusal(1_000));
		gate.accepted(await clock.run(wait()));
		gate.refused(late, refusal(30_000));
		const begin = clock.now();
		await clock.run(wait());
		expect(clock.now() - begin).toBeLessThan(2_000);
	});
});

describe('requests that wait', () => {
	/** The order in which requests of these lanes pass. */
	async function orderOf(lanes: Lane[]) {
		const { gate, clock, wait } = blocked(100, 1_000);
		const order: number[] = [];
		const all = lanes.map(async (lane, index) => {
			gate.accepted(await wait({ lane }));
			order.push(index);
		});
		await clock.run(Promise.all(all));
		return order;
	}

	it('pass in the order in which they came', async () => {
		const lanes = Array<Lane>(20).fill('other');
		expect(await orderOf(lanes)).toStrictEqual(lanes.map((_, index) => index));
	});

	it('keep their place when they were refused', async () => {
		const { gate, clock, wait, seconds } = blocked(100, 1_000);
		const order: string[] = [];
		const pass = async (name: string, since?: number) => {
			gate.accepted(await wait({ since }));
			order.push(name);
		};
		const begin = clock.now();
		await clock.run(clock.sleep(100));
		const first = pass('first');
		await clock.run(Promise.all([first, pass('second'), pass('refused', begin)]));
		expect(order).toStrictEqual(['refused', 'first', 'second']);
		expect(seconds()).toBeGreaterThan(1);
	});

	it('let polls pass first, but no more than three in a row', async () => {
		expect(await orderOf(['other', 'other', 'poll', 'poll', 'poll', 'poll', 'poll'])).toStrictEqual([
			2, 3, 4, 0, 5, 6, 1,
		]);
	});
});

describe('a wait ends', () => {
	it('as soon as its signal is aborted, with the reason of the run', async () => {
		const { gate, clock, wait, seconds } = blocked(1, 600_000);
		const run = new RunSignal(undefined);
		const onStop: WaitSettings['onStop'] = (listener) => run.onStop(listener);
		const request = new AbortController();
		const cancelled = rejection(wait({ onStop }));
		const notWaitedFor = rejection(wait({ signal: request.signal, onStop }));
		const other = wait();
		request.abort();
		run.abort('cancelled');
		expect(await cancelled).toStrictEqual(new StoppedError('cancelled'));
		expect(await notWaitedFor).toStrictEqual(new StoppedError('not waited for'));
		expect(await rejection(wait({ onStop }))).toStrictEqual(new StoppedError('cancelled'));
		expect(await rejection(wait({ signal: request.signal }))).toStrictEqual(
			new StoppedError('not waited for'),
		);
		gate.accepted(await clock.run(other));
		expect(seconds()).toBeGreaterThanOrEqual(600);
	});

	it('and leaves no timer behind', async () => {
		const timers: Array<AbortSignal | undefined> = [];
		const gate = new RateGate({
			now: () => 0,
			random: () => 0.5,
			sleep: async (_, signal) => await new Promise(() => timers.push(signal)),
		});
		const refused = gate.tryPass();
		if (refused) gate.refused(refused, refusal(60_000));
		const aborted = new AbortController();
		const failed = rejection(gate.wait({ lane: 'other', longestMs: Infinity, signal: aborted.signal }));
		aborted.abort();
		await failed;
		await new Promise((resolve) => setImmediate(resolve));
		expect(timers.map((signal) => signal?.aborted)).toStrictEqual([true]);
	});

	it('with the last refusal, when all requests were refused for too long', async () => {
		const { gate, clock, wait, seconds } = blocked(1);
		const failed = rejection(wait({ longestMs: 100_000 }));
		const prober = (async () => {
			while (seconds() < 90) gate.refused(await wait({ since: 0 }), refusal());
			return await wait();
		})();
		expect(await clock.run(failed)).toMatchObject({ details: { status: 429 } });
		expect(seconds()).toBeLessThanOrEqual(100);
		await clock.run(prober);
	});

	it('at once, when the gateway asks for more time than there is, or there is none', async () => {
		const { clock, wait, seconds } = blocked(1, 30_000);
		expect(await clock.run(rejection(wait({ longestMs: 29_000 })))).toMatchObject({
			details: { retryAfterMs: 30_000 },
		});
		expect(await clock.run(rejection(wait({ longestMs: 0 })))).toMatchObject({ details: { status: 429 } });
		expect(seconds()).toBe(0);
	});

	it('at once, also while another request waits for longer', async () => {
		const { clock, wait, seconds } = blocked(0, 30_000);
		const other = wait();
		const failedAt = rejection(wait({ longestMs: 5_000 })).then(seconds);
		await clock.run(other);
		expect(await failedAt).toBe(0);
	});

	it('not while the gateway takes requests, however long the queue is', async () => {
		const { gate, clock, wait, seconds } = blocked(10, 60_000);
		const all = Array.from({ length: 50 }, async () => gate.accepted(await wait({ longestMs: 70_000 })));
		await clock.run(Promise.all(all));
		expect(seconds()).toBeGreaterThan(140);
	});
});
