import fc from 'fast-check';

import { Interruption } from '../../../nodes/shared/execution/interruption';
import { forEachIndex, Limiter } from '../../../nodes/shared/execution/limiter';
import { rejection } from '../../helpers/client';

const turn = async () => await new Promise<void>((resolve) => setImmediate(resolve));

describe('the limiter', () => {
	it('never runs more at once than it may, and runs everything, in order', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 5 }),
				fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 }),
				async (max, turns) => {
					const limiter = new Limiter(max);
					const started: number[] = [];
					let running = 0;
					let most = 0;
					await Promise.all(
						turns.map(async (count, index) => {
							await limiter.run(async () => {
								started.push(index);
								running += 1;
								most = Math.max(most, running);
								for (let left = count; left > 0; left -= 1) await turn();
								running -= 1;
							});
						}),
					);
					expect(started).toStrictEqual(turns.map((_, index) => index));
					expect(most).toBeLessThanOrEqual(max);
				},
			),
			{ numRuns: 50 },
		);
	});

	it('frees the slot of work that fails', async () => {
		const limiter = new Limiter(1);
		await rejection(limiter.run(() => Promise.reject(new Error('no'))));
		expect(await limiter.run(() => Promise.resolve('next'))).toBe('next');
	});

	it('starts no more once it may not', async () => {
		const started: number[] = [];
		await forEachIndex(
			10,
			2,
			() => started.length < 4,
			async (index) => {
				started.push(index);
				await turn();
			},
		);
		expect(started).toStrictEqual([0, 1, 2, 3]);
	});
});

describe('the interruption', () => {
	it('ends all pauses at once when the execution is cancelled, and refuses new ones', async () => {
		const controller = new AbortController();
		const interruption = new Interruption(controller.signal);
		const start = performance.now();
		const pauses = [1, 2, 3].map(async () => await rejection(interruption.pause(900)));
		controller.abort();
		for (const error of await Promise.all(pauses)) expect(error).toMatchObject({ reason: 'cancelled' });
		expect(performance.now() - start).toBeLessThan(850);
		expect(await rejection(interruption.pause(1))).toMatchObject({ reason: 'cancelled' });
		expect(() => interruption.check()).toThrow();
	});

	it('knows a signal that was aborted before', () => {
		expect(new Interruption(AbortSignal.abort()).isCancelled).toBe(true);
	});

	it('lets a pause end by itself', async () => {
		await new Interruption(undefined).pause(1);
	});

	it('counts a cancellation more than a failure', () => {
		const controller = new AbortController();
		const interruption = new Interruption(controller.signal);
		interruption.interrupt('other item failed');
		expect(interruption.isCancelled).toBe(false);
		controller.abort();
		expect(interruption.isCancelled).toBe(true);
	});

	it('leaves no listener on the execution’s signal', () => {
		const controller = new AbortController();
		const interruption = new Interruption(controller.signal);
		interruption.dispose();
		controller.abort();
		expect(interruption.isInterrupted).toBe(false);
	});
});
