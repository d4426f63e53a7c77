import { join } from 'node:path';
import { checkPng } from '../../sandbox/demo/png';
import type { FaultRule } from '../../sandbox/gateway/control/faultTypes';
import { resultOf, waitForExecution, type Execution } from '../../sandbox/n8n/executions';
import { sandboxFolder } from '../../sandbox/n8n/runtime';
import type { WorkflowNode } from '../../sandbox/n8n/types';
import { loadExample } from '../../sandbox/n8n/workflows';
import { agent, balanceTool, FORMATS, model, pathOf, start } from './support/agents';
import { useOwnEnvironment, type OwnEnvironment } from './support/environment';
import { eventually } from './support/eventually';
import { byId, clusterOf, itemsNode, type Service } from './support/workflows';

// The chat model in n8n's own AI Agent and chains.

let environment: OwnEnvironment;

// Inside the repository, as in the demo: above it lie other copies of n8n's SDK than n8n's own.
useOwnEnvironment((started) => (environment = started), { parent: join(sandboxFolder, 'e2e') });
beforeEach(async () => await environment.gateway.control.reset());

const run = async (root: WorkflowNode | WorkflowNode[], services: Array<[Service, WorkflowNode]>) =>
	await environment.execute(clusterOf('Chat model', [start, ...[root].flat()], services));

/** What the agent says. */
function outputOf(execution: Execution, name = 'Agent'): Record<string, unknown> {
	const result = resultOf(execution);
	const item = result.nodes[name]?.items[0];
	if (!item) throw new Error(`"${name}" gave no item: ${JSON.stringify(result.error)}`);
	return item.json;
}

const asked = (path = '/chat/completions') => environment.gateway.control.requests({ path });
const paid = () => environment.gateway.control.ledger();

describe.each(FORMATS)('an AI Agent with the %s format', (format) => {
	it('responds, and shows tokens and cost of the call', async () => {
		const execution = await run(agent('Say hello to the river'), [model({ format })]);
		expect(outputOf(execution)['output']).toContain('You wrote: "Say hello to the river"');
		const [call] = execution.data.resultData.runData['Model'] ?? [];
		expect(call?.data?.['ai_languageModel']?.[0]?.[0]?.json['tokenUsage']).toMatchObject({
			promptTokens: 6,
			completionTokens: expect.any(Number) as number,
			costRub: Number(paid()[0]?.amount),
		});
		expect(asked(pathOf(format))).toHaveLength(1);
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

	it('reads images, as a chain does', async () => {
		const { url } = environment.gateway.control.createBigFile({ size: 2000, mimeType: 'image/png' });
		const picture = {
			name: 'Picture',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: { url, options: { response: { response: { responseFormat: 'file' } } } },
		};
		const messages = {
			messageValues: [
				{ type: 'HumanMessagePromptTemplate', messageType: 'imageBinary', binaryImageDataKey: 'data' },
			],
		};
		const chain = {
			name: 'Chain',
			type: '@n8n/n8n-nodes-langchain.chainLlm',
			typeVersion: 1.9,
			parameters: { promptType: 'define', text: 'What is this?', messages },
		};
		const chained = await run([picture, chain], [model({ format })]);
		expect(outputOf(chained, 'Chain')['text']).toContain('I also received: image');
		const looking = agent('What is this?', { options: { passthroughBinaryImages: true } });
		const execution = await run([picture, looking], [model({ format })]);
		expect(outputOf(execution)['output']).toContain('I also received: image');
	});
});

test('a summarization chain splits a text without asking another server for a table of tokens', async () => {
	const summary: WorkflowNode = {
		name: 'Chain',
		type: '@n8n/n8n-nodes-langchain.chainSummarization',
		typeVersion: 2.1,
		parameters: { operationMode: 'nodeInputJson', options: {} },
	};
	const items = itemsNode('Items', [{ text: 'The river is long. '.repeat(800) }]);
	const execution = await run([items, summary], [model()]);
	expect(outputOf(execution, 'Chain')['output']).toBeDefined();
	expect(asked().length).toBeGreaterThan(10);
	// LangChain's own model warns without a connection, after a minute.
	expect(await environment.n8nLog()).not.toContain('calculate number of tokens');
});

describe('errors of the agent say what to do', () => {
	/** The next call in the chat format goes wrong, or the `nth`. */
	const fault = (action: FaultRule['action'], nth = 1) =>
		environment.gateway.control.addFault({ match: { path: '/chat/completions', nth }, action });
	const nothing = () => undefined;

	test.each<[string, Record<string, unknown>, () => void, number, RegExp, RegExp]>([
		[
			'no model',
			{ model: byId('') },
			nothing,
			0,
			/^'Model' is empty\. .*Choose a model.*This call was not sent\.$/,
			/Choose a model/,
		],
		[
			'no money in the middle of a run',
			{},
			() => fault({ kind: 'error', code: 'insufficient_quota' }, 2),
			2,
			/not enough money/,
			/Top up/,
		],
		[
			'a lost answer, which is not asked for again',
			{},
			() => fault({ kind: 'loseResponse' }),
			1,
			/connection broke/,
			/may have been charged: check the balance/,
		],
	])('%s', async (_, parameters, prepare, calls, message, description) => {
		prepare();
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
});

test('cancelling the execution ends the call', async () => {
	const { client, gateway } = environment;
	gateway.control.addFault({ match: { path: '/chat/completions' }, action: { kind: 'hang' } });
	const executionId = await environment.begin(clusterOf('Cancelled', [start, agent('Hello')], [model()]));
	await eventually(() => expect(gateway.control.concurrency().inFlight).toBe(1));
	await client.stopExecution(executionId);
	const { status } = await waitForExecution(client, executionId);
	expect(status).toBe('canceled');
	await eventually(() => expect(gateway.control.concurrency().inFlight).toBe(0));
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

test('the example: an agent creates a picture, and the workflow sends it', async () => {
	const result = await environment.runWorkflow(await loadExample('agent-with-media-tool'));
	expect(result.error).toBeUndefined();
	const said = result.nodes['AI Agent']?.items[0]?.json['output'] as string;
	const [, url = '', price] = /^Here it is: (http\S+)\nThe price was ₽([\d.]+)\.$/.exec(said) ?? [];
	const picture = Buffer.from(await (await fetch(url)).arrayBuffer());
	expect(await checkPng(picture)).toStrictEqual({ width: 512, height: 512 });
	const [sent, ...more] = result.nodes['Send it']?.items ?? [];
	expect(more).toStrictEqual([]);
	const kept = await fetch(sent?.json['url'] as string);
	expect(Buffer.from(await kept.arrayBuffer()).equals(picture)).toBe(true);
	// Two calls of the model and one picture, all from one wallet.
	expect(paid()).toHaveLength(3);
	expect(paid().map(({ amount }) => Number(amount))).toContain(Number(price));
});
