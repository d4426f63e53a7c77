import { agent, balanceTool, FORMATS, model, writerTool } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { talk, texts, type Chunk } from './support/streams';
import { byId, gatewayNode } from './support/workflows';

// What somebody sees who talks to a workflow that streams its answer: that of an AI Agent, or of a text node.

const WORDS = 'one two three four five six seven eight';
let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => await environment.gateway.control.reset());

const root = agent('={{ $json.chatInput }}');
const text = gatewayNode(
	'Text',
	'textGeneration',
	{ model: byId('sandbox/balanced-2'), prompt: '={{ $json.chatInput }}' },
	{ onError: 'continueRegularOutput' },
);
const sayWords = (node: string, format: string) =>
	node === 'Text' ? talk(environment, text) : talk(environment, root, [model({ format })]);
const errorsIn = (chunks: Chunk[]) => chunks.filter(({ type }) => type === 'error');

test.each([...FORMATS.map((format) => ['Agent', format] as const), ['Text', 'chat'] as const])(
	'%s: streams the %s format to a chat word by word',
	async (node, format) => {
		const say = await sayWords(node, format);
		// The rest is sent when the first words have arrived.
		const { release } = environment.gateway.control.hold({ method: 'POST' }, { afterDeltas: 4 });
		const chunks = await say(`[[say:${WORDS}]]`, release);
		expect(texts(chunks)).toContain(WORDS);
		expect(chunks.filter((chunk) => texts([chunk])).length).toBeGreaterThan(1);
		expect(environment.gateway.control.ledger()).toHaveLength(1);
	},
);

test.each(FORMATS)(
	'%s: calls two tools at a time in two rounds, with a model that wants its reasoning back',
	async (format) => {
		const thinker = model({ format, model: byId('sandbox/recall-5') });
		const say = await talk(environment, root, [thinker, balanceTool, writerTool]);
		const chunks = await say('Please call all tools [[rounds:2]]');
		expect(errorsIn(chunks)).toStrictEqual([]);
		expect(texts(chunks)).toMatch(/(?:(?:amountRub|costRub).*){4}/s);
		// The writer is another model.
		const charges = environment.gateway.control.ledger();
		expect(charges.filter((charge) => charge.model === 'sandbox/recall-5')).toHaveLength(3);
	},
);

test.each([
	['Agent', /incomplete.*Received so far: “one two/s],
	['Text', /^The response could not be completed$/],
])('%s: a broken stream ends with an error', async (node, message) => {
	environment.gateway.control.configure({ stream: { cutAfter: 4 } });
	const say = await sayWords(node, 'chat');
	const chunks = await say(`[[say:${WORDS}]]`);
	expect(texts(chunks)).toContain('one');
	const [error, ...others] = errorsIn(chunks);
	expect(others).toStrictEqual([]);
	expect(error?.content).toMatch(message);
	expect(environment.gateway.control.requests({ path: '/chat/completions' })).toHaveLength(1);
});
