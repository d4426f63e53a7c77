import { getEventListeners } from 'node:events';

import { RunSignal } from '../../nodes/shared/n8n/runSignal';
import { rejection } from '../helpers/client';

const turn = async () => await new Promise<void>((resolve) => setImmediate(resolve));

describe('the signal of a run', () => {
	beforeEach(() => jest.useFakeTimers({ doNotFake: ['performance', 'setImmediate', 'nextTick'] }));
	afterEach(() => jest.useRealTimers());

	/** Begins a pause, and notes how it ended. */
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
	])('ends all pauses at once, and allows no new ones and no requests: %s', async (reason, end) => {
		const controller = new AbortController();
		const signal = new RunSignal(controller.signal);
		const stopped = { name: 'StoppedError', reason };
		const pauses = [1, 2, 3].map(() => paused(signal, 3_600_000));
		await turn();
		expect(pauses).toStrictEqual([{}, {}, {}]);
		end(signal, controller);
		await turn();
		expect(pauses.map(({ end: error }) => error)).toMatchObject([stopped, stopped, stopped]);
		expect(jest.getTimerCount()).toBe(0);
		expect(await rejection(signal.pause(0))).toMatchObject(stopped);
		expect(() => signal.throwIfAborted()).toThrow(expect.objectContaining(stopped) as Error);
		expect(signal.isAborted).toBe(true);
	});

	it('knows a signal that was aborted before', async () => {
		const signal = new RunSignal(AbortSignal.abort());
		expect(signal.isCancelled).toBe(true);
		expect(await rejection(signal.pause(0))).toMatchObject({ reason: 'cancelled' });
	});

	it('lets a pause end by itself, after its time', async () => {
		const signal = new RunSignal(new AbortController().signal);
		const pause = paused(signal, 60_000);
		await jest.advanceTimersByTimeAsync(59_999);
		expect(pause).toStrictEqual({});
		await jest.advanceTimersByTimeAsync(1);
		expect(pause).toStrictEqual({ end: 'over' });
		expect(() => signal.throwIfAborted()).not.toThrow();
		expect([signal.isAborted, signal.isCancelled]).toStrictEqual([false, false]);
	});

	it('does nothing to pauses that are over', async () => {
		const unhandled: unknown[] = [];
		const note = (error: unknown) => void unhandled.push(error);
		process.on('unhandledRejection', note);
		const signal = new RunSignal(undefined);
		const pause = paused(signal, 5);
		await jest.advanceTimersByTimeAsync(5);
		signal.abort('other item failed');
		await turn();
		await turn();
		process.off('unhandledRejection', note);
		expect([pause.end, unhandled]).toStrictEqual(['over', []]);
	});

	it.each([
		['before', true],
		['after', false],
	])('a cancellation overrides a failure %s it', async (_, failsFirst) => {
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

	it('leaves no listener on the execution’s signal', () => {
		const controller = new AbortController();
		const signal = new RunSignal(controller.signal);
		expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
		signal.dispose();
		expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
		controller.abort();
		expect(signal.isAborted).toBe(false);
	});

	it('does not listen any more once the execution is cancelled', () => {
		const controller = new AbortController();
		new RunSignal(controller.signal);
		controller.abort();
		expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
	});

	it('needs no signal', () => {
		const signal = new RunSignal(undefined);
		signal.dispose();
		expect(signal.isAborted).toBe(false);
	});
});
