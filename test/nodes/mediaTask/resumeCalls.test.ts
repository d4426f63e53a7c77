import { WebhookContext } from 'n8n-core';
import nock from 'nock';

import { runNode, type RunOptions } from '../../helpers/engine';
import { envelope, gateway, serve, task } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { ended, prompts, savedState, sendCallback, suspending, threeTasks } from '../../helpers/suspended';
import { eventually } from '../../helpers/time';

// Callbacks to a suspended execution, as n8n passes them to the node.

useNock();

it.each([
	['has failed', 'fail'],
	['is no longer known', 404],
	['may not be read', 403],
	['cannot be read for some time', 503],
])('the last callback resumes the execution when its task, or another one, %s', async (_, response) => {
	for (const unclear of ['t2', 't3']) {
		const { tasks, call } = await threeTasks();
		const polled = () => tasks.polls.filter((taskId) => taskId === unclear).length;
		tasks.respond = (taskId) => (taskId === unclear && polled() <= 3 ? response : 'success');
		expect([unclear, (await call(1)).resumes]).toStrictEqual([unclear, true]);
		nock.cleanAll();
	}
});

describe('callbacks', () => {
	it('forged, hundreds at the same time, for any item, resume nothing and lead to few checks', async () => {
		const { tasks, use, suspended } = await threeTasks();
		const forged = Array.from({ length: 300 }, async (_, index) => {
			const item = [0, 1, 2, 99, -1, 'x', '0.5', undefined][index % 8];
			const named = item === undefined ? {} : { item };
			return await sendCallback(suspended, use, { ...named, body: { taskId: `forged-${index}` } });
		});
		const outcomes = await Promise.all(forged);
		expect(outcomes.some(({ resumed }) => resumed)).toBe(false);
		for (const { responses } of outcomes)
			expect([[200], [503]]).toContainEqual(responses.map(({ status }) => status));
		// Each check polls one of the tasks three times.
		expect([3, 6]).toContain(tasks.polls.length);
	});

	it('that arrive during a poll are not lost', async () => {
		const { tasks, use, suspended } = await threeTasks();
		tasks.respond = ended('t1');
		tasks.polls.splice(0);
		const first = sendCallback(suspended, use, { item: 0 });
		await eventually(() => tasks.polls.length >= 2);
		// The last one reads as running for a moment.
		const polled = () => tasks.polls.filter((taskId) => taskId === 't3').length;
		tasks.respond = (taskId) => (taskId === 't3' && polled() < 2 ? 'processing' : 'success');
		const others = [1, 2].map(async (item) => await sendCallback(suspended, use, { item }));
		expect((await Promise.all(others)).map(({ resumed }) => resumed)).toStrictEqual([undefined, undefined]);
		expect((await first).resumed?.run.status).toBe('success');
	});

	it('resume a node whose name has braces', async () => {
		const { tasks, use, suspended } = await threeTasks(undefined, { name: 'Draw {{ it }}' });
		tasks.respond = () => 'success';
		expect((await sendCallback(suspended, use, { item: 2 })).resumed?.run.status).toBe('success');
	});

	it.each([
		['before the tasks are polled', '.context.'],
		['after the tasks were polled', '$execution.resumeUrl'],
	])('that cannot be checked are to be repeated, and then resume it: %s', async (_, part) => {
		const { tasks, use, suspended } = await threeTasks();
		tasks.respond = () => 'success';
		const evaluate = Reflect.get(WebhookContext.prototype, 'evaluateExpression') as () => never;
		const broken = jest.spyOn(WebhookContext.prototype, 'evaluateExpression');
		broken.mockImplementation(function (this: unknown, expression) {
			if (expression.includes(part)) throw new Error('The execution cannot be read');
			return Reflect.apply(evaluate, this, [expression]) as never;
		});
		const { responses, warnings } = await sendCallback(suspended, use, { item: 2 });
		broken.mockRestore();
		expect(responses.map(({ status }) => status)).toStrictEqual([503]);
		expect(warnings).toStrictEqual([
			expect.stringContaining('was not checked: The execution cannot be read'),
		]);
		expect((await sendCallback(suspended, use, { item: 2 })).resumed?.run.status).toBe('success');
	});

	it('that repeat resume the execution once and poll nothing', async () => {
		const { tasks, use, suspended, call } = await threeTasks();
		tasks.respond = () => 'success';
		expect((await call(2)).resumes).toBe(true);
		expect(await call(2)).toStrictEqual({ resumes: false, polls: [] });
		expect(await call(1)).toStrictEqual({ resumes: false, polls: [] });
		const state = savedState(suspended).id;
		expect((await sendCallback(suspended, use, { query: { state } })).resumed).toBeUndefined();
	});
});

describe('the handler asks n8n to resume the execution', () => {
	const conflict = { code: 409, message: 'The execution 1 is running already.' };
	it.each([
		['it runs', { status: 409, body: conflict }, false],
		['it has ended', { status: 404, body: { ...conflict, code: 404 } }, false],
		['a proxy responds with an error', { status: 502, body: '<html>Bad gateway</html>' }, true],
		['a proxy does not know the address', { status: 404, body: '<html>Not found</html>' }, true],
		['a proxy asks for a password', { status: 401, body: 'Unauthorized' }, true],
		['another server responds', { status: 200, body: { ok: true } }, true],
	])('when %s', async (_, inPlaceOfN8n, resumes) => {
		const { tasks, use, suspended } = await threeTasks();
		Object.assign(tasks, { inPlaceOfN8n, respond: () => 'success' });
		const { resumed, warnings } = await sendCallback(suspended, use, { item: 2 });
		expect(resumed?.run.status).toBe(resumes ? 'success' : undefined);
		expect(tasks.resumes).toHaveLength(inPlaceOfN8n.status === 502 ? 5 : 1);
		expect(warnings).toStrictEqual([]);
	});

	it('again after an error of n8n', async () => {
		const { tasks, use, suspended } = await threeTasks();
		const inPlaceOfN8n = { status: 500, body: { code: 0, message: 'The execution is being written' } };
		Object.assign(tasks, { inPlaceOfN8n, respond: () => 'success' });
		const outcome = sendCallback(suspended, use, { item: 2 });
		await eventually(() => tasks.resumes.length === 1);
		tasks.inPlaceOfN8n = { status: 409, body: conflict };
		expect((await outcome).resumed).toBeUndefined();
		expect(tasks.resumes).toMatchObject([{ status: 500 }, { status: 409 }]);
	});
});

it('without a readable credential, such as one that depends on the item, the node polls with that of each item', async () => {
	const { tasks, use, suspended } = await threeTasks();
	tasks.respond = () => 'success';
	const busy = jest.spyOn(WebhookContext.prototype, 'getCredentials');
	busy.mockRejectedValueOnce(new Error("Node '' hasn't been executed"));
	const { resumed, warnings } = await sendCallback(suspended, use, { item: 2 });
	busy.mockRestore();
	expect([resumed?.run.status, warnings]).toStrictEqual(['success', []]);
});

it('with a credential that has become unusable, the execution ends, and names what is paid for', async () => {
	const { tasks, use, suspended } = await threeTasks();
	tasks.polls.splice(0);
	const broken: RunOptions = { ...use, credential: { baseUrl: 'nonsense', apiKey: 'sk-test' } };
	const { resumed } = await sendCallback(suspended, broken, { item: 2 });
	expect(resumed?.error?.description).toMatch(/Task t1 is paid for.*results of tasks: t2, t3\./);
	expect(tasks.polls).toStrictEqual([]);
});

it.each([
	[2_000, false],
	[2_001, true],
])('a callback %d ms before n8n resumes the execution itself resumes it: %s', async (left, resumes) => {
	const { tasks, use, suspended } = await threeTasks();
	tasks.respond = () => 'success';
	const until = suspended.run.waitTill?.getTime() ?? 0;
	const clock = jest.spyOn(Date, 'now').mockReturnValue(until - left);
	const { resumed } = await sendCallback(suspended, use, { item: 2 });
	const again = await sendCallback(suspended, use, { query: { state: savedState(suspended).id } });
	clock.mockRestore();
	expect([resumed !== undefined, again.resumed]).toStrictEqual([resumes, undefined]);
	expect(tasks.resumes).toHaveLength(resumes ? 1 : 0);
});

/** In place of a status: the call is not answered. */
const LOST = 0;

it.each([
	[['processing'], [200]],
	[[], [409, 299]],
	[[], [300, 299]],
	[[], [LOST, 200]],
])(
	'the last one of suspended tasks is polled, and n8n is called until it accepts the call, without an error: %j %j',
	async (pending, statuses) => {
		const rejections: unknown[] = [];
		const note = (error: unknown) => void rejections.push(error);
		process.on('unhandledRejection', note).on('uncaughtException', note);
		const events: string[] = [];
		// The first poll comes before the execution is suspended, when the gateway may not know the task yet.
		const states = ['unknown', ...pending];
		serve();
		task('t1', { state: 'processing' });
		gateway()
			.persist()
			.get(/\/tasks\/t2$/)
			.reply(() => {
				const state = states.shift() ?? 'success';
				events.push(state);
				return state === 'unknown' ? [404, envelope(null, 404)] : [200, envelope({ taskId: 't2', state })];
			});
		for (const status of statuses) {
			const call = nock('https://n8n.test').post(/media-task\?signature=\w+&item=1$/, () => {
				events.push(String(status));
				return true;
			});
			if (status === LOST) call.replyWithError('The connection broke');
			else call.reply(status, {});
		}
		const use = suspending({ options: { concurrency: 1 } }, { items: prompts('a', 'b') });
		const { run } = await runNode(use);
		expect(run.status).toBe('waiting');
		await eventually(() => events.includes(String(statuses.at(-1))));
		process.off('unhandledRejection', note).off('uncaughtException', note);
		const calls = statuses.flatMap((status) => ['success', String(status)]);
		expect(events).toStrictEqual(['unknown', ...pending, ...calls]);
		expect(rejections).toStrictEqual([]);
	},
);
