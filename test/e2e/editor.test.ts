import { existingSchemas } from '../../scripts/docs/schemas';
import { waitForExecution } from '../../sandbox/n8n/executions';
import { withCredential } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';
import { byId, gatewayNode, workflowOf } from './support/workflows';

// What the editor asks n8n for, and what its buttons do.

let environment: Environment;

useEnvironment((started) => (environment = started));

describe('the nodes', () => {
	test('have a schema of the output of each operation', async () => {
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

	test('have hints for the workflow builder', async () => {
		const nodes = (await environment.client.nodeTypes()).filter(({ name }) =>
			name.startsWith('n8n-nodes-ai-gateway.'),
		);
		expect(nodes.length).toBeGreaterThan(6);
		const withoutHint = nodes.filter((node) => !('builderHint' in node));
		expect(withoutHint.map(({ name }) => name)).toStrictEqual([]);
	});
});

describe('the stop button', () => {
	test('ends a wait for a media task at once, without further requests', async () => {
		const { client, gateway, credential } = environment;
		gateway.control.configure({ taskDuration: { video: 600_000 } });
		const node = gatewayNode('Film', 'mediaTask', {
			resource: 'task',
			operation: 'createAndWait',
			model: byId('lumen/motion-2'),
			inputMode: 'json',
			inputJson: '{"prompt": "a long film", "duration": 5, "resolution": "480p"}',
		});
		const workflow = await client.createWorkflow(
			withCredential(workflowOf('Stopped', [node], { Start: ['Film'] }), credential),
		);
		const id = await client.runManually(workflow.id, 'Start');
		await eventually(() => expect(gateway.control.tasks()).toHaveLength(1));
		const start = Date.now();
		await client.stopExecution(id);
		expect((await waitForExecution(client, id, { timeout: 30_000 })).status).toBe('canceled');
		// Below the shortest pause between two polls of a video (5 s): it was not waited out.
		expect(Date.now() - start).toBeLessThan(4_500);
		expect(gateway.control.requests({ method: 'POST', path: '/async/media/tasks' })).toHaveLength(1);
		expect(gateway.control.requests({ method: 'GET', path: '/async/media/tasks/*' })).toHaveLength(0);
	});
});
