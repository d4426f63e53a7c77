import { resultOf, type Execution } from '../../sandbox/n8n/executions';
import type { Stored, WorkflowNode } from '../../sandbox/n8n/types';
import { agent, balanceTool, model, saveOpenAiCredential, start, writerTool } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { byId, clusterOf, type Service } from './support/workflows';

// The same agent with our model and with n8n's own OpenAI Chat Model, on the same gateway.

const MODEL = 'sandbox/balanced-2';
let environment: Environment;
let openAi: Stored;

useEnvironment((started) => (environment = started));
beforeAll(async () => {
	openAi = await saveOpenAiCredential(environment);
});

const openAiModel = (responsesApiEnabled: boolean): [Service, WorkflowNode] => [
	'ai_languageModel',
	{
		name: 'Model',
		type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
		typeVersion: 1.3,
		parameters: { model: byId(MODEL), responsesApiEnabled, options: {} },
		credentials: { openAiApi: openAi },
	},
];

const FORMATS: Array<[string, string, [Service, WorkflowNode], () => [Service, WorkflowNode]]> = [
	['chat', '/chat/completions', model({ format: 'chat' }), () => openAiModel(false)],
	['responses', '/responses', model({ format: 'responses' }), () => openAiModel(true)],
];

const TASKS = [
	['two rounds of a tool', 'Please use the tool [[rounds:2]]'],
	['two tools at once', 'Please call all tools'],
	['Russian', 'Напиши одно предложение о море'],
] as const;

/** IDs are new in each run; a message without text has an empty list of parts, or null. */
const comparable = (value: unknown): unknown =>
	JSON.parse(
		JSON.stringify(value)
			.replace(/\bcall_\w+/g, 'call_…')
			.replaceAll('"content":[]', '"content":null'),
	) as unknown;

/** Tokens of each call, as n8n's log has them. */
function tokensOf(execution: Execution): unknown[] {
	return (execution.data.resultData.runData['Model'] ?? []).flatMap((task) =>
		(task.data?.['ai_languageModel']?.[0] ?? []).map(({ json }) => {
			const usage = json['tokenUsage'] as Record<string, number> | undefined;
			return [usage?.['promptTokens'], usage?.['completionTokens'], usage?.['totalTokens']];
		}),
	);
}

/** What an agent says with a model, the calls that it takes, and what they cost. */
async function runWith(text: string, path: string, languageModel: [Service, WorkflowNode]) {
	await environment.gateway.control.reset();
	environment.gateway.control.setBalance('500.00');
	const services = [languageModel, balanceTool, writerTool];
	const execution = await environment.execute(clusterOf('Side by side', [start, agent(text)], services));
	const { nodes, error } = resultOf(execution);
	const calls = environment.gateway.control
		.requests({ path })
		.map(({ body }) => body.json as { model: string; messages?: unknown; input?: unknown; tools?: unknown[] })
		.filter(({ model: asked }) => asked === MODEL);
	const ledger = environment.gateway.control.ledger();
	return {
		error,
		output: nodes['Agent']?.items[0]?.json['output'],
		toolRuns: [nodes['Balance']?.runs ?? 0, nodes['Writer']?.runs ?? 0],
		calls: calls.length,
		conversation: comparable(calls.map(({ messages }) => messages ?? null)),
		tools: calls.map(({ tools }) => tools?.length ?? 0),
		tokens: tokensOf(execution),
		cost: ledger.map(({ model: asked, amount }) => [asked, amount]),
	};
}

describe.each(FORMATS)('%s', (_, path, own, other) => {
	it.each(TASKS)('%s: the same words, calls, tokens and cost', async (_task, text) => {
		const ours = await runWith(text, path, own);
		const theirs = await runWith(text, path, other());
		// n8n's own model shows no tokens of the Responses format in the log; the cost is that of the tokens.
		const tokens = path === '/responses' ? ours.tokens : theirs.tokens;
		expect(ours).toStrictEqual({ ...theirs, tokens });
		expect(ours.error).toBeUndefined();
		expect(ours.output).toMatch(/\S/);
		expect(ours.calls).toBeGreaterThan(0);
		expect(ours.tokens).toHaveLength(ours.calls);
	});
});
