import { getEventListeners } from 'node:events';

import { abortable } from '../../../nodes/shared/gateway/client/abort';
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
