import nock from 'nock';

import {
	catalogue,
	continueOnFail,
	creations,
	envelope,
	gateway,
	model,
	run,
	TASKS,
} from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { quickTime } from '../../helpers/time';

// One order is one task, whatever the tries of Retry On Fail read, and every task is named.

useNock();
quickTime();

const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const random = { model, inputMode: 'json', inputJson: '={{ { prompt: String(Math.random()) } }}' };
const noRetries = { maxRetries: 0 };

/** Responds to polls with these states in turn; the last one repeats. */
function polls(...states: Array<string | number>): string[] {
	const polled: string[] = [];
	gateway()
		.persist()
		.get(/\/tasks\/t\d+$/)
		.optionally()
		.reply((path) => {
			const taskId = path.split('/').at(-1) ?? '';
			const state = states[Math.min(polled.push(taskId), states.length) - 1];
			if (typeof state === 'number') return [state, envelope(null, state)];
			return [200, envelope({ taskId, state })];
		});
	return polled;
}

it('a task that did not end in one try is taken up by the next, although its prompt would be another', async () => {
	catalogue();
	const sent = creations();
	const polled = polls('processing', 'processing', 'success');
	const options = { ...noRetries, maxWait: 0.05 };
	const { items, error } = await run(
		'createAndWait',
		{ ...random, downloadResults: false, options },
		{ settings: retrying },
	);
	expect([error, sent.length, new Set(polled)]).toStrictEqual([undefined, 1, new Set(['t1'])]);
	expect(items.map(({ json }) => json.taskId)).toStrictEqual(['t1']);
});

it('a creation whose response is lost is repeated with its key, whatever its expressions return then', async () => {
	catalogue();
	const bodies: unknown[] = [];
	const keys: unknown[] = [];
	gateway()
		.persist()
		.post(TASKS)
		.reply(function (_uri, body) {
			bodies.push(body);
			keys.push(this.req.headers['idempotency-key']);
			return bodies.length < 3 ? [504, envelope(null, 504)] : [201, envelope({ taskId: 't1' })];
		});
	const { items, error } = await run('create', { ...random, options: noRetries }, { settings: retrying });
	expect([error, items.map(({ json }) => json.taskId)]).toStrictEqual([undefined, ['t1']]);
	expect([bodies.length, new Set(keys).size]).toStrictEqual([3, 1]);
});

it.each([{}, { idempotencyKey: 'order-1' }])(
	'a rejected creation is read again by the next try: %j',
	async (options) => {
		catalogue();
		const bodies: unknown[] = [];
		gateway()
			.persist()
			.post(TASKS)
			.reply((_uri, body) => {
				bodies.push(body);
				return bodies.length === 1 ? [422, envelope(null, 422)] : [201, envelope({ taskId: 't1' })];
			});
		const { items } = await run('create', { ...random, options }, { settings: retrying });
		expect(items.map(({ json }) => json.taskId)).toStrictEqual(['t1']);
		expect([bodies.length, new Set(bodies.map((body) => JSON.stringify(body))).size]).toStrictEqual([2, 2]);
	},
);

it('a task of an earlier try is named when the next try cannot begin', async () => {
	catalogue();
	const sent = creations();
	polls(403);
	const variables = {
		get concurrency() {
			return sent.length === 0 ? '2' : 'many';
		},
	};
	const { error } = await run(
		'createAndWait',
		{ ...random, options: { concurrency: '={{ $vars.concurrency }}' } },
		{ settings: retrying, variables },
	);
	expect([sent.length, error?.message]).toStrictEqual([1, expect.stringContaining("'Concurrency'")]);
	expect(error?.description).toContain('Task t1 is paid for');
});

it.each<[string, () => void, object]>([
	['its wait is over', () => void polls('processing'), { maxWait: 0.01 }],
	[
		'the server of its file is down',
		() => {
			gateway()
				.persist()
				.get(/\/tasks\/t1$/)
				.reply(
					200,
					envelope({ taskId: 't1', state: 'success', resultJson: '{"resultUrls":["https://files.test/a"]}' }),
				);
			nock('https://files.test').persist().get('/a').reply(503);
		},
		{},
	],
	['its polls fail for good', () => void polls(403), {}],
])('an error item of a task that is paid for is not retryable: %s', async (_, gatewayOf, options) => {
	catalogue();
	creations();
	gatewayOf();
	const { items } = await run(
		'createAndWait',
		{ ...random, options: { ...noRetries, ...options } },
		continueOnFail,
	);
	expect(items.map(({ json }) => json.error)).toStrictEqual([
		expect.objectContaining({ taskId: 't1', paid: true, retryable: false }),
	]);
});
