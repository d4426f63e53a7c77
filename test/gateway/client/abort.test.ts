import { getEventListeners } from 'node:events';

import { withinTime, abortable } from '../../../nodes/shared/gateway/client/abort';
import { asError, StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { rejection } from '../../helpers/client';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;
const never = async () => await new Promise<never>(() => undefined);

describe('work with an abort signal', () => {
	it.each([undefined, new AbortController().signal])(
		'returns its result or throws its error (signal: %s)',
		async (signal) => {
			const failed = new Error('failed');
			expect(await abortable(signal, () => Promise.resolve(7))).toBe(7);
			expect(await rejection(abortable(signal, () => Promise.reject(failed)))).toBe(failed);
		},
	);

	it('does not begin when the signal is aborted already', async () => {
		let calls = 0;
		const outcome = rejection(
			abortable(AbortSignal.abort(), async () => await Promise.resolve((calls += 1))),
		);
		expect(await outcome).toStrictEqual(new StoppedError('not waited for'));
		expect(calls).toBe(0);
	});

	it('ends at once when the signal is aborted', async () => {
		const controller = new AbortController();
		const outcome = rejection(abortable(controller.signal, never));
		controller.abort();
		expect(await outcome).toMatchObject({ name: 'StoppedError', reason: 'not waited for' });
	});

	it('may fail after the abort without an unhandled rejection', async () => {
		const controller = new AbortController();
		let fail: (error: Error) => void = () => undefined;
		const work = new Promise<never>((_, reject) => (fail = reject));
		const outcome = rejection(abortable(controller.signal, async () => await work));
		controller.abort();
		fail(new Error('too late'));
		expect(await outcome).toBeInstanceOf(StoppedError);
	});

	it.each<[string, (controller: AbortController) => Promise<unknown>]>([
		['returns a value', () => Promise.resolve(1)],
		['fails', () => Promise.reject(new Error('failed'))],
		[
			'is aborted',
			async (controller) => {
				controller.abort();
				return await never();
			},
		],
	])('listens to the signal until it %s, and no longer', async (_, work) => {
		const controller = new AbortController();
		const during: number[] = [];
		await abortable(controller.signal, async () => {
			during.push(listeners(controller.signal));
			return await work(controller);
		}).catch(asError);
		expect([...during, listeners(controller.signal)]).toStrictEqual([1, 0]);
	});
});

describe('work with a limited time', () => {
	const clockOf = (sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>) => ({ sleep });

	it('returns its result, and ends the clock', async () => {
		const signals: Array<AbortSignal | undefined> = [];
		const clock = clockOf(async (_, signal) => {
			signals.push(signal);
			return await new Promise(() => undefined);
		});
		expect(await withinTime(clock, 10, async () => await Promise.resolve(7))).toBe(7);
		expect(signals.map((signal) => signal?.aborted)).toStrictEqual([true]);
	});

	it('returns nothing when the time is over, and is aborted', async () => {
		let given: AbortSignal | undefined;
		const clock = clockOf(async () => await Promise.resolve());
		const work = async (signal: AbortSignal) => {
			given = signal;
			return await new Promise(() => undefined);
		};
		expect([await withinTime(clock, 10, work), given?.aborted]).toStrictEqual([undefined, true]);
	});

	it('may take longer than a timer of Node can', async () => {
		const steps: number[] = [];
		const clock = clockOf(async (milliseconds) => {
			steps.push(milliseconds);
			await new Promise((resolve) => setImmediate(resolve));
		});
		const work = async () => {
			while (steps.length < 40_000) await new Promise((resolve) => setImmediate(resolve));
			return 'ended';
		};
		expect(await withinTime(clock, 100_000 * 60_000, work)).toBe('ended');
		expect(Math.max(...steps.slice(0, 100))).toBe(60_000);
	});
});
