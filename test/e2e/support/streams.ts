import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowNode } from '../../../sandbox/n8n/types';

/** A piece of an answer that a workflow streams. */
export interface Chunk {
	type: string;
	content?: string;
	metadata: { nodeName: string; itemIndex: number };
	/** Milliseconds after the call. */
	at: number;
}

/** A public chat whose answers are streamed. */
export const chatTrigger = (webhookId: string): WorkflowNode => ({
	id: 'trigger',
	name: 'Chat',
	type: '@n8n/n8n-nodes-langchain.chatTrigger',
	typeVersion: 1.3,
	webhookId,
	position: [0, 0],
	parameters: { public: true, mode: 'webhook', options: { responseMode: 'streaming' } },
});

/** Posts to a webhook as soon as n8n has registered it, which follows the publishing. */
async function post(
	n8nUrl: string,
	path: string,
	body: unknown,
): Promise<{ response: Response; start: number }> {
	for (const end = Date.now() + 30_000; ; ) {
		const start = Date.now();
		const response = await fetch(`${n8nUrl}/webhook/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		if (response.status !== 404 || Date.now() > end) return { response, start };
		await sleep(50);
	}
}

/** Posts to a webhook and notes when each chunk of the answer arrives. */
export async function listen(n8nUrl: string, path: string, body: unknown): Promise<Chunk[]> {
	const { response, start } = await post(n8nUrl, path, body);
	if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
	const decoder = new TextDecoder();
	const chunks: Chunk[] = [];
	let rest = '';
	for await (const bytes of response.body) {
		rest += decoder.decode(bytes as Uint8Array, { stream: true });
		const lines = rest.split('\n');
		rest = lines.pop() ?? '';
		for (const line of lines) {
			if (line !== '') chunks.push({ ...(JSON.parse(line) as Chunk), at: Date.now() - start });
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
