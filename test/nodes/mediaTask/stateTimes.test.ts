import { catalogue, envelope, gateway, run, TASKS } from '../../helpers/media';
import { useNock } from '../../helpers/nock';

useNock();

it('a hint says how long polled tasks were in which state', async () => {
	catalogue();
	jest.spyOn(Math, 'random').mockReturnValue(0);
	const states = ['waiting', 'success'];
	gateway()
		.persist()
		.get(`${TASKS}/t1`)
		.reply(() => [200, envelope({ taskId: 't1', model: 'acme/painter', state: states.shift() })]);
	const { error, run: execution } = await run('wait', { taskId: 't1', downloadResults: false });
	jest.restoreAllMocks();
	expect(error).toBeUndefined();
	expect(execution.data.resultData.runData.Gateway?.[0]?.hints).toMatchObject([
		{ message: expect.stringMatching(/^1 media task: waiting (3|3\.\d|4) seconds$/) as string },
	]);
});

it('no hint says so when the task had ended before', async () => {
	catalogue();
	gateway()
		.get(`${TASKS}/t1`)
		.reply(200, envelope({ taskId: 't1', model: 'acme/painter', state: 'success' }));
	const { run: execution } = await run('wait', { taskId: 't1', downloadResults: false });
	expect(execution.data.resultData.runData.Gateway?.[0]?.hints).toStrictEqual([]);
});
