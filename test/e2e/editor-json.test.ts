import type { Editor } from './support/editor/editor';
import type { NodePanel } from './support/editor/nodePanel';
import { story } from './support/editor/story';

// A user who writes no schemas gets JSON from Gateway Text Generation, and drags it into the next node.

const scene = story('json');

async function newText(editor: Editor): Promise<NodePanel> {
	await editor.newWorkflow();
	const panel = await editor.addFirst('gpt', 'Gateway Text Generation', 'Generate text');
	await panel.openPicker();
	await panel.chooseModel('sandbox/swift-1');
	await panel.fill('prompt', 'A book about lighthouses');
	return panel;
}

scene(
	'JSON by fields: the row is there to be filled, its value is dragged into the next node, and a row is added',
	async (stage) => {
		const { editor } = stage;
		const panel = await newText(editor);
		await panel.choose('outputFormat', 'JSON by Fields');
		await panel.fill('name', 'title');
		expect(await panel.execute()).toMatchObject({ ok: true });
		expect(await editor.interactions()).toStrictEqual({ clicks: 8, fields: 3 });
		const [item] = await panel.output.items();
		expect(item).toMatchObject({ output: { title: expect.any(String) as string } });
		const { title } = item?.['output'] as { title: string };
		await panel.close();

		const set = await editor.addBehind('Generate text', 'edit fields', 'Edit Fields .Set.');
		await set.drag('title', '{{ $json.output.title }}');
		expect(await editor.interactions()).toStrictEqual({ clicks: 12, fields: 4 });
		expect(await set.execute()).toMatchObject({ ok: true });
		const [passed] = await set.output.items();
		expect(JSON.stringify(passed)).toContain(JSON.stringify(title));
		await set.close();

		await editor.openNode('Generate text');
		await panel.root.getByText('Add Field', { exact: true }).click();
		await panel.field('name').nth(0).waitFor();
		await panel.root.getByTestId('parameter-input-name').nth(1).locator('input').fill('pages');
		await panel.root.getByTestId('parameter-input-type').nth(1).click();
		await editor.page.locator('.option-headline:visible').getByText('Number', { exact: true }).click();
		expect(await panel.execute()).toMatchObject({ ok: true });
		expect((await panel.output.items())[0]).toMatchObject({
			output: { title: expect.any(String) as string, pages: expect.any(Number) as number },
		});
	},
);

scene('JSON by example: an example that is typed in becomes the schema', async ({ editor, environment }) => {
	const panel = await newText(editor);
	await panel.choose('outputFormat', 'JSON by Example');
	await panel
		.input('jsonExample')
		.locator('.cm-content')
		.fill('{ "name": "A lamp", "price": 12, "note": null }');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect((await panel.output.items())[0]).toMatchObject({
		output: { name: expect.any(String) as string, price: expect.any(Number) as number },
	});
	const { body } = environment.gateway.control.requests({ path: '/chat/completions' }).at(-1) ?? {};
	expect(body?.json).toMatchObject({
		response_format: { json_schema: { schema: { required: ['name', 'price'] } } },
	});
});
