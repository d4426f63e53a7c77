import type { Gateway } from '../../sandbox/gateway/gateway';
import type { N8nClient } from '../../sandbox/n8n/client';
import type { Stored, WorkflowNode } from '../../sandbox/n8n/types';
import { byId, gatewayNode } from '../../test/e2e/support/workflows';
import { httpRequest, signedWith } from '../httpRequest';

const MODEL = 'sandbox/balanced-2';
const PROMPT = '={{ $json.prompt }}';

/** A workflow that sends one text request for each item. */
export interface Contender {
	name: string;
	/** The node, called `Text`. */
	node: WorkflowNode;
	/** Reads the text of the response from an item of the node. */
	textOf: (json: Record<string, unknown>) => unknown;
}

export function textNode(concurrency: number): Contender {
	return {
		name: `Gateway Text Generation, concurrency ${concurrency}`,
		node: gatewayNode('Text', 'textGeneration', {
			model: byId(MODEL),
			prompt: PROMPT,
			options: { concurrency },
		}),
		textOf: ({ text }) => text,
	};
}

/** n8n's HTTP Request node; it sends all at once, limited only by a pause between batches. */
function httpRequestNode({ baseUrl }: Gateway, key: Stored): Contender {
	return {
		name: 'HTTP Request, all at once',
		node: {
			...httpRequest('Text', {
				...chatRequest(baseUrl),
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
			}),
			credentials: { httpHeaderAuth: { id: key.id, name: key.name } },
		},
		textOf: textOfChat,
	};
}

/** The same with the key in the node's parameters. */
export function httpRequestWithOpenKey({ baseUrl, apiKey }: Gateway): Contender {
	return {
		name: 'HTTP Request with the key in the node',
		node: httpRequest('Text', { ...chatRequest(baseUrl), ...signedWith(apiKey) }),
		textOf: textOfChat,
	};
}

function chatRequest(baseUrl: string): Record<string, unknown> {
	return {
		method: 'POST',
		url: `${baseUrl}/chat/completions`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ JSON.stringify({ model: '${MODEL}', messages: [{ role: 'user', content: $json.prompt }] }) }}`,
	};
}

function textOfChat({ choices }: Record<string, unknown>): unknown {
	const [choice] = choices as Array<{ message: { content: unknown } }>;
	return choice?.message.content;
}

/** n8n's OpenAI node, pointed at the gateway; it sends one item after the other. */
function openAiNode(credential: Stored): Contender {
	return {
		name: 'OpenAI, one by one',
		node: {
			name: 'Text',
			type: '@n8n/n8n-nodes-langchain.openAi',
			typeVersion: 2.3,
			parameters: {
				resource: 'text',
				operation: 'response',
				modelId: byId(MODEL),
				responses: { values: [{ role: 'user', type: 'text', content: PROMPT }] },
				options: {},
			},
			credentials: { openAiApi: { id: credential.id, name: credential.name } },
		},
		textOf: ({ output }) => {
			const [message] = output as Array<{ content: Array<{ text: unknown }> }>;
			return message?.content[0]?.text;
		},
	};
}

/** A node that does nothing: the cost of n8n itself. */
export const idleNode: Contender = {
	name: 'No Operation',
	node: { name: 'Text', type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} },
	textOf: ({ expected }) => expected,
};

/** n8n's HTTP Request node and its OpenAI node, with credentials. */
export async function n8nNodes(client: N8nClient, gateway: Gateway): Promise<[Contender, Contender]> {
	const { apiKey, baseUrl: url } = gateway;
	const header = { name: 'Authorization', value: `Bearer ${apiKey}` };
	return [
		httpRequestNode(gateway, await client.saveCredential('Gateway key', 'httpHeaderAuth', header)),
		openAiNode(await client.saveCredential('OpenAI', 'openAiApi', { url, apiKey })),
	];
}
