import type { WorkflowNode } from '../../sandbox/n8n/types';
import { agent, FORMATS, model, pathOf, start } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { mediaTool } from './support/tools';
import { clusterOf, type Service } from './support/workflows';

// n8n's AI Agent draws with Gateway Media Task, and its model sees the picture.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => {
	await environment.gateway.control.reset();
	environment.gateway.control.configure({ taskDuration: { image: 0 } });
});

/** The memory that the executions of a workflow share. */
const memory: [Service, WorkflowNode] = [
	'ai_memory',
	{
		name: 'Memory',
		type: '@n8n/n8n-nodes-langchain.memoryBufferWindow',
		typeVersion: 1.3,
		parameters: { sessionIdType: 'customKey', sessionKey: 'pictures', contextWindowLength: 50 },
	},
];

/** How often the pictures of all tasks are in each request to a model, as images. */
function seen(format: string): number[] {
	const { control } = environment.gateway;
	const urls = control.tasks().flatMap(({ resultUrls }) => resultUrls);
	return control.requests({ path: pathOf(format) }).map(({ body }) => {
		const parts = JSON.stringify(body.json).match(/\{"type":"(image_url|input_image|image)",[^}]*/g) ?? [];
		return parts.filter((part) => urls.some((url) => part.includes(url))).length;
	});
}

test.each(FORMATS)('%s: with a memory, each picture stays in the conversation once', async (format) => {
	const seeing = model({ format, options: { showToolMedia: true } });
	const asking = agent('Draw a lighthouse at dusk');
	const { id } = await environment.store(clusterOf('Pictures', [start, asking], [seeing, memory, mediaTool]));
	const draw = async () => await environment.end(await environment.client.runManually(id, start.name));
	await draw();
	const { nodes, error } = await draw();
	expect(error).toBeUndefined();
	expect(nodes['Agent']?.items[0]?.json['output']).toContain('I can see: image');
	expect(environment.gateway.control.tasks()).toHaveLength(2);
	expect(seen(format)).toStrictEqual([0, 1, 1, 2]);
});
