import { setTimeout as sleep } from 'node:timers/promises';
import { existingSchemas } from '../../scripts/docs/schemas';
import { waitForExecution } from '../../sandbox/n8n/executions';
import { withCredential } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { byId, gatewayNode, workflowOf } from './support/workflows';

// What the editor asks n8n for, and what its buttons do.

let environment: Environment;

useEnvironment((started) => (environment = started));

describe('the nodes', () => {
	test('have the names that workflows store, with icons for light and dark', async () => {
		const types = await environment.client.nodeTypes();
		const ours = types.filter(({ name }) => name.startsWith('n8n-nodes-ai-gateway.'));
		const names = ours.map(({ name }) => name.split('.')[1]);
		expect(names).toStrictEqual(
			expect.arrayContaining(['textGeneration', 'mediaTask', 'storage', 'balance']),
		);
		expect(names).toStrictEqual(
			expect.arrayContaining(['textGenerationTool', 'mediaTaskTool', 'storageTool', 'balanceTool']),
		);
		for (const { iconUrl } of ours) {
			const { light, dark } = iconUrl as { light: string; dark: string };
			for (const icon of [light, dark]) {
				const response = await environment.client.request('GET', `/${icon}`);
				expect(await response.text()).toContain('<svg');
			}
		}
	});

	test('the chat model is listed among the language models', async () => {
		const types = await environment.client.nodeTypes();
		const chatModel = types.find(({ name }) => name === 'n8n-nodes-ai-gateway.chatModel');
		expect(chatModel).toMatchObject({
			outputs: ['ai_languageModel'],
			codex: { subcategories: { AI: ['Language Models', 'Root Nodes'] } },
		});
		expect(types.map(({ name }) => name)).not.toContain('n8n-nodes-ai-gateway.chatModelTool');
	});

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

describe('the model pickers', () => {
	const list = async (nodeType: string, methodName: string, filter?: string) =>
		await environment.client.listSearch({
			nodeType: `n8n-nodes-ai-gateway.${nodeType}`,
			parameter: 'model',
			methodName,
			parameters: {},
			credentials: { aiGatewayApi: environment.credential },
			...(filter === undefined ? {} : { filter }),
		});

	test.each(['textGeneration', 'chatModel'])('of %s shows context window and price', async (node) => {
		const { results } = await list(node, 'searchTextModels');
		const names = results.map(({ name }) => name);
		expect(names).toStrictEqual([...names].sort((a, b) => a.localeCompare(b)));
		const entry = results.find(({ value }) => value === 'sandbox/balanced-2');
		expect(entry?.name).toMatch(/^sandbox\/balanced-2 · ₽[\d.\u00a0]+ in, ₽[\d.\u00a0]+ out · \d+K$/);
	});

	test('find media models by kind', async () => {
		const { results } = await list('mediaTask', 'searchMediaModels', 'video');
		expect(results.map(({ name }) => name)).toStrictEqual([
			expect.stringMatching(/^lumen\/motion-2 · (from )?₽[\d.]+ · video$/),
		]);
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
		while (gateway.control.tasks().length === 0) await sleep(50);
		const start = Date.now();
		await client.stopExecution(id);
		expect((await waitForExecution(client, id, { timeout: 30_000 })).status).toBe('canceled');
		// Below the shortest pause between two polls of a video (5 s): it was not waited out.
		expect(Date.now() - start).toBeLessThan(4_500);
		expect(gateway.control.requests({ method: 'POST', path: '/async/media/tasks' })).toHaveLength(1);
		expect(gateway.control.requests({ method: 'GET', path: '/async/media/tasks/*' })).toHaveLength(0);
	});
});
