import { catalogue, creations, envelope, gateway, model, run, TASKS } from '../../helpers/media';
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

it('the hint has the cost of the tasks that the node has created', async () => {
	catalogue();
	creations();
	jest.spyOn(Math, 'random').mockReturnValue(0);
	gateway()
		.persist()
		.get(/\/t\d$/)
		.reply((path) => [200, envelope({ taskId: path.split('/').at(-1), state: 'success' })]);
	const input = { model, inputMode: 'json', inputJson: '{}', downloadResults: false };
	const { error, run: execution } = await run('createAndWait', input, {
		items: [{ json: {} }, { json: {} }],
	});
	jest.restoreAllMocks();
	expect(error).toBeUndefined();
	expect(execution.data.resultData.runData.Gateway?.[0]?.hints).toMatchObject([
		{ message: expect.stringMatching(/^2 media tasks: processing up to .* seconds\. Cost: ₽12$/) as string },
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
