import type { Limit } from './account';
import type { World } from './world';

/** A world, the time that its work takes at best, and how much longer it may take. */
export interface WorldCase {
	name: string;
	world: World;
	/** Seconds. */
	ideal: number;
	/** The longest time, as a multiple of the ideal. */
	bound: number;
	/** A text that never fits the limit: it fails, and the time is that of the others. */
	hopeless?: number;
}

const BOUND = 1.15;
/** With one text that needs most of the limit, and where refused requests count. */
const HARD_BOUND = 1.35;
/** For two processes that learn only from refusals. */
const BLIND_BOUND = 1.5;

const first = (n: number) => n === 0;
const strays = (which: (n: number) => boolean, retryAfter = 1) => ({ which, retryAfter });

/** Texts that are refused without a reason: their worlds have no limit. */
export const strayCases: WorldCase[] = [
	{
		name: '12 texts in 48 s, the 11th stray, then 200 at 20',
		world: {
			texts: 212,
			concurrency: 20,
			startsAt: (n) => (n < 12 ? 4 * n : 48),
			strays: strays((n) => n === 10),
		},
		ideal: 50,
		bound: BOUND,
	},
	{
		name: '200 texts at 20, the first stray',
		world: { texts: 200, concurrency: 20, strays: strays(first) },
		ideal: 2,
		bound: BOUND,
	},
	{
		name: '1,000 texts at 20, every 50th stray',
		world: { texts: 1_000, concurrency: 20, strays: strays((n) => n % 50 === 49) },
		ideal: 11,
		bound: BOUND,
	},
	{
		name: '200 texts at 20, the first stray with Retry-After: 60',
		world: { texts: 200, concurrency: 20, strays: strays(first, 60) },
		ideal: 60,
		bound: BOUND,
	},
];

/** Worlds with a limit. */
export const limitCases = (['none', 'seconds'] as const).flatMap((kind): WorldCase[] => {
	const retryAfter = kind === 'seconds';
	const limit = (tokens: number, seconds: number, of: Limit['kind'], more: Partial<Limit> = {}): Limit => ({
		tokens,
		windowMs: seconds * 1_000,
		kind: of,
		retryAfter,
		...more,
	});
	const cases: Array<[string, World, number, number?]> = [
		[
			'60 per 20 s, fixed: two processes, 80 texts each',
			{ texts: 80, concurrency: 8, processes: 2, limit: limit(60, 20, 'fixed') },
			41,
			retryAfter ? BOUND : BLIND_BOUND,
		],
		[
			'60 a minute, sliding: 300 texts, refused requests count',
			{ texts: 300, concurrency: 8, limit: limit(60, 60, 'sliding', { countsRefused: true }) },
			242,
			HARD_BOUND,
		],
		[
			'300 texts and one that needs 80 of the 100 per 20 s',
			{ texts: 301, concurrency: 8, tokens: (n) => (n === 10 ? 80 : 1), limit: limit(100, 20, 'sliding') },
			60,
			HARD_BOUND,
		],
		[
			'60 a minute, refilled evenly: 200 texts',
			{ texts: 200, concurrency: 8, limit: limit(60, 60, 'bucket') },
			140,
		],
		[
			'40 per 10 s, fixed: three executions of 40 texts',
			{ texts: 40, executions: 3, concurrency: 8, limit: limit(40, 10, 'fixed') },
			21,
		],
		// The second minute, and an interval of polls (§3.1).
		[
			'600 a minute, sliding: 300 tasks beside 300 texts',
			{ texts: 300, tasks: 300, concurrency: 8, limit: limit(600, 60, 'sliding') },
			64,
		],
	];
	const hopeless: WorldCase = {
		name: '100 per 20 s, sliding: 300 texts and one that never fits',
		world: {
			texts: 301,
			concurrency: 8,
			tokens: (n) => (n === 10 ? 101 : 1),
			limit: limit(100, 20, 'sliding'),
		},
		ideal: 40,
		bound: HARD_BOUND,
		hopeless: 10,
	};
	const after = retryAfter ? 'with Retry-After' : 'without';
	return [
		...cases.map(([name, world, ideal, bound = BOUND]) => ({ name, world, ideal, bound })),
		hopeless,
	].map((one) => ({ ...one, name: `${one.name}, ${after}` }));
});
