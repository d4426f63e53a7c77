import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { Pace } from '../../../../nodes/shared/gateway/client/rate/pace';
import { RecentCount } from '../../../../nodes/shared/gateway/client/rate/recentCount';
import { RateGates } from '../../../../nodes/shared/gateway/client/rate/registry';
import { WaitMeter } from '../../../../nodes/shared/gateway/client/rate/waitMeter';

describe('RecentCount', () => {
	it('counts each event for at least its span, and at most half a second longer', () => {
		const count = new RecentCount(60_000);
		for (const time of [0, 400, 600, 30_000]) count.add(time);
		expect([59_999, 60_500, 61_100, 90_499, 90_500].map((now) => count.total(now))).toStrictEqual([
			4, 2, 1, 1, 0,
		]);
	});

	it('takes back an event', () => {
		const count = new RecentCount(60_000);
		for (const time of [0, 100, 5_000]) count.add(time);
		count.remove(100);
		count.remove(5_000);
		expect([count.total(6_000), count.oldest(6_000), count.nextExpiry(6_000)]).toStrictEqual([1, 0, 60_500]);
		count.remove(0);
		expect([count.total(6_000), count.oldest(6_000), count.nextExpiry(6_000)]).toStrictEqual([
			0,
			undefined,
			6_000,
		]);
		count.remove(0);
		expect(count.total(6_000)).toBe(0);
	});
});

describe('Pace', () => {
	/** 60 requests in a minute, with 2 % less. */
	const INTERVAL_MS = 1_000 / 0.98;
	const measured = { count: 60, spanMs: 60_000 };

	/** Takes requests as soon as the pace allows, until a time. Returns the time of the last one. */
	function takeUntil(pace: Pace, end: number, lateMs = 0): number {
		let now = 0;
		while (pace.next + lateMs <= end) {
			now = pace.next + lateMs;
			pace.holdBack();
			pace.take(now);
		}
		return now;
	}

	it('is not slowed by late timers, and does not make up for longer pauses', () => {
		const pace = new Pace(measured, 0);
		let now = 0;
		for (let count = 0; count < 50; count += 1) pace.take((now = pace.next + 90));
		expect(now).toBeCloseTo(50 * INTERVAL_MS + 90, 3);
		pace.take((now = pace.next + 20_000));
		expect(pace.next - now).toBeCloseTo(INTERVAL_MS - 100, 3);
	});

	it('grows by larger and larger steps while requests wait, first after a window', () => {
		const pace = new Pace(measured, 0);
		const intervals = [59_000, 62_000, 77_000, 92_000].map((end) => {
			const last = takeUntil(pace, end);
			return INTERVAL_MS / (pace.next - last);
		});
		expect(intervals.map((factor) => Number(factor.toFixed(3)))).toStrictEqual([1, 1.02, 1.061, 1.146]);
	});

	it('falls back to what it was a window before the refusal', () => {
		const pace = new Pace(measured, 0);
		const last = takeUntil(pace, 140_000);
		pace.reduce({ count: 0, spanMs: 60_000 }, last);
		// Steps of 2, 4, 8, 16, 32 and 64 %; the last four are those of a window.
		expect(INTERVAL_MS / (pace.next - last)).toBeCloseTo(1.02 * 1.04, 3);
		pace.reduce({ count: 0, spanMs: 60_000 }, last);
		expect(INTERVAL_MS / (pace.next - last)).toBeCloseTo(1.02 * 1.04 * 0.95, 3);
	});

	it('does not grow in the window after a refusal for what waited before', () => {
		const pace = new Pace(measured, 0);
		pace.holdBack();
		pace.reduce({ count: 60, spanMs: 60_000 }, 0);
		pace.take(61_000);
		pace.take(pace.next);
		const { next } = pace;
		pace.take(next);
		expect(pace.next - next).toBeCloseTo(INTERVAL_MS, 3);
	});

	it('falls by more and more when it is refused at the pace that it has fallen to', () => {
		const pace = new Pace(measured, 0);
		const falls = [1, 2, 3, 4, 5].map(() => {
			pace.reduce({ count: 0, spanMs: 1_000 }, 0);
			return Number((INTERVAL_MS / pace.next).toFixed(4));
		});
		expect(falls).toStrictEqual([0.95, 0.855, 0.684, 0.4104, 0.2052]);
		pace.holdBack();
		pace.take(61_000);
		const fallen = [1, 2].map(() => {
			pace.reduce({ count: 0, spanMs: 1_000 }, 0);
			return Number((INTERVAL_MS / pace.next).toFixed(4));
		});
		expect(fallen).toStrictEqual([0.2052, 0.1949]);
	});

	it('falls to what was taken, where that is more, and never rises', () => {
		const pace = new Pace(measured, 0);
		pace.reduce({ count: 59, spanMs: 60_000 }, 0);
		expect(INTERVAL_MS / pace.next).toBeCloseTo(59 / 60, 6);
		pace.reduce({ count: 600, spanMs: 60_000 }, 0);
		expect(INTERVAL_MS / pace.next).toBeCloseTo(59 / 60, 6);
	});

	it('is at least two requests a minute', () => {
		expect(new Pace({ count: 1, spanMs: 3_600_000 }, 5).next).toBe(30_005);
	});
});

it('WaitMeter measures the time in which at least one request waits', () => {
	let now = 0;
	const meter = new WaitMeter(() => now);
	const at = (time: number, step: 'begin' | 'end') => {
		now = time;
		meter[step]();
	};
	at(0, 'begin');
	at(5, 'begin');
	at(10, 'end');
	at(20, 'end');
	expect(meter.totalMs).toBe(20);
	at(50, 'begin');
	at(57, 'end');
	expect(meter.totalMs).toBe(27);
});

describe('RateGates', () => {
	const clock = { now: () => 0, random: () => 0, sleep: async () => await Promise.resolve() };

	it('has one gate for each base URL and key', () => {
		const gates = new RateGates(clock);
		const gate = gates.of('https://a.test', ['sk-1']);
		expect(gates.of('https://a.test', ['sk-1'])).toBe(gate);
		expect(gates.of('https://a.test', ['sk-2'])).not.toBe(gate);
		expect(gates.of('https://b.test', ['sk-1'])).not.toBe(gate);
	});

	it('does not keep a key', () => {
		const gates = new RateGates(clock);
		gates.of('https://a.test', ['sk-secret']);
		expect(
			JSON.stringify(gates, (_, value: unknown) => (value instanceof Map ? [...value] : value)),
		).not.toContain('secret');
	});

	it.each(['https://A.test', 'HTTPS://a.test', 'https://a.test:443', 'https://a.test/'])(
		'has one gate for each spelling of a base URL: %s',
		(spelling) => {
			const gates = new RateGates(clock);
			expect(gates.of(spelling, ['sk-1'])).toBe(gates.of('https://a.test', ['sk-1']));
		},
	);

	it('drops gates that are idle when there are a hundred, unless something uses them', async () => {
		let now = 0;
		const gates = new RateGates({ ...clock, now: () => now });
		const of = (index: number) => gates.of('https://a.test', [`sk-${index}`]);
		const used = of(0);
		const unused = new WeakRef(of(1));
		const busy = new WeakRef(of(2));
		for (let index = 0; index < 100; index += 1) of(index).tryPass();
		of(100);
		now = 61_000;
		of(2).tryPass();
		of(101);
		await collectGarbage();
		expect(of(0)).toBe(used);
		expect(unused.deref()).toBeUndefined();
		expect(of(2)).toBe(busy.deref());
	});
});

/** What was used in the running job is kept until its end. */
async function collectGarbage(): Promise<void> {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	await new Promise((resolve) => setImmediate(resolve));
	collect();
}
