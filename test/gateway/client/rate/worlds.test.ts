import fc from 'fast-check';

import { runWorld, type World } from '../../../helpers/world';
import { limitCases, strayCases, type WorldCase } from '../../../helpers/worlds';

// How long work takes at a rate limit that the client does not know.

const SEEDS = Array.from({ length: 11 }, (_, index) => index + 1);

/** Does the work several times. Returns the median of its times, in seconds. */
async function medianTime({ world, hopeless }: WorldCase): Promise<number> {
	const times: number[] = [];
	for (const seed of SEEDS) {
		const { ends, seconds, failed } = await runWorld(world, seed);
		expect(failed).toStrictEqual(hopeless === undefined ? [] : [hopeless]);
		times.push(hopeless === undefined ? seconds : Math.max(...ends.filter((_, n) => n !== hopeless)));
	}
	return times.sort((one, other) => one - other)[Math.floor(SEEDS.length / 2)] ?? NaN;
}

it.each([...strayCases, ...limitCases])(
	'work takes little longer than the limit asks for: $name',
	async (one) => {
		expect((await medianTime(one)) / one.ideal).toBeLessThanOrEqual(one.bound);
	},
	60_000,
);

it.each(strayCases)('a stray 429 does not delay the others: $name', async ({ world }) => {
	const { strays } = world;
	const others = ({ ends }: { ends: number[] }) => Math.max(...ends.filter((_, n) => !strays?.which(n)));
	const quiet = { ...world, strays: undefined };
	const delay = others(await runWorld(world, 1)) - others(await runWorld(quiet, 1));
	const count = Array.from({ length: world.texts }, (_none, n) => n).filter((n) => strays?.which(n)).length;
	expect(delay / count).toBeLessThanOrEqual(0.5);
});

it.each([false, true])(
	'three texts that never fit cost the others seconds, Retry-After: %s',
	async (retryAfter) => {
		const world: World = {
			texts: 103,
			concurrency: 8,
			tokens: (n) => (n < 3 ? 1_001 : 1),
			limit: { tokens: 1_000, windowMs: 60_000, kind: 'sliding', retryAfter },
		};
		for (const seed of SEEDS) {
			const { ends, failed } = await runWorld(world, seed);
			expect(failed.sort()).toStrictEqual([0, 1, 2]);
			expect(Math.max(...ends.slice(3))).toBeLessThan(20);
		}
	},
);

it('every text is taken once at any limit, also by processes that know nothing of each other', async () => {
	const worlds: fc.Arbitrary<World> = fc.record({
		texts: fc.integer({ min: 1, max: 100 }),
		concurrency: fc.integer({ min: 1, max: 30 }),
		processes: fc.integer({ min: 1, max: 3 }),
		textMs: fc.integer({ min: 0, max: 10_000 }),
		limit: fc.record({
			tokens: fc.integer({ min: 20, max: 400 }),
			windowMs: fc.constantFrom(10_000, 20_000, 60_000),
			kind: fc.constantFrom('sliding', 'fixed', 'bucket'),
			retryAfter: fc.boolean(),
		}),
	});
	await fc.assert(
		fc.asyncProperty(worlds, fc.nat(), async (world, seed) => {
			const { taken, failed } = await runWorld(world, seed);
			expect(failed).toStrictEqual([]);
			const all = Array.from({ length: world.texts * (world.processes ?? 1) }, (_, n) => n);
			expect(taken.sort((one, other) => one - other)).toStrictEqual(all);
		}),
		{ numRuns: 60 },
	);
}, 60_000);
