import type { WorkflowNode } from '../../sandbox/n8n/types';
import { withCredential } from '../../sandbox/n8n/workflows';
import { picture, workflowOfFiles } from './support/editor/files';
import type { ExpectedError } from './support/editor/nodePanel';
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
		await editor.shot('text generation, new');
		await panel.openPicker();
		await panel.models
			.filter({ hasText: /sandbox\/balanced-2 · ₽[\d.\u00a0]+ in, ₽[\d.\u00a0]+ out/ })
			.waitFor();
		await editor.shot('text generation, the model picker');
		await panel.searchModels('balanced');
		await panel.chooseModel('sandbox/balanced-2');
		await panel.fill('systemPrompt', 'You write short, friendly product texts.');
		await panel.fill('prompt', 'Describe this product in one sentence: a lamp in the shape of a lighthouse');
		await panel.addOption('Max Tokens');
		await panel.fill('maxTokens', '200');
		await editor.shot('text generation, an option');
		expect(await panel.execute()).toMatchObject({ ok: true });
		const [item] = await panel.output.items();
		expect(item).toMatchObject({
			text: expect.stringContaining('lighthouse') as string,
			finishReason: 'stop',
		});
		const charge = environment.gateway.control.ledger().find(({ kind }) => kind === 'text');
		expect(item?.['costRub']).toBe(Number(charge?.amount));
		await editor.shot('text generation, the answer as JSON');
		await panel.output.show('table');
		await panel.output.root.getByText('costRub').waitFor();
		await editor.shot('text generation, the answer as a table');
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
	await editor.shot('text generation, JSON by a schema');

	await panel.choose('resource', 'Model');
	expect(await panel.openDropdown('operation')).toStrictEqual(['Get', 'Get Many']);
	await panel.choose('operation', 'Get Many');
	await panel.fill('search', 'swift');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect((await panel.output.items()).map(({ id }) => id)).toStrictEqual(['sandbox/swift-1']);
	await panel.output.show('table');
	await editor.shot('text generation, the catalogue');
});

/** The middle of the panel of text: generate, from top to bottom. */
const ORDER = ['model', 'prompt', 'systemPrompt', 'outputFormat', 'inputMode', 'format'];

scene('text: what everybody needs comes first', async ({ editor }) => {
	await editor.newWorkflow();
	const panel = await editor.addFirst('llm', 'Gateway Text Generation', 'Generate text');
	const tops: number[] = [];
	for (const name of ORDER) tops.push((await panel.input(name).boundingBox())?.y ?? Number.NaN);
	expect(tops).toStrictEqual([...tops].sort((a, b) => a - b));
	await editor.shot('text generation, the order');
	await panel.choose('inputMode', 'Messages (JSON)');
	await panel.input('messagesJson').waitFor();
	expect(await panel.input('prompt').count()).toBe(0);
	await editor.shot('text generation, JSON');
});

scene('several images are compared, by their URLs', async ({ editor, environment }) => {
	const { gateway } = environment;
	await editor.newWorkflow();
	const panel = await editor.addFirst('compare images', 'Gateway Text Generation', 'Analyze an image');
	await panel.pickModel('sandbox/balanced-2');
	await panel.choose('source', 'URL');
	const urls = ['https://example.com/before.png', 'https://example.com/after.png'];
	await panel.fill('url', urls.join(', '));
	await panel.fill('prompt', 'What has changed?');
	await editor.shot('images, several URLs');
	expect(await panel.execute()).toMatchObject({ ok: true });
	const content = urls.map((url) => ({ type: 'image_url', image_url: { url } }));
	expect(gateway.control.requests({ method: 'POST' }).at(-1)?.body.json).toMatchObject({
		messages: [{ content: [{ type: 'text', text: 'What has changed?' }, ...content] }],
	});
	await editor.shot('images, compared');
});

const openFiles = opening(
	workflowOfFiles({
		'lamp.png': ['image/png', picture],
		'invoice.pdf': ['application/pdf', Buffer.from('%PDF-1.4\n%%EOF\n')],
	}),
);

scene('an image is analyzed', async (stage) => {
	const { editor } = stage;
	const { gateway } = stage.environment;
	await openFiles(stage);
	const panel = await editor.addBehind(
		'lamp.png',
		'analyze an image',
		'Gateway Text Generation',
		'Analyze an image',
	);
	await panel.openPicker();
	await panel.models.filter({ hasText: 'sandbox/balanced-2' }).waitFor();
	await editor.shot('image, the model picker');
	await panel.chooseModel('sandbox/balanced-2');
	expect(await panel.field('prompt').inputValue()).toBe('Describe this image');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect((await panel.output.items())[0]).toMatchObject({
		text: expect.stringContaining('I also received: image') as string,
		costRub: Number(gateway.control.ledger().at(-1)?.amount),
	});
	await editor.shot('image, analyzed');
});

scene('a document is read into the fields of a schema', async (stage) => {
	const { editor } = stage;
	await openFiles(stage);
	const panel = await editor.addBehind('invoice.pdf', 'pdf', 'Gateway Text Generation', 'Read a document');
	await panel.pickModel('sandbox/balanced-2');
	await panel.choose('outputFormat', 'JSON by Schema');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect((await panel.output.items())[0]).toMatchObject({ output: { title: expect.any(String) as string } });
	await editor.shot('document, read');
});

scene('a group of options keeps what it has, and another one is added', async ({ editor, environment }) => {
	const node = gatewayNode('Text', 'textGeneration', {
		resource: 'text',
		operation: 'generate',
		model: { __rl: true, mode: 'id', value: 'sandbox/swift-1' },
		prompt: 'Hello',
		options: { providerRouting: { values: { providerSort: 'price' } } },
	});
	const { client, credential, gateway } = environment;
	const workflow = withCredential(workflowOf('Options', [node], { Start: ['Text'] }), credential);
	await editor.openWorkflow(await client.createWorkflow(workflow));
	const panel = await editor.openNode('Text');
	await panel.scrollTo('providerSort');
	expect(await panel.field('providerSort').inputValue()).toBe('price');
	await editor.shot('a group');
	await panel.root.getByTestId('collection-parameter-add').click();
	await editor.shot('the list');
	await panel.root.page().keyboard.press('Escape');
	await panel.addOption('Sampling');
	await panel.fill('presencePenalty', '0.5');
	await editor.shot('two groups');
	expect(await panel.execute()).toMatchObject({ ok: true });
	const sent = gateway.control.requests({ path: '/chat/completions' }).at(-1);
	expect(sent?.body.json).toMatchObject({ provider: { sort: 'price' }, presence_penalty: 0.5 });
});

const ask = (name: string, parameters: Record<string, unknown> = {}): WorkflowNode =>
	gatewayNode(name, 'textGeneration', {
		resource: 'text',
		operation: 'generate',
		model: byId('sandbox/swift-1'),
		prompt: 'Hello',
		// One after the other: it is known which item fails first.
		options: { concurrency: 1 },
		...parameters,
	});

/** Errors of nodes that get three items, of which the second one asks for an error. */
const errors: Record<string, [node: WorkflowNode, error: ExpectedError]> = {
	'an expression that returns an empty prompt': [
		ask('Ask what no item says', { prompt: '={{ $json.subject }}' }),
		{
			message: "'Prompt' is empty",
			hint: 'If an expression fills it, the field it refers to is empty for this item.',
		},
	],
	'a model that does not exist': [
		ask('Ask nobody', { model: byId('sandbox/swft-1') }),
		{ message: 'The gateway does not know this model', hint: 'Choose the model again from the list' },
	],
	'one of several items': [
		ask('Ask what the item says', { prompt: '={{ $json.topic }}' }),
		{ message: 'There is not enough money in the gateway wallet', hint: 'Top up the wallet', item: 1 },
	],
};
const asking = [
	...Object.values(errors).map(([node]) => node),
	ask('Ask'),
	ask('Ask nothing', { prompt: '' }),
	ask('Ask for more', { options: { maxTokens: 4 }, prompt: 'Tell a long story' }),
];
const topics = ['one', '[[error:insufficient_quota]]', 'three'].map((topic) => ({ topic }));
const openErrors = opening(behindItems('Errors', itemsNode('Items', topics), asking));

for (const [title, [{ name }, error]] of Object.entries(errors)) {
	scene(`error: ${title}`, async (stage) => {
		await openErrors(stage);
		await (await stage.editor.openNode(name)).expectError(error);
		await stage.editor.shot(title);
	});
}

scene('an empty prompt: n8n marks and names the field', async (stage) => {
	await openErrors(stage);
	const panel = await stage.editor.openNode('Ask nothing');
	expect(await panel.refuse()).toContain('Parameter "Prompt" is required.');
	await stage.editor.album.shot('an empty prompt', stage.editor.page);
});

scene('a text that is cut off: a hint says what to do', async (stage) => {
	await openErrors(stage);
	const panel = await stage.editor.openNode('Ask for more');
	expect(await panel.execute()).toMatchObject({ ok: true });
	await panel.output.root.getByText("cut off at 4 tokens. Raise the option 'Max Tokens'").waitFor();
	await panel.output.show('table');
	expect(await panel.output.root.locator('thead').innerText()).toMatch(/^\s*isComplete/);
	await stage.editor.shot('a text that is cut off');
});

// Last: the key stays revoked.
scene('errors: no money, and a key that is no longer valid', async (stage) => {
	const { control, apiKey } = stage.environment.gateway;
	const before = control.balance();
	await openErrors(stage);
	const panel = await stage.editor.openNode('Ask');
	control.setBalance('0.00');
	const message = 'There is not enough money in the gateway wallet';
	await panel.expectError({ message, hint: 'Top up the wallet, then try again' });
	await stage.editor.shot('no money');
	control.setBalance(before);
	control.setKeyStatus(apiKey, 'revoked');
	await panel.expectError({ message: 'The gateway refused the API key', hint: 'AI Gateway credential' });
	await stage.editor.shot('a key that is no longer valid');
});
