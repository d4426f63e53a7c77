import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withCredential } from '../../sandbox/n8n/workflows';
import { Environment } from './support/environment';
import { byId, gatewayNode } from './support/workflows';
import type { WorkflowNode } from '../../sandbox/n8n/types';

// What somebody sees who talks to a workflow that streams its answer.

const WORDS = 'one two three four five six seven eight';
const DELAY_MS = 150;
let environment: Environment;

beforeAll(async () => {
	environment = await Environment.start();
});
afterAll(async () => {
	await environment?.close();
});
beforeEach(async () => {
	await environment.gateway.control.reset();
	environment.gateway.control.configure({ stream: { deltaDelayMs: DELAY_MS } });
});

const chatTrigger = (webhookId: string): WorkflowNode => ({
	id: 'trigger',
	name: 'Chat',
	type: '@n8n/n8n-nodes-langchain.chatTrigger',
	typeVersion: 1.3,
	webhookId,
	position: [0, 0],
	parameters: { public: true, mode: 'webhook', options: { responseMode: 'streaming' } },
});
const webhook = (webhookId: string): WorkflowNode => ({
	id: 'trigger',
	name: 'Webhook',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2.1,
	webhookId,
	position: [0, 0],
	parameters: { httpMethod: 'POST', path: webhookId, responseMode: 'streaming', options: {} },
});

interface Chunk {
	type: string;
	content?: string;
	metadata: { nodeName: string; itemIndex: number };
}

/** Publishes a trigger with a text node behind it; gives the id in the trigger's address. */
async function publish(
	trigger: (webhookId: string) => WorkflowNode,
	parameters: Record<string, unknown>,
): Promise<string> {
	const webhookId = randomUUID();
	const start = trigger(webhookId);
	const text = gatewayNode(
		'Text',
		'textGeneration',
		{ model: byId('sandbox/balanced-2'), ...parameters },
		{ id: 'text', position: [220, 0], onError: 'continueRegularOutput' },
	);
	const workflow = {
		name: `Streaming ${webhookId}`,
		nodes: [start, text],
		connections: { [start.name]: { main: [[{ node: 'Text', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	};
	const stored = await environment.client.createWorkflow(withCredential(workflow, environment.credential));
	await environment.client.activate(stored);
	return webhookId;
}

/** Posts to a webhook as soon as n8n has registered it, which follows the publishing. */
async function post(path: string, body: unknown): Promise<Response> {
	for (const end = Date.now() + 30_000; ; ) {
		const response = await fetch(`${environment.server.url}/webhook/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		if (response.status !== 404 || Date.now() > end) return response;
		await sleep(50);
	}
}

/** Posts to a webhook and notes when each chunk of the answer arrives. */
async function listen(path: string, body: unknown): Promise<Array<Chunk & { at: number }>> {
	const response = await post(path, body);
	const start = Date.now();
	if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
	const decoder = new TextDecoder();
	const chunks: Array<Chunk & { at: number }> = [];
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

const ask = async (webhookId: string, text: string) =>
	await listen(`${webhookId}/chat`, { action: 'sendMessage', sessionId: 's', chatInput: text });
const texts = (chunks: Chunk[]) =>
	chunks
		.filter(({ type }) => type === 'item')
		.map(({ content }) => content)
		.join('');

test.each(['chat', 'responses', 'messages'])(
	'a chat sees the words of the %s format one after the other',
	async (format) => {
		const id = await publish(chatTrigger, { format, prompt: '={{ $json.chatInput }}' });
		const chunks = await ask(id, `[[say:${WORDS}]]`);
		expect(texts(chunks)).toContain(WORDS);
		const arrivals = chunks
			.filter(({ type, metadata }) => type === 'item' && metadata.nodeName === 'Text')
			.map(({ at }) => at);
		const [first = 0] = arrivals;
		const last = arrivals.at(-1) ?? 0;
		// Eight words, a pause before each: the last comes seven pauses after the first.
		expect(arrivals.length).toBeGreaterThanOrEqual(6);
		expect(last - first).toBeGreaterThan(5 * DELAY_MS);
		expect(environment.gateway.control.ledger()).toHaveLength(1);
	},
);

test('a webhook sees them, too', async () => {
	const id = await publish(webhook, { prompt: `[[say:${WORDS}]]` });
	const chunks = await listen(id, {});
	const ours = chunks.filter(({ metadata }) => metadata.nodeName === 'Text');
	expect(ours[0]?.type).toBe('begin');
	expect(texts(ours)).toContain(WORDS);
	expect(chunks.filter(({ type }) => type === 'error')).toEqual([]);
});

test('a stream that breaks ends with an error that the chat is told of', async () => {
	environment.gateway.control.configure({ stream: { cutAfter: 4 } });
	const id = await publish(chatTrigger, { prompt: '={{ $json.chatInput }}' });
	const chunks = await ask(id, `[[say:${WORDS}]]`);
	expect(chunks.filter(({ type }) => type === 'error')).toHaveLength(1);
	expect(texts(chunks)).toContain('one');
});
