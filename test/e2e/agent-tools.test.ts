import { agent, model, start } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { balanceTool, imageTool, mediaTool } from './support/tools';
import { clusterOf } from './support/workflows';

// The nodes of the package as tools of n8n's AI Agent, as they introduce themselves.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => {
	await environment.gateway.control.reset();
	environment.gateway.control.configure({ taskDuration: { image: 0 } });
});

async function ask(text: string) {
	const tools = [model(), mediaTool, imageTool, balanceTool];
	return await environment.runWorkflow(clusterOf('Tools', [start, agent(text)], tools));
}

it('an agent that is asked to draw finds the media tool, and fills in its form', async () => {
	const { nodes, error } = await ask('Draw a lighthouse at dusk');
	expect(error).toBeUndefined();
	const [task] = environment.gateway.control.tasks();
	expect(task).toMatchObject({
		model: 'aurora/canvas-1',
		input: { prompt: expect.stringContaining('lighthouse') as string, quality: 'draft', num_images: 1 },
	});
	const [url = 'no file'] = task?.resultUrls ?? [];
	expect(nodes['Agent']?.items[0]?.json['output']).toContain(url);
});
