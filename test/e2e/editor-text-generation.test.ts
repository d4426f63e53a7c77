import { opening, story } from './support/editor/story';
import { behindItems, byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// Gateway Text Generation is added from the list, filled in and executed as a user does it.

const scene = story('text-generation');

scene(
	'text: a model is picked, a prompt filled in, and the output has the response and its cost',
	async (stage) => {
		const { editor, environment } = stage;
		await editor.newWorkflow();
		const panel = await editor.addFirst('llm', 'Gateway Text Generation', 'Generate text');
		await panel.openPicker();
		await panel.models
			.filter({ hasText: /sandbox\/balanced-2 · ₽[\d.\u00a0]+ in, ₽[\d.\u00a0]+ out/ })
			.waitFor();
		await panel.chooseModel('sandbox/balanced-2');
		await panel.fill('prompt', 'Describe this product in one sentence: a lamp in the shape of a lighthouse');
		expect(await panel.execute()).toMatchObject({ ok: true });
		expect(await editor.interactions()).toStrictEqual({ clicks: 6, fields: 2 });

		await panel.fill('systemPrompt', 'You write short, friendly product texts.');
		await panel.addOption('Max Tokens');
		await panel.fill('maxTokens', '200');
		expect(await panel.execute()).toMatchObject({ ok: true });
		const [item] = await panel.output.items();
		expect(item).toMatchObject({
			text: expect.stringContaining('lighthouse') as string,
			finishReason: 'stop',
		});
		const charge = environment.gateway.control.ledger().at(-1);
		expect(item?.['costRub']).toBe(Number(charge?.amount));
		await panel.output.show('table');
		await panel.output.root.getByText('costRub').waitFor();
		await panel.output.show('json');
		await panel.scrollTo('resource');
		await editor.image('text-generation', 700);
	},
);

scene('text: JSON by a schema, and the other resource with its operations', async ({ editor }) => {
	await editor.newWorkflow();
	const panel = await editor.addFirst('gpt', 'Gateway Text Generation', 'Generate text');
	await panel.pickModel('sandbox/swift-1');
	await panel.fill('prompt', 'A title for a text about lighthouses');
	expect(await panel.openDropdown('outputFormat')).toStrictEqual([
		'JSON by Example',
		'JSON by Fields',
		'JSON by Schema',
		'JSON Object',
		'Text',
	]);
	await panel.choose('outputFormat', 'JSON by Schema');
	await panel.input('jsonSchema').waitFor();
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect((await panel.output.items())[0]).toMatchObject({ output: { title: expect.any(String) as string } });

	await panel.choose('resource', 'Model');
	expect(await panel.openDropdown('operation')).toStrictEqual(['Get Many', 'Get']);
	await panel.choose('operation', 'Get Many');
	await panel.fill('search', 'swift');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect((await panel.output.items()).map(({ id }) => id)).toStrictEqual(['sandbox/swift-1']);
});

/** The middle of the panel of text: generate, from top to bottom. */
const ORDER = ['model', 'prompt', 'systemPrompt', 'outputFormat', 'inputMode', 'format'];

scene('text: what everybody needs comes first', async ({ editor }) => {
	await editor.newWorkflow();
	const panel = await editor.addFirst('llm', 'Gateway Text Generation', 'Generate text');
	const tops: number[] = [];
	for (const name of ORDER) tops.push((await panel.input(name).boundingBox())?.y ?? Number.NaN);
	expect(tops).toStrictEqual([...tops].sort((a, b) => a - b));
	await panel.choose('inputMode', 'Messages (JSON)');
	await panel.input('messagesJson').waitFor();
	expect(await panel.input('prompt').count()).toBe(0);
});

scene('a group of options keeps what it has, and another one is added', async ({ editor, environment }) => {
	const node = gatewayNode('Text', 'textGeneration', {
		resource: 'text',
		operation: 'generate',
		model: byId('sandbox/swift-1'),
		prompt: 'Hello',
		options: { providerRouting: { providerSort: 'price' } },
	});
	await editor.openWorkflow(await environment.store(workflowOf('Options', [node], { Start: ['Text'] })));
	const panel = await editor.openNode('Text');
	expect(await panel.field('providerSort').inputValue()).toBe('price');
	await panel.addOption('Sampling');
	await panel.addToGroup('Presence Penalty');
	await panel.fill('presencePenalty', '0.5');
	expect(await panel.execute()).toMatchObject({ ok: true });
	const sent = environment.gateway.control.requests({ path: '/chat/completions' }).at(-1);
	expect(sent?.body.json).toMatchObject({ provider: { sort: 'price' }, presence_penalty: 0.5 });
});

const ask = (name: string, prompt: string) =>
	gatewayNode(name, 'textGeneration', {
		resource: 'text',
		operation: 'generate',
		model: byId('sandbox/swift-1'),
		prompt,
		// One after the other: it is known which item fails first.
		options: { concurrency: 1 },
	});
const topics = ['one', '[[error:insufficient_quota]]', 'three'].map((topic) => ({ topic }));
const asking = [ask('Ask', '={{ $json.topic }}'), ask('Ask nothing', '')];
const openErrors = opening(behindItems('Errors', itemsNode('Items', topics), asking));

scene('an error says what happened, what to do, and which item it is of', async (stage) => {
	await openErrors(stage);
	const panel = await stage.editor.openNode('Ask');
	const message = 'There is not enough money in the gateway wallet';
	await panel.expectError({ message, hint: 'Top up the wallet', item: 1 });
});

scene('an empty prompt: n8n marks and names the field', async (stage) => {
	await openErrors(stage);
	const panel = await stage.editor.openNode('Ask nothing');
	expect(await panel.refuse()).toContain('Parameter "Prompt" is required.');
});

// Last: the key stays revoked.
scene('a key that is no longer valid: the error names the credential', async (stage) => {
	const { control, apiKey } = stage.environment.gateway;
	await openErrors(stage);
	const panel = await stage.editor.openNode('Ask');
	control.setKeyStatus(apiKey, 'revoked');
	await panel.expectError({
		message: 'The gateway refused the API key',
		hint: 'AI Gateway credential',
		item: 0,
	});
});
