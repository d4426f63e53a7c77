import {
	fileLimits,
	TimeLimitError,
	type TimeLimits,
	withinLimits,
} from '../../../nodes/shared/gateway/client/limits';
import { asError } from '../../../nodes/shared/gateway/errors/errors';

/**
 * Work on a clock that only the sleeps of its limits move. Returns its end: the limit that was exceeded, or its result.
 *
 * @param during runs after each sleep, and may end the work
 */
async function end(
	limits: TimeLimits,
	during: (touch: () => void, naps: number, finish: (result: string) => void) => void = () => undefined,
) {
	const naps: number[] = [];
	let time = 1_000;
	let touch: () => void = () => undefined;
	let finish: (result: string) => void = () => undefined;
	const clock = {
		now: () => time,
		sleep: async (milliseconds: number) => {
			naps.push(milliseconds);
			time += milliseconds;
			during(touch, naps.length, finish);
			return await Promise.resolve();
		},
	};
	const work = withinLimits(limits, clock, async (begin) => {
		touch = begin;
		return await new Promise<string>((resolve) => (finish = resolve));
	});
	const result = await work.catch((error: unknown) => {
		if (error instanceof TimeLimitError) return error.limit;
		throw asError(error);
	});
	return { result, naps, took: time - 1_000 };
}

it('work ends after the whole time, to the millisecond', async () => {
	const { result, naps } = await end({ totalMs: 2_500, idleMs: 9_000 });
	expect([result, naps]).toStrictEqual(['total', [1_000, 1_000, 500]]);
});

it('work ends after the longest silence, to the millisecond', async () => {
	const { result, naps } = await end({ totalMs: 9_000, idleMs: 1_001 });
	expect([result, naps]).toStrictEqual(['idle', [1_000, 1]]);
});

it('where the silence may last as long as the whole, the whole time is over', async () => {
	expect((await end({ totalMs: 700, idleMs: 700 })).result).toBe('total');
});

it('a file may take twelve times as long as a pause in it', () => {
	expect(fileLimits(60_000)).toStrictEqual({ totalMs: 720_000, idleMs: 60_000 });
});
