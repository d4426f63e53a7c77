import { resultOf, waitForExecution, type Execution } from '../../sandbox/n8n/executions';
import type { WorkflowNode } from '../../sandbox/n8n/types';
import { manualTrigger, withCredential } from '../../sandbox/n8n/workflows';
import { Environment } from './support/environment';
import { byId, clusterOf, gatewayNode, type Service } from './support/workflows';

// The chat model in n8n's own AI Agent and chains.

const FORMATS = ['chat', 'responses', 'messages'];
let environment: Environment;

beforeAll(async () => {
	environment = await Environment.start();
});
afterAll(async () => {
	await environment?.close();
});
beforeEach(async () => await environment.gateway.control.reset());

const start: WorkflowNode = {
	name: 'Start',
	type: 'n8n-nodes-base.manualTrigger',
	typeVersion: 1,
	parameters: {},
};
const agent = (text: string, parameters: Record<string, unknown> = {}): WorkflowNode => ({
	name: 'Agent',
	type: '@n8n/n8n-nodes-langchain.agent',
	typeVersion: 3,
	parameters: { promptType: 'define', text, options: {}, ...parameters },
});
const model = (parameters: Record<string, unknown> = {}): [Service, WorkflowNode] => [
	'ai_languageModel',
	gatewayNode('Model', 'chatModel', { model: byId('sandbox/balanced-2'), ...parameters }),
];
const balanceTool: [Service, WorkflowNode] = [
	'ai_tool',
	gatewayNode('Balance', 'balanceTool', { toolDescription: 'Tells the money left' }),
];
const writerTool: [Service, WorkflowNode] = [
	'ai_tool',
	gatewayNode('Writer', 'textGenerationTool', {
		toolDescription: 'Writes a text',
		model: byId('sandbox/swift-1'),
		prompt: "={{ $fromAI('prompt', 'what to write about', 'string') }}",
	}),
];

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
const pathOf = (format: string) => (format === 'chat' ? '/chat/completions' : `/${format}`);
const paid = () => environment.gateway.control.ledger();

describe.each(FORMATS)('an AI Agent with the %s format', (format) => {
	it('answers, and shows tokens and cost of the call', async () => {
		const execution = await run(agent('Say hello to the river'), [model({ format })]);
		expect(outputOf(execution)['output']).toContain('You wrote: "Say hello to the river"');
		const [call] = callsOf(execution);
		const [charge] = paid();
		expect(call?.['tokenUsage']).toMatchObject({
			promptTokens: 6,
			completionTokens: expect.any(Number) as number,
		});
		if (format !== 'messages')
			expect(call?.['tokenUsage']).toMatchObject({ costRub: Number(charge?.amount) });
		expect(asked(pathOf(format))).toHaveLength(1);
	});

	it('calls a tool and answers with what it gave', async () => {
		environment.gateway.control.setBalance('321.50');
		const execution = await run(agent('Please use the tool'), [model({ format }), balanceTool]);
		expect(outputOf(execution)['output']).toMatch(/The tool answered.*32\d\./);
		expect(asked(pathOf(format))).toHaveLength(2);
		expect(callsOf(execution)).toHaveLength(2);
	});

	it('calls two tools at once', async () => {
		const execution = await run(agent('Please call all tools'), [model({ format }), balanceTool, writerTool]);
		const { nodes } = resultOf(execution);
		expect([nodes['Balance']?.runs, nodes['Writer']?.runs]).toEqual([1, 1]);
		expect(outputOf(execution)['output']).toMatch(/The tool answered.*costRub.* \| .*amountRub/);
	});

	it('answers in the structure that an output parser wants', async () => {
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
		expect(outputOf(execution)['output']).toEqual({
			title: expect.any(String) as string,
			pages: expect.any(Number) as number,
		});
	});
});
