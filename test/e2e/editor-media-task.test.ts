import type { Locator } from 'playwright-core';
import { loadExample } from '../../sandbox/n8n/workflows';
import { eventually } from './support/eventually';
import { picture, workflowOfFiles } from './support/editor/files';
import { opening, story } from './support/editor/story';
import { byId, gatewayNode, workflowOf } from './support/workflows';

// Gateway Media Task: the form of a model, and its result.

const scene = story('media-task', { settings: { taskDuration: { image: 100, video: 100 } } });

/** The width of a picture that has been loaded; pixels. */
async function widthOf(picture: Locator): Promise<number> {
	return await picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth);
}

scene('a model and a prompt make a picture', async ({ editor, environment }) => {
	await editor.newWorkflow();
	const panel = await editor.addFirst('generate image', 'Gateway Media Task', 'Generate image');
	await panel.openPicker();
	await panel.models.filter({ hasText: 'aurora/canvas-1 · ₽5.40 · from ₽1.80' }).waitFor();
	expect(await panel.models.allInnerTexts()).toStrictEqual([
		expect.stringContaining('aurora/canvas-1'),
		expect.stringContaining('aurora/remix-1'),
		expect.stringContaining('aurora/retouch-1'),
	]);
	await panel.chooseModel('aurora/canvas-1');
	await panel.fill('prompt', 'A lighthouse\nin a winter storm');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect(await editor.interactions()).toStrictEqual({ clicks: 7, fields: 2 });
	await (await panel.output.viewFile()).locator('img').waitFor();
	expect(await editor.interactions()).toStrictEqual({ clicks: 9, fields: 2 });
	await panel.output.backToFiles();

	expect(await (await panel.openFields()).allInnerTexts()).toContain('Number of Images');
	await editor.page.getByRole('menuitem', { name: 'Quality', exact: true }).click();
	expect(await panel.openDropdown('quality')).toStrictEqual(['draft', 'standard', 'high']);
	await panel.choose('quality', 'draft');
	await panel.addField('Size');
	await panel.choose('size', '512x512');
	await panel.addField('Tags – Style words');
	expect(await panel.execute()).toMatchObject({ ok: true });
	// An empty list is not sent.
	const creation = environment.gateway.control.requests({ method: 'POST', path: '*/media/tasks' }).at(-1);
	expect(creation?.body).toHaveProperty('json.input.quality', 'draft');
	expect(creation?.body).not.toHaveProperty('json.input.tags');
	// A list may be written as words.
	await panel.fill('tags', 'ink, paper');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect(environment.gateway.control.tasks().at(-1)?.input).toHaveProperty('tags', ['ink', 'paper']);
	const picture = (await panel.output.viewFile()).locator('img');
	await eventually(async () => expect(await widthOf(picture)).toBe(512));
	await editor.image('media-task', 700);

	await panel.output.backToFiles();
	expect(await panel.output.items()).toStrictEqual([
		expect.objectContaining({ state: 'success', model: 'aurora/canvas-1', priceRub: 1.8 }),
	]);
	expect(environment.gateway.control.tasks().at(-1)?.input).toMatchObject({
		prompt: 'A lighthouse\nin a winter storm',
		quality: 'draft',
		size: '512x512',
	});
});

scene(
	'a prompt is required, and stays when the model or the input mode changes',
	async ({ editor, environment }) => {
		await editor.newWorkflow();
		const panel = await editor.addFirst('sora', 'Gateway Media Task', 'Create media task');
		const prompt = async () => await panel.field('prompt').inputValue();
		await panel.pickModel('aurora/canvas-1');
		const tasks = environment.gateway.control.tasks().length;
		expect(await panel.execute()).toMatchObject({ ok: false });
		expect(await panel.output.errorMessage.innerText()).toContain("'Prompt'");
		expect(environment.gateway.control.tasks()).toHaveLength(tasks);
		await panel.fill('prompt', 'A lighthouse');
		await panel.addField('Quality');
		await panel.input('quality').waitFor();

		await panel.root.getByTestId('rlc-input').click();
		await panel.searchModels('motion');
		await panel.chooseModel('lumen/motion-2');
		await panel.input('quality').waitFor({ state: 'hidden' });
		await panel.addField('Duration – Seconds');
		expect(await prompt()).toBe('A lighthouse');

		await panel.choose('inputMode', 'JSON');
		await panel.input('inputJson').waitFor();
		expect(await prompt()).toBe('A lighthouse');
		await panel.choose('inputMode', 'Form');
		await panel.input('inputJson').waitFor({ state: 'hidden' });
		expect(await prompt()).toBe('A lighthouse');
		expect(await panel.execute()).toMatchObject({ ok: true });
		expect(environment.gateway.control.tasks().at(-1)?.input).toMatchObject({ prompt: 'A lighthouse' });
	},
);

scene('an example shows its prompt, and only the fields that it fills', async ({ editor, environment }) => {
	await editor.openWorkflow(await environment.store(await loadExample('text-to-media')));
	const panel = await editor.openNode('Draw picture');
	await panel.input('quality').waitFor();
	await panel.input('size').waitFor();
	expect(await panel.input('seed').count()).toBe(0);
	expect(await panel.input('prompt').allInnerTexts()).toStrictEqual([expect.stringContaining('$json.text')]);
});

scene('another model has another form, with rows and options', async ({ editor }) => {
	await editor.newWorkflow();
	const panel = await editor.addFirst('video', 'Gateway Media Task', 'Create media task');
	await panel.openPicker();
	await panel.models.filter({ hasText: /lumen\/motion-2 · (₽[\d.]+ · from )?₽[\d.]+ · video/ }).waitFor();
	await panel.searchModels('video');
	await eventually(async () => expect(await panel.models.count()).toBe(1));
	await panel.chooseModel('lumen/motion-2');
	await panel.addFile();
	expect(await panel.openDropdown('inputField')).toStrictEqual([expect.stringContaining('image_url')]);
	await panel.closeDropdown('inputField');

	await panel.addOption('Callback URL');
	await panel.root.getByText('production URL of its Gateway Media Task Trigger').waitFor();
});

scene(
	'before a task with the test URL of a webhook is paid, the editor warns',
	async ({ editor, environment }) => {
		const before = environment.gateway.control.ledger().length;
		await editor.newWorkflow();
		const panel = await editor.addFirst('video', 'Gateway Media Task', 'Create media task');
		await panel.addOption('Callback URL');
		const warning = panel.output.root.getByText("copy the trigger's production URL");
		for (const [path, isWarned] of [
			['webhook-test', true],
			['webhook', false],
		] as const) {
			await panel.fill('callbackUrl', `https://n8n.example.com/${path}/7/media-task`);
			await eventually(async () => expect(await warning.count()).toBe(isWarned ? 1 : 0));
		}
		expect(environment.gateway.control.ledger()).toHaveLength(before);
	},
);

const openFile = opening(workflowOfFiles({ 'vase.png': ['image/png', picture] }));

scene('an image is edited: models that take one come first', async (stage) => {
	const { editor } = stage;
	const { gateway } = stage.environment;
	await openFile(stage);
	const panel = await editor.addBehind('vase.png', 'edit an image', 'Gateway Media Task', 'Edit image');
	await panel.openPicker();
	await panel.models.filter({ hasText: 'aurora/retouch-1 · ' }).waitFor();
	expect(await panel.models.allInnerTexts()).toMatchObject([
		expect.stringContaining('aurora/remix-1'),
		expect.stringContaining('aurora/retouch-1'),
		expect.stringContaining('aurora/canvas-1'),
	]);
	await panel.chooseModel('aurora/retouch-1');
	await panel.addFile();
	await panel.choose('inputField', 'Images (image_urls)');
	await panel.fill('prompt', 'Make it a winter night');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect(gateway.control.tasks().at(-1)?.input).toMatchObject({
		prompt: 'Make it a winter night',
		image_urls: [expect.stringMatching(/^http/) as string],
	});
	await (await panel.output.viewFile()).locator('img').waitFor();
});

scene('fields of a node can be dragged before its first run', async ({ editor, environment }) => {
	const tasks = environment.gateway.control.tasks().length;
	const parameters = { resource: 'task', operation: 'createAndWait', model: byId('aurora/canvas-1') };
	const create = { ...gatewayNode('Paint', 'mediaTask', parameters), typeVersion: 1.1 };
	const set = { name: 'Message', type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: { options: {} } };
	const routes = { Start: ['Paint'], Paint: ['Message'] };
	await editor.openWorkflow(await environment.store(workflowOf('Drag', [create, set], routes)));
	const panel = await editor.openNode('Message');
	await panel.root.locator('[data-name="resultUrls"]').first().waitFor();
	for (const name of ['taskId', 'state', 'priceRub', 'createdAt'])
		expect(await panel.root.locator(`[data-name="${name}"]`).count()).toBe(1);
	await panel.drag('resultUrls', '{{ $json.resultUrls }}');
	expect(environment.gateway.control.tasks()).toHaveLength(tasks);
});

scene('the subtitles of a song are read by a player', async ({ editor, environment }) => {
	const line = (word: string, startS: number, endS: number) => ({ word, success: true, startS, endS });
	const words = [
		line('Город ', 0.5, 1),
		line('спит 🌙\n', 1.25, 2),
		line('a < b & c --> d <i>e</i>\n\n', 2, 2.5),
		line('00:00:03.000 --> 00:00:04.000\n', 3_661.005, 3_662),
		line('NOTE &amp; end', 3_662, 3_662),
	];
	const body = { code: 200, msg: 'success', data: { alignedWords: words } };
	environment.gateway.control.addFault({
		match: { path: '*/lyrics/timestamped' },
		action: {
			kind: 'raw',
			status: 200,
			body: { text: JSON.stringify(body), contentType: 'application/json' },
		},
	});
	const lyrics = gatewayNode('Lyrics', 'mediaTask', {
		operation: 'getLyrics',
		taskId: '9b2d7c1e-0000-4000-8000-000000000001',
		audioId: 'a1',
		options: { subtitleFormat: 'vtt' },
	});
	const { nodes } = await environment.runWorkflow(workflowOf('Lyrics', [lyrics], { Start: ['Lyrics'] }));
	const [item] = nodes['Lyrics']?.items ?? [];
	if (item === undefined) throw new Error('There are no lyrics.');
	const file = await environment.readBinary(item, 'subtitles');

	const page = await editor.page.context().newPage();
	await page.setContent('<video><track kind="subtitles" default></video>');
	const cues = await page.evaluate<unknown[]>(`new Promise((resolve, reject) => {
		const track = document.querySelector('track');
		const shown = (cue) => [cue.startTime, cue.endTime, cue.getCueAsHTML().textContent];
		track.onload = () => resolve([...track.track.cues].map(shown));
		track.onerror = () => reject(new Error('The player reads no subtitles'));
		track.track.mode = 'hidden';
		const bytes = Uint8Array.from(atob('${file.toString('base64')}'), (c) => c.charCodeAt(0));
		track.src = URL.createObjectURL(new Blob([bytes], { type: 'text/vtt' }));
	})`);
	await page.close();
	expect(cues).toStrictEqual([
		[0.5, 2, 'Город спит 🌙'],
		[2, 2.5, 'a < b & c --> d <i>e</i>'],
		[3_661.005, 3_662, '00:00:03.000 --> 00:00:04.000'],
		[3_662, 3_667, 'NOTE &amp; end'],
	]);
});
