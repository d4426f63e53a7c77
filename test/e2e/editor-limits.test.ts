import { waitForExecution } from '../../sandbox/n8n/executions';
import type { WorkflowNode } from '../../sandbox/n8n/types';
import { sumOfCosts } from '../../nodes/shared/gateway/util/money';
import { manualTrigger, withCredential } from '../../sandbox/n8n/workflows';
import { agent, model, start } from './support/agents';
import { story, type Stage } from './support/editor/story';
import { mediaTool } from './support/tools';
import { byId, clusterOf, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// What n8n says about the cost before a node runs, and what its traces have after it has run.

const scene = story('8-limits');

const HINT = 'nothing limits what they cost';
const text = { resource: 'text', operation: 'generate', model: byId('sandbox/swift-1'), prompt: 'Hello' };
const image = { ...text, resource: 'image', model: byId('aurora/canvas-1') };

/** Opens a node behind so many items, which are there already. */
async function open({ editor, environment }: Stage, node: WorkflowNode, items: number) {
	const list = itemsNode(
		'Items',
		Array.from({ length: items }, (_, index) => ({ index })),
	);
	const workflow = workflowOf('Limits', [list, node], { Start: ['Items'], Items: [node.name] });
	await editor.openWorkflow(
		await environment.client.createWorkflow(withCredential(workflow, environment.credential)),
	);
	const before = await editor.openNode('Items');
	expect(await before.execute()).toMatchObject({ ok: true });
	await before.close();
	const panel = await editor.openNode(node.name);
	await panel.output.root.getByText('Execute step').first().waitFor();
	return panel;
}

const LIMIT = { options: { maxCostRub: 5 } };
const CREATE = { ...image, resource: 'task', operation: 'create' };

scene('many items are warned of, unless there is a limit or they cost nothing', async (stage) => {
	const { editor, environment } = stage;
	const cases: Array<[items: number, isWarned: boolean, type: string, parameters: Record<string, unknown>]> =
		[
			[21, true, 'textGeneration', text],
			[21, true, 'mediaTask', image],
			[21, false, 'textGeneration', { ...text, ...LIMIT }],
			[21, false, 'textGeneration', { ...text, options: { dryRun: true } }],
			[20, false, 'textGeneration', text],
			[21, false, 'textGeneration', { resource: 'model', operation: 'getMany' }],
			[21, false, 'mediaTask', { ...CREATE, ...LIMIT }],
			[21, false, 'mediaTask', { resource: 'task', operation: 'get', taskId: 'x' }],
		];
	const lists = [20, 21].map((items) =>
		itemsNode(
			`${items} items`,
			Array.from({ length: items }, () => ({})),
		),
	);
	const nodes = cases.map(([, , type, parameters], index) => gatewayNode(`Case ${index}`, type, parameters));
	const workflow = workflowOf('Warnings', [...lists, ...nodes], { Start: ['20 items'] });
	const behind = (items: number) => [
		cases.flatMap(([count], index) =>
			count === items ? { node: `Case ${index}`, type: 'main', index: 0 } : [],
		),
	];
	Object.assign(workflow.connections, {
		Start: { main: [lists.map(({ name }) => ({ node: name, type: 'main', index: 0 }))] },
		'20 items': { main: behind(20) },
		'21 items': { main: behind(21) },
	});
	await editor.openWorkflow(
		await environment.client.createWorkflow(withCredential(workflow, environment.credential)),
	);
	await editor.fit();
	for (const { name } of lists) {
		const panel = await editor.openNode(name);
		expect(await panel.execute()).toMatchObject({ ok: true });
		await panel.close();
	}
	for (const [index, [, isWarned]] of cases.entries()) {
		const panel = await editor.openNode(`Case ${index}`);
		await panel.output.root.getByText('Execute step').first().waitFor();
		const hint = panel.output.root.getByText(HINT);
		if (isWarned) await hint.waitFor();
		expect(await hint.count()).toBe(isWarned ? 1 : 0);
		if (isWarned) await editor.shot(`many items without a limit - case ${index}`);
		await panel.close();
	}
});

/** Opens a picture for each of 40 items, with these options. */
async function openPaint(stage: Stage, options: object) {
	const panel = await open(
		stage,
		gatewayNode('Paint', 'mediaTask', { ...CREATE, prompt: 'A cat', ...options }),
		40,
	);
	return panel;
}

scene('a dry run shows the price of all items, and sends nothing', async (stage) => {
	const panel = await openPaint(stage, { options: { dryRun: true } });
	expect(await panel.execute()).toMatchObject({ ok: true });
	await panel.output.root.getByText('Dry run, nothing was sent. 40 items: ₽').waitFor();
	await stage.editor.image('costs-dry-run', 620);
	await stage.editor.shot('a dry run');
	expect(stage.environment.gateway.control.ledger()).toStrictEqual([]);
});

scene('*Max Cost per Execution* refuses what does not fit, and says what is left', async (stage) => {
	const panel = await openPaint(stage, { options: { maxCostRub: 5, concurrency: 1 } });
	expect(await panel.execute()).toMatchObject({ ok: false });
	await panel.output.root.getByText('more than is left of').first().waitFor();
	await stage.editor.image('costs-max-cost', 620);
	await stage.editor.shot('the limit of an execution');
});

scene('the credential has *Minimum Balance*', async ({ editor, environment }) => {
	const workflow = workflowOf('Credential', [gatewayNode('Text', 'textGeneration', text)], {
		Start: ['Text'],
	});
	const stored = withCredential(workflow, environment.credential);
	await editor.openWorkflow(await environment.client.createWorkflow(stored));
	await editor.openNode('Text');
	await editor.credential.openChosen();
	await editor.credential.fill('minBalanceRub', '100');
	await editor.album.image('costs-minimum-balance', [editor.credential.root], 700);
	await editor.shot('minimum balance');
	await editor.credential.save();
});

scene('fallback models are an option', async (stage) => {
	const options = { fallbackModels: ['sandbox/swift-1'], maxCostRub: 5 };
	const panel = await open(stage, gatewayNode('Text', 'textGeneration', { ...text, options }), 2);
	await panel.scrollTo('fallbackModels');
	await stage.editor.image('costs-fallback', 620);
	await stage.editor.shot('fallback models');
});

scene('the traces of a run have models, tokens and rubles', async ({ environment: { client, ...stage } }) => {
	const { gateway, credential } = stage;
	await gateway.control.reset();
	const paid = (only?: string) => {
		const charges = gateway.control.ledger().filter(({ kind }) => only === undefined || kind === only);
		return sumOfCosts(...charges.map(({ amount }) => amount));
	};
	/** What n8n stores of each node's last run for its traces, and what the ledger says. */
	const traced = async (workflow: Parameters<typeof withCredential>[0]) => {
		const own = withCredential(workflow, credential);
		const { id } = await client.createWorkflow(own);
		const ran = await waitForExecution(client, await client.runManually(id, manualTrigger(own)));
		return (name: string): unknown => {
			const run: { metadata?: { tracing?: unknown } } | undefined = ran.data.resultData.runData[name]?.at(-1);
			return run?.metadata?.tracing;
		};
	};
	const items = itemsNode('Items', [{ model: 'sandbox/swift-1' }, { model: 'sandbox/balanced-2' }]);
	const several = gatewayNode('Text', 'textGeneration', {
		...text,
		model: byId('={{ $json.model }}'),
		options: { concurrency: 1 },
	});
	const ofText = await traced(workflowOf('Texts', [items, several], { Start: ['Items'], Items: ['Text'] }));
	expect(ofText('Text')).toMatchObject({
		'gateway.model': 'sandbox/swift-1, sandbox/balanced-2',
		'gateway.inputTokens': expect.stringMatching(/^\d+$/) as string,
		'gateway.outputTokens': expect.stringMatching(/^\d+$/) as string,
		'gateway.costRub': paid(),
	});
	await gateway.control.reset();
	gateway.control.configure({ taskDuration: { image: 0 } });
	const services = [model(), mediaTool];
	const ofAgent = await traced(clusterOf('Agent', [start, agent('Draw a lighthouse at dusk')], services));
	const traceOfModel = { 'gateway.model': 'sandbox/balanced-2', 'gateway.costRub': paid('text') };
	expect(ofAgent('Agent')).toMatchObject(traceOfModel);
	const traceOfTool = { 'gateway.model': 'aurora/canvas-1', 'gateway.costRub': paid('media') };
	expect(ofAgent(mediaTool[1].name)).toMatchObject(traceOfTool);
});
