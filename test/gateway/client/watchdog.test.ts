import { Watchdog, type StreamLimits } from '../../../nodes/shared/gateway/client/watchdog';

/** A watchdog on a clock that only its own pauses move; `during` runs in each pause, after its time has passed. */
function onFakeClock(
	limits: StreamLimits,
	during: (watchdog: Watchdog, nap: number) => void = () => undefined,
) {
	const naps: number[] = [];
	const clock = {
		time: 1_000,
		now: () => clock.time,
		sleep: (milliseconds: number) => {
			naps.push(milliseconds);
			clock.time += milliseconds;
			during(watchdog, naps.length);
			return Promise.resolve();
		},
	};
	const watchdog = new Watchdog(limits, clock);
	return { watchdog, clock, naps };
}

describe('a watchdog over a stream', () => {
	it('expires after the whole time, to the millisecond', async () => {
		const { watchdog, naps } = onFakeClock({ totalMs: 2_500, idleMs: 9_000 });
		await watchdog.watch();
		expect(watchdog.expired).toBe('total');
		expect(naps).toStrictEqual([1_000, 1_000, 500]);
	});

	it('expires after the longest silence, to the millisecond', async () => {
		const { watchdog, naps } = onFakeClock({ totalMs: 9_000, idleMs: 1_001 });
		await watchdog.watch();
		expect(watchdog.expired).toBe('idle');
		expect(naps).toStrictEqual([1_000, 1]);
	});

	it('reports the whole time where the silence lasts as long', async () => {
		const { watchdog } = onFakeClock({ totalMs: 700, idleMs: 700 });
		await watchdog.watch();
		expect(watchdog.expired).toBe('total');
	});

	it('begins a new silence with each chunk', async () => {
		const { watchdog, clock } = onFakeClock({ totalMs: 60_000, idleMs: 1_500 }, (current, nap) => {
			if (nap === 1) current.touch();
		});
		await watchdog.watch();
		expect(watchdog.expired).toBe('idle');
		expect(clock.time).toBe(1_000 + 1_000 + 1_500);
	});

	it('never expires where only the silence is limited and chunks arrive', async () => {
		const { watchdog, naps } = onFakeClock({ totalMs: Infinity, idleMs: 1_500 }, (current, nap) => {
			if (nap < 5_000) current.touch();
			if (nap === 5_000) current.stop();
		});
		await watchdog.watch();
		expect(watchdog.expired).toBeUndefined();
		expect(naps).toHaveLength(5_000);
	});
});

describe('a watchdog that is stopped', () => {
	it('ends with its current pause, without expiring', async () => {
		const { watchdog, naps } = onFakeClock({ totalMs: 1_000, idleMs: 1_000 }, (current) => current.stop());
		await watchdog.watch();
		expect(watchdog.expired).toBeUndefined();
		expect(naps).toStrictEqual([1_000]);
	});

	it('does not begin to watch', async () => {
		const { watchdog, naps } = onFakeClock({ totalMs: 0, idleMs: 0 });
		watchdog.stop();
		await watchdog.watch();
		expect(watchdog.expired).toBeUndefined();
		expect(naps).toStrictEqual([]);
	});
});

it.each([
	[0, false],
	[499, false],
	[500, true],
	[2_000, true],
])('after %i ms without a chunk, of 1000 allowed, is silent: %s', (passed, isSilent) => {
	const { watchdog, clock } = onFakeClock({ totalMs: 60_000, idleMs: 1_000 });
	clock.time += 5_000;
	watchdog.touch();
	clock.time += passed;
	expect(watchdog.isSilent()).toBe(isSilent);
});
