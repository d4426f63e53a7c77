import { waitForExecution } from '../../sandbox/n8n/executions';
import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// What is left of an execution that has paid, and that somebody stops.

let environment: Environment;

useEnvironment((started) => (environment = started));

test('n8n keeps the cost of a stopped execution in its custom data, and the tasks in its log', async () => {
	const { gateway, client } = environment;
	gateway.control.configure({ taskDuration: { image: 10_000_000 } });
	const draw = gatewayNode('Draw', 'mediaTask', {
		resource: 'image',
		operation: 'generate',
		model: byId('aurora/canvas-1'),
		prompt: '={{ $json.prompt }}',
		input: {
			mappingMode: 'defineBelow',
			value: { quality: 'draft', size: '512x512' },
			matchingColumns: [],
			schema: [],
		},
		options: {},
	});
	const rows = itemsNode('Rows', [{ prompt: 'a cat' }, { prompt: 'a dog' }]);
	const id = await environment.begin(
		workflowOf('Stopped', [rows, draw], { Start: ['Rows'], Rows: ['Draw'] }),
	);
	const polls = () => gateway.control.requests({ method: 'GET', path: '/async/media/tasks/*' });
	// Both are paid for, and counted.
	await eventually(() => expect(new Set(polls().map(({ path }) => path)).size).toBe(2));
	await client.stopExecution(id);
	// n8n says that it is canceled before it has stored what it keeps.
	const { status, data } = await eventually(async () => {
		const execution = await waitForExecution(client, id);
		const cost = { gatewayCostRub: '3.6', gatewayCalls: '2', gatewayCallsWithoutCost: '0' };
		expect(execution.customData).toStrictEqual(cost);
		return execution;
	});
	expect(status).toBe('canceled');
	// Neither the outputs of nodes, nor what they have stored.
	expect(data.resultData.runData).toStrictEqual({});
	expect(data).not.toHaveProperty('executionData');
	const tasks = gateway.control.tasks().map(({ taskId }) => taskId);
	const log = await eventually(async () => {
		const lines = (await environment.n8nLog())
			.split('\n')
			.filter((line) => line.includes('"Draw" was cancelled'));
		expect(lines).toHaveLength(1);
		return lines.join();
	});
	expect(log).toContain('2 items cost ₽3.60.');
	for (const taskId of tasks) expect(log).toContain(taskId);
});
