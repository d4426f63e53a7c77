import type { Limit, Scenario } from './rateScenario';

/** Work at a rate limit that the client does not know. Fallback models: `stories/fallbackRateLimit.test.ts`. */
export interface ScenarioCase {
	name: string;
	scenario: Scenario;
	/** The time that the work takes at best, in seconds. */
	ideal: number;
	/** The longest time, as a multiple of the ideal. */
	bound: number;
	/** A text that never fits the limit: it fails, and the time is that of the others. */
	neverFits?: number;
}

const BOUND = 1.15;
/** Where one text never fits, or refused requests count. */
const HARD_BOUND = 1.35;
/** For two processes that learn only from refusals. */
const BLIND_BOUND = 1.5;

const limited = (
	texts: number,
	[kind, tokens, seconds]: readonly [Limit['kind'], number, number],
	more: object = {},
): Scenario => ({
	texts,
	concurrency: 8,
	limit: { tokens, windowMs: seconds * 1_000, kind, retryAfter: false, ...more },
});

export const rateScenarios: ScenarioCase[] = [
	{
		name: 'a stray 429: 1,000 texts at 20, every 50th refused once without a reason',
		scenario: {
			texts: 1_000,
			concurrency: 20,
			refusedOnce: { which: (n) => n % 50 === 49, retryAfter: 1 },
		},
		ideal: 11,
		bound: BOUND,
	},
	{
		name: 'after a pause: 12 texts in 48 s, the 11th refused once, then 200 at 20',
		scenario: {
			texts: 212,
			concurrency: 20,
			startsAt: (n) => (n < 12 ? 4 * n : 48),
			refusedOnce: { which: (n) => n === 10, retryAfter: 1 },
		},
		ideal: 50,
		bound: BOUND,
	},
	{
		name: 'a fixed window: 40 per 10 s, three executions of 40 texts',
		scenario: { ...limited(40, ['fixed', 40, 10]), executions: 3 },
		ideal: 21,
		bound: BOUND,
	},
	{
		name: 'a sliding window in which refused requests count: 60 a minute, 300 texts, with Retry-After',
		scenario: limited(300, ['sliding', 60, 60], { countsRefused: true, retryAfter: true }),
		ideal: 242,
		bound: HARD_BOUND,
	},
	{
		name: 'a limit that is refilled evenly: 60 a minute, 200 texts',
		scenario: limited(200, ['bucket', 60, 60]),
		ideal: 140,
		bound: BOUND,
	},
	{
		name: 'two processes: 60 per 20 s, 80 texts each',
		scenario: { ...limited(80, ['fixed', 60, 20]), processes: 2 },
		ideal: 41,
		bound: BLIND_BOUND,
	},
	{
		name: 'above the limit: 100 per 20 s, 300 texts and one that never fits',
		scenario: { ...limited(301, ['sliding', 100, 20]), tokens: (n) => (n === 10 ? 101 : 1) },
		ideal: 40,
		bound: HARD_BOUND,
		neverFits: 10,
	},
	{
		// The second minute, and an interval of polls (§3.1).
		name: 'tasks beside texts: 600 a minute, 300 of each, with Retry-After',
		scenario: { ...limited(300, ['sliding', 600, 60], { retryAfter: true }), tasks: 300 },
		ideal: 64,
		bound: BOUND,
	},
];

/** The time that a case has taken, in seconds. */
export function timeOf(
	{ neverFits }: ScenarioCase,
	{ ends, seconds }: { ends: number[]; seconds: number },
): number {
	return neverFits === undefined ? seconds : Math.max(...ends.filter((_, n) => n !== neverFits));
}
