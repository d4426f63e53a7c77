import { existingSchemas } from '../../scripts/docs/schemas';
import { waitForExecution, resultOf } from '../../sandbox/n8n/executions';
import { withCredential } from '../../sandbox/n8n/workflows';
import { story } from './support/editor/story';
import { eventually } from './support/eventually';
import { byId, catcher, gatewayNode, workflowOf } from './support/workflows';

// What nodes give: fields before the first run, lists, data of a callback, a file from a URL.

const scene = story('3-outputs');

const picture = {
	model: byId('aurora/canvas-1'),
	inputMode: 'json',
	inputJson: '{"prompt": "a cat", "quality": "draft", "size": "512x512"}',
};

scene('n8n serves the schema of each operation', async ({ environment }) => {
	const paths = existingSchemas();
	expect(paths.length).toBeGreaterThan(20);
	const served = await Promise.all(
		paths.map(async (path) => {
			const [, folder = '', version = '', rest = ''] =
				/^nodes\/(\w+)\/__schema__\/v([\d.]+)\/(.+)$/.exec(path) ?? [];
			const name = `${folder.slice(0, 1).toLowerCase()}${folder.slice(1)}`;
			const url = `${environment.client.url}/schemas/n8n-nodes-ai-gateway.${name}/${version}/${rest}`;
			const response = await fetch(url);
			const schema = (response.ok ? await response.json() : {}) as { type?: string };
			return [path, response.status, schema.type];
		}),
	);
	expect(served).toStrictEqual(paths.map((path) => [path, 200, 'object']));
});

scene('n8n serves the hints for its workflow builder', async ({ environment }) => {
	const nodes = (await environment.client.nodeTypes()).filter(({ name }) =>
		name.startsWith('n8n-nodes-ai-gateway.'),
	);
	expect(nodes.length).toBeGreaterThan(6);
	const withoutHint = nodes.filter((node) => !('builderHint' in node));
	expect(withoutHint.map(({ name }) => name)).toStrictEqual([]);
});

scene('fields of a node can be dragged before its first run', async ({ editor, environment }) => {
	const parameters = { resource: 'task', operation: 'createAndWait', ...picture };
	const create = { ...gatewayNode('Paint', 'mediaTask', parameters), typeVersion: 1.1 };
	const set = { name: 'Message', type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: { options: {} } };
	const workflow = workflowOf('Drag', [create, set], { Start: ['Paint'], Paint: ['Message'] });
	await editor.openWorkflow(
		await environment.client.createWorkflow(withCredential(workflow, environment.credential)),
	);
	const panel = await editor.openNode('Message');
	const field = panel.root.locator('[data-name="resultUrls"]').first();
	await field.waitFor();
	for (const name of ['taskId', 'state', 'priceRub', 'createdAt'])
		expect(await panel.root.locator(`[data-name="${name}"]`).count()).toBe(1);
	await editor.shot('fields of a node that has not run');
	const target = await panel.root.getByTestId('drop-area').first().boundingBox();
	const source = await field.boundingBox();
	if (!source || !target) throw new Error('Nothing can be dragged');
	const { mouse } = editor.page;
	await mouse.move(source.x + source.width / 2, source.y + source.height / 2);
	await mouse.down();
	await mouse.move(target.x + target.width / 2, target.y + target.height / 2, { steps: 12 });
	await mouse.up();
	await panel.root.getByText('{{ $json.resultUrls }}').first().waitFor();
	await editor.shot('a field that was dragged before the first run');
	expect(environment.gateway.control.tasks()).toStrictEqual([]);
});

scene('a failed task starts the trigger with its reason and the data of its creator', async (stage) => {
	const { environment } = stage;
	const { client, credential, gateway } = environment;
	gateway.control.configure({ taskDuration: { image: 600_000 } });
	const webhookId = 'outputs-5f6c1c6e-8f6d-4a39';
	const trigger = { id: 'trigger', position: [0, 0], webhookId };
	const workflow = {
		name: 'Failed tasks',
		nodes: [
			{ ...gatewayNode('Trigger', 'mediaTaskTrigger', {}), ...trigger },
			{ ...catcher('After'), id: 'after', position: [220, 0] },
		],
		connections: { Trigger: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	};
	const stored = await client.createWorkflow(withCredential(workflow, credential));
	await client.activate(stored);
	const callbackUrl = `${client.url}/webhook/${webhookId}/media-task`;
	await eventually(async () => expect((await fetch(callbackUrl)).status).not.toBe(404));

	const create = gatewayNode('Create', 'mediaTask', {
		operation: 'create',
		...picture,
		options: { callbackUrl, passThrough: '{"orderId": 1042, "who": "Аня"}' },
	});
	const created = await environment.runWorkflow(workflowOf('Create', [create], { Start: ['Create'] }));
	const taskId = created.nodes['Create']?.items[0]?.json['taskId'] as string;
	await gateway.control.finishTask(taskId, { failCode: 'MODERATION', failMsg: 'not like that' });

	await eventually(async () => expect(await client.listExecutions(stored.id)).toHaveLength(1));
	const [execution] = await client.listExecutions(stored.id);
	const result = resultOf(await waitForExecution(client, String(execution?.id)));
	expect(result.nodes['After']?.items[0]?.json).toMatchObject({
		taskId,
		state: 'fail',
		failCode: 'MODERATION',
		failMsg: 'not like that',
		passThrough: { orderId: 1042, who: 'Аня' },
	});

	// The task can be found again without its ID.
	const find = gatewayNode('Find', 'mediaTask', { operation: 'getMany', returnAll: true });
	const found = await environment.runWorkflow(workflowOf('Find', [find], { Start: ['Find'] }));
	expect(found.nodes['Find']?.items.map(({ json }) => [json['taskId'], json['state']])).toStrictEqual([
		[taskId, 'fail'],
	]);
});

scene('a file is uploaded from a URL, and listed', async ({ environment }) => {
	const { gateway } = environment;
	gateway.control.configure({ taskDuration: { image: 0 } });
	const draw = gatewayNode('Draw', 'mediaTask', {
		operation: 'createAndWait',
		...picture,
		downloadResults: true,
	});
	const upload = gatewayNode('Upload', 'storage', {
		operation: 'upload',
		uploadSource: 'url',
		url: '={{ $json.resultUrls[0] }}',
	});
	const list = gatewayNode('List', 'storage', {
		operation: 'getMany',
		returnAll: true,
	});
	const result = await environment.runWorkflow(
		workflowOf('Upload', [draw, upload, list], { Start: ['Draw'], Draw: ['Upload'], Upload: ['List'] }),
	);
	expect(result.error).toBeUndefined();
	const [drawn] = result.nodes['Draw']?.items ?? [];
	const [uploaded] = result.nodes['Upload']?.items ?? [];
	if (!drawn) throw new Error('Nothing was drawn');
	const bytes = await environment.readBinary(drawn);
	expect(uploaded?.json).toMatchObject({ mimeType: 'image/png', size: bytes.length, source: 'user_upload' });
	const copy = await fetch(uploaded?.json['url'] as string);
	expect(Buffer.from(await copy.arrayBuffer()).equals(bytes)).toBe(true);
	expect(result.nodes['List']?.items.map(({ json }) => json['id'])).toContain(uploaded?.json['id']);
});

scene('storage: a URL is entered, and a wrong one refused', async ({ editor }) => {
	await editor.newWorkflow();
	const panel = await editor.addFirst('storage', 'Gateway Storage', 'Upload a file');
	await panel.choose('uploadSource', 'URL');
	await panel.fill('url', 'ftp://files.example.com/a.png');
	expect(await panel.execute()).toMatchObject({ ok: false });
	await panel.output.root.getByText("'URL' is not a web address").first().waitFor();
	await editor.shot('storage, upload from a URL that is none');
});

scene('media task: broken data to pass through is refused with its place', async (stage) => {
	const { editor, environment } = stage;
	const options = { callbackUrl: 'https://n8n.example.com/webhook/a', passThrough: '{ orderId: 1042 }' };
	const create = gatewayNode('Create', 'mediaTask', {
		resource: 'task',
		operation: 'create',
		...picture,
		options,
	});
	const workflow = workflowOf('Broken', [create], { Start: ['Create'] });
	const tasks = environment.gateway.control.tasks().length;
	await editor.openWorkflow(
		await environment.client.createWorkflow(withCredential(workflow, environment.credential)),
	);
	const panel = await editor.openNode('Create');
	expect(await panel.execute()).toMatchObject({ ok: false });
	await panel.output.root.getByText("(Expected property name or '}' in JSON at position 2").first().waitFor();
	await editor.shot('media task, broken data to pass through');
	expect(environment.gateway.control.tasks()).toHaveLength(tasks);
});
