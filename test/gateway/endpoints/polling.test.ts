import {
	CALLBACK_PAUSES_MS,
	pollOnce,
	pollUntil,
	waitForTask,
} from '../../../nodes/shared/gateway/endpoints/polling';
import type { MediaType } from '../../../nodes/shared/gateway/media/mediaModel';
import { apiErrorOf, rejection, scriptedClient, type Step } from '../../helpers/client';

const poll = (state: string): Step => ({ body: JSON.stringify({ code: 200, data: { taskId: 't', state } }) });
const makes = (mediaType: MediaType | undefined) => async () => await Promise.resolve(mediaType);
const plan = { mediaType: makes('image'), maxWaitMs: 60_000, pollImmediately: false };

describe('waiting for a task (§3.1)', () => {
	it('polls at the pace of its media type and stops at the end, without a last pause', async () => {
		const { client, pauses, sent } = scriptedClient([poll('waiting'), poll('processing'), poll('success')]);
		const body = await waitForTask(client, 't', plan);
		expect(body.data).toMatchObject({ state: 'success' });
		expect(pauses).toStrictEqual([4_000, 4_000, 4_000]);
		expect(sent).toHaveLength(3);
	});

	test.each([
		['image', 3_000, 5_000],
		['video', 5_000, 10_000],
		['music', 5_000, 10_000],
		['audio', 5_000, 10_000],
		[undefined, 5_000, 10_000],
	] as const)('%s: every %i to %i ms', async (mediaType, min, max) => {
		const paces = await Promise.all(
			[0, 0.999_999].map(async (random) => {
				const { client, pauses } = scriptedClient([poll('success')], {}, { random: () => random });
				await waitForTask(client, 't', { ...plan, mediaType: makes(mediaType) });
				return pauses[0];
			}),
		);
		expect(paces).toStrictEqual([min, max]);
	});

	it('polls at once where a result may exist already', async () => {
		const { client, pauses } = scriptedClient([poll('success')]);
		await waitForTask(client, 't', { ...plan, pollImmediately: true });
		expect(pauses).toStrictEqual([]);
	});

	test.each<[string, Step]>([
		['a lost connection', 'lost'],
		['429', { status: 429 }],
		['500', { status: 500 }],
		['503', { status: 503 }],
		['a cut-off response', { body: '{"data": {"sta' }],
		['a maintenance page', { body: '<html>back soon</html>' }],
		['a page with status 403', { status: 403, body: '<html>blocked</html>' }],
		['a text with status 404', { status: 404, body: 'default backend - 404' }],
		['an unknown state', poll('dreaming')],
		['a response without a task', { body: '{"code": 200, "data": null}' }],
		['504', { status: 504 }],
	])('continues after %s', async (_, transientError) => {
		const { client, sent } = scriptedClient([
			transientError,
			transientError,
			transientError,
			transientError,
			transientError,
			poll('success'),
		]);
		await waitForTask(client, 't', plan);
		expect(sent).toHaveLength(6);
	});

	it('waits longer when the gateway asks for it', async () => {
		const { client, pauses } = scriptedClient([
			{ status: 429, headers: { 'retry-after': '20' } },
			poll('success'),
		]);
		await waitForTask(client, 't', plan);
		expect(pauses).toStrictEqual([4_000, 20_000]);
	});

	test.each([401, 403, 404])('ends at once with %i, naming the task', async (status) => {
		const { client, sent } = scriptedClient([{ status }]);
		const { details } = await apiErrorOf(waitForTask(client, 't', plan));
		expect(details).toMatchObject({ status, taskId: 't' });
		expect(sent).toHaveLength(1);
	});

	it('polls a last time at the end of the longest wait, then says that the task is still running', async () => {
		const { client, pauses } = scriptedClient([poll('processing')]);
		const { details } = await apiErrorOf(waitForTask(client, 't', { ...plan, maxWaitMs: 10_000 }));
		expect(pauses).toStrictEqual([4_000, 4_000, 2_000]);
		expect(details).toMatchObject({
			code: 'wait_timeout',
			taskId: 't',
			extra: { state: 'processing' },
			retryable: true,
		});
	});

	it('names the transient error when the last polls failed, and reports no state', async () => {
		const { client } = scriptedClient([{ status: 503 }]);
		const { details } = await apiErrorOf(waitForTask(client, 't', { ...plan, maxWaitMs: 10_000 }));
		expect(details.description).toContain('is not available at the moment');
		expect(details.extra).toStrictEqual({ state: null });
	});

	it('returns a result that arrives with the last poll', async () => {
		const { client } = scriptedClient([poll('processing'), poll('processing'), poll('success')]);
		expect((await waitForTask(client, 't', { ...plan, maxWaitMs: 10_000 })).data).toMatchObject({
			state: 'success',
		});
	});

	it('stops at once when the execution is cancelled', async () => {
		const { client, sent } = scriptedClient([poll('processing')], {}, { stopAt: 1_000_000 + 9_000 });
		expect(await rejection(waitForTask(client, 't', plan))).toMatchObject({
			name: 'StoppedError',
			reason: 'cancelled',
		});
		expect(sent).toHaveLength(2);
	});

	it('reads the media type from the task where only the task names its model', async () => {
		const fromTask = { body: JSON.stringify({ data: { state: 'waiting', model: 'acme/painter' } }) };
		const { client, pauses } = scriptedClient([{ status: 503 }, fromTask, fromTask, poll('success')]);
		const mediaType = async (model: string | undefined) =>
			await Promise.resolve(model === 'acme/painter' ? ('image' as const) : undefined);
		await waitForTask(client, 't', { mediaType, maxWaitMs: 60_000, pollImmediately: true });
		expect(pauses).toStrictEqual([7_500, 4_000, 4_000]);
	});

	it('ends in time although the media type stays unknown for long', async () => {
		const { client, clock, sent } = scriptedClient([poll('processing')]);
		const mediaType = async () => {
			clock.now += 50_000;
			return await Promise.resolve(undefined);
		};
		const { details } = await apiErrorOf(waitForTask(client, 't', { ...plan, mediaType }));
		expect(details.code).toBe('wait_timeout');
		expect(clock.now).toBeLessThanOrEqual(1_000_000 + 60_000 + 50_000);
		expect(sent).toHaveLength(1);
	});

	it('keeps each of 500 tasks to its own pace, and polls no more often than that allows', async () => {
		const runs = Array.from({ length: 500 }, (_, index) => {
			const random = () => (index % 100) / 100;
			const states = [...Array<Step>(10).fill(poll('processing')), poll('success')];
			return scriptedClient(states, {}, { random });
		});
		await Promise.all(runs.map(async ({ client }) => await waitForTask(client, 't', plan)));
		for (const { pauses, sent } of runs) {
			expect(sent).toHaveLength(11);
			expect(pauses).toHaveLength(11);
			expect(Math.min(...pauses)).toBeGreaterThanOrEqual(3_000);
			expect(Math.max(...pauses)).toBeLessThanOrEqual(5_000);
		}
	});

	it('makes no pause longer than the rest of the wait, whatever the gateway asks for', async () => {
		const { client, pauses } = scriptedClient([{ status: 429, headers: { 'retry-after': '3600' } }]);
		await apiErrorOf(waitForTask(client, 't', { ...plan, maxWaitMs: 10_000 }));
		expect(pauses).toStrictEqual([4_000, 6_000]);
	});
});

describe('polling a task after its callback', () => {
	const pollAfterCallback = async (...states: string[]) => {
		const { client, pauses } = scriptedClient(states.map(poll));
		const found = await pollUntil({
			pauseMs: (polls) => CALLBACK_PAUSES_MS[polls],
			poll: async () => await pollOnce(client, 't'),
			pause: async (milliseconds) => await client.pause(milliseconds),
		});
		return [found?.task?.state, pauses];
	};

	it.each<[string, string[], unknown]>([
		['ends at once when the task has ended', ['success'], ['success', []]],
		[
			'is repeated for a moment while it has not',
			['processing', 'processing', 'fail'],
			['fail', [1_000, 3_000]],
		],
		[
			'returns the last state',
			['waiting', 'waiting', 'processing', 'success'],
			['processing', [1_000, 3_000]],
		],
	])('%s', async (_, states, expected) => {
		expect(await pollAfterCallback(...states)).toStrictEqual(expected);
	});
});
