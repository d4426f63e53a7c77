import { Watchdog, type StreamLimits } from '../../../nodes/shared/gateway/client/watchdog';

/** A watchdog on a clock that only its own naps move; `during` happens in each nap, after which its time has passed. */
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

describe('a stream that is watched', () => {
	it('has its whole time, and not a millisecond more', async () => {
		const { watchdog, naps } = onFakeClock({ totalMs: 2_500, idleMs: 9_000 });
		await watchdog.watch();
		expect(watchdog.expired).toBe('total');
		expect(naps).toStrictEqual([1_000, 1_000, 500]);
	});

	it('may be silent for so long, and not a millisecond longer', async () => {
		const { watchdog, naps } = onFakeClock({ totalMs: 9_000, idleMs: 1_001 });
		await watchdog.watch();
		expect(watchdog.expired).toBe('idle');
		expect(naps).toStrictEqual([1_000, 1]);
	});

	it('says that its time is over where its silence lasts as long', async () => {
		const { watchdog } = onFakeClock({ totalMs: 700, idleMs: 700 });
		await watchdog.watch();
		expect(watchdog.expired).toBe('total');
	});

	it('begins a new silence with each portion', async () => {
		const { watchdog, clock } = onFakeClock({ totalMs: 60_000, idleMs: 1_500 }, (watched, nap) => {
			if (nap === 1) watched.touch();
		});
		await watchdog.watch();
		expect(watchdog.expired).toBe('idle');
		expect(clock.time).toBe(1_000 + 1_000 + 1_500);
	});

	it('may last for ever where only its silence is limited', async () => {
		const { watchdog, naps } = onFakeClock({ totalMs: Infinity, idleMs: 1_500 }, (watched, nap) => {
			if (nap < 5_000) watched.touch();
			if (nap === 5_000) watched.stop();
		});
		await watchdog.watch();
		expect(watchdog.expired).toBeUndefined();
		expect(naps).toHaveLength(5_000);
	});
});

describe('a watchdog that is stopped', () => {
	it('ends with the nap that it is in, without calling anything expired', async () => {
		const { watchdog, naps } = onFakeClock({ totalMs: 1_000, idleMs: 1_000 }, (watched) => watched.stop());
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
])('after %i ms without a portion of 1000 allowed ones, it is silent: %s', (passed, isSilent) => {
	const { watchdog, clock } = onFakeClock({ totalMs: 60_000, idleMs: 1_000 });
	clock.time += 5_000;
	watchdog.touch();
	clock.time += passed;
	expect(watchdog.isSilent()).toBe(isSilent);
});
