import { form, locator } from '../helpers/values';
import type { Execution, StoryNode } from './execution';
import { image, says, text, useStories } from './support';

// *File Name*: files named by the row that they belong to.

const { gateway, execute, disturb, calm } = useStories();
const options = { fileName: '={{ $json.product }}' };
const rows = (...products: Array<string | undefined>) =>
	products.map((product, n) => ({ json: { product, prompt: `picture ${n}`, quality: 'draft' } }));
const names = (execution: Execution, node?: string) =>
	execution.items(node).map(({ binary = {} }) => Object.values(binary).map(({ fileName }) => fileName));
const ofTask = (operation: string): StoryNode => ({
	node: 'mediaTask',
	parameters: {
		resource: 'task',
		operation,
		taskId: '={{ $json.taskId }}',
		options: { fileName: '={{ "t" + $itemIndex }}' },
	},
});

it('pictures have the names of their rows, also those of a *Wait* and a *Download*', async () => {
	const execution = await execute(
		[image({ options }), ofTask('wait'), ofTask('download')],
		rows('Lamp 42', 'a/b: sofa'),
	);
	expect(names(execution)).toStrictEqual([['Lamp 42.png'], ['a-b- sofa.png']]);
	expect(names(execution, 'Gateway 2')).toStrictEqual([['t0.png'], ['t1.png']]);
	const downloads = execution.items('Gateway 3');
	expect(downloads.map(({ json, binary }) => [json.fileName, binary?.data?.fileName])).toStrictEqual([
		['t0.png', 't0.png'],
		['t1.png', 't1.png'],
	]);
});

it('several pictures of a row are numbered from the first; an empty name leaves those of the gateway', async () => {
	const input = form({ quality: 'draft', size: '512x512', num_images: 2 });
	const [lamp, none] = names(await execute(image({ input, options }), rows('lamp', undefined)));
	expect(lamp).toStrictEqual(['lamp_1.png', 'lamp_2.png']);
	expect(none).toStrictEqual([expect.stringMatching(/^[\w-]+\.png$/), expect.stringMatching(/_1\.png$/)]);
});

it('equal names of several items have a hint', async () => {
	const execution = await execute(image({ options }), rows('lamp', 'sofa', 'lamp'));
	expect(execution.hints()).toContain('Several items have a file of the name lamp.png: take a value');
	expect((await execute(image({ options }), rows('lamp', 'sofa'))).hints()).not.toContain('Several items');
});

it('equal names that nobody gave have none', async () => {
	const [lamp] = (await execute(image(), rows('lamp'))).items();
	const parameters = { resource: 'task', operation: 'wait', taskId: lamp?.json.taskId as string };
	const execution = await execute({ node: 'mediaTask', parameters }, rows('a', 'b'));
	const [[name] = [], [other] = []] = names(execution);
	expect([name, execution.hints()]).toStrictEqual([other, '']);
	expect(name).toMatch(/\.png$/);
});

it('sound of a text, and a stored file, have names', async () => {
	const sound = text({
		model: locator('polyglot/omni-audio'),
		options: {
			...options,
			audioAndImages: { modalities: ['text', 'audio'], audioVoice: 'alloy', audioFormat: 'wav' },
		},
	});
	expect(names(await execute(sound, rows('hello')))).toStrictEqual([['hello.wav']]);
	const file = {
		resource: 'file',
		operation: 'upload',
		uploadSource: 'base64',
		base64: 'UE5H',
		mimeType: 'image/png',
	};
	const fetched = {
		resource: 'file',
		operation: 'download',
		fileId: '={{ $json.id }}',
		binaryPropertyName: 'data',
	};
	const execution = await execute(
		[
			{ node: 'storage', parameters: file },
			{ node: 'storage', parameters: { ...fetched, options: { fileName: 'logo' } } },
		],
		[{ json: {} }],
	);
	expect(names(execution, 'Gateway 2')).toStrictEqual([['logo.png']]);
});

it('another name is no edit of the request: a *Retry* pays only for what is missing', async () => {
	disturb(says('picture 1'), { kind: 'error', code: 'invalid_input' }, () => gateway.charges() === 1);
	const failed = await execute(image({ options }), rows('lamp', 'sofa'));
	calm();
	const retried = await failed.retry({ options: { fileName: '={{ $json.product }} 2' } });
	expect(names(retried)).toStrictEqual([['lamp 2.png'], ['sofa 2.png']]);
	expect(gateway.charges()).toBe(2);
});
