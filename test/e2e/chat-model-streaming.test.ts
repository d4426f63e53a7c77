import { randomUUID } from 'node:crypto';
import type { Stored, WorkflowNode } from '../../sandbox/n8n/types';
import { withCredential } from '../../sandbox/n8n/workflows';
import { agent, balanceTool, model, saveOpenAiCredential } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { chatTrigger, listen, texts, type Chunk } from './support/streams';
import { byId, clusterOf, type Service } from './support/workflows';

// An AI Agent with our model that streams its answer to a chat; and the same agent with n8n's own OpenAI model.

const FORMATS = ['chat', 'responses', 'messages'];
const WORDS = 'one two three four five six seven eight';
const DELAY_MS = 150;
let environment: Environment;
let openAi: Stored;

useEnvironment((started) => (environment = started));
beforeAll(async () => {
	openAi = await saveOpenAiCredential(environment);
});
beforeEach(async () => await environment.gateway.control.reset());

/** n8n's own model, pointed at the gateway. */
const openAiModel = (): [Service, WorkflowNode] => [
	'ai_languageModel',
	{
		name: 'Model',
		type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
		typeVersion: 1.2,
		parameters: { model: byId('sandbox/balanced-2'), options: {} },
		credentials: { openAiApi: openAi },
	},
];

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
	console.log(`${format}: words arrived after ${times.join(', ')} ms`);
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

describe('compared with n8n’s own OpenAI model', () => {
	const ROUNDS = 16;
	const WAYS = ['ours', 'openAi'] as const;
	const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

	test.each([
		['a short answer', `[[say:${WORDS}]]`, []],
		['a tool', 'Please use the tool', [balanceTool]],
		['2,000 tokens', '[[long:2000]]', []],
	] as Array<[string, string, Array<[Service, WorkflowNode]>]>)(
		'%s: the same answers, and no later',
		async (what, text, tools) => {
			const ways = { ours: await talk([model(), ...tools]), openAi: await talk([openAiModel(), ...tools]) };
			const first = { ours: [] as number[], openAi: [] as number[] };
			const total = { ours: [] as number[], openAi: [] as number[] };
			for (let round = -2; round < ROUNDS; round += 1) {
				const said = new Set<string>();
				for (const way of round % 2 === 0 ? WAYS : [...WAYS].reverse()) {
					environment.gateway.control.setBalance('500');
					const chunks = await ways[way](text);
					said.add(texts(chunks));
					if (round < 0) continue;
					first[way].push(arrivals(chunks)[0] ?? NaN);
					total[way].push(chunks.at(-1)?.at ?? NaN);
				}
				expect([...said]).toHaveLength(1);
			}
			const figures = (values: typeof first) => `${median(values.ours)} / ${median(values.openAi)} ms`;
			console.log(`${what}, ours / OpenAI: first words ${figures(first)}, whole ${figures(total)}`);
			// One machine, two contenders: far from each other they must not be.
			expect(median(first.ours)).toBeLessThan(median(first.openAi) * 1.5 + 20);
			expect(median(total.ours)).toBeLessThan(median(total.openAi) * 1.5 + 20);
		},
	);
});
