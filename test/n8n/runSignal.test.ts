import { getEventListeners } from 'node:events';

import { RunSignal } from '../../nodes/shared/n8n/runSignal';
import { rejection } from '../helpers/client';

const tick = async () => await new Promise<void>((resolve) => setImmediate(resolve));

describe('the signal of a run', () => {
	beforeEach(() => jest.useFakeTimers({ doNotFake: ['performance', 'setImmediate', 'nextTick'] }));
	afterEach(() => jest.useRealTimers());

	/** Begins a pause, and records how it ended. */
	function paused(signal: RunSignal, milliseconds: number) {
		const seen: { end?: unknown } = {};
		signal.pause(milliseconds).then(
			() => (seen.end = 'over'),
			(error: unknown) => (seen.end = error),
		);
		return seen;
	}

	it.each<[string, (signal: RunSignal, controller: AbortController) => void]>([
		['cancelled', (_, controller) => controller.abort()],
		['cancelled', (signal) => signal.abort('cancelled')],
		['other item failed', (signal) => signal.abort('other item failed')],
	])('ends all pauses at once, and allows no new pauses or requests: %s', async (reason, end) => {
		const controller = new AbortController();
		const signal = new RunSignal(controller.signal);
		const stopped = { name: 'StoppedError', reason };
		const pauses = [1, 2, 3].map(() => paused(signal, 3_600_000));
		await tick();
		expect(pauses).toStrictEqual([{}, {}, {}]);
		end(signal, controller);
		await tick();
		expect(pauses.map(({ end: error }) => error)).toMatchObject([stopped, stopped, stopped]);
		expect(jest.getTimerCount()).toBe(0);
		expect(await rejection(signal.pause(0))).toMatchObject(stopped);
		expect(() => signal.throwIfAborted()).toThrow(expect.objectContaining(stopped) as Error);
		expect(signal.isAborted).toBe(true);
	});

	it.each([
		['before', true],
		['after', false],
	])('a cancellation overrides an error %s it', async (_, failsFirst) => {
		const controller = new AbortController();
		const signal = new RunSignal(controller.signal);
		const [fail, cancel] = [() => signal.abort('other item failed'), () => controller.abort()];
		if (failsFirst) fail();
		const before = signal.isCancelled;
		cancel();
		if (!failsFirst) fail();
		expect([before, signal.isCancelled]).toStrictEqual([false, true]);
		expect(await rejection(signal.pause(0))).toMatchObject({ reason: 'cancelled' });
	});

	it.each(['dispose', 'abort'] as const)('leaves no listener on the execution’s signal after %s', (end) => {
		const controller = new AbortController();
		const listeners = () => getEventListeners(controller.signal, 'abort').length;
		const signal = new RunSignal(controller.signal);
		expect(listeners()).toBe(1);
		if (end === 'dispose') signal.dispose();
		controller.abort();
		expect([listeners(), signal.isAborted]).toStrictEqual([0, end === 'abort']);
	});
});
