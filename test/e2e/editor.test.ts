import { existingSchemas } from '../../scripts/docs/schemas';
import { waitForExecution } from '../../sandbox/n8n/executions';
import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// What the editor asks n8n for, and what its buttons do.

let environment: Environment;

useEnvironment((started) => (environment = started));

test('the nodes have a schema of the output of each operation', async () => {
	const paths = existingSchemas();
	expect(paths.length).toBeGreaterThan(20);
	const served = await Promise.all(
		paths.map(async (path) => {
			const [, folder = '', version = '', rest = ''] =
				/^nodes\/(\w+)\/__schema__\/v([\d.]+)\/(.+)$/.exec(path) ?? [];
			const name = `${folder.slice(0, 1).toLowerCase()}${folder.slice(1)}`;
			const url = `${environment.client.url}/schemas/n8n-nodes-ai-gateway.${name}/${version}/${rest}`;
			const response = await fetch(url);
			const schema = (response.ok ? await response.json() : {}) as { type?: string };
			return [path, response.status, schema.type];
		}),
	);
	expect(served).toStrictEqual(paths.map((path) => [path, 200, 'object']));
});

describe('the stop button', () => {
	test('ends a wait for a media task at once, without further requests', async () => {
		const { client, gateway } = environment;
		// The node waits for ten minutes before it polls again.
		const match = { method: 'GET', path: '/async/media/tasks/*' };
		const polls = () => gateway.control.requests(match).filter(({ endedAt }) => endedAt !== null);
		gateway.control.addFault({
			match,
			action: { kind: 'error', code: 'service_unavailable', retryAfter: 600 },
		});
		const node = gatewayNode('Film', 'mediaTask', {
			resource: 'task',
			operation: 'createAndWait',
			model: byId('lumen/motion-2'),
			inputMode: 'json',
			inputJson: '{"prompt": "a long film", "duration": 5, "resolution": "480p"}',
		});
		const id = await environment.begin(workflowOf('Stopped', [node], { Start: ['Film'] }));
		await eventually(() => expect(polls()).toHaveLength(1));
		await client.stopExecution(id);
		expect((await waitForExecution(client, id)).status).toBe('canceled');
		expect(gateway.control.requests({ method: 'POST', path: '/async/media/tasks' })).toHaveLength(1);
		expect(gateway.control.requests(match)).toHaveLength(1);
	});

	test('leaves in the log which creations have an outcome that is unknown', async () => {
		const { client, gateway } = environment;
		await gateway.control.reset();
		gateway.control.addFault({
			match: { method: 'POST', path: '/async/media/tasks' },
			action: { kind: 'hang', afterEffect: true },
			times: 0,
		});
		const draw = gatewayNode('Draw', 'mediaTask', {
			operation: 'create',
			model: byId('aurora/canvas-1'),
			inputMode: 'json',
			inputJson: '={"prompt": "{{ $json.n }}", "quality": "draft", "size": "512x512"}',
		});
		const items = itemsNode('Items', [{ n: 0 }, { n: 1 }, { n: 2 }]);
		const routes = { Start: ['Items'], Items: ['Draw'] };
		const id = await environment.begin(workflowOf('Stopped', [items, draw], routes));
		await eventually(() => expect(gateway.control.ledger()).toHaveLength(3));
		await client.stopExecution(id);
		expect((await waitForExecution(client, id)).status).toBe('canceled');
		const named = 'The outcome of items 0, 1, 2 is unknown: they may have been charged.';
		await eventually(async () => expect(await environment.n8nLog()).toContain(named));
		expect(gateway.control.requests({ method: 'POST' })).toHaveLength(3);
	});
});
