import { checkPng } from '../../sandbox/demo/png';
import type { RunResult } from '../../sandbox/n8n/executions';
import { useEnvironment, type Environment } from './support/environment';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// Each operation on the real n8n, beyond those of the example workflow.

let environment: Environment;

useEnvironment((started) => (environment = started));

function jsonOf(result: RunResult, name: string, index = 0): Record<string, unknown> {
	const item = result.nodes[name]?.items[index];
	if (item === undefined) throw new Error(`"${name}" gave no item: ${JSON.stringify(result.error)}`);
	return item.json;
}

test('text is generated in all three formats, chosen per item', async () => {
	const ask = gatewayNode('Ask', 'textGeneration', {
		format: '={{ $json.format }}',
		model: byId('sandbox/balanced-2'),
		systemPrompt: 'Be brief',
		prompt: '[[say:hello]]',
	});
	const formats = ['chat', 'responses', 'messages'];
	const items = itemsNode(
		'Formats',
		formats.map((format) => ({ format })),
	);
	const result = await environment.runWorkflow(
		workflowOf('Formats', [items, ask], { Start: ['Formats'], Formats: ['Ask'] }),
	);
	expect(formats.map((_, index) => jsonOf(result, 'Ask', index)['text'])).toStrictEqual([
		'hello',
		'hello',
		'hello',
	]);
	expect(typeof jsonOf(result, 'Ask', 0)['costRub']).toBe('number');
	expect(typeof jsonOf(result, 'Ask', 1)['costRub']).toBe('number');
	// Messages does not report its cost.
	expect(typeof jsonOf(result, 'Ask', 2)['costRub']).toBe('number');
	expect(jsonOf(result, 'Ask', 2)['costIsComputed']).toBe(true);
});

test('a task can be created, retrieved and downloaded in separate steps', async () => {
	environment.gateway.control.configure({ taskDuration: { image: 600_000 } });
	const create = gatewayNode('Create', 'mediaTask', {
		operation: 'create',
		model: byId('aurora/canvas-1'),
		inputMode: 'json',
		inputJson: '{"prompt": "a cat", "quality": "draft", "size": "512x512"}',
	});
	const created = await environment.runWorkflow(workflowOf('Create', [create], { Start: ['Create'] }));
	const { taskId } = jsonOf(created, 'Create');
	expect(created.nodes['Create']?.items[0]?.json).toStrictEqual({
		taskId: expect.any(String) as string,
		model: 'aurora/canvas-1',
		priceRub: 1.8,
	});
	await environment.gateway.control.finishTask(taskId as string);

	const get = gatewayNode('Get', 'mediaTask', { operation: 'get', taskId });
	const download = gatewayNode('Download', 'mediaTask', {
		operation: 'download',
		taskId: '={{ $json.taskId }}',
	});
	const result = await environment.runWorkflow(
		workflowOf('Look', [get, download], { Start: ['Get'], Get: ['Download'] }),
	);
	expect(result.error).toBeUndefined();
	expect(jsonOf(result, 'Get')['state']).toBe('success');
	const [item] = result.nodes['Download']?.items ?? [];
	if (item === undefined) throw new Error('nothing was downloaded');
	expect(await checkPng(await environment.readBinary(item))).toStrictEqual({ width: 512, height: 512 });
});

test('a file is uploaded as base64, downloaded and deleted', async () => {
	const content = Buffer.from('RIFF\u0024\u0000\u0000\u0000WAVEfmt ', 'latin1').toString('base64');
	const upload = gatewayNode('Upload', 'storage', {
		operation: 'upload',
		uploadSource: 'base64',
		base64: `data:audio/wav;base64,${content}`,
	});
	const byFileId = (name: string, operation: string, more: Record<string, unknown> = {}) =>
		gatewayNode(name, 'storage', { operation, fileId: "={{ $('Upload').item.json.id }}" }, more);
	const result = await environment.runWorkflow(
		workflowOf(
			'Storage',
			[
				upload,
				byFileId('Get', 'get'),
				byFileId('Download', 'download'),
				byFileId('Delete', 'delete'),
				byFileId('Get again', 'get', { onError: 'continueRegularOutput' }),
			],
			{ Start: ['Upload'], Upload: ['Get'], Get: ['Download'], Download: ['Delete'], Delete: ['Get again'] },
		),
	);
	expect(result.error).toBeUndefined();
	const { id } = jsonOf(result, 'Upload');
	expect(jsonOf(result, 'Get')).toStrictEqual(
		expect.objectContaining({ id, mimeType: 'audio/wav', status: 'active' }),
	);
	const [item] = result.nodes['Download']?.items ?? [];
	if (item === undefined) throw new Error('nothing was downloaded');
	expect((await environment.readBinary(item)).toString('base64')).toBe(content);
	expect(jsonOf(result, 'Delete')).toStrictEqual({ deleted: true, id });
	expect(jsonOf(result, 'Get again')['error']).toStrictEqual(
		expect.objectContaining({ message: 'The gateway has no such file', httpCode: '404' }),
	);
});

test('a file is uploaded from a URL, and listed', async () => {
	const { gateway } = environment;
	gateway.control.configure({ taskDuration: { image: 0 } });
	const draw = gatewayNode('Draw', 'mediaTask', {
		operation: 'createAndWait',
		model: byId('aurora/canvas-1'),
		inputMode: 'json',
		inputJson: '{"prompt": "a cat", "quality": "draft", "size": "512x512"}',
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
