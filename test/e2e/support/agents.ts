import type { Stored, WorkflowNode } from '../../../sandbox/n8n/types';
import type { Environment } from './environment';
import { byId, gatewayNode, type Service } from './workflows';

/** Starts a workflow by hand. */
export const start: WorkflowNode = {
	name: 'Start',
	type: 'n8n-nodes-base.manualTrigger',
	typeVersion: 1,
	parameters: {},
};
/** n8n's AI Agent, asked for something. */
export const agent = (text: string, parameters: Record<string, unknown> = {}): WorkflowNode => ({
	name: 'Agent',
	type: '@n8n/n8n-nodes-langchain.agent',
	typeVersion: 3,
	parameters: { promptType: 'define', text, options: {}, ...parameters },
});
/** Our model, for the agent. */
export const model = (parameters: Record<string, unknown> = {}): [Service, WorkflowNode] => [
	'ai_languageModel',
	gatewayNode('Model', 'chatModel', { model: byId('sandbox/balanced-2'), ...parameters }),
];
/** A tool without input. */
export const balanceTool: [Service, WorkflowNode] = [
	'ai_tool',
	gatewayNode('Balance', 'balanceTool', {
		descriptionType: 'manual',
		toolDescription: 'Tells the money left',
	}),
];
/** A tool whose input the model writes. */
export const writerTool: [Service, WorkflowNode] = [
	'ai_tool',
	gatewayNode('Writer', 'textGenerationTool', {
		descriptionType: 'manual',
		toolDescription: 'Writes a text',
		model: byId('sandbox/swift-1'),
		prompt: "={{ $fromAI('prompt', 'what to write about', 'string') }}",
	}),
];

/** The API formats of texts. */
export const FORMATS = ['chat', 'responses', 'messages'];

/** Where requests of an API format go. */
export function pathOf(format: string): string {
	return format === 'chat' ? '/chat/completions' : `/${format}`;
}

/** Stores a credential with which n8n's own OpenAI nodes use the sandbox gateway. */
export async function saveOpenAiCredential({ client, gateway }: Environment): Promise<Stored> {
	const { apiKey, baseUrl: url } = gateway;
	return await client.saveCredential('OpenAI', 'openAiApi', { apiKey, url, header: false });
}
