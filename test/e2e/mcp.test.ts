import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';
import { connectMcp, type McpClient, type McpTool } from './support/mcp';
import { balanceTool, imageTool, mediaTool } from './support/tools';
import { clusterOf } from './support/workflows';

// The nodes of the package as an MCP client sees them, through n8n's MCP Server Trigger.

const PATH = 'gateway-tools';
let environment: Environment;
let client: McpClient;
let tools: McpTool[];

afterAll(async () => {
	await client?.close();
});
useEnvironment((started) => (environment = started));
beforeAll(async () => {
	environment.gateway.control.configure({ taskDuration: { image: 0 } });
	const trigger = {
		name: 'MCP',
		type: '@n8n/n8n-nodes-langchain.mcpTrigger',
		typeVersion: 2,
		webhookId: PATH,
		parameters: { authentication: 'none', path: PATH },
	};
	const workflow = clusterOf('MCP', [trigger], [mediaTool, imageTool, balanceTool]);
	await environment.publish(workflow);
	client = await eventually(async () => await connectMcp(`${environment.client.url}/mcp/${PATH}`));
	({ tools } = await client.listTools());
});

const toolOf = (word: string): McpTool => {
	const found = tools.find(({ name }) => name.includes(word));
	if (!found)
		throw new Error(`There is no tool for "${word}" among ${tools.map(({ name }) => name).join(', ')}`);
	return found;
};
const call = async (word: string, args: Record<string, unknown>, options?: { timeout: number }) => {
	const request = { name: toolOf(word).name, arguments: args };
	const { content, isError } = await client.callTool(request, undefined, options);
	const text = content.map((part) => part.text ?? '').join('');
	return { isError, text };
};

it('each tool says what it does, what it needs and what it returns', () => {
	expect(tools.map(({ description }) => description).sort()).toStrictEqual([
		expect.stringMatching(
			/^Generates an image, video, piece of music or speech from a description.* Returns the URLs/,
		),
		expect.stringMatching(/^Looks at the image at a URL .*describes it.* Returns the text and the cost/),
		expect.stringMatching(/^Says how much money is left in the wallet\. Returns the amount/),
	]);
});

it('a tool asks for what the workflow leaves to the model', () => {
	const { properties, required } = toolOf('media').inputSchema;
	expect(properties).toMatchObject({
		Model: { type: 'string', description: 'ID of the model' },
		Prompt: { type: 'string', description: 'What to see' },
		Quality: { type: 'string' },
		Number_of_Images: { type: 'number' },
	});
	expect(required).toContain('Prompt');
	expect(Object.keys(toolOf('image').inputSchema.properties ?? {}).sort()).toStrictEqual(['Prompt', 'URL']);
});

it('a client generates an image with a model, a prompt and fields of its own', async () => {
	const { text, isError } = await call('media', {
		Model: 'aurora/canvas-1',
		Prompt: 'A lighthouse',
		Quality: 'high',
		Number_of_Images: 2,
	});
	expect(isError).toBeFalsy();
	const [task] = environment.gateway.control.tasks();
	expect(task).toMatchObject({
		model: 'aurora/canvas-1',
		input: { prompt: 'A lighthouse', quality: 'high', num_images: 2 },
	});
	for (const url of task?.resultUrls ?? []) expect(text).toContain(url);
	expect(text).toContain('priceRub');
	expect(task?.resultUrls).toHaveLength(2);
});

it('a client has an image analyzed', async () => {
	const url = 'https://example.com/cat.png';
	const { text } = await call('image', { URL: url, Prompt: 'Which animal?' });
	expect(text).toContain('I also received: image');
	expect(environment.gateway.control.requests({ path: '/chat/completions' })[0]?.body.json).toMatchObject({
		messages: [{ content: [{ text: 'Which animal?' }, { image_url: { url } }] }],
	});
});

it('a client reads what is wrong with its input, and nothing is created', async () => {
	const before = environment.gateway.control.tasks().length;
	const { text } = await call('media', {
		Model: 'aurora/canvas-1',
		Prompt: 'A lighthouse',
		Quality: 'splendid',
		Number_of_Images: 1,
	});
	expect(text).toMatch(/Quality|quality/);
	expect(environment.gateway.control.tasks()).toHaveLength(before);
});

/** What a client asks for; `prompt` tells the tasks apart. */
const picture = (prompt: string) => ({
	Model: 'aurora/canvas-1',
	Prompt: prompt,
	Quality: 'draft',
	Number_of_Images: 1,
});
const tasksOf = (prompt: string) =>
	environment.gateway.control.tasks().filter(({ input }) => input.prompt === prompt);
const neverEnds = () => environment.gateway.control.configure({ taskDuration: { image: 10_000_000 } });

it('a client that gives up and asks again pays for one picture, and gets it', async () => {
	neverEnds();
	const asked = picture('A red boat');
	const paid = environment.gateway.control.ledger().length;
	await expect(call('media', asked, { timeout: 4_000 })).rejects.toThrow(/timed out/i);
	const [task] = await eventually(() => {
		expect(tasksOf('A red boat')).toHaveLength(1);
		return tasksOf('A red boat');
	});
	await expect(call('media', asked, { timeout: 4_000 })).rejects.toThrow(/timed out/i);
	await environment.gateway.control.finishTask(task?.taskId ?? '');
	const { text } = await call('media', asked);
	const [finished] = tasksOf('A red boat');
	expect(JSON.parse(text)).toMatchObject([{ state: 'success', resultUrls: finished?.resultUrls }]);
	expect(tasksOf('A red boat')).toHaveLength(1);
	expect(environment.gateway.control.ledger()).toHaveLength(paid + 1);
});

it('a picture that takes longer than a client waits returns its task, and the next call its URL', async () => {
	neverEnds();
	const asked = picture('A white whale');
	const start = Date.now();
	const { text } = await call('media', asked);
	expect(Date.now() - start).toBeLessThan(60_000);
	const [task] = tasksOf('A white whale');
	const note = 'The task continues. To get its result, call again with the same input: that costs nothing.';
	expect(JSON.parse(text)).toStrictEqual([{ taskId: task?.taskId, state: task?.state, note }]);
	await environment.gateway.control.finishTask(task?.taskId ?? '');
	const { text: second } = await call('media', asked);
	expect(JSON.parse(second)).toMatchObject([{ taskId: task?.taskId, state: 'success' }]);
	for (const url of tasksOf('A white whale').flatMap(({ resultUrls }) => resultUrls))
		expect(second).toContain(url);
	expect(tasksOf('A white whale')).toHaveLength(1);
});
