import { randomUUID } from 'node:crypto';
import type { WorkflowNode } from '../../sandbox/n8n/types';
import { withCredential } from '../../sandbox/n8n/workflows';
import { agent, balanceTool, model } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { chatTrigger, listen, texts, type Chunk } from './support/streams';
import { clusterOf, type Service } from './support/workflows';

// An AI Agent with our model that streams its answer to a chat.

const FORMATS = ['chat', 'responses', 'messages'];
const WORDS = 'one two three four five six seven eight';
const DELAY_MS = 150;
let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => await environment.gateway.control.reset());

/** Publishes a chat with an agent behind it; gives what talks to it. */
async function talk(services: Array<[Service, WorkflowNode]>): Promise<(text: string) => Promise<Chunk[]>> {
	const webhookId = randomUUID();
	const root = agent('={{ $json.chatInput }}');
	const workflow = withCredential(
		clusterOf(`Chat ${webhookId}`, [chatTrigger(webhookId), root], services),
		environment.credential,
	);
	await environment.client.activate(await environment.client.createWorkflow(workflow));
	return async (chatInput) =>
		await listen(environment.client.url, `${webhookId}/chat`, {
			action: 'sendMessage',
			sessionId: 's',
			chatInput,
		});
}

/** When the words of the agent arrived. */
const arrivals = (chunks: Chunk[]) =>
	chunks.filter(({ type, content }) => type === 'item' && content).map(({ at }) => at);

test.each(FORMATS)('streams the %s format to a chat word by word', async (format) => {
	const say = await talk([model({ format })]);
	environment.gateway.control.configure({ stream: { deltaDelayMs: DELAY_MS } });
	const chunks = await say(`[[say:${WORDS}]]`);
	expect(texts(chunks)).toContain(WORDS);
	const times = arrivals(chunks);
	expect(times.length).toBeGreaterThanOrEqual(6);
	expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(5 * DELAY_MS);
	expect(environment.gateway.control.ledger()).toHaveLength(1);
});

test.each(FORMATS)('%s: calls tools in the middle of a stream', async (format) => {
	const say = await talk([model({ format }), balanceTool]);
	const chunks = await say('Please use the tool');
	expect(texts(chunks)).toMatch(/The tool answered.*amountRub/);
});

test('a broken stream ends with an error', async () => {
	environment.gateway.control.configure({ stream: { cutAfter: 4 } });
	const say = await talk([model()]);
	const chunks = await say(`[[say:${WORDS}]]`);
	expect(texts(chunks)).toContain('one');
	expect(chunks.filter(({ type }) => type === 'error')).toHaveLength(1);
	expect(chunks.find(({ type }) => type === 'error')?.content).toMatch(
		/incomplete.*Received so far: “one two/s,
	);
	expect(environment.gateway.control.requests({ path: '/chat/completions' })).toHaveLength(1);
});

/** The first response of the model is a stream of these chunks. */
function respond(...chunks: object[]): void {
	const frames = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
	environment.gateway.control.addFault({
		match: { path: '/chat/completions', model: 'sandbox/balanced-2' },
		action: {
			kind: 'raw',
			status: 200,
			body: { text: frames.map((frame) => `data: ${frame}\n\n`).join(''), contentType: 'text/event-stream' },
		},
	});
}
const chunk = (delta: object, end: object = {}) => ({ id: 'c1', choices: [{ index: 0, delta, ...end }] });

test('an error inside the last chunk is an error with the text so far and its cost', async () => {
	const say = await talk([model()]);
	const error = { code: 502, message: 'Upstream idle timeout exceeded' };
	const usage = { id: 'c1', choices: [], usage: { prompt_tokens: 9, completion_tokens: 12, cost_rub: 0.5 } };
	respond(
		chunk({ content: 'Dear customers,' }),
		chunk({ content: '' }, { finish_reason: 'error', error }),
		usage,
	);
	const chunks = await say('Write to them');
	expect(texts(chunks)).toContain('Dear customers,');
	const [failure, ...others] = chunks.filter(({ type }) => type === 'error');
	expect(others).toStrictEqual([]);
	expect(failure?.content).toMatch(
		/Upstream idle timeout.*Received so far: “Dear customers,”.*The call cost ₽0\.50/s,
	);
	expect(environment.gateway.control.requests({ path: '/chat/completions' })).toHaveLength(1);
});
