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

/** The tools of the first request, by name. */
function offered(): Map<string, { description: string; parameters: { properties: object } }> {
	const [request] = environment.gateway.control.requests({ path: '/chat/completions' });
	const { tools } = request?.body.json as {
		tools: Array<{ function: { name: string; description: string; parameters: { properties: object } } }>;
	};
	return new Map(tools.map((tool) => [tool.function.name, tool.function]));
}

it('the model reads what each tool does, needs and returns', async () => {
	await ask('Say hello');
	const described = Object.fromEntries([...offered()].map(([name, { description }]) => [name, description]));
	expect(described).toStrictEqual({
		Create_media_task_in_Gateway_Media_Task: expect.stringMatching(
			/^Generates an image, video, piece of music or speech from a description/,
		) as string,
		Analyze_image_in_Gateway_Text_Generation: expect.stringMatching(/^Looks at the image at a URL/) as string,
		Get_balance_in_Gateway_Balance: expect.stringMatching(/^Says how much money is left/) as string,
	});
});

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
