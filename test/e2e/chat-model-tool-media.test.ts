import { resultOf, waitForExecution } from '../../sandbox/n8n/executions';
import type { WorkflowNode } from '../../sandbox/n8n/types';
import { manualTrigger, withCredential } from '../../sandbox/n8n/workflows';
import { agent, model, pathOf, start } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { mediaTool } from './support/tools';
import { byId, clusterOf, type Service } from './support/workflows';

// n8n's AI Agent draws with Gateway Media Task, and its model sees the picture.

const FORMATS = ['chat', 'responses', 'messages'];
const MODEL = 'sandbox/balanced-2';
let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => {
	await environment.gateway.control.reset();
	environment.gateway.control.configure({ taskDuration: { image: 0 } });
});

const seeing = (format: string, options = {}, id = MODEL) =>
	model({ format, model: byId(id), options: { showToolMedia: true, ...options } });

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

/** Runs an agent so many times; what it says at the end, and the log of its model. */
async function draw(services: Array<[Service, WorkflowNode]>, times: number) {
	const workflow = withCredential(
		clusterOf('Pictures', [start, agent('Draw a lighthouse at dusk')], [...services, mediaTool]),
		environment.credential,
	);
	const { id } = await environment.client.createWorkflow(workflow);
	let execution;
	for (let time = 0; time < times; time += 1) {
		const executionId = await environment.client.runManually(id, manualTrigger(workflow));
		execution = await waitForExecution(environment.client, executionId);
	}
	if (!execution) throw new Error('nothing ran');
	const { nodes, error } = resultOf(execution);
	const log = JSON.stringify(execution.data.resultData.runData['Model']);
	return { error, said: nodes['Agent']?.items[0]?.json['output'], log };
}

/** How often the pictures of all tasks are in each request to a model, as images. */
function seen(format: string): number[] {
	const { control } = environment.gateway;
	const urls = control.tasks().flatMap(({ resultUrls }) => resultUrls);
	return control.requests({ path: pathOf(format) }).map(({ body }) => {
		const parts = JSON.stringify(body.json).match(/\{"type":"(image_url|input_image|image)",[^}]*/g) ?? [];
		return parts.filter((part) => urls.some((url) => part.includes(url))).length;
	});
}

describe.each(FORMATS)('%s', (format) => {
	it('with a memory, each picture stays in the conversation once', async () => {
		const { said, error } = await draw([seeing(format), memory], 2);
		expect(error).toBeUndefined();
		expect(said).toContain('I can see: image');
		expect(environment.gateway.control.tasks()).toHaveLength(2);
		expect(seen(format)).toStrictEqual([0, 1, 1, 2]);
	});
});
