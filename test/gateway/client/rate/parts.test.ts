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

	it('drops gates that are idle when there are a hundred', () => {
		let now = 0;
		const gates = new RateGates({ ...clock, now: () => now });
		const all = Array.from({ length: 100 }, (_, index) => {
			const gate = gates.of('https://a.test', [`sk-${index}`]);
			gate.tryPass();
			return gate;
		});
		gates.of('https://a.test', ['sk-100']);
		expect(gates.of('https://a.test', ['sk-0'])).toBe(all[0]);
		now = 61_000;
		all[1]?.tryPass();
		gates.of('https://a.test', ['sk-101']);
		expect(gates.of('https://a.test', ['sk-0'])).not.toBe(all[0]);
		expect(gates.of('https://a.test', ['sk-1'])).toBe(all[1]);
	});
});
