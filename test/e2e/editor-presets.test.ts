import { renderPng } from '../../sandbox/gateway/media/render/png';
import type { WorkflowNode } from '../../sandbox/n8n/types';
import { story, type Stage } from './support/editor/story';
import { itemsNode, workflowOf } from './support/workflows';

// What to do with an image, a video, a recording or a document is found by its words, filled in and executed as a user does it.

const scene = story('5-presets', { settings: { taskDuration: { image: 100, video: 100 } } });

/** The middle of the panel of text: generate, from top to bottom. */
const ORDER = ['model', 'prompt', 'systemPrompt', 'outputFormat', 'toolChoice', 'inputMode', 'format'];

const picture = renderPng('A lamp', { width: 320, height: 200, variation: 3, backdrop: null });

/** A file of each kind, as an earlier step of a workflow would give one. */
const files: Array<[field: string, fileName: string, mimeType: string, content: Promise<Buffer> | Buffer]> = [
	['image', 'lamp.png', 'image/png', picture],
	['image', 'vase.png', 'image/png', picture],
	['video', 'clip.mp4', 'video/mp4', Buffer.from('\0\0\0\u0018ftypmp42')],
	['audio', 'call.wav', 'audio/wav', Buffer.from('RIFF\u0024\0\0\0WAVEfmt ')],
	['document', 'invoice.pdf', 'application/pdf', Buffer.from('%PDF-1.4\n%%EOF\n')],
];

let stored: { id: string } | undefined;

/** Opens the workflow that has the files; its page is loaded once. */
async function openFiles({ editor, environment }: Stage): Promise<void> {
	const contents = await Promise.all(
		files.map(async ([field, , , content]) => [field, (await content).toString('base64')] as const),
	);
	const nodes = files.map(([sourceProperty, fileName, mimeType], index): WorkflowNode => {
		const parameters = { operation: 'toBinary', sourceProperty, options: { fileName, mimeType } };
		const type = 'n8n-nodes-base.convertToFile';
		return { name: fileName, type, typeVersion: 1.1, parameters, position: [440, index * 240] };
	});
	const workflow = workflowOf('Files', [itemsNode('Items', [Object.fromEntries(contents)]), ...nodes], {
		Start: ['Items'],
	});
	const targets = nodes.map(({ name }) => ({ node: name, type: 'main', index: 0 }));
	Object.assign(workflow.connections, { Items: { main: [targets] } });
	stored ??= await environment.client.createWorkflow(workflow);
	await editor.openWorkflow(stored);
}

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

scene('a video is analyzed', async (stage) => {
	const { editor } = stage;
	await openFiles(stage);
	const panel = await editor.addBehind(
		'clip.mp4',
		'analyze a video',
		'Gateway Text Generation',
		'Analyze a video',
	);
	await panel.pickModel('sandbox/balanced-2');
	await editor.shot('video, filled in');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect((await panel.output.items())[0]).toMatchObject({
		text: expect.stringContaining('I also received: video') as string,
	});
	await editor.shot('video, analyzed');
});

scene('an image is edited: models that take one come first', async (stage) => {
	const { editor } = stage;
	const { gateway } = stage.environment;
	await openFiles(stage);
	const panel = await editor.addBehind('vase.png', 'edit an image', 'Gateway Media Task', 'Edit an image');
	await editor.shot('edit, new');
	await panel.openPicker();
	await panel.models.filter({ hasText: 'aurora/retouch-1 · ₽' }).waitFor();
	expect(await panel.models.allInnerTexts()).toMatchObject([
		expect.stringContaining('aurora/retouch-1'),
		expect.stringContaining('aurora/'),
		expect.stringContaining('aurora/'),
	]);
	await editor.shot('edit, the model picker');
	await panel.chooseModel('aurora/retouch-1');
	await panel.root.getByRole('button', { name: 'Add File' }).click();
	await panel.choose('inputField', 'Images (image_urls)');
	await panel.fill('prompt', 'Make it a winter night');
	await editor.shot('edit, filled in');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect(gateway.control.tasks().at(-1)?.input).toMatchObject({
		prompt: 'Make it a winter night',
		image_urls: [expect.stringMatching(/^http/) as string],
	});
	await (await panel.output.viewFile()).locator('img').waitFor();
	await editor.shot('edit, the picture');
});

scene('a recording is transcribed', async (stage) => {
	const { editor } = stage;
	await openFiles(stage);
	const panel = await editor.addBehind('call.wav', 'whisper', 'Gateway Text Generation', 'Transcribe audio');
	await panel.pickModel('polyglot/omni-audio');
	await editor.shot('audio, filled in');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect((await panel.output.items())[0]).toMatchObject({
		text: expect.stringContaining('I also received: audio') as string,
	});
	await editor.shot('audio, transcribed');
});

scene('a document is read into the fields of a schema', async (stage) => {
	const { editor } = stage;
	await openFiles(stage);
	const panel = await editor.addBehind('invoice.pdf', 'pdf', 'Gateway Text Generation', 'Read a document');
	await panel.pickModel('sandbox/balanced-2');
	await panel.choose('outputFormat', 'JSON by Schema');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect((await panel.output.items())[0]).toMatchObject({ json: { title: expect.any(String) as string } });
	await editor.shot('document, read');
});
