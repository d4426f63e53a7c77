import { picture, workflowOfFiles } from './support/editor/files';
import { opening, story } from './support/editor/story';

// Gateway Storage: files are uploaded, listed and downloaded.

const scene = story('storage');
const openFile = opening(workflowOfFiles({ 'invoice.png': ['image/png', picture] }));

scene('storage: a file is uploaded, listed and downloaded', async (stage) => {
	const { editor } = stage;
	await openFile(stage);
	let panel = await editor.addBehind('invoice.png', 'upload file', 'Gateway Storage', 'Upload file');
	expect(await panel.openDropdown('storagePolicy')).toStrictEqual(['Permanent', 'Temporary']);
	await panel.choose('storagePolicy', 'Permanent');
	expect(await panel.execute()).toMatchObject({ ok: true });
	const [uploaded] = await panel.output.items();
	expect(uploaded).toMatchObject({ mimeType: 'image/png', storagePolicy: 'PERMANENT' });
	await editor.image('storage', 560);
	await panel.close();

	panel = await editor.addBehind('Upload file', 'storage', 'Gateway Storage', 'Get many files');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect((await panel.output.items()).map(({ id }) => id)).toStrictEqual([uploaded?.['id']]);
	await panel.close();

	panel = await editor.addBehind('Get many files', 'storage', 'Gateway Storage', 'Download file');
	await panel.express('fileId', '{{ $json.id }}', String(uploaded?.['id']));
	expect(await panel.execute()).toMatchObject({ ok: true });
	await (await panel.output.viewFile()).locator('img').waitFor();
});
