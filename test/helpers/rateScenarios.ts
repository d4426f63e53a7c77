import type { Limit } from './account';
import type { Scenario } from './rateScenario';

/** A scenario, the time that its work takes at best, and how much longer it may take. */
export interface ScenarioCase {
	name: string;
	scenario: Scenario;
	/** Seconds. */
	ideal: number;
	/** The longest time, as a multiple of the ideal. */
	bound: number;
	/** A text that never fits the limit: it fails, and the time is that of the others. */
	neverFits?: number | undefined;
}

const BOUND = 1.15;
/** With one text that needs most of the limit, and where refused requests count. */
const HARD_BOUND = 1.35;
/** For two processes that learn only from refusals. */
const BLIND_BOUND = 1.5;

type Row = [name: string, scenario: Scenario, ideal: number, bound?: number, neverFits?: number];
const toCase = ([name, scenario, ideal, bound = BOUND, neverFits]: Row): ScenarioCase => {
	return { name, scenario, ideal, bound, neverFits };
};

const refusedOnce = (which: (n: number) => boolean, retryAfter = 1) => ({ which, retryAfter });
const first = (n: number) => n === 0;
const afterAWhile = {
	startsAt: (n: number) => (n < 12 ? 4 * n : 48),
	refusedOnce: refusedOnce((n) => n === 10),
};

/** Texts that are refused without a reason: their scenarios have no limit. */
const refusedOnceRows: Row[] = [
	[
		'12 texts in 48 s, the 11th refused once, then 200 at 20',
		{ texts: 212, concurrency: 20, ...afterAWhile },
		50,
	],
	[
		'200 texts at 20, the first refused once',
		{ texts: 200, concurrency: 20, refusedOnce: refusedOnce(first) },
		2,
	],
	[
		'1,000 texts at 20, every 50th refused once',
		{ texts: 1_000, concurrency: 20, refusedOnce: refusedOnce((n) => n % 50 === 49) },
		11,
	],
	[
		'200 texts at 20, the first refused once with Retry-After: 60',
		{ texts: 200, concurrency: 20, refusedOnce: refusedOnce(first, 60) },
		60,
	],
];
export const refusedOnceCases = refusedOnceRows.map(toCase);

/** Scenarios with a limit. */
export const limitCases = [false, true].flatMap((retryAfter) => {
	const limited = (
		texts: number,
		kind: Limit['kind'],
		tokens: number,
		seconds: number,
		more: object = {},
	) => {
		const limit: Limit = { tokens, windowMs: seconds * 1_000, kind, retryAfter, ...more };
		return { texts, concurrency: 8, limit };
	};
	const eleventh = (tokens: number) => ({ tokens: (n: number) => (n === 10 ? tokens : 1) });
	const rows: Row[] = [
		[
			'60 per 20 s, fixed: two processes, 80 texts each',
			{ ...limited(80, 'fixed', 60, 20), processes: 2 },
			41,
			retryAfter ? BOUND : BLIND_BOUND,
		],
		[
			'60 a minute, sliding: 300 texts, refused requests count',
			limited(300, 'sliding', 60, 60, { countsRefused: true }),
			242,
			HARD_BOUND,
		],
		[
			'300 texts and one that needs 80 of the 100 per 20 s',
			{ ...limited(301, 'sliding', 100, 20), ...eleventh(80) },
			60,
			HARD_BOUND,
		],
		['60 a minute, refilled evenly: 200 texts', limited(200, 'bucket', 60, 60), 140],
		[
			'40 per 10 s, fixed: three executions of 40 texts',
			{ ...limited(40, 'fixed', 40, 10), executions: 3 },
			21,
		],
		// The second minute, and an interval of polls (§3.1).
		[
			'600 a minute, sliding: 300 tasks beside 300 texts',
			{ ...limited(300, 'sliding', 600, 60), tasks: 300 },
			64,
		],
		[
			'100 per 20 s, sliding: 300 texts and one that never fits',
			{ ...limited(301, 'sliding', 100, 20), ...eleventh(101) },
			40,
			HARD_BOUND,
			10,
		],
	];
	const after = retryAfter ? 'with Retry-After' : 'without';
	return rows.map(([name, ...row]) => toCase([`${name}, ${after}`, ...row]));
});
