import type { WorkflowNode } from '../../sandbox/n8n/types';
import { agent, model, start, writerTool } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { balanceTool, imageTool, mediaTool } from './support/tools';
import { clusterOf, itemsNode, type Service } from './support/workflows';

// The nodes of the package as tools of n8n's AI Agent.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => {
	await environment.gateway.control.reset();
	environment.gateway.control.configure({ taskDuration: { image: 0 } });
});

/** What an agent says that has these tools. */
async function ask(text: string, tools: Array<[Service, WorkflowNode]>) {
	const workflow = clusterOf('Tools', [start, agent(text)], [model(), ...tools]);
	const { nodes, error } = await environment.runWorkflow(workflow);
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

it('an agent that asks twice for the same picture pays once, and is told so', async () => {
	const asking = agent('Draw a lighthouse [[rounds:2]]');
	const { data } = await environment.execute(clusterOf('Twice', [start, asking], [model(), mediaTool]));
	const runs = data.resultData.runData[mediaTool[1].name] ?? [];
	const outputs = runs.map((run) => JSON.stringify(run.data?.['ai_tool']));
	const tasks = environment.gateway.control.tasks();
	expect([outputs.length, tasks.length]).toStrictEqual([2, 1]);
	for (const output of outputs) expect(output).toContain(tasks[0]?.resultUrls[0]);
	expect(outputs[0]).not.toContain('same task as before');
	expect(outputs[1]).toContain('same task as before');
});

it('an agent that works on several items at once gives each item the picture that it asks for', async () => {
	const asks = ['Draw a grey cat', 'Draw a red boat at sea'];
	const items = itemsNode(
		'Asks',
		asks.map((ask) => ({ ask })),
	);
	const batching = { batchSize: 2, delayBetweenBatches: 0 };
	const asking = { ...agent('={{ $json.ask }}', { options: { batching } }), typeVersion: 2.2 };
	const workflow = clusterOf('Side by side', [start, items, asking], [model(), mediaTool]);
	const { nodes, error } = await environment.runWorkflow(workflow);
	expect(error).toBeUndefined();
	const tasks = environment.gateway.control.tasks();
	const drawn = asks.map((ask) => tasks.find(({ input }) => String(input.prompt).includes(ask)));
	expect(drawn.map((task) => task?.state)).toStrictEqual(['success', 'success']);
	const outputs = nodes['Agent']?.items.map(({ json }) => json['output']) ?? [];
	expect(outputs).toStrictEqual(
		drawn.map((task) => expect.stringContaining(task?.resultUrls[0] ?? 'no file') as string),
	);
});
