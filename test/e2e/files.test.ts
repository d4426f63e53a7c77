import { useEnvironment, type Environment } from './support/environment';
import { byId, gatewayNode, workflowOf } from './support/workflows';

// Files on the real n8n, which keeps them on disk.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => await environment.gateway.control.reset());

test('a large file from an earlier node is attached, and its length is known', async () => {
	const size = 20 * 1024 * 1024;
	const { url } = environment.gateway.control.createBigFile({ size, mimeType: 'video/mp4' });
	const fetchIt = {
		name: 'Fetch',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { url, options: { response: { response: { responseFormat: 'file' } } } },
	};
	const ask = gatewayNode('Ask', 'textGeneration', {
		model: byId('polyglot/omni-audio'),
		prompt: 'Look',
		attachments: { attachment: [{ type: 'video', source: 'binary', binaryPropertyName: 'data' }] },
	});
	const result = await environment.runWorkflow(
		workflowOf('Attach', [fetchIt, ask], { Start: ['Fetch'], Fetch: ['Ask'] }),
	);
	expect(result.nodes['Ask']?.items[0]?.json['text']).toContain('I also received: video');
	const [request] = environment.gateway.control.requests({ path: '/chat/completions' });
	expect(request?.body.bytes).toBeGreaterThan((size * 4) / 3);
	expect(request?.headers['content-length']).toBe(String(request?.body.bytes));
});

test('a file is uploaded from a URL, and listed', async () => {
	environment.gateway.control.configure({ taskDuration: { image: 0 } });
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
	const list = gatewayNode('List', 'storage', { operation: 'getMany', returnAll: true });
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
