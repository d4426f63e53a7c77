import { opening, story, type Stage } from './support/editor/story';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// What the panels say about the cost before and after a node runs.

const scene = story('costs');

const text = { resource: 'text', operation: 'generate', model: byId('sandbox/swift-1'), prompt: 'Hello' };
const image = { ...text, resource: 'image', model: byId('aurora/canvas-1') };
const create = { ...image, resource: 'task', operation: 'create' };
const limited = { options: { maxCostRub: 5, concurrency: 1 } };
const dryRun = { options: { dryRun: true } };
const fallback = { options: { fallbackModels: ['sandbox/swift-1'], maxCostRub: 5 } };

/** Nodes, the number of their items, and whether the panel warns that nothing limits the cost. */
const cases: Array<
	[name: string, items: number, isWarned: boolean, type: string, parameters: Record<string, unknown>]
> = [
	['Texts', 21, true, 'textGeneration', text],
	['Images', 21, true, 'mediaTask', image],
	['Texts with a limit', 21, false, 'textGeneration', { ...text, ...fallback }],
	['Texts not sent', 21, false, 'textGeneration', { ...text, ...dryRun }],
	['Few texts', 20, false, 'textGeneration', text],
	['Models', 21, false, 'textGeneration', { resource: 'model', operation: 'getMany' }],
	['Tasks with a limit', 40, false, 'mediaTask', { ...create, prompt: 'A cat', ...limited }],
	['Tasks not sent', 40, false, 'mediaTask', { ...create, prompt: 'A cat', ...dryRun }],
	['Tasks', 21, false, 'mediaTask', { resource: 'task', operation: 'get', taskId: 'x' }],
];
const lists = [20, 21, 40].map((count) =>
	itemsNode(
		`List of ${count}`,
		Array.from({ length: count }, () => ({})),
	),
);
const workflow = workflowOf(
	'Costs',
	[...lists, ...cases.map(([name, , , type, parameters]) => gatewayNode(name, type, parameters))],
	{ Start: [] },
);
const to = (names: string[]) => ({ main: [names.map((node) => ({ node, type: 'main', index: 0 }))] });
workflow.connections['Start'] = to(lists.map(({ name }) => name));
for (const { name: list } of lists) {
	workflow.connections[list] = to(
		cases.filter(([, items]) => list === `List of ${items}`).map(([name]) => name),
	);
}
const openCosts = opening(workflow);

/** Opens a node whose items are there already. */
async function open(stage: Stage, name: string) {
	await openCosts(stage);
	const panel = await stage.editor.openNode(name);
	await panel.output.root.getByText('Execute step').first().waitFor();
	return panel;
}

scene('many items are warned of, unless there is a limit or they cost nothing', async (stage) => {
	const { editor } = stage;
	await openCosts(stage);
	await editor.fit();
	for (const { name: list } of lists) {
		// n8n keeps the items of one of the lists.
		const listPanel = await editor.openNode(list);
		expect(await listPanel.execute()).toMatchObject({ ok: true });
		await listPanel.close();
		for (const [name, items, isWarned] of cases.filter(([, items]) => list === `List of ${items}`)) {
			const panel = await open(stage, name);
			await panel.root.getByText(`${items} items`).first().waitFor();
			const hint = panel.output.root.getByText('nothing limits what they cost');
			if (isWarned) await hint.waitFor();
			expect(await hint.count()).toBe(isWarned ? 1 : 0);
			await panel.close();
		}
	}
});

scene('a dry run shows the price of all items, and sends nothing', async (stage) => {
	const panel = await open(stage, 'Tasks not sent');
	expect(await panel.execute()).toMatchObject({ ok: true });
	await panel.output.root.getByText('Dry run, nothing was sent. 40 items: ₽').waitFor();
	await stage.editor.image('costs-dry-run', 620);
	expect(stage.environment.gateway.control.ledger()).toStrictEqual([]);
});

scene('*Max Cost per Execution* refuses what does not fit, and says what is left', async (stage) => {
	const panel = await open(stage, 'Tasks with a limit');
	expect(await panel.execute()).toMatchObject({ ok: false });
	await panel.output.root.getByText('more than is left of').first().waitFor();
	await stage.editor.image('costs-max-cost', 620);
});

scene('fallback models are an option', async (stage) => {
	const panel = await open(stage, 'Texts with a limit');
	await panel.scrollTo('fallbackModels');
	await stage.editor.image('costs-fallback', 620);
});
