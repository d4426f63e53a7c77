import type { RunResult } from '../../sandbox/n8n/executions';
import { resultOf, waitForExecution } from '../../sandbox/n8n/executions';
import { useEnvironment, type Environment } from './support/environment';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// The text node on the real n8n, beyond plain prompts.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => await environment.gateway.control.reset());

const model = byId('sandbox/balanced-2');
const ask = (parameters: Record<string, unknown>, more: Record<string, unknown> = {}) =>
	gatewayNode('Ask', 'textGeneration', { model, ...parameters }, more);

function jsonOf(result: RunResult, name = 'Ask', index = 0): Record<string, unknown> {
	const item = result.nodes[name]?.items[index];
	if (item === undefined) throw new Error(`"${name}" gave no item: ${JSON.stringify(result.error)}`);
	return item.json;
}

test('a large file from an earlier node is attached to each item', async () => {
	const size = 20 * 1024 * 1024;
	const { url } = environment.gateway.control.createBigFile({ size, mimeType: 'video/mp4' });
	const fetchIt = {
		name: 'Fetch',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { url, options: { response: { response: { responseFormat: 'file' } } } },
	};
	const attachment = [{ type: 'video', source: 'binary', binaryPropertyName: 'data' }];
	const result = await environment.runWorkflow(
		workflowOf(
			'Attach',
			[fetchIt, ask({ model: byId('polyglot/omni-audio'), prompt: 'Look', attachments: { attachment } })],
			{
				Start: ['Fetch'],
				Fetch: ['Ask'],
			},
		),
	);
	expect(jsonOf(result)['text']).toContain('I also received: video');
	const [request] = environment.gateway.control.requests({ path: '/chat/completions' });
	expect(request?.body.bytes).toBeGreaterThan((size * 4) / 3);
	expect(request?.headers['content-length']).toBe(String(request?.body.bytes));
});

test.each(['chat', 'responses', 'messages'])(
	'%s: an answer by schema comes as parsed JSON',
	async (format) => {
		const jsonSchema = JSON.stringify({
			type: 'object',
			properties: { title: { type: 'string' }, pages: { type: 'integer' } },
			required: ['title', 'pages'],
		});
		const node = ask({ format, prompt: 'A book about rivers', outputFormat: 'jsonSchema', jsonSchema });
		const result = await environment.runWorkflow(workflowOf(`JSON ${format}`, [node], { Start: ['Ask'] }));
		expect(jsonOf(result)['output']).toStrictEqual({
			title: expect.any(String) as string,
			pages: expect.any(Number) as number,
		});
	},
);

const continued = { onError: 'continueRegularOutput' };
/** Asks for each of these prompts; the node continues after an error. */
const askFor = async (parameters: Record<string, unknown>, prompts: string[]) => {
	const items = itemsNode(
		'Items',
		prompts.map((prompt) => ({ prompt })),
	);
	const node = ask({ prompt: '={{ $json.prompt }}', ...parameters }, continued);
	const result = await environment.runWorkflow(
		workflowOf('Answers', [items, node], { Start: ['Items'], Items: ['Ask'] }),
	);
	return (result.nodes['Ask']?.items ?? []).map(({ json }) => json);
};

test('JSON beside other words is found, and JSON that is cut off is not', async () => {
	const found = [
		'Конечно! {"a":1}',
		'<think>{"b":2}</think>\n```javascript\n{"a":1,}\n```\nDone.',
		'\u200b{"a":1}',
	];
	const cut = ['{"items":[{"name":"A"},{"na', 'See {1}'];
	const items = await askFor(
		{ outputFormat: 'jsonObject' },
		[...found, ...cut].map((text) => `JSON [[say:${text}]]`),
	);
	expect(items.slice(0, 3).map(({ output }) => output)).toStrictEqual(found.map(() => ({ a: 1 })));
	expect(items.slice(3)).toMatchObject([
		{ error: { code: 'json_cut_off', costRub: expect.any(Number) as number, text: cut[0] } },
		{ error: { code: 'not_json', costRub: expect.any(Number) as number, text: cut[1] } },
	]);
});

test.each(['max_tokens', 'MAX_TOKENS', 'model_context_window_exceeded', 'content_filter'])(
	'JSON that ended with %s is no value',
	async (finish_reason) => {
		const message = { role: 'assistant', content: '42' };
		const body = {
			id: 'c1',
			model: 'm',
			choices: [{ index: 0, message, finish_reason }],
			usage: { cost_rub: 0.5 },
		};
		environment.gateway.control.addFault({
			match: { path: '/chat/completions' },
			action: {
				kind: 'raw',
				status: 200,
				body: { text: JSON.stringify(body), contentType: 'application/json' },
			},
		});
		const jsonSchema = '{ "type": "number" }';
		const [item] = await askFor({ outputFormat: 'jsonSchema', jsonSchema }, ['Age?']);
		expect(item).toMatchObject({ error: { code: 'json_cut_off', text: '42', costRub: 0.5 } });
	},
);

test('JSON that does not fit its fields has the value, the text and the cost', async () => {
	const fields = { field: [{ name: 'title' }] };
	const prompts = ['[[say:{"title":"Sea"}]]', '[[say:{"name":1}]]'];
	expect(await askFor({ outputFormat: 'jsonFields', fields }, prompts)).toMatchObject([
		{ output: { title: 'Sea' } },
		{
			error: {
				message: 'The response does not fit the schema: output.title is missing',
				output: { name: 1 },
				text: '{"name":1}',
				costRub: expect.any(Number) as number,
			},
		},
	]);
});

test.each(['chat', 'responses'])('%s: JSON Object needs no word in the prompt', async (format) => {
	const prompt = 'Верни объект с полями город и население для Казани';
	const [item] = await askFor({ format, outputFormat: 'jsonObject' }, [prompt]);
	expect(item?.['output']).toBeInstanceOf(Object);
	const [request] = environment.gateway.control.requests({ method: 'POST' });
	expect(JSON.stringify(request?.body.json)).toContain(`${prompt}\\n\\nRespond with a JSON object.`);
});

test('several completions become items that are paired with their input', async () => {
	const items = itemsNode('Items', [{ n: 0 }, { n: 1 }]);
	const node = ask({ prompt: '={{ "Say " + $json.n }}', options: { sampling: { values: { n: 3 } } } });
	const after = {
		name: 'After',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: {
			mode: 'raw',
			jsonOutput: '={{ { from: $("Items").item.json.n, choice: $json.choice } }}',
			options: {},
		},
	};
	const result = await environment.runWorkflow(
		workflowOf('Choices', [items, node, after], { Start: ['Items'], Items: ['Ask'], Ask: ['After'] }),
	);
	expect(result.nodes['After']?.items.map(({ json }) => json)).toStrictEqual(
		[0, 1].flatMap((from) => [0, 1, 2].map((choice) => ({ from, choice }))),
	);
});

test('the tokens are recorded with the execution', async () => {
	const { client } = environment;
	const workflow = workflowOf('Tokens', [ask({ prompt: 'Say hello' })], { Start: ['Ask'] });
	const { id } = await client.createWorkflow({
		...workflow,
		nodes: workflow.nodes.map((node) =>
			node.name === 'Ask' ? { ...node, credentials: { aiGatewayApi: environment.credential } } : node,
		),
	});
	const execution = await waitForExecution(client, await client.runManually(id, 'Start'));
	const usage = jsonOf(resultOf(execution))['usage'] as Record<string, number>;
	expect(execution.data.resultData.runData['Ask']?.[0]).toMatchObject({
		metadata: { tokenUsage: { inputTokens: usage['inputTokens'], outputTokens: usage['outputTokens'] } },
	});
});

test('an AI Agent calls the node as its tool and fills in the prompt', async () => {
	const { client, gateway } = environment;
	const openAi = await client.saveCredential('Agent model', 'openAiApi', {
		apiKey: gateway.apiKey,
		url: gateway.baseUrl,
		header: false,
	});
	const at = (x: number, y: number) => ({ position: [x, y] });
	const workflow = {
		name: 'Agent',
		nodes: [
			{
				id: 'a',
				name: 'Start',
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				parameters: {},
				...at(0, 0),
			},
			{
				id: 'b',
				name: 'Agent',
				type: '@n8n/n8n-nodes-langchain.agent',
				typeVersion: 3,
				parameters: { promptType: 'define', text: 'Please use the tool', options: {} },
				...at(200, 0),
			},
			{
				id: 'c',
				name: 'Model',
				type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
				typeVersion: 1.2,
				parameters: { model: byId('sandbox/balanced-2'), options: {} },
				credentials: { openAiApi: openAi },
				...at(200, 200),
			},
			{
				id: 'd',
				name: 'Writer',
				type: 'n8n-nodes-ai-gateway.textGenerationTool',
				typeVersion: 1,
				parameters: {
					descriptionType: 'manual',
					toolDescription: 'Writes a text',
					model: byId('sandbox/swift-1'),
					prompt: "={{ $fromAI('prompt', 'what to write about', 'string') }}",
				},
				credentials: { aiGatewayApi: environment.credential },
				...at(400, 200),
			},
		],
		connections: {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
			Writer: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
		settings: { executionOrder: 'v1' },
	};
	const { id } = await client.createWorkflow(workflow);
	const execution = await waitForExecution(client, await client.runManually(id, 'Start'));
	const result = resultOf(execution);
	expect(result.error).toBeUndefined();
	const asked = gateway.control.requests({ path: '/chat/completions' });
	expect(asked.map(({ body }) => body.model)).toStrictEqual([
		'sandbox/balanced-2',
		'sandbox/swift-1',
		'sandbox/balanced-2',
	]);
	// What the agent got from the tool: little, with the cost.
	expect(JSON.stringify(asked[2]?.body.json)).toMatch(/costRub/);
	expect(JSON.stringify(asked[2]?.body.json)).not.toMatch(/inputTokens/);
	expect(jsonOf(result, 'Agent')['output']).toContain('The tool answered');
});

test('a picture that comes as a link, or as a data URL, is a file', async () => {
	const { url } = environment.gateway.control.createBigFile({ size: 2_000, mimeType: 'image/png' });
	const images = [{ image_url: { url } }, { image_url: { url: 'data:image/svg+xml,%3Csvg/%3E' } }];
	const choices = [{ index: 0, message: { content: 'Here', images }, finish_reason: 'stop' }];
	const text = JSON.stringify({ choices, usage: { cost_rub: 0.5 } });
	environment.gateway.control.addFault({
		match: { path: '/chat/completions' },
		action: { kind: 'raw', status: 200, body: { text, contentType: 'application/json' } },
	});
	const options = { audioAndImages: { values: { modalities: ['text', 'image'] } } };
	const node = ask({ prompt: 'Draw', options });
	const result = await environment.runWorkflow(workflowOf('Pictures', [node], { Start: ['Ask'] }));
	expect(jsonOf(result)).toMatchObject({ text: 'Here', costRub: 0.5, otherOutput: [images[0]] });
	const [item] = result.nodes['Ask']?.items ?? [];
	expect(item?.binary).toMatchObject({
		image: { mimeType: 'image/svg+xml' },
		image_1: { mimeType: 'image/png' },
	});
	expect(item && (await environment.readBinary(item, 'image_1')).length).toBe(2_000);
});

test.each<[string, string, string, string, string]>([
	[
		'image',
		'file_17',
		'application/octet-stream',
		'iVBORw0KGgoAAAANSUhEUg==',
		'data:image/png;base64,iVBORw0K',
	],
	['image', 'a.jpg', 'image/jpg', '/9j/4AAQSkZJRg==', 'data:image/jpeg;base64,/9j/'],
	['audio', 'file_3.oga', 'application/octet-stream', 'T2dnUwAC', '"format":"ogg"'],
	['file', 'a.csv', 'text/csv', '0LAsYg==', '"media_type":"text/plain","data":"а,b"'],
])('%s %s of the type %s is sent with its own type', async (type, fileName, mimeType, b64, part) => {
	const file = {
		name: 'File',
		type: 'n8n-nodes-base.convertToFile',
		typeVersion: 1.1,
		parameters: { operation: 'toBinary', sourceProperty: 'b64', options: { fileName, mimeType } },
	};
	const format = type === 'file' ? 'messages' : 'chat';
	const attachments = { attachment: [{ type, source: 'binary', binaryPropertyName: 'data' }] };
	const node = ask({ format, model: byId('polyglot/omni-audio'), prompt: 'Look', attachments });
	const nodes = [itemsNode('Items', [{ b64 }]), file, node];
	const result = await environment.runWorkflow(
		workflowOf('Types', nodes, { Start: ['Items'], Items: ['File'], File: ['Ask'] }),
	);
	expect(result.error).toBeUndefined();
	const [request] = environment.gateway.control.requests({ method: 'POST' });
	expect(JSON.stringify(request?.body.json)).toContain(part);
});
