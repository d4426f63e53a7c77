import fc from 'fast-check';

import { Limiter } from '../../nodes/shared/run/limiter';

const tick = async () => await new Promise<void>((resolve) => setImmediate(resolve));

describe('the limiter', () => {
	it('gives a free slot to the work that has waited longest, also when more work arrives at that moment, and after errors', async () => {
		const arrival = fc.record({
			/** Event loop ticks before it arrives, and while it runs. */
			after: fc.integer({ min: 0, max: 6 }),
			lasts: fc.integer({ min: 0, max: 3 }),
			fails: fc.boolean(),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 3 }),
				fc.array(arrival, { minLength: 1, maxLength: 15 }),
				async (max, arrivals) => {
					const limiter = new Limiter(max);
					const [came, started, failed]: [number[], number[], unknown[]] = [[], [], []];
					const load = { now: 0, most: 0 };
					const work = async (index: number) => {
						started.push(index);
						load.now += 1;
						load.most = Math.max(load.most, load.now);
						for (let left = arrivals[index]?.lasts ?? 0; left > 0; left -= 1) await tick();
						load.now -= 1;
						if (arrivals[index]?.fails) throw new Error(String(index));
						return index;
					};
					const results = arrivals.map(async ({ after }, index) => {
						for (let left = after; left > 0; left -= 1) await tick();
						came.push(index);
						return await limiter.run(() => work(index)).catch((error: unknown) => failed.push(error));
					});
					await Promise.all(results);
					expect(started).toStrictEqual(came);
					expect(load.most).toBeLessThanOrEqual(max);
					expect(failed).toHaveLength(arrivals.filter(({ fails }) => fails).length);
					// All slots are free again, and there are no more than those.
					const again = { now: 0, most: 0 };
					const one = async () => {
						again.now += 1;
						again.most = Math.max(again.most, again.now);
						await tick();
						again.now -= 1;
					};
					await Promise.all(Array.from({ length: max + 2 }, () => limiter.run(one)));
					expect(again.most).toBe(max);
				},
			),
			{ numRuns: 60 },
		);
	});
});
