import { freePort } from '../../sandbox/n8n/ports';
import type { Stored } from '../../sandbox/n8n/types';
import { start } from './support/agents';
import type { Environment } from './support/environment';
import { eventually } from './support/eventually';
import type { Editor } from './support/editor/editor';
import { story } from './support/editor/story';

// The first minutes with the package: people find its nodes in the editor's list, and fill in its credential.

const scene = story('1-first-steps');

const agent = {
	id: 'agent',
	name: 'AI Agent',
	type: '@n8n/n8n-nodes-langchain.agent',
	typeVersion: 3,
	position: [220, 0],
	parameters: {},
};

/** Looks whether the icons of all entries of the package are there, each for the theme. */
async function expectIcons(editor: Editor, names: string[]): Promise<void> {
	const icons = editor.creator.root.locator('img[src*="/n8n-nodes-ai-gateway/"]');
	await eventually(async () => {
		const loaded = await icons.evaluateAll((images: Array<{ src: string; naturalWidth: number }>) =>
			images.filter(({ naturalWidth }) => naturalWidth > 0).map(({ src }) => src.replace(/^.*\//, '')),
		);
		expect(loaded).toHaveLength(await icons.count());
		expect([...new Set(loaded)].sort()).toStrictEqual(names);
	});
}

scene('icons are shown in the light and in the dark theme', async ({ editor }) => {
	await editor.newWorkflow();
	await editor.creator.open();
	await editor.creator.search('gateway');
	await editor.creator.item('Gateway Storage').waitFor();
	await expectIcons(editor, ['balance.svg', 'media.svg', 'storage.svg', 'text.svg']);
	await editor.shot('a search for gateway');
	await editor.page.emulateMedia({ colorScheme: 'dark' });
	await expectIcons(editor, ['balance.dark.svg', 'media.dark.svg', 'storage.dark.svg', 'text.dark.svg']);
	await editor.shot('a search for gateway in the dark theme');
	await editor.page.emulateMedia({ colorScheme: 'light' });
});

scene('an entry lists the actions of the node and its trigger', async ({ editor }) => {
	await editor.newWorkflow();
	await editor.creator.open();
	await editor.creator.search('gateway');
	await editor.creator.openItem('Gateway Media Task');
	const { root } = editor.creator;
	for (const text of ['On media task succeeded', 'On media task failed', 'Create a media task and wait']) {
		await root.getByText(text, { exact: true }).waitFor();
	}
	await editor.shot('what a media task can do');
});

scene('an AI Agent offers the nodes as tools and models', async ({ editor, environment }) => {
	const workflow = await environment.client.createWorkflow({
		name: 'Agent',
		nodes: [{ ...start, id: 'start', position: [0, 0] }, agent],
		connections: { [start.name]: { main: [[{ node: agent.name, type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	});
	await editor.openWorkflow(workflow);
	await editor.openCreatorAt(agent.name, 'input', 'ai_tool');
	for (const [words, name] of [
		['image', 'Gateway Media Task Tool'],
		['gateway', 'Gateway Text Generation Tool'],
		['gateway', 'Gateway Storage Tool'],
		['balance', 'Gateway Balance Tool'],
	] as const) {
		await editor.creator.search(words);
		await editor.creator.item(name).waitFor();
	}
	await editor.shot('the tools of an agent');
	await editor.creator.close();

	await editor.openCreatorAt(agent.name, 'input', 'ai_languageModel');
	await editor.creator.root.getByText('Language Models').first().waitFor();
	// Without a search: it stands among the models of the makers.
	await editor.creator.item('Gateway Chat Model').scrollIntoViewIfNeeded();
	await editor.shot('the language models of an agent');
});

/** Leaves the user with nothing but the installed package. */
async function forgetCredentials({ client }: Environment): Promise<void> {
	for (const { id } of await client.get<Stored[]>('/rest/credentials')) {
		await client.send('DELETE', `/rest/credentials/${id}`, {});
	}
}

scene('the model picker says when a search finds nothing', async ({ editor }) => {
	await editor.newWorkflow();
	const panel = await editor.addFirst('gateway', 'Gateway Text Generation', 'Generate text');
	await panel.openPicker();
	await panel.models.first().waitFor();
	await panel.searchModels('nothing is called so');
	await editor.page.getByText('No results').waitFor();
	await editor.shot('a search in the model picker without a hit');
});

scene('without a credential, the model picker and the form say what is missing', async (stage) => {
	const { editor, environment } = stage;
	await forgetCredentials(environment);
	await editor.newWorkflow();
	const panel = await editor.addFirst('gateway', 'Gateway Media Task', 'Create a media task');
	await panel.root.getByText('Choose a model to see its fields').waitFor();
	await panel.openPicker();
	await editor.page.getByText('Could not load list').waitFor();
	await editor.page.getByText('Add your credential').waitFor();
	await editor.shot('the model picker without a credential');
});

scene('the form reports a wrong address and a wrong key, and accepts the right ones', async (stage) => {
	const { editor, environment } = stage;
	const { baseUrl, apiKey } = environment.gateway;
	const { credential: form, album } = editor;
	await forgetCredentials(environment);
	await editor.newWorkflow();
	const panel = await editor.addFirst('gateway', 'Gateway Balance', 'Get the balance');
	await editor.shot('a node without a credential');
	await form.openNew();
	for (const text of ['Base URL', 'API Key', 'It ends in /api/v1', 'shown in full only once']) {
		await form.root.getByText(text).first().waitFor();
	}
	await album.shot('the empty form', form.root);

	await form.fill('baseUrl', `http://127.0.0.1:${await freePort()}/api/v1`);
	await form.fill('apiKey', apiKey);
	await form.save();
	expect(await form.failure()).toMatch(/could not be reached.*Check the base URL/s);
	await album.shot('nobody at the address', form.root);

	await form.fill('baseUrl', baseUrl.replace('/api/v1', '/v1'));
	await form.save();
	expect(await form.failure()).toMatch(/No gateway responds at this base URL.*ends in \/api\/v1/s);
	await album.shot('a wrong address', form.root);

	await form.fill('baseUrl', baseUrl);
	await form.fill('apiKey', 'sk-00000000-0000-4000-8000-000000000000');
	await form.save();
	expect(await form.failure()).toMatch(
		/key was refused: it is wrong, revoked or expired. The base URL is right/,
	);
	await album.shot('a wrong key', form.root);

	await form.fill('apiKey', apiKey);
	await form.save();
	// n8n closes the form by itself when all is well.
	await form.root.waitFor({ state: 'hidden' });
	await form.openChosen();
	await form.root.getByText('Connection tested successfully').waitFor();
	await album.shot('the right address and key', form.root);
	await form.close();

	expect(await panel.execute()).toMatchObject({ ok: true });
	expect(await panel.output.items()).toStrictEqual([
		{
			amountRub: Number(environment.gateway.control.balance()),
			amount: expect.any(String) as string,
			currency: 'RUB',
		},
	]);
});
