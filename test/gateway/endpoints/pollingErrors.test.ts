import { waitForTask, pollOnce } from '../../../nodes/shared/gateway/endpoints/polling';
import type { MediaType } from '../../../nodes/shared/gateway/media/mediaModel';
import { problemError } from '../../../nodes/shared/gateway/errors/fromResponse';
import type { HttpResponse, HttpRequest } from '../../../nodes/shared/gateway/client/transport';
import { StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { GatewayClient } from '../../../nodes/shared/gateway/client/client';
import { apiErrorOf, rejection, scriptedClient, type Step, testGate } from '../../helpers/client';

const state = (name: string): Step => ({
	body: JSON.stringify({ code: 200, data: { taskId: 't', state: name } }),
});
const makes = (mediaType: MediaType | undefined) => async () => await Promise.resolve(mediaType);
const plan = { mediaType: makes('image'), maxWaitMs: 60_000, pollImmediately: false };

describe('a poll with a transient error', () => {
	it.each<[string, Step]>([
		['lost', 'lost'],
		['not responded to in time', 'timeout'],
		['refused', 'refused'],
		['429', { status: 429 }],
		['503', { status: 503 }],
		['a page', { body: '<html>back soon</html>' }],
		['a response without a task', { body: '{"code": 200, "data": null}' }],
	])('is not repeated before the next is due: %s', async (_, transientError) => {
		const { client, pauses, sent } = scriptedClient([transientError, transientError, state('success')]);
		const body = await waitForTask(client, 't', plan);
		expect(body).toStrictEqual({ code: 200, data: { taskId: 't', state: 'success' } });
		expect(pauses).toStrictEqual([4_000, 4_000, 4_000]);
		expect(sent).toHaveLength(3);
	});

	it('does not shorten the pace when the gateway asks for less', async () => {
		const busy = { status: 429, headers: { 'retry-after': '1' } };
		const { client, pauses } = scriptedClient([busy, state('success')]);
		await waitForTask(client, 't', plan);
		expect(pauses).toStrictEqual([4_000, 4_000]);
	});

	it('is forgotten when the next poll succeeds', async () => {
		const { client } = scriptedClient([{ status: 503 }, state('processing')]);
		const { details } = await apiErrorOf(waitForTask(client, 't', { ...plan, maxWaitMs: 10_000 }));
		expect(details).toMatchObject({ code: 'wait_timeout', extra: { state: 'processing' } });
		expect(details.description).not.toContain('not available');
	});
});

it.each<[string, Step]>([
	['an untrusted certificate', 'certificate'],
	['an address that cannot work', 'address'],
	['a redirect', { status: 301 }],
	['a missing task', { status: 404 }],
	['a bad ID', { status: 422 }],
])('%s ends a wait at once, and the error names the task', async (_, step) => {
	const { client, pauses, sent } = scriptedClient([step]);
	const { details } = await apiErrorOf(waitForTask(client, 't', plan));
	expect(details.taskId).toBe('t');
	expect(details.code).not.toBe('wait_timeout');
	expect([pauses, sent.length]).toStrictEqual([[4_000], 1]);
});

it('a cancelled poll ends the wait as cancelled', async () => {
	const cancelled = new StoppedError('cancelled');
	const { client, sent } = scriptedClient([state('processing'), cancelled]);
	expect(await rejection(waitForTask(client, 't', plan))).toBe(cancelled);
	expect(sent).toHaveLength(2);
});

it('a poll returns the task or the transient error, and is not repeated', async () => {
	const { client } = scriptedClient([state('waiting'), { status: 500 }]);
	expect((await pollOnce(client, 't', 1_500)).task?.state).toBe('waiting');
	const { transientError, task } = await pollOnce(client, 't');
	expect([transientError?.details.status, task]).toStrictEqual([500, undefined]);
});

describe('Max Wait', () => {
	it.each([
		['whole polls', 8_000, [4_000, 4_000]],
		['a poll and a rest', 9_000, [4_000, 4_000, 1_000]],
		['less than a poll', 1, [1]],
	])('is kept to the millisecond: %s', async (_, maxWaitMs, expected) => {
		const { client, pauses, sent, clock } = scriptedClient([state('processing')]);
		const start = clock.now;
		const { details } = await apiErrorOf(waitForTask(client, 't', { ...plan, maxWaitMs }));
		expect(details.code).toBe('wait_timeout');
		expect(pauses).toStrictEqual(expected);
		expect(sent).toHaveLength(expected.length);
		expect(clock.now - start).toBe(maxWaitMs);
	});

	it('allows a result that arrives exactly at its end', async () => {
		const { client, sent } = scriptedClient([state('processing'), state('fail')]);
		const body = await waitForTask(client, 't', { ...plan, maxWaitMs: 8_000 });
		expect(body.data).toStrictEqual({ taskId: 't', state: 'fail' });
		expect(sent).toHaveLength(2);
	});

	it('that is over already leaves one poll for a result that may exist', async () => {
		const over = { ...plan, maxWaitMs: 0, pollImmediately: true };
		const found = scriptedClient([state('success')]);
		await waitForTask(found.client, 't', over);
		const running = scriptedClient([state('processing')]);
		expect((await apiErrorOf(waitForTask(running.client, 't', over))).details.code).toBe('wait_timeout');
		for (const { sent, pauses } of [found, running]) {
			expect([sent.length, pauses]).toStrictEqual([1, []]);
		}
	});

	it('that is over already sends nothing where the task is new', async () => {
		const { client, sent } = scriptedClient([state('success')]);
		const { details } = await apiErrorOf(waitForTask(client, 't', { ...plan, maxWaitMs: 0 }));
		expect(details).toMatchObject({ code: 'wait_timeout', taskId: 't', extra: { state: null } });
		expect(details.description).toContain('"unknown"');
		expect(sent).toHaveLength(0);
	});

	it('limits each poll, whatever the timeout is, except for five seconds at the end', async () => {
		const { client, sent } = scriptedClient([state('processing')], { timeoutMs: 300_000 });
		await apiErrorOf(waitForTask(client, 't', { ...plan, maxWaitMs: 11_000 }));
		expect(sent.map(({ timeoutMs }) => timeoutMs)).toStrictEqual([7_000, 5_000, 5_000]);
	});

	it('does not limit a poll that has a shorter timeout', async () => {
		const { client, sent } = scriptedClient([state('success')], { timeoutMs: 2_000 });
		await waitForTask(client, 't', plan);
		expect(sent.map(({ timeoutMs }) => timeoutMs)).toStrictEqual([2_000]);
	});

	it.each([
		[150_000, '2.5 minutes'],
		[90_000, '90 seconds'],
		[8_000, '8 seconds'],
		[60, '0.1 seconds'],
		[600_000, '10 minutes'],
	])('of %i ms is shown as %s', async (maxWaitMs, error) => {
		const { client } = scriptedClient([state('processing')]);
		const { details } = await apiErrorOf(waitForTask(client, 't', { ...plan, maxWaitMs }));
		expect(details.description).toContain(`after ${error}`);
		expect(details.description).toContain('Task t was in state "processing"');
	});

	it('ends with an error that says that the task is still running and can be waited for again', async () => {
		const { client } = scriptedClient([state('waiting')]);
		const { details } = await apiErrorOf(waitForTask(client, 't', { ...plan, maxWaitMs: 5_000 }));
		expect(details).toStrictEqual({
			message: expect.any(String) as string,
			description: expect.stringContaining("'Max Wait (Minutes)'") as string,
			outcome: 'rejected',
			kind: 'poll',
			code: 'wait_timeout',
			retryable: true,
			taskId: 't',
			extra: { state: 'waiting' },
		});
	});

	it('ends with the last transient error as its cause', async () => {
		const { client } = scriptedClient(['lost']);
		const failure = await apiErrorOf(waitForTask(client, 't', { ...plan, maxWaitMs: 5_000 }));
		expect(failure.cause).toMatchObject({ details: { code: 'connection_lost' } });
	});
});

describe('150 tasks on one clock', () => {
	beforeEach(() => void jest.useFakeTimers());
	afterEach(() => void jest.useRealTimers());

	const COUNT = 150;
	const seconds = (time: number) => Math.floor(time / 1_000);

	/** Waits for 150 tasks; returns when each was polled, and when its wait was over. */
	async function awaitAll(respond: (task: number, polls: number) => Promise<HttpResponse<string>>) {
		const pause = async (milliseconds: number) =>
			await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
		const start = Date.now();
		const polls: number[][] = Array.from({ length: COUNT }, () => []);
		const text = async ({ url }: HttpRequest) => {
			const task = Number(url.split('/').at(-1));
			const own = polls[task] ?? [];
			own.push(Date.now() - start);
			return await respond(task, own.length);
		};
		const client = new GatewayClient(
			{ baseUrl: 'https://gateway.test/api/v1', secrets: [], maxRetries: 3 },
			{
				transport: { text, stream: () => Promise.reject(new Error('not used')) },
				gate: testGate(),
				withSlot: async (work) => await work(),
				pause,
				sleep: pause,
				now: () => Date.now(),
				random: () => Math.random(),
			},
		);
		const ends = Promise.all(
			polls.map(async (_, task) => {
				const outcome = await waitForTask(client, String(task), plan).then(
					() => 'ended',
					() => 'failed',
				);
				return { outcome, at: Date.now() - start };
			}),
		);
		await jest.advanceTimersByTimeAsync(120_000);
		return { polls, ends: await ends };
	}

	const body = (name: string) => JSON.stringify({ data: { state: name } });
	const responded = async (name: string) =>
		await Promise.resolve({ status: 200, headers: {}, body: body(name) });

	it('are each polled at the pace of images, and not all at a time', async () => {
		const { polls, ends } = await awaitAll(
			async (_, count) => await responded(count < 6 ? 'waiting' : 'success'),
		);
		expect(ends.map(({ outcome }) => outcome)).toStrictEqual(Array<string>(COUNT).fill('ended'));
		const gaps = polls.flatMap((own) => own.map((time, index) => time - (own[index - 1] ?? 0)));
		expect(gaps).toHaveLength(COUNT * 6);
		expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3_000);
		expect(Math.max(...gaps)).toBeLessThanOrEqual(5_000);
		const first = polls.map(([time = 0]) => time);
		expect(new Set(first).size).toBeGreaterThan(COUNT / 2);
		// 150 polls in 4 seconds on average; the first ones come within 2.
		const perSecond = new Map<number, number>();
		for (const time of polls.flat()) perSecond.set(seconds(time), (perSecond.get(seconds(time)) ?? 0) + 1);
		expect(Math.max(...perSecond.values())).toBeLessThan(COUNT * 0.75);
	});

	it('end at their own times, although one poll hangs and one fails', async () => {
		const hung = async () =>
			await new Promise<HttpResponse<string>>((_, reject) =>
				setTimeout(reject, 55_000, problemError('timeout', 'poll')),
			);
		const { ends } = await awaitAll(async (task, count) => {
			if (task === 0) return await hung();
			if (task === 1) throw problemError('certificate', 'poll');
			return await responded(count < 2 ? 'processing' : 'success');
		});
		const [hanging, failing, ...others] = ends;
		expect(hanging?.outcome).toBe('failed');
		// One poll may begin at the end of the wait; it has five seconds, here more.
		expect(hanging?.at).toBeLessThanOrEqual(60_000 + 55_000);
		expect(failing).toStrictEqual({ outcome: 'failed', at: expect.any(Number) as number });
		expect(failing?.at).toBeLessThanOrEqual(5_000);
		expect(others.filter(({ outcome, at }) => outcome === 'ended' && at <= 10_000)).toHaveLength(148);
	});
});
