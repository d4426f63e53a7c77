import { useEnvironment, type Environment } from './support/environment';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// The form that the editor shows for a media model, and what a filled-in form sends.

let environment: Environment;

useEnvironment((started) => (environment = started), {
	settings: { taskDuration: { image: 0, video: 0 } },
});

const nodeType = 'n8n-nodes-ai-gateway.mediaTask';

/** The fields that the editor gets for a model, as it asks for them. */
async function fieldsOf(model: string): Promise<Array<Record<string, unknown>>> {
	const { fields } = await environment.client.mapperFields({
		nodeType,
		parameter: 'input',
		methodName: 'mapMediaFields',
		parameters: { resource: 'task', operation: 'create', model: byId(model), inputMode: 'form' },
		credentials: { aiGatewayApi: environment.credential },
	});
	return fields;
}

/** A creation with a form, as the editor stores it. */
async function formNode(name: string, model: string, value: object, more: object = {}) {
	return gatewayNode(name, 'mediaTask', {
		resource: 'task',
		operation: 'create',
		model: byId(model),
		inputMode: 'form',
		input: {
			mappingMode: 'defineBelow',
			value,
			matchingColumns: [],
			schema: await fieldsOf(model),
			attemptToConvertTypes: false,
			convertFieldsToString: false,
		},
		...more,
	});
}

const lastInput = () => environment.gateway.control.tasks().at(-1)?.input;

describe('the form', () => {
	test('has every field of the model’s schema, with its widget', async () => {
		const fields = await fieldsOf('aurora/canvas-1');
		expect(fields.map(({ id, type, required }) => [id, type, required])).toStrictEqual([
			// Prompt is a parameter of its own.
			['negative_prompt', 'string', false],
			['size', 'options', false],
			['quality', 'options', false],
			['num_images', 'number', false],
			['guidance', 'number', false],
			['transparent', 'boolean', false],
			['tags', 'string', false],
			['watermark', 'object', false],
			['seed', 'number', false],
		]);
	});

	test('changes with the model', async () => {
		const fields = await fieldsOf('lumen/motion-2');
		expect(fields.map(({ id }) => id)).toContain('duration');
		expect(fields.map(({ id }) => id)).not.toContain('size');
	});

	test('of a union has one field for each name, with what any alternative takes', async () => {
		const fields = await fieldsOf('aurora/remix-1');
		expect(fields.map(({ id, required, options }) => [id, required, options])).toStrictEqual([
			['mode', true, ['draw', 'change'].map((value) => ({ name: value, value }))],
			['size', false, ['512x512', '1024x1024', 'original'].map((value) => ({ name: value, value }))],
			['img', false, undefined],
			['strength', false, undefined],
		]);
	});
});

describe('the drop-down of Input Files', () => {
	test.each([
		['aurora/retouch-1', ['image_urls', 'mask_url']],
		['lumen/motion-2', ['image_url']],
		['aurora/remix-1', ['img']],
	])('%s: offers the fields for a URL', async (model, expected) => {
		const options = await environment.client.send<Array<{ value: string }>>(
			'POST',
			'/rest/dynamic-node-parameters/options',
			{
				path: 'parameters.inputFiles.files[0].inputField',
				methodName: 'loadFileFields',
				nodeTypeAndVersion: { name: nodeType, version: 1.1 },
				currentNodeParameters: { resource: 'task', operation: 'create', model: byId(model) },
				credentials: { aiGatewayApi: environment.credential },
			},
		);
		expect(options.map(({ value }) => value)).toStrictEqual(expected);
	});
});

describe('a filled-in form', () => {
	test('is sent in the JSON types of the schema', async () => {
		const node = await formNode('Draw', 'aurora/canvas-1', {
			prompt: '2024',
			size: '512x512',
			quality: '={{ $json.quality }}',
			num_images: '={{ $json.count }}',
			guidance: 7.5,
			transparent: '={{ "true" }}',
			tags: 'ink, paper',
			watermark: '{"text": "me", "opacity": 0.2}',
			seed: 5,
		});
		const items = itemsNode('Items', [{ quality: 'draft', count: '2' }]);
		const workflow = workflowOf('Typed', [items, node], { Start: ['Items'], Items: ['Draw'] });
		const { error, nodes } = await environment.runWorkflow(workflow);
		expect(error).toBeUndefined();
		expect(lastInput()).toStrictEqual({
			prompt: '2024',
			size: '512x512',
			quality: 'draft',
			num_images: 2,
			guidance: 7.5,
			transparent: true,
			tags: ['ink', 'paper'],
			watermark: { text: 'me', opacity: 0.2 },
			seed: 5,
		});
		expect(nodes['Draw']?.items[0]?.json).toMatchObject({ priceRub: 1.8 });
	});

	test('takes several URLs between commas, which URLs may contain', async () => {
		const urls = ['https://files.test/a,b.png?size=1,2', 'https://files.test/c.png'];
		const value = { prompt: 'a', image_urls: urls.join(', ') };
		const node = await formNode('Retouch', 'aurora/retouch-1', value);
		const { error } = await environment.runWorkflow(workflowOf('URLs', [node], { Start: ['Retouch'] }));
		expect(error).toBeUndefined();
		expect(lastInput()).toHaveProperty('image_urls', urls);
	});

	test('accepts the number that a drop-down stores', async () => {
		const node = await formNode('Film', 'lumen/motion-2', { prompt: 'a', duration: 10 });
		const { error } = await environment.runWorkflow(workflowOf('Drop-down', [node], { Start: ['Film'] }));
		expect(error).toBeUndefined();
		expect(lastInput()).toMatchObject({ duration: 10 });
	});

	test('of a union takes the values of each alternative, and has its price', async () => {
		const prices: unknown[] = [];
		for (const value of [
			{ prompt: 'a', mode: 'draw', size: '512x512' },
			{ prompt: 'b', mode: 'change', size: 'original', img: 'https://files.test/a.png', strength: '0.5' },
		]) {
			const node = await formNode('Remix', 'aurora/remix-1', value);
			const { error, nodes } = await environment.runWorkflow(
				workflowOf('Union', [node], { Start: ['Remix'] }),
			);
			expect(error).toBeUndefined();
			prices.push(nodes['Remix']?.items[0]?.json.priceRub);
		}
		expect(lastInput()).toMatchObject({ mode: 'change', size: 'original', strength: 0.5 });
		expect(prices).toStrictEqual([2.7, 4.5]);
	});

	test('that breaks a rule fails with the gateway’s words, and is not charged', async () => {
		const before = environment.gateway.control.ledger().length;
		const node = await formNode('Draw', 'aurora/canvas-1', { prompt: 'a', num_images: 9 });
		const { error } = await environment.runWorkflow(workflowOf('Rule', [node], { Start: ['Draw'] }));
		expect(error?.message).toBe("'Number of Images': must be at most 4");
		expect(environment.gateway.control.ledger()).toHaveLength(before);
	});
});

describe('input files', () => {
	test('of an earlier step reach the model, although the form leaves their field empty', async () => {
		const picture = gatewayNode('Draw', 'mediaTask', {
			resource: 'task',
			operation: 'createAndWait',
			model: byId('aurora/canvas-1'),
			inputMode: 'json',
			inputJson: '{"prompt": "a cat", "quality": "draft"}',
		});
		const node = await formNode(
			'Retouch',
			'aurora/retouch-1',
			{ prompt: 'make it blue', image_urls: '[]' },
			{ inputFiles: { files: [{ binaryPropertyName: 'data', inputField: 'image_urls' }] } },
		);
		const workflow = workflowOf('Files', [picture, node], { Start: ['Draw'], Draw: ['Retouch'] });
		const { error } = await environment.runWorkflow(workflow);
		expect(error).toBeUndefined();
		const { image_urls: urls } = lastInput() as { image_urls: string[] };
		expect(urls).toHaveLength(1);
		const bytes = Buffer.from(await (await fetch(String(urls[0]))).arrayBuffer());
		expect(bytes.subarray(1, 4).toString()).toBe('PNG');
	});
});
