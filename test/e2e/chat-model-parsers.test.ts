import type { WorkflowNode } from '../../sandbox/n8n/types';
import { agent, balanceTool, model, start, writerTool } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { talk, texts } from './support/streams';
import { clusterOf, type Service } from './support/workflows';

// What n8n's parsers and agents make of what the chat model gives.

const BOOK = { title: 'Rivers of the far north', pages: 12 };
let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => await environment.gateway.control.reset());

const parser = (parameters: Record<string, unknown> = {}): [Service, WorkflowNode] => [
	'ai_outputParser',
	{
		name: 'Parser',
		type: '@n8n/n8n-nodes-langchain.outputParserStructured',
		typeVersion: 1.3,
		parameters: { jsonSchemaExample: JSON.stringify(BOOK), ...parameters },
	},
];

const asked = () => environment.gateway.control.requests({ path: '/chat/completions' });

test('an auto-fixing parser reads the fixed output', async () => {
	const chain: WorkflowNode = {
		name: 'Chain',
		type: '@n8n/n8n-nodes-langchain.chainLlm',
		typeVersion: 1.9,
		parameters: { promptType: 'define', text: '[[say:Sorry, no JSON here]]', hasOutputParser: true },
	};
	const mended = { choices: [{ message: { content: JSON.stringify({ output: BOOK }) } }], usage: {} };
	environment.gateway.control.addFault({
		match: { path: '/chat/completions', nth: 2 },
		action: {
			kind: 'raw',
			status: 200,
			body: { text: JSON.stringify(mended), contentType: 'application/json' },
		},
	});
	const workflow = clusterOf('Mending', [start, chain], [model(), parser({ autoFix: true })]);
	// The model serves the parser, too.
	const serves = (node: string) => ({ node, type: 'ai_languageModel', index: 0 });
	workflow.connections['Model'] = { ai_languageModel: [[serves('Chain'), serves('Parser')]] };
	const { nodes, error } = await environment.runWorkflow(workflow);
	expect(error).toBeUndefined();
	expect(nodes['Chain']?.items[0]?.json).toStrictEqual({ output: BOOK });
	expect(asked()).toHaveLength(2);
});

test('an agent with a parser reads streamed JSON', async () => {
	const root = agent('={{ $json.chatInput }}', { hasOutputParser: true });
	const say = await talk(environment, root, [model(), parser()]);
	environment.gateway.control.configure({ stream: { deltaDelayMs: 40 } });
	const chunks = await say(`[[say:${JSON.stringify({ output: BOOK })}]]`);
	expect(chunks.filter(({ type }) => type === 'error')).toStrictEqual([]);
	expect(texts(chunks)).toContain(BOOK.title);
});

test('an agent that must call a tool first offers each tool once', async () => {
	const forced = { ...agent('Please use the tool'), typeVersion: 3.1 };
	forced.parameters = { ...forced.parameters, options: { forceToolCallOnFirstIteration: true } };
	const { error } = await environment.runWorkflow(
		clusterOf('Forced', [start, forced], [model(), balanceTool, writerTool]),
	);
	expect(error).toBeUndefined();
	const bodies = asked().map(({ body }) => body.json as { tool_choice?: string; tools?: object[] });
	// The writer asks without tools.
	const offers = bodies.flatMap(({ tools }) => (tools ? [tools.length] : []));
	expect(offers).toStrictEqual([2, 2]);
	expect(bodies[0]?.tool_choice).toBe('required');
});
