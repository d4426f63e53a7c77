import nock from 'nock';

import type { RunOptions } from '../../helpers/engine';
import {
	continueOnFail,
	catalogue,
	creations,
	envelope,
	gateway,
	model,
	run,
	TASKS,
} from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { quickTime } from '../../helpers/time';

// The times of the polls, and the output after the wait.

useNock();
quickTime();

const taskRequest = { model, inputMode: 'json', inputJson: '{}', downloadResults: false };

/** A task that has ended at this poll, without random delays. */
function endsAtPoll(number: number, data: object = {}): { count: number } {
	const polls = { count: 0 };
	gateway()
		.persist()
		.get(`${TASKS}/t1`)
		.reply(() => {
			polls.count += 1;
			return [
				200,
				envelope({ taskId: 't1', state: polls.count < number ? 'processing' : 'success', ...data }),
			];
		});
	return polls;
}

describe('the pauses before polls', () => {
	/** Runs an operation, and returns its pauses in milliseconds. */
	async function pausesOf(operation: string, parameters: object, more: Partial<RunOptions> = {}) {
		const chance = jest.spyOn(Math, 'random').mockReturnValue(0);
		const timers = jest.spyOn(globalThis, 'setTimeout');
		const { error, items } = await run(operation, parameters, more);
		const pauses = timers.mock.calls
			.map(([, delay = 0]) => delay)
			.filter((delay) => delay >= 3_000 && delay < 10_000);
		chance.mockRestore();
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.state)).toStrictEqual(['success']);
		return pauses;
	}

	it.each([
		['wait', { taskId: 't1', downloadResults: false }],
		['createAndWait', { ...taskRequest, options: { idempotencyKey: 'mine' } }],
	])('do not precede the first poll of a task that may have ended: %s %j', async (operation, parameters) => {
		catalogue();
		creations();
		const polls = endsAtPoll(1);
		expect(await pausesOf(operation, parameters)).toStrictEqual([]);
		expect(polls.count).toBe(1);
	});

	it('do not precede the first poll when an earlier try may have created the task', async () => {
		catalogue();
		let requests = 0;
		gateway()
			.persist()
			.post(TASKS)
			.reply(() => ((requests += 1) === 1 ? [504, envelope(null, 504)] : [201, envelope({ taskId: 't1' })]));
		endsAtPoll(1);
		const settings = { retryOnFail: true, waitBetweenTries: 1 };
		const oneRequest = { ...taskRequest, options: { maxRetries: 0 } };
		expect(await pausesOf('createAndWait', oneRequest, { settings })).toStrictEqual([]);
		expect(requests).toBe(2);
	});
});

it('a poll whose response cannot be decompressed does not end the wait', async () => {
	catalogue();
	creations();
	const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
	gateway().get(`${TASKS}/t1`).reply(200, Buffer.from('not gzip'), headers);
	const polls = endsAtPoll(1);
	const { error, items } = await run('createAndWait', taskRequest);
	expect([error, items[0]?.json.state, polls.count]).toStrictEqual([undefined, 'success', 1]);
});

describe('the output', () => {
	it('of a failed task is an error with its code, text and ID, without the API key', async () => {
		catalogue();
		creations();
		const failed = { state: 'fail', failCode: 'NSFW', failMsg: 'refused for sk-test' };
		endsAtPoll(1, failed);
		const { items } = await run(
			'createAndWait',
			{ ...taskRequest, options: { idempotencyKey: 'mine' } },
			continueOnFail,
		);
		expect(items.map(({ json }) => json.error)).toMatchObject([
			{ taskId: 't1', state: 'fail', code: 'NSFW', failCode: 'NSFW', retryable: false },
		]);
		expect(JSON.stringify(items)).not.toContain('sk-test');
	});

	it('of a task that does not end in time is an error with its state and ID, and paid', async () => {
		catalogue();
		creations();
		const polls = endsAtPoll(1_000);
		const { items } = await run(
			'createAndWait',
			{ ...taskRequest, options: { maxWait: 0.2 } },
			continueOnFail,
		);
		expect(items.map(({ json }) => json.error)).toMatchObject([
			{ taskId: 't1', code: 'wait_timeout', state: 'processing', paid: true, retryable: false },
		]);
		expect(polls.count).toBeGreaterThan(1);
	});
});

describe('the longest wait', () => {
	it.each([
		['0.001', 1],
		['0.0009', 0],
		['0', 0],
	])('of %s minutes allows this number of task requests: %i', async (maxWait, count) => {
		catalogue();
		const sent = creations();
		endsAtPoll(1);
		const options = { maxWait: `={{ ${maxWait} }}`, idempotencyKey: 'mine' };
		const { items } = await run('createAndWait', { ...taskRequest, options }, continueOnFail);
		expect(sent).toHaveLength(count);
		expect(items.map(({ json }) => 'error' in json)).toStrictEqual([count === 0]);
	});

	it('ends after half an hour where nothing is set', async () => {
		catalogue();
		const start = Date.now();
		let lastPoll = 0;
		nock('https://gateway.test')
			.persist()
			.get(`${TASKS}/t1`)
			.reply(() => {
				// Each poll takes 8 minutes.
				lastPoll += 8 * 60_000;
				jest.spyOn(Date, 'now').mockReturnValue(start + lastPoll);
				return [200, envelope({ state: 'waiting' })];
			});
		const { items } = await run('wait', { taskId: 't1' }, continueOnFail);
		expect(items.map(({ json }) => json.error)).toMatchObject([{ code: 'wait_timeout' }]);
		expect(lastPoll).toBe(32 * 60_000);
	});
});
