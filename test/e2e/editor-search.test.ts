import { story } from './support/editor/story';
import { eventually } from './support/eventually';

// What people type into the list of nodes, and what they find.

const scene = story('5-search');

const MEDIA = 'Gateway Media Task';
const TEXT = 'Gateway Text Generation';

/** How many entries a user looks at. */
const LOOKED_AT = 8;

const searches: Array<[string, string, string]> = [
	['ai gateway', TEXT, 'Generate text'],
	['ai gateway', MEDIA, 'Generate an image'],
	['ai gateway', 'Gateway Balance', 'Get the balance'],
	['gateway', TEXT, 'Generate text'],
	['generate text', TEXT, 'Generate text'],
	['language model', TEXT, 'Generate text'],
	['balance', 'Gateway Balance', 'Get the balance'],
	['money', 'Gateway Balance', 'Get the balance'],
	['alert', 'Gateway Balance', 'Get the balance'],
	['upload file', 'Gateway Storage', 'Upload a file'],
	['image', MEDIA, 'Generate an image'],
	['video', MEDIA, 'Generate a video'],
	['music', MEDIA, 'Generate music'],
	['text to speech', MEDIA, 'Generate speech'],
	['dall-e', MEDIA, 'Generate an image'],
	['midjourney', MEDIA, 'Generate an image'],
	['sora', MEDIA, 'Generate a video'],
	['suno', MEDIA, 'Generate music'],
	['elevenlabs', MEDIA, 'Generate speech'],
	['gpt', TEXT, 'Generate text'],
	['claude', TEXT, 'Generate text'],
	['whisper', TEXT, 'Transcribe audio'],
	['OCR', TEXT, 'Analyze an image'],
	['analyze a video', TEXT, 'Analyze a video'],
	['pdf', TEXT, 'Read a document'],
];

for (const [words, node, action] of searches) {
	scene(`"${words}" finds ${node}, which can "${action}"`, async ({ editor }) => {
		await editor.newWorkflow();
		const { creator } = editor;
		await creator.open();
		await creator.search(words);
		await creator.item(node).waitFor();
		const found = (await creator.items.allInnerTexts()).map((name) => name.trim());
		await editor.shot(words);
		expect(found.slice(0, LOOKED_AT)).toContain(node);
		await creator.openItem(node);
		await creator.action(action).waitFor();
		await editor.shot(`${words}, actions`);
	});
}

scene('"Generate text" stands first among the actions of its node', async ({ editor }) => {
	const { creator } = editor;
	await editor.newWorkflow();
	await creator.open();
	await creator.search(TEXT);
	await creator.openItem(TEXT);
	await creator.action('Generate text').waitFor();
	await editor.shot('what Gateway Text Generation can do');
	const entries = (await creator.items.allInnerTexts()).map((name) => name.trim());
	// n8n's own triggers stand before all actions.
	expect(entries.filter((name) => !name.startsWith('On a '))[0]).toBe('Generate text');
});

scene('the actions of media are named by what they make, and the others by what they do', async (stage) => {
	const { creator } = stage.editor;
	await stage.editor.newWorkflow();
	await creator.open();
	await creator.search(MEDIA);
	await creator.openItem(MEDIA);
	for (const action of [
		'Generate an image',
		'Generate a video',
		'Generate music',
		'Generate speech',
		'Create a media task',
		'Create a media task and wait',
		'Wait for a media task',
	]) {
		await eventually(async () => expect(await creator.action(action).count()).toBe(1));
	}
});
