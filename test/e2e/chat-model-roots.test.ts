import type { WorkflowJson, WorkflowNode } from '../../sandbox/n8n/types';
import { agent, model, start } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { byId, clusterOf, gatewayNode } from './support/workflows';

// The chat model below nodes of n8n other than agents and chains.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => await environment.gateway.control.reset());

const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/** The models of the requests, in their order. */
const asked = () =>
	environment.gateway.control.requests({ path: '/chat/completions' }).map(({ body }) => body.model);

async function execute(workflow: WorkflowJson) {
	const { nodes, error } = await environment.runWorkflow(workflow);
	expect(error).toBeUndefined();
	return nodes;
}

test('Model Selector: the agent asks the model that the rule chooses', async () => {
	const rule = (modelIndex: number, rightValue: string) => ({
		modelIndex,
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
			combinator: 'and',
			conditions: [
				{ id: '1', leftValue: 'long', rightValue, operator: { type: 'string', operation: 'equals' } },
			],
		},
	});
	const selector: WorkflowNode = {
		name: 'Selector',
		type: `${LANGCHAIN}.modelSelector`,
		typeVersion: 1,
		parameters: { numberInputs: 2, rules: { rule: [rule(1, 'short'), rule(2, 'long')] } },
	};
	const models = ['sandbox/balanced-2', 'sandbox/swift-1'].map((id, index) =>
		gatewayNode(`Model ${index + 1}`, 'chatModel', { model: byId(id) }),
	);
	const workflow = clusterOf('Selector', [start, agent('[[say:chosen]]')], [['ai_languageModel', selector]]);
	workflow.nodes.push(
		...models.map((node, index) => ({ id: node.name, position: [index * 220, 480], ...node })),
	);
	for (const [index, { name }] of models.entries())
		workflow.connections[name] = {
			ai_languageModel: [[{ node: 'Selector', type: 'ai_languageModel', index }]],
		};
	const nodes = await execute(workflow);
	expect(nodes['Agent']?.items[0]?.json).toStrictEqual({ output: 'chosen' });
	expect(asked()).toStrictEqual(['sandbox/swift-1']);
});

test.each([
	['passes', false, 0],
	['fails', true, 1],
])('Guardrails: a text %s as the model says', async (_, flagged, output) => {
	const guardrails: WorkflowNode = {
		name: 'Guardrails',
		type: `${LANGCHAIN}.guardrails`,
		typeVersion: 2,
		parameters: {
			operation: 'classify',
			text: `[[say:${JSON.stringify({ confidenceScore: 0.9, flagged })}]]`,
			guardrails: { jailbreak: { value: { threshold: 0.7 } } },
		},
	};
	const nodes = await execute(clusterOf('Guardrails', [start, guardrails], [model()]));
	const checks = [{ name: 'jailbreak', triggered: flagged, confidenceScore: 0.9, executionFailed: false }];
	expect(nodes['Guardrails']?.outputs[output]?.[0]?.json).toMatchObject({ checks });
	expect(nodes['Guardrails']?.outputs[1 - output] ?? []).toStrictEqual([]);
	expect(asked()).toStrictEqual(['sandbox/balanced-2']);
});

test('Information Extractor: its fields have the values that the model found', async () => {
	const attribute = (name: string, type: string) => ({ name, type, description: name, required: true });
	const found = { city: 'Oslo', people: 717_710 };
	const extractor: WorkflowNode = {
		name: 'Extractor',
		type: `${LANGCHAIN}.informationExtractor`,
		typeVersion: 1.2,
		parameters: {
			text: `Where is it? [[say:${JSON.stringify(found)}]]`,
			schemaType: 'fromAttributes',
			attributes: { attributes: [attribute('city', 'string'), attribute('people', 'number')] },
			options: {},
		},
	};
	const nodes = await execute(clusterOf('Extractor', [start, extractor], [model()]));
	expect(nodes['Extractor']?.items[0]?.json).toStrictEqual({ output: found });
	expect(asked()).toStrictEqual(['sandbox/balanced-2']);
});

test('Evaluation: the metric is the score that the model gives', async () => {
	const evaluation: WorkflowNode = {
		name: 'Evaluation',
		type: 'n8n-nodes-base.evaluation',
		typeVersion: 4.7,
		parameters: {
			operation: 'setMetrics',
			metric: 'helpfulness',
			userQuery: 'How high is it?',
			actualAnswer: 'Eight metres',
			options: { metricName: 'help' },
		},
	};
	const nodes = await execute(clusterOf('Evaluation', [start, evaluation], [model()]));
	const { help } = nodes['Evaluation']?.items[0]?.json ?? {};
	expect([1, 2, 3, 4, 5]).toContain(help);
	expect(asked()).toStrictEqual(['sandbox/balanced-2']);
});
