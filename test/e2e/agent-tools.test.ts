import type { WorkflowNode } from '../../sandbox/n8n/types';
import { agent, model, start, writerTool } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { balanceTool, imageTool, mediaTool } from './support/tools';
import { byId, clusterOf, gatewayNode, type Service } from './support/workflows';

// The nodes of the package as tools of n8n's AI Agent.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => {
	await environment.gateway.control.reset();
	environment.gateway.control.configure({ taskDuration: { image: 0, video: 0 } });
});

/** What an agent says that has these tools. */
async function ask(text: string, tools: Array<[Service, WorkflowNode]>, settings: object = {}) {
	const asked = { ...agent(text), ...settings };
	const { nodes, error } = await environment.runWorkflow(
		clusterOf('Tools', [start, asked], [model(), ...tools]),
	);
	expect(error).toBeUndefined();
	return nodes['Agent']?.items[0]?.json['output'];
}

it('an agent that is asked to draw finds the media tool, and fills in its form', async () => {
	const output = await ask('Draw a lighthouse at dusk', [mediaTool, imageTool, balanceTool]);
	const [task] = environment.gateway.control.tasks();
	expect(task).toMatchObject({
		model: 'aurora/canvas-1',
		input: { prompt: expect.stringContaining('lighthouse') as string, quality: 'draft', num_images: 1 },
	});
	const [url = 'no file'] = task?.resultUrls ?? [];
	expect(output).toContain(url);
});

it('an agent fills in the prompt of the text tool, and gets the text with its cost, without details', async () => {
	expect(await ask('Please use the tool', [writerTool])).toContain('The tool answered');
	const calls = environment.gateway.control.requests({ path: '/chat/completions' });
	expect(calls.map(({ body }) => body.model)).toStrictEqual([
		'sandbox/balanced-2',
		'sandbox/swift-1',
		'sandbox/balanced-2',
	]);
	const got = JSON.stringify(calls[2]?.body.json);
	expect(got).toMatch(/costRub/);
	expect(got).not.toMatch(/inputTokens/);
});

it('of two tools that an agent calls at a time, the one without a limit counts for the other', async () => {
	const tool = (name: string, parameters: Record<string, unknown>): [Service, WorkflowNode] => [
		'ai_tool',
		gatewayNode(name, 'mediaTaskTool', {
			descriptionType: 'manual',
			toolDescription: name,
			operation: 'createAndWait',
			inputMode: 'json',
			...parameters,
		}),
	];
	const video = { prompt: 'waves', duration: 5, resolution: '480p' };
	const picture = { prompt: 'waves', quality: 'draft', size: '512x512' };
	const { control } = environment.gateway;
	control.addFault({
		match: { method: 'POST', path: '/async/media/tasks', nth: 1 },
		action: { kind: 'delay', ms: 1_000 },
	});
	const tools = [
		tool('Video', { model: byId('lumen/motion-2'), inputJson: JSON.stringify(video) }),
		tool('Picture', {
			model: byId('aurora/canvas-1'),
			inputJson: JSON.stringify(picture),
			options: { maxCostRub: 7 },
		}),
	];
	const output = await ask('Call all the tools', tools, { typeVersion: 2 });
	const media = control.ledger().flatMap(({ kind, model: id }) => (kind === 'media' ? id : []));
	expect(media).toStrictEqual(['lumen/motion-2']);
	expect(output).toContain("'Max Cost per Execution (₽)'");
});
