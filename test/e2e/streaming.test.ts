import { randomUUID } from 'node:crypto';
import { withCredential } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { chatTrigger, listen, texts } from './support/streams';
import { byId, gatewayNode } from './support/workflows';
import type { WorkflowNode } from '../../sandbox/n8n/types';

// What somebody sees who talks to a workflow that streams its answer.

const WORDS = 'one two three four five six seven eight';
const DELAY_MS = 150;
let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => {
	await environment.gateway.control.reset();
	environment.gateway.control.configure({ stream: { deltaDelayMs: DELAY_MS } });
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

const ask = async (webhookId: string, text: string) =>
	await listen(environment.client.url, `${webhookId}/chat`, {
		action: 'sendMessage',
		sessionId: 's',
		chatInput: text,
	});
test.each(['chat', 'responses', 'messages'])(
	'streams the %s format to a chat word by word',
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

test('streams to a webhook, too', async () => {
	const id = await publish(webhook, { prompt: `[[say:${WORDS}]]` });
	const chunks = await listen(environment.client.url, id, {});
	const ours = chunks.filter(({ metadata }) => metadata.nodeName === 'Text');
	expect(ours[0]?.type).toBe('begin');
	expect(texts(ours)).toContain(WORDS);
	expect(chunks.filter(({ type }) => type === 'error')).toStrictEqual([]);
});

test('a broken stream ends with an error in the chat', async () => {
	environment.gateway.control.configure({ stream: { cutAfter: 4 } });
	const id = await publish(chatTrigger, { prompt: '={{ $json.chatInput }}' });
	const chunks = await ask(id, `[[say:${WORDS}]]`);
	expect(chunks.filter(({ type }) => type === 'error')).toHaveLength(1);
	expect(texts(chunks)).toContain('one');
});
