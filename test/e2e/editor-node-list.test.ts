import { agent, start } from './support/agents';
import type { Editor } from './support/editor/editor';
import { story } from './support/editor/story';
import { eventually } from './support/eventually';

// The list of nodes: icons, actions, tools, and what people find by their words.

const scene = story('node-list');

const agentNode = { ...agent('Hello'), id: 'agent', position: [220, 0] };

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
	await editor.page.emulateMedia({ colorScheme: 'dark' });
	await expectIcons(editor, ['balance.dark.svg', 'media.dark.svg', 'storage.dark.svg', 'text.dark.svg']);
	await editor.page.emulateMedia({ colorScheme: 'light' });
});

scene('an AI Agent offers the nodes as tools and models', async ({ editor, environment }) => {
	const workflow = await environment.client.createWorkflow({
		name: 'Agent',
		nodes: [{ ...start, id: 'start', position: [0, 0] }, agentNode],
		connections: { [start.name]: { main: [[{ node: agentNode.name, type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	});
	await editor.openWorkflow(workflow);
	await editor.openCreatorAt(agentNode.name, 'input', 'ai_tool');
	for (const [words, name] of [
		['image', 'Gateway Media Task Tool'],
		['gateway', 'Gateway Text Generation Tool'],
		['gateway', 'Gateway Storage Tool'],
		['balance', 'Gateway Balance Tool'],
	] as const) {
		await editor.creator.search(words);
		await editor.creator.item(name).waitFor();
	}
	await editor.creator.close();

	await editor.openCreatorAt(agentNode.name, 'input', 'ai_languageModel');
	await editor.creator.root.getByText('Language Models').first().waitFor();
	// Without a search: it stands among the models of the makers.
	await editor.creator.item('Gateway Chat Model').scrollIntoViewIfNeeded();
});

const MEDIA = 'Gateway Media Task';
const TEXT = 'Gateway Text Generation';

/** How many entries a user looks at. */
const LOOKED_AT = 3;

/** Words for which n8n lists more of its own nodes, or of this package, before this one. */
const LATER: Readonly<Record<string, number>> = { image: 8, video: 4, 'ai gateway': 6, gateway: 6 };

/** By node: the words that find it, and some of its actions. */
const SEARCHES: Array<[string, string, string[]]> = [
	['Gateway Balance', 'low balance, ai gateway, balance, money, alert', ['Get balance']],
	['Gateway Storage', 'upload file', ['Upload file']],
	[
		MEDIA,
		'ai gateway, image, video, music, text to speech, dall-e, midjourney, sora, suno, elevenlabs, create media task, make image, image to video, wait for task',
		[
			'Generate image',
			'Generate video',
			'Generate music',
			'Generate speech',
			'Create media task',
			'Create media task and wait',
			'Wait for media task',
			'On media task succeeded',
			'On media task failed',
		],
	],
	[
		TEXT,
		'write text, ai gateway, gateway, generate text, language model, gpt, claude, whisper, OCR, analyze a video, pdf, read pdf, ask about file, analyze file',
		['Generate text', 'Analyze image', 'Analyze video', 'Transcribe audio', 'Read document'],
	],
];

for (const [node, words, actions] of SEARCHES) {
	scene(`${node} is found by what people call it, and its actions say what it does`, async ({ editor }) => {
		await editor.newWorkflow();
		const { creator } = editor;
		await creator.open();
		for (const word of words.split(', ')) {
			await creator.search(word);
			await creator.item(node).waitFor();
			const found = (await creator.items.allInnerTexts()).map((name) => name.trim());
			const rank = found.indexOf(node) + 1;
			expect([word, rank <= (LATER[word] ?? LOOKED_AT)]).toStrictEqual([word, true]);
		}
		await creator.openItem(node);
		for (const action of actions)
			await eventually(async () => expect(await creator.action(action).count()).toBe(1));
	});
}

scene('"Generate text" stands first among the actions of its node', async ({ editor }) => {
	const { creator } = editor;
	await editor.newWorkflow();
	await creator.open();
	await creator.search(TEXT);
	await creator.openItem(TEXT);
	await eventually(async () => {
		const entries = (await creator.items.allInnerTexts()).map((name) => name.trim());
		// n8n's own triggers stand before all actions.
		expect(entries.filter((name) => !name.startsWith('On a '))[0]).toBe('Generate text');
	});
});
