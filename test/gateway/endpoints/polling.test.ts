import {
	CALLBACK_PAUSES_MS,
	pollUntil,
	waitForTask,
	type WaitOptions,
} from '../../../nodes/shared/gateway/endpoints/polling';
import { StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { apiErrorOf, rejection, scriptedClient, type Step } from '../../helpers/client';

// Waiting for a task (§3.1).

const poll = (state: string) => ({ body: JSON.stringify({ code: 200, data: { taskId: 't', state } }) });
const plan: WaitOptions = { maxWaitMs: 60_000, pollImmediately: false };

/** Waits for task t in vain. Returns the error, and what was sent until then. */
async function failed(steps: Step[], more: Partial<WaitOptions> = {}) {
	const scripted = scriptedClient(steps);
	const error = await apiErrorOf(waitForTask(scripted.client, 't', { ...plan, ...more }));
	return { ...scripted, error, details: error.details };
}

describe('a wait', () => {
	it('polls every 5 s, first after a random pause, and stops at the end, without a last pause', async () => {
		const { client, pauses, sent } = scriptedClient([poll('waiting'), poll('processing'), poll('success')]);
		const body = await waitForTask(client, 't', plan);
		expect(body).toStrictEqual({ code: 200, data: { taskId: 't', state: 'success' } });
		expect(pauses).toStrictEqual([4_000, 5_000, 5_000]);
		expect(sent).toHaveLength(3);
	});

	it.each([false, true])(
		'of tasks that start together polls them at different times: %s',
		async (pollImmediately) => {
			const paces = await Promise.all(
				[0, 0.999_999].map(async (random) => {
					const states = [...(pollImmediately ? ['waiting'] : []), 'success'];
					const { client, pauses } = scriptedClient(states.map(poll), {}, { random: () => random });
					await waitForTask(client, 't', { ...plan, pollImmediately });
					return pauses;
				}),
			);
			expect(paces.map(([first = 0]) => first)).toStrictEqual([5_000, 3_000]);
		},
	);

	it.each<[string, Step]>([
		['a lost connection', 'lost'],
		['a timeout', 'timeout'],
		['a refused connection', 'refused'],
		['429', { status: 429 }],
		['500', { status: 500 }],
		['503', { status: 503 }],
		['504', { status: 504 }],
		['a cut-off response', { body: '{"data": {"sta' }],
		['a maintenance page', { body: '<html>back soon</html>' }],
		['a page with status 403', { status: 403, body: '<html>blocked</html>' }],
		['a text with status 404', { status: 404, body: 'default backend - 404' }],
		['an unknown state', poll('dreaming')],
		['a response without a task', { body: '{"code": 200, "data": null}' }],
	])('goes on at its pace after %s', async (_, error) => {
		const { client, sent, pauses } = scriptedClient([...Array<Step>(3).fill(error), poll('success')]);
		await waitForTask(client, 't', plan);
		expect(sent).toHaveLength(4);
		expect(pauses).toStrictEqual([4_000, 5_000, 5_000, 5_000]);
	});

	it.each([
		['longer', '20', 20_000],
		['no less', '1', 5_000],
	])('pauses %s when the gateway asks for %s s', async (_, seconds, pauseMs) => {
		const busy = { status: 429, headers: { 'retry-after': seconds } };
		const { client, pauses } = scriptedClient([busy, poll('success')]);
		await waitForTask(client, 't', plan);
		expect(pauses).toStrictEqual([4_000, pauseMs]);
	});

	it.each<[string, Step]>([
		['401', { status: 401 }],
		['403', { status: 403 }],
		['a missing task', { status: 404 }],
		['a bad ID', { status: 422 }],
		['an untrusted certificate', 'certificate'],
		['an address that cannot work', 'address'],
		['a redirect', { status: 301 }],
	])('ends at once with %s, and the error names the task', async (_, step) => {
		const { details, pauses, sent } = await failed([step]);
		expect(details.taskId).toBe('t');
		expect(details.code).not.toBe('wait_timeout');
		expect([pauses, sent.length]).toStrictEqual([[4_000], 1]);
	});

	it('ends as cancelled during a pause and during a poll', async () => {
		const cancelled = new StoppedError('cancelled');
		for (const { client, sent } of [
			scriptedClient([poll('processing')], {}, { stopAt: 1_000_000 + 10_000 }),
			scriptedClient([poll('processing'), cancelled]),
		]) {
			expect(await rejection(waitForTask(client, 't', plan))).toStrictEqual(cancelled);
			expect(sent).toHaveLength(2);
		}
	});
});

describe('Max Wait', () => {
	it.each([
		['whole polls', 9_000, [4_000, 5_000]],
		['a poll and a rest', 10_500, [4_000, 5_000, 1_500]],
		['less than a poll', 1, [1]],
	])('is kept to the millisecond: %s', async (_, maxWaitMs, expected) => {
		const { details, pauses, sent, clock } = await failed([poll('processing')], { maxWaitMs });
		expect(details.code).toBe('wait_timeout');
		expect([pauses, sent.length]).toStrictEqual([expected, expected.length]);
		expect(clock.now - 1_000_000).toBe(maxWaitMs);
	});

	it('allows a result that arrives exactly at its end', async () => {
		const { client, sent } = scriptedClient([poll('processing'), poll('fail')]);
		const body = await waitForTask(client, 't', { ...plan, maxWaitMs: 9_000 });
		expect(body.data).toStrictEqual({ taskId: 't', state: 'fail' });
		expect(sent).toHaveLength(2);
	});

	it('that is over already sends nothing where the task is new', async () => {
		const { details, sent } = await failed([poll('success')], { maxWaitMs: 0 });
		expect(details).toMatchObject({ code: 'wait_timeout', taskId: 't', extra: { state: null } });
		expect(details.description).toContain('"unknown"');
		expect(sent).toHaveLength(0);
	});

	it.each([
		['each poll, except for five seconds at the end', 300_000, [7_000, 5_000, 5_000]],
		['no poll that has a shorter timeout', 2_000, [2_000, 2_000, 2_000]],
	])('limits %s', async (_, timeoutMs, expected) => {
		const { client, sent } = scriptedClient([poll('processing')], { timeoutMs });
		await apiErrorOf(waitForTask(client, 't', { ...plan, maxWaitMs: 11_000 }));
		expect(sent.map((request) => request.timeoutMs)).toStrictEqual(expected);
	});

	it('ends with an error that says that the task is still running and can be waited for again', async () => {
		// An error between two polls is forgotten.
		expect((await failed([{ status: 503 }, poll('waiting')])).details).toStrictEqual({
			message: expect.any(String) as string,
			description: expect.stringMatching(/^Task t was in state.*'Max Wait \(Minutes\)'/) as string,
			outcome: 'rejected',
			kind: 'poll',
			code: 'wait_timeout',
			retryable: true,
			taskId: 't',
			extra: { state: 'waiting' },
		});
	});
});

describe('polling a task after its callback', () => {
	it.each<[string, string[], unknown]>([
		['ends at once when the task has ended', ['success'], ['success', []]],
		['is repeated for a moment while it has not', ['waiting', 'waiting', 'fail'], ['fail', [1_000, 3_000]]],
		[
			'returns the last state',
			['waiting', 'waiting', 'processing', 'success'],
			['processing', [1_000, 3_000]],
		],
	])('%s', async (_, states, expected) => {
		const { client, pauses } = scriptedClient(states.map(poll));
		const found = await pollUntil(client, 't', (polls) => CALLBACK_PAUSES_MS[polls]);
		expect([found?.task?.state, pauses]).toStrictEqual(expected);
	});
});
