import { randomUUID } from 'node:crypto';
import type { WorkflowNode } from '../../../sandbox/n8n/types';
import type { Environment } from './environment';
import { eventually } from './eventually';
import { call } from './mediaTrigger';
import { clusterOf, type Service } from './workflows';

/** A piece of an answer that a workflow streams. */
export interface Chunk {
	type: string;
	content?: string;
	metadata: { nodeName: string; itemIndex: number };
}

type OnText = () => void;

/** Publishes a chat with a node behind it, and nodes that serve it; returns what says something to it. */
export async function talk(
	environment: Environment,
	root: WorkflowNode,
	services: Array<[Service, WorkflowNode]> = [],
): Promise<(text: string, onText?: OnText) => Promise<Chunk[]>> {
	const webhookId = randomUUID();
	const trigger = {
		name: 'Chat',
		type: '@n8n/n8n-nodes-langchain.chatTrigger',
		typeVersion: 1.3,
		webhookId,
		parameters: { public: true, mode: 'webhook', options: { responseMode: 'streaming' } },
	};
	await environment.publish(clusterOf(`Chat ${webhookId}`, [trigger, root], services));
	return async (chatInput, onText) => {
		const body = { action: 'sendMessage', sessionId: 's', chatInput };
		return await listen(environment.client.url, `${webhookId}/chat`, body, onText);
	};
}

/** Posts to a webhook as soon as n8n has registered it, which follows the publishing. */
async function post(n8nUrl: string, path: string, body: unknown): Promise<Response> {
	return await eventually(async () => {
		const response = await call(`${n8nUrl}/webhook/${path}`, body);
		if (response.status === 404) throw new Error('The webhook is not there.');
		return response;
	});
}

/**
 * Posts to a webhook, and returns the chunks of the answer.
 *
 * @param onText is called for each that has text, as soon as it arrives
 */
export async function listen(
	n8nUrl: string,
	path: string,
	body: unknown,
	onText: OnText = () => undefined,
): Promise<Chunk[]> {
	const response = await post(n8nUrl, path, body);
	if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
	const decoder = new TextDecoder();
	const chunks: Chunk[] = [];
	let rest = '';
	for await (const bytes of response.body) {
		rest += decoder.decode(bytes as Uint8Array, { stream: true });
		const lines = rest.split('\n');
		rest = lines.pop() ?? '';
		for (const line of lines) {
			if (line === '') continue;
			const chunk = JSON.parse(line) as Chunk;
			chunks.push(chunk);
			if (texts([chunk])) onText();
		}
	}
	return chunks;
}

/** What the chunks say. */
export const texts = (chunks: Chunk[]): string =>
	chunks
		.filter(({ type }) => type === 'item')
		.map(({ content }) => content)
		.join('');
