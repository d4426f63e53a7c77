import { checkPng } from '../../sandbox/demo/png';
import type { Stored } from '../../sandbox/n8n/types';
import type { NodePanel } from './support/editor/nodePanel';
import { story, type Stage } from './support/editor/story';
import { eventually } from './support/eventually';

// Rows of a data table become texts, pictures and rows of another table: built from an empty canvas.

const scene = story('rows', { settings: { taskDuration: { image: 100 } } });

const products = ['Brass lamp', 'Oak table', 'Wool blanket'];
const [lamp = ''] = products;

/** Makes data tables, as the page *Data tables* does: one with the products, one for the pictures. */
async function makeTables({ environment: { client } }: Stage, source: string, target: string): Promise<void> {
	const { id } = await client.get<Stored>('/rest/projects/personal');
	const tables = `/rest/projects/${id}/data-tables`;
	const make = async (name: string, columns: string[]) => {
		const table = { name, columns: columns.map((column) => ({ name: column, type: 'string' })) };
		return await client.send<Stored>('POST', tables, table);
	};
	const { id: sourceId } = await make(source, ['product']);
	const data = products.map((product) => ({ product }));
	await client.send('POST', `${tables}/${sourceId}/insert`, { data, returnType: 'count' });
	await make(target, ['product', 'picture']);
}

/** Adds n8n's *Data table* from the open list of nodes, and chooses its table. */
async function addTable({ editor, environment }: Stage, action: string, table: string): Promise<NodePanel> {
	const { creator, panel } = editor;
	await creator.search('data table');
	await creator.item('Data table').click();
	await creator.action(action).click();
	await panel.root.waitFor();
	// n8n lists the tables for a workflow that it has stored.
	await eventually(async () => {
		const [, id] = /\/workflow\/(\w+)/.exec(editor.page.url()) ?? [];
		await environment.client.get(`/rest/workflows/${id}`);
	});
	await panel.openPicker();
	await panel.chooseModel(table);
	return panel;
}

/** Adds the rows and the texts about them to an empty canvas; the node of the texts is still open. */
async function buildTexts(stage: Stage, source: string): Promise<NodePanel> {
	const { editor } = stage;
	await editor.newWorkflow();
	await editor.creator.open();
	const rows = await addTable(stage, 'Get row(s)', source);
	expect(await rows.execute()).toMatchObject({ ok: true });
	await rows.close();
	const text = await editor.addBehind('Get row(s)', 'llm', 'Gateway Text Generation', 'Generate text');
	await text.pickModel('sandbox/swift-1');
	await text.express('prompt', 'Describe {{ $json.product }}', `Describe ${lamp}`);
	return text;
}

async function addImage({ editor }: Stage): Promise<NodePanel> {
	const image = await editor.addBehind(
		'Generate text',
		'generate image',
		'Gateway Media Task',
		'Generate image',
	);
	await image.pickModel('aurora/canvas-1');
	return image;
}

/** Adds the table of the pictures, and runs what is left. */
async function fillTable(stage: Stage, target: string, product: string): Promise<void> {
	await stage.editor.openCreatorAt('Generate image', 'output', 'main');
	const table = await addTable(stage, 'Insert row', target);
	await table.express('product', product, lamp);
	// What n8n shows of an expression covers the next field.
	await table.root.getByText('Values to insert').click();
	const pictures = stage.environment.gateway.control.tasks().slice(-products.length);
	const urls = products.map((name) => {
		const picture = pictures.find(({ input }) => input['prompt'] === `Studio photo of ${name}`);
		return picture?.resultUrls[0] ?? '';
	});
	await table.express('picture', '{{ $json.resultUrls[0] }}', urls[0] ?? '');
	expect(await table.execute()).toMatchObject({ ok: true });
	const items = await table.output.items();
	expect(items.map(({ product: name, picture }) => [name, picture])).toStrictEqual(
		products.map((name, index) => [name, urls[index]]),
	);
	for (const url of urls) {
		const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
		expect(await checkPng(bytes)).toStrictEqual({ width: 1024, height: 1024 });
	}
}

/** What was charged from now on, by model, and what the pictures show. */
function spending({ environment: { gateway } }: Stage) {
	const { control } = gateway;
	const [charges, tasks] = [control.ledger().length, control.tasks().length];
	return () => ({
		models: control
			.ledger()
			.slice(charges)
			.map(({ model }) => model),
		prompts: control
			.tasks()
			.slice(tasks)
			.map(({ input }) => String(input['prompt']))
			.sort(),
	});
}
const texts = products.map(() => 'sandbox/swift-1');
const all = {
	models: [...texts, ...products.map(() => 'aurora/canvas-1')],
	prompts: products.map((product) => `Studio photo of ${product}`),
};

scene(
	'a prompt with a field that the text has dropped costs nothing, and what the error says works',
	async (stage) => {
		await stage.environment.gateway.control.reset();
		stage.environment.gateway.control.configure({ taskDuration: { image: 100 } });
		const paid = spending(stage);
		await makeTables(stage, 'Product list', 'Pictures of lamps');
		const text = await buildTexts(stage, 'Product list');
		expect(await text.execute()).toMatchObject({ ok: true });
		await text.close();

		const image = await addImage(stage);
		await image.express('prompt', 'Studio photo of {{ $json.product }}', 'Studio photo of');
		// n8n takes an expression over a moment after it was entered; until then, the prompt is empty.
		await eventually(async () => {
			const { ok, message } = await image.execute();
			expect(ok).toBe(false);
			expect(message).toContain(`No item has the field "product", which 'Prompt' refers to`);
		});
		const advice = await image.output.errorDescription.innerText();
		expect(advice).toContain('Nothing was sent.');
		expect(paid()).toStrictEqual({ models: texts, prompts: [] });

		const [, expression = ''] = /For a field of an earlier node: (\{\{.*?\}\})/.exec(advice) ?? [];
		await image.express('prompt', `Studio photo of ${expression}`, `Studio photo of ${lamp}`);
		expect(await image.execute()).toMatchObject({ ok: true });
		expect(paid()).toStrictEqual(all);
		await image.close();
		await fillTable(stage, 'Pictures of lamps', expression);
		expect(paid()).toStrictEqual(all);
	},
);

scene('with *Include Input Fields*, rows keep their fields up to the table', async (stage) => {
	const paid = spending(stage);
	await makeTables(stage, 'Stock list', 'Pictures of sofas');
	const text = await buildTexts(stage, 'Stock list');
	await text.addOption('Include Input Fields');
	expect(await text.execute()).toMatchObject({ ok: true });
	await text.close();

	const image = await addImage(stage);
	await image.express('prompt', 'Studio photo of {{ $json.product }}', `Studio photo of ${lamp}`);
	await image.addOption('Include Input Fields');
	await image.addOption('File Name');
	await image.express('fileName', '{{ $json.product }}', lamp);
	expect(await image.execute()).toMatchObject({ ok: true });
	await image.output.show('binary');
	await image.output.root.getByText(`${lamp}.png`).waitFor();
	expect(paid()).toStrictEqual(all);
	await image.close();
	await fillTable(stage, 'Pictures of sofas', '{{ $json.product }}');
	expect(paid()).toStrictEqual(all);
});
