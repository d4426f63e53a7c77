import { useNock } from '../../helpers/nock';
import { sendCallback, ended, threeTasks } from '../../helpers/suspended';
import { quickTime } from '../../helpers/time';

// Callbacks to a suspended execution, as n8n passes them to the node.

useNock();
quickTime();

describe('a callback', () => {
	it('gets status 200 at once, whether it resumes the execution or not', async () => {
		const { tasks, use, suspended } = await threeTasks();
		const early = await sendCallback(suspended, use, { item: 0 });
		tasks.respond = () => 'success';
		const last = await sendCallback(suspended, use, { item: 0 });
		const response = {
			responses: [{ status: 200, body: { message: 'Received' } }],
			responded: true,
			warnings: [],
			errors: [],
		};
		expect(early).toStrictEqual({ ...response, resumed: undefined });
		expect(last).toStrictEqual({ ...response, resumed: expect.any(Object) as object });
	});

	it('resumes the execution only when it is the last one', async () => {
		const { tasks, call } = await threeTasks();
		tasks.respond = ended('t2');
		expect(await call(1)).toStrictEqual({ resumes: false, polls: ['t2', 't1'] });
		tasks.respond = ended('t2', 't1');
		expect(await call(0)).toStrictEqual({ resumes: false, polls: ['t1', 't2', 't3'] });
		tasks.respond = ended('t1', 't2', 't3');
		expect((await call(2)).resumes).toBe(true);
	});

	it('whose task has not ended does not resume the execution, and the other tasks are not polled', async () => {
		const { tasks, call } = await threeTasks();
		tasks.respond = ended('t1', 't2');
		expect(await call(2)).toStrictEqual({ resumes: false, polls: ['t3', 't3', 't3'] });
	});

	it.each([
		['a missing item', 99],
		['a negative number', -1],
		['text for a number', 'first'],
		['a fraction', '0.5'],
		['no item', undefined],
	])('that names %s polls nothing and does not resume the execution', async (_, item) => {
		const { tasks, call } = await threeTasks();
		tasks.respond = () => 'success';
		expect(await call(item)).toStrictEqual({ resumes: false, polls: [] });
		expect((await call(2)).resumes).toBe(true);
	});

	it.each([['text'], [{ taskId: 't3', state: 'success' }]])(
		'is not trusted for the state of a task: %j',
		async (body) => {
			const { tasks, call } = await threeTasks();
			tasks.respond = ended('t1', 't2');
			expect((await call(2, body)).resumes).toBe(false);
			tasks.respond = () => 'success';
			expect((await call(2, body)).resumes).toBe(true);
		},
	);

	it.each([
		['fail', 'fail'],
		['the gateway no longer knows it', 404],
		['the gateway denies access', 403],
	])('resumes the execution when the poll fails for good: %s', async (_, response) => {
		const { tasks, call } = await threeTasks();
		tasks.respond = (taskId) => (taskId === 't2' ? response : 'success');
		const { resumes, polls } = await call(1);
		expect(resumes).toBe(true);
		expect(polls.slice(0, 3)).toStrictEqual(['t2', 't1', 't3']);
	});
});
