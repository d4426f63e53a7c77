import { agent } from './support/agents';
import { story } from './support/editor/story';
import { eventually } from './support/eventually';

// Gateway Chat Model below an AI Agent.

const scene = story('chat-model');

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
		await panel.openPicker();
		await panel.models
			.filter({ hasText: /sandbox\/balanced-2 · ₽[\d.\u00a0]+ in, ₽[\d.\u00a0]+ out/ })
			.waitFor();
		await panel.searchModels('balanced');
		await eventually(async () => expect(await panel.models.count()).toBe(1));
		await panel.chooseModel('sandbox/balanced-2');
		await panel.addOption('Max Tokens');
		await panel.close();

		panel = await editor.addBelow('Agent', 'ai_tool', 'balance', 'Gateway Balance Tool');
		expect(await panel.field('toolDescription').inputValue()).toBe(
			'Says how much money is left in the wallet. Returns the amount in rubles.',
		);
		await panel.close();
		await editor.fit();

		const answer = await editor.chat.ask('How much money is left? Use the tool.');
		expect(answer).toContain(gateway.control.balance().split('.')[0]);
		await editor.fit();

		const cost = String(Number(gateway.control.ledger().at(-1)?.amount));
		const log = await editor.chat.openLog('Gateway Chat Model', 2);
		await log.getByText(/^\d+ Tokens/).waitFor();
		await editor.chat.showLogAsTable();
		await log.getByText(cost).first().waitFor();

		panel = await editor.openNode('Gateway Chat Model');
		await panel.output.show('schema');
		await panel.output.root.getByText(cost).first().waitFor();
		await panel.output.root.getByText('totalTokens').first().waitFor();
		await editor.image('chat-model', 600);
	},
);
