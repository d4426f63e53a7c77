import { renderPng } from '../../sandbox/gateway/media/render/png';
import type { WorkflowJson } from '../../sandbox/n8n/types';
import { agent } from './support/agents';
import { story } from './support/editor/story';
import { eventually } from './support/eventually';
import { itemsNode, workflowOf } from './support/workflows';

// Text, files, money and an agent: each node is added from the list, filled in and executed as a user does it.

const scene = story('2-nodes');

/** A picture that a node makes of base64 text, as an earlier step of a workflow would give one. */
async function workflowWithPicture(): Promise<WorkflowJson> {
	const picture = await renderPng('Invoice 2024-17', {
		width: 320,
		height: 200,
		variation: 3,
		backdrop: null,
	});
	const file = {
		name: 'Picture',
		type: 'n8n-nodes-base.convertToFile',
		typeVersion: 1.1,
		parameters: {
			operation: 'toBinary',
			sourceProperty: 'base64',
			options: { fileName: 'invoice.png', mimeType: 'image/png' },
		},
	};
	const items = itemsNode('Items', [{ base64: picture.toString('base64') }]);
	return workflowOf('Files', [items, file], { Start: ['Items'], Items: ['Picture'] });
}

scene(
	'text: a model is picked, a prompt filled in, and the output has the response and its cost',
	async (stage) => {
		const { editor, environment } = stage;
		await editor.newWorkflow();
		const panel = await editor.addFirst('llm', 'Gateway Text Generation', 'Generate text');
		await editor.shot('text generation, new');
		await panel.openPicker();
		await panel.models
			.filter({ hasText: /sandbox\/balanced-2 · ₽[\d.]+ \/ ₽[\d.]+ per 1M tokens/ })
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
	expect(await panel.openDropdown('outputFormat')).toStrictEqual(['JSON by Schema', 'JSON Object', 'Text']);
	await panel.choose('outputFormat', 'JSON by Schema');
	await panel.input('jsonSchema').waitFor();
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect((await panel.output.items())[0]).toMatchObject({ json: { title: expect.any(String) as string } });
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

scene('storage: a file is uploaded, listed and downloaded', async ({ editor, environment }) => {
	await editor.openWorkflow(await environment.client.createWorkflow(await workflowWithPicture()));
	let panel = await editor.addBehind('Picture', 'upload file', 'Gateway Storage', 'Upload a file');
	await editor.shot('storage, upload');
	expect(await panel.openDropdown('storagePolicy')).toStrictEqual(['Permanent', 'Temporary']);
	await panel.choose('storagePolicy', 'Permanent');
	expect(await panel.execute()).toMatchObject({ ok: true });
	const [uploaded] = await panel.output.items();
	expect(uploaded).toMatchObject({ mimeType: 'image/png', storagePolicy: 'PERMANENT' });
	await editor.shot('storage, uploaded');
	await editor.image('storage', 560);
	await panel.close();

	panel = await editor.addBehind('Upload a file', 'storage', 'Gateway Storage', 'Get many files');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect((await panel.output.items()).map(({ id }) => id)).toStrictEqual([uploaded?.['id']]);
	await editor.shot('storage, all files');
	await panel.close();

	panel = await editor.addBehind('Get many files', 'storage', 'Gateway Storage', 'Download a file');
	await panel.express('fileId', '{{ $json.id }}', String(uploaded?.['id']));
	expect(await panel.execute()).toMatchObject({ ok: true });
	await (await panel.output.viewFile()).locator('img').waitFor();
	await editor.shot('storage, downloaded');
});

scene('balance: the money left, and whether it is low', async ({ editor, environment }) => {
	environment.gateway.control.setBalance('87.40');
	await editor.newWorkflow();
	const panel = await editor.addFirst('money', 'Gateway Balance', 'Get the balance');
	await panel.addOption('Threshold (Rubles)');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect(await panel.output.items()).toStrictEqual([
		{ amountRub: 87.4, amount: '87.40', currency: 'RUB', lowBalance: true },
	]);
	await panel.output.show('table');
	await editor.shot('balance');
	await editor.image('balance', 480);
});

scene('balance trigger: a test event shows the current balance', async ({ editor, environment }) => {
	environment.gateway.control.setBalance('87.40');
	await editor.newWorkflow();
	const panel = await editor.addFirst('alert', 'Gateway Balance', 'On balance falling below threshold');
	await editor.shot('balance trigger, new');
	expect(await panel.openDropdown('fireOn')).toStrictEqual(['Change', 'Every Poll Below', 'Falling Below']);
	await panel.choose('fireOn', 'Falling Below');
	await panel.fill('threshold', '90');
	await panel.addOption('Margin (Rubles)');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect(await panel.output.items()).toStrictEqual([
		expect.objectContaining({ amountRub: 87.4, amount: '87.40', currency: 'RUB' }),
	]);
	await panel.output.show('table');
	await editor.shot('balance trigger, a test event');
	await editor.image('balance-trigger', 540);
});

const chatTrigger = {
	id: 'chat',
	name: 'Chat',
	type: '@n8n/n8n-nodes-langchain.chatTrigger',
	typeVersion: 1.3,
	webhookId: 'editor-chat',
	position: [0, 0],
	parameters: {},
};

scene(
	'an agent gets its model and a tool, answers in the chat, and its log shows the cost',
	async (stage) => {
		const { editor, environment } = stage;
		const { gateway } = environment;
		const agentNode = { ...agent('={{ $json.chatInput }}'), id: 'agent', position: [260, 0] };
		const workflow = await environment.client.createWorkflow({
			name: 'Agent',
			nodes: [chatTrigger, agentNode],
			connections: { Chat: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] } },
			settings: { executionOrder: 'v1' },
		});
		await editor.openWorkflow(workflow);

		let panel = await editor.addBelow('Agent', 'ai_languageModel', 'gateway', 'Gateway Chat Model');
		await editor.shot('chat model, new');
		await panel.openPicker();
		await panel.models
			.filter({ hasText: /sandbox\/balanced-2 · ₽[\d.]+ \/ ₽[\d.]+ per 1M tokens/ })
			.waitFor();
		await panel.searchModels('balanced');
		await eventually(async () => expect(await panel.models.count()).toBe(1));
		await editor.shot('chat model, the model picker');
		await panel.chooseModel('sandbox/balanced-2');
		await panel.addOption('Max Tokens');
		await panel.close();

		panel = await editor.addBelow('Agent', 'ai_tool', 'balance', 'Gateway Balance Tool');
		expect(await panel.field('toolDescription').inputValue()).toBe(
			'Says how much money is left in the wallet. Returns the amount in rubles.',
		);
		await editor.shot('balance as a tool');
		await panel.close();
		await editor.fit();
		await editor.shot('the agent with model and tool');

		const answer = await editor.chat.ask('How much money is left? Use the tool.');
		expect(answer).toContain(gateway.control.balance().split('.')[0]);
		await editor.fit();
		await editor.shot('the chat');

		const cost = String(Number(gateway.control.ledger().at(-1)?.amount));
		const log = await editor.chat.openLog('Gateway Chat Model');
		await log.getByText(/^\d+ Tokens/).waitFor();
		await editor.chat.showLogAsTable();
		await log.getByText(cost).first().waitFor();
		await editor.shot('the log of the chat model');

		panel = await editor.openNode('Gateway Chat Model');
		await panel.output.show('schema');
		await panel.output.root.getByText(cost).first().waitFor();
		await panel.output.root.getByText('totalTokens').waitFor();
		await editor.shot('chat model, what a call cost');
		await editor.image('chat-model', 600);
	},
);
