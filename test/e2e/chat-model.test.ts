import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkPng } from '../../sandbox/demo/png';
import type { FaultRule } from '../../sandbox/gateway/control/faultTypes';
import { resultOf, waitForExecution, type Execution } from '../../sandbox/n8n/executions';
import { sandboxFolder } from '../../sandbox/n8n/runtime';
import type { WorkflowNode } from '../../sandbox/n8n/types';
import { loadExample, manualTrigger, withCredential } from '../../sandbox/n8n/workflows';
import { agent, balanceTool, model, pathOf, start, writerTool } from './support/agents';
import { useOwnEnvironment, type OwnEnvironment } from './support/environment';
import { eventually } from './support/eventually';
import { byId, clusterOf, itemsNode, type Service } from './support/workflows';

// The chat model in n8n's own AI Agent and chains.

const FORMATS = ['chat', 'responses', 'messages'];
let environment: OwnEnvironment;

// Inside the repository, as in the demo: above it lie other copies of n8n's SDK than n8n's own.
useOwnEnvironment((started) => (environment = started), { parent: join(sandboxFolder, 'e2e') });
beforeEach(async () => await environment.gateway.control.reset());

async function begin(root: WorkflowNode[], services: Array<[Service, WorkflowNode]>): Promise<string> {
	const workflow = withCredential(
		clusterOf('Chat model', [start, ...root], services),
		environment.credential,
	);
	const { id } = await environment.client.createWorkflow(workflow);
	return await environment.client.runManually(id, manualTrigger(workflow));
}
const run = async (root: WorkflowNode | WorkflowNode[], services: Array<[Service, WorkflowNode]>) =>
	await waitForExecution(environment.client, await begin([root].flat(), services));

/** What the agent says. */
function outputOf(execution: Execution, name = 'Agent'): Record<string, unknown> {
	const result = resultOf(execution);
	const item = result.nodes[name]?.items[0];
	if (!item) throw new Error(`"${name}" gave no item: ${JSON.stringify(result.error)}`);
	return item.json;
}

/** What n8n shows of each call of the model. */
function callsOf(execution: Execution): Array<Record<string, unknown>> {
	return (execution.data.resultData.runData['Model'] ?? []).flatMap((task) =>
		(task.data?.['ai_languageModel']?.[0] ?? []).map(({ json }) => json),
	);
}
const asked = (path = '/chat/completions') => environment.gateway.control.requests({ path });
const paid = () => environment.gateway.control.ledger();

describe.each(FORMATS)('an AI Agent with the %s format', (format) => {
	it('responds, and shows tokens and cost of the call', async () => {
		const execution = await run(agent('Say hello to the river'), [model({ format })]);
		expect(outputOf(execution)['output']).toContain('You wrote: "Say hello to the river"');
		const [call] = callsOf(execution);
		const [charge] = paid();
		expect(call?.['tokenUsage']).toMatchObject({
			promptTokens: 6,
			completionTokens: expect.any(Number) as number,
		});
		expect((call?.['tokenUsage'] as { costRub?: number }).costRub).toBe(Number(charge?.amount));
		expect(asked(pathOf(format))).toHaveLength(1);
	});

	it('calls a tool and responds with its result', async () => {
		environment.gateway.control.setBalance('321.50');
		const execution = await run(agent('Please use the tool'), [model({ format }), balanceTool]);
		expect(outputOf(execution)['output']).toMatch(/The tool answered.*32\d\./);
		expect(asked(pathOf(format))).toHaveLength(2);
		expect(callsOf(execution)).toHaveLength(2);
	});

	it('calls two tools at once', async () => {
		const execution = await run(agent('Please call all tools'), [model({ format }), balanceTool, writerTool]);
		const { nodes } = resultOf(execution);
		expect([nodes['Balance']?.runs, nodes['Writer']?.runs]).toStrictEqual([1, 1]);
		expect(outputOf(execution)['output']).toMatch(/The tool answered.*costRub.* \| .*amountRub/);
	});

	it('responds in the structure of an output parser', async () => {
		const parser: [Service, WorkflowNode] = [
			'ai_outputParser',
			{
				name: 'Parser',
				type: '@n8n/n8n-nodes-langchain.outputParserStructured',
				typeVersion: 1.3,
				parameters: { jsonSchemaExample: '{ "title": "Rivers", "pages": 12 }' },
			},
		];
		const wish = agent('Please use the tool format_final_json_response for a book', {
			hasOutputParser: true,
		});
		const execution = await run(wish, [model({ format }), parser]);
		expect(outputOf(execution)['output']).toStrictEqual({
			title: expect.any(String) as string,
			pages: expect.any(Number) as number,
		});
	});
});

const chain = (text: string, parameters: Record<string, unknown> = {}): WorkflowNode => ({
	name: 'Chain',
	type: '@n8n/n8n-nodes-langchain.chainLlm',
	typeVersion: 1.9,
	parameters: { promptType: 'define', text, ...parameters },
});

/** An item with a picture in the binary field `data`. */
function picture(): WorkflowNode {
	const { url } = environment.gateway.control.createBigFile({ size: 2000, mimeType: 'image/png' });
	return {
		name: 'Picture',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { url, options: { response: { response: { responseFormat: 'file' } } } },
	};
}

test('a summarization chain splits a text without asking another server for a table of tokens', async () => {
	const summary: WorkflowNode = {
		name: 'Chain',
		type: '@n8n/n8n-nodes-langchain.chainSummarization',
		typeVersion: 2.1,
		parameters: { operationMode: 'nodeInputJson', options: {} },
	};
	const items = itemsNode('Items', [{ text: 'The river is long. '.repeat(800) }]);
	const began = Date.now();
	const execution = await run([items, summary], [model()]);
	expect(outputOf(execution, 'Chain')['output']).toBeDefined();
	expect(asked().length).toBeGreaterThan(10);
	// LangChain's own model warns without a connection, after a minute.
	expect(await environment.n8nLog()).not.toContain('calculate number of tokens');
	expect(Date.now() - began).toBeLessThan(30_000);
});

test('a chain responds', async () => {
	const execution = await run(chain('Say hello'), [model({ options: { temperature: 0.2, maxTokens: 500 } })]);
	expect(outputOf(execution, 'Chain')['text']).toContain('You wrote: "Say hello"');
	expect(asked()[0]?.body.json).toMatchObject({ temperature: 0.2, max_tokens: 500 });
});

test.each(FORMATS)('%s: a chain and an agent read images', async (format) => {
	const messages = {
		messageValues: [
			{ type: 'HumanMessagePromptTemplate', messageType: 'imageBinary', binaryImageDataKey: 'data' },
		],
	};
	const chained = await run([picture(), chain('What is this?', { messages })], [model({ format })]);
	expect(outputOf(chained, 'Chain')['text']).toContain('I also received: image');
	const looking = agent('What is this?', { options: { passthroughBinaryImages: true } });
	const execution = await run([picture(), looking], [model({ format })]);
	expect(outputOf(execution)['output']).toContain('I also received: image');
});

test('a memory adds the earlier messages', async () => {
	const memory: [Service, WorkflowNode] = [
		'ai_memory',
		{
			name: 'Memory',
			type: '@n8n/n8n-nodes-langchain.memoryBufferWindow',
			typeVersion: 1.3,
			parameters: { sessionIdType: 'customKey', sessionKey: 'one' },
		},
	];
	const items = itemsNode('Items', [{ text: 'My name is Anna' }, { text: 'What is my name?' }]);
	const execution = await run([items, agent('={{ $json.text }}')], [model(), memory]);
	expect(resultOf(execution).nodes['Agent']?.items).toHaveLength(2);
	const said = (asked()[1]?.body.json as { messages: Array<{ role: string; content: string }> }).messages;
	expect(said.map(({ role }) => role)).toStrictEqual(
		['system', 'user', 'assistant', 'user'].slice(-said.length),
	);
	expect(JSON.stringify(said)).toContain('My name is Anna');
});

/** The next calls in the chat format go wrong, from the `nth` on. */
const fault = (action: FaultRule['action'], nth = 1, times = 1) => {
	environment.gateway.control.addFault({ match: { path: '/chat/completions', nth }, action, times });
};
const brokenCall = {
	id: 'c',
	model: 'm',
	choices: [
		{
			finish_reason: 'tool_calls',
			message: { tool_calls: [{ id: 'a', function: { name: 'Balance', arguments: '{"a":' } }] },
		},
	],
	usage: { prompt_tokens: 1, completion_tokens: 1, cost_rub: 0.1 },
};

describe('errors of the agent say what to do', () => {
	const cases: Array<
		[
			string,
			{
				parameters?: Record<string, unknown>;
				prepare?: () => void;
				calls: number;
				message: RegExp;
				description: RegExp;
			},
		]
	> = [
		[
			'no model',
			{
				parameters: { model: byId('') },
				calls: 0,
				message: /^'Model' is empty\. .*Choose a model.*Nothing was sent\.$/,
				description: /Choose a model/,
			},
		],
		[
			'a wrong option',
			{
				parameters: { options: { temperature: 7 } },
				calls: 0,
				message: /'Temperature'.*from 0 to 2.*Nothing was sent/,
				description: /from 0 to 2/,
			},
		],
		[
			'an unknown model',
			{
				parameters: { model: byId('sandbox/balanced-3') },
				calls: 1,
				message: /does not know this model/,
				description: /Choose the model again from the list/,
			},
		],
		[
			'no money in the middle of a run',
			{
				prepare: () => fault({ kind: 'error', code: 'insufficient_quota' }, 2),
				calls: 2,
				message: /not enough money/,
				description: /Top up/,
			},
		],
		[
			'a context that is too long',
			{
				prepare: () => fault({ kind: 'error', code: 'context_length_exceeded' }),
				calls: 1,
				message: /longer than the model can read/,
				description: /larger context/,
			},
		],
		[
			'a lost answer, which is not asked for again',
			{
				prepare: () => fault({ kind: 'loseResponse' }),
				calls: 1,
				message: /connection broke/,
				description: /may have been charged: check the balance/,
			},
		],
		[
			'broken arguments of a tool',
			{
				prepare: () =>
					fault({
						kind: 'raw',
						status: 200,
						body: { text: JSON.stringify(brokenCall), contentType: 'application/json' },
					}),
				calls: 1,
				message: /tool "Balance" with arguments that are not JSON/,
				description: /tool was not run.*₽0\.1/,
			},
		],
		[
			'a gateway that stays busy',
			{
				parameters: { options: { maxRetries: 1 } },
				prepare: () => fault({ kind: 'error', code: 'service_unavailable', retryAfter: 0 }, 1, 2),
				calls: 2,
				message: /./,
				description: /tried 2 times/,
			},
		],
	];
	test.each(cases)('%s', async (_, { parameters, prepare, calls, message, description }) => {
		prepare?.();
		const execution = await run(agent('Please use the tool'), [model(parameters), balanceTool]);
		const { status, error: agentError, nodes } = resultOf(execution);
		expect(status).toBe('error');
		// Of mistakes in the panel the agent says that they are the model's, whose message has all.
		const error = nodes['Model']?.error ?? agentError;
		const own = /^Error in sub-node/.test(agentError?.message ?? '')
			? agentError?.description
			: agentError?.message;
		expect(own).toMatch(message);
		expect(error?.message).toMatch(message);
		expect(`${error?.message} ${error?.description}`).toMatch(description);
		expect(asked()).toHaveLength(calls);
	});

	it('a wrong key', async () => {
		const { client, gateway } = environment;
		const wrong = await client.saveCredential('Wrong key', 'aiGatewayApi', {
			baseUrl: gateway.baseUrl,
			apiKey: 'sk-wrong',
		});
		const workflow = withCredential(clusterOf('Wrong key', [start, agent('Hello')], [model()]), wrong);
		const { id } = await client.createWorkflow(workflow);
		const { error } = resultOf(await waitForExecution(client, await client.runManually(id, 'Start')));
		expect(error?.message).toBe('The gateway refused the API key');
		expect(error?.description).toContain('Open the AI Gateway credential');
		expect(JSON.stringify(error)).not.toContain('sk-wrong');
	});
});

test('cancelling the execution ends the call', async () => {
	const { client, gateway } = environment;
	gateway.control.configure({ latency: { chat: 20_000 } });
	const executionId = await begin([agent('Hello')], [model()]);
	await eventually(() => expect(gateway.control.concurrency().inFlight).toBe(1));
	await client.stopExecution(executionId);
	const { status } = await waitForExecution(client, executionId);
	expect(status).toBe('canceled');
	for (const end = Date.now() + 5_000; gateway.control.concurrency().inFlight > 0 && Date.now() < end; )
		await sleep(50);
	expect(gateway.control.concurrency().inFlight).toBe(0);
	expect(asked()).toHaveLength(1);
	expect(paid()).toStrictEqual([]);
});

test('the key is sent to the gateway only', async () => {
	const { apiKey } = environment.gateway;
	const execution = await run(agent('Please use the tool'), [model(), balanceTool]);
	expect(await environment.readExecutionRaw(execution.id)).not.toContain(apiKey);
	expect(await environment.n8nLog()).not.toContain(apiKey);
	expect((await environment.databaseBytes()).includes(apiKey)).toBe(false);
});

test('the example: an agent that creates a picture', async () => {
	const example = await loadExample('agent-with-media-tool');
	const result = await environment.runWorkflow(example);
	expect(result.error).toBeUndefined();
	const said = result.nodes['AI Agent']?.items[0]?.json['output'] as string;
	const [url = ''] = /http[^"\\\s]+/.exec(said) ?? [];
	const picture = Buffer.from(await (await fetch(url)).arrayBuffer());
	expect(await checkPng(picture)).toStrictEqual({ width: 512, height: 512 });
	expect(said).toMatch(/priceRub/);
	// Two calls of the model and one picture, all from one wallet.
	expect(paid()).toHaveLength(3);
});
