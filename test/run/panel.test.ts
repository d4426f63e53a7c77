import { NodeHelpers, type INode, type INodeProperties } from 'n8n-workflow';

import { packageNodes } from '../helpers/engine';
import { collected, fields } from '../helpers/panel';

/** The names of the parameters that the panel shows, in order. */
function shown(node: keyof typeof packageNodes, parameters: INode['parameters'], isTool = false): string[] {
	const { description: ofNode } = packageNodes[node];
	const description = isTool ? { ...ofNode, name: `${ofNode.name}Tool` } : ofNode;
	const values = NodeHelpers.getNodeParameters(
		description.properties,
		parameters,
		true,
		false,
		null,
		description,
	);
	return description.properties
		.filter((property: INodeProperties) =>
			NodeHelpers.displayParameter(values ?? {}, property, null, description),
		)
		.filter(({ type }) => type !== 'hidden')
		.map(({ name }) => name);
}

describe('the panel', () => {
	it('Media Task: a new node creates a task and waits, with a form; Simplify is last', () => {
		expect(shown('mediaTask', {})).toStrictEqual([
			'resource',
			'operation',
			'model',
			'prompt',
			'inputMode',
			'input',
			'inputFiles',
			'waitStrategy',
			'downloadResults',
			'simplify',
			'options',
		]);
	});
	it('Media Task as a tool of an AI Agent: nothing that a tool does not do', () => {
		expect(shown('mediaTask', {}, true)).toStrictEqual([
			'resource',
			'operation',
			'toolDescription',
			'model',
			'prompt',
			'inputMode',
			'input',
			'inputFiles',
			'simplify',
			'options',
		]);
	});
	it('Media Task: create has no Download Results', () => {
		expect(shown('mediaTask', { operation: 'create', inputMode: 'json' })).toStrictEqual([
			'resource',
			'operation',
			'model',
			'prompt',
			'inputMode',
			'inputJson',
			'inputFiles',
			'simplify',
			'options',
		]);
	});
	it('Media Task: get needs the task only', () => {
		expect(shown('mediaTask', { operation: 'get' })).toStrictEqual([
			'resource',
			'operation',
			'taskId',
			'simplify',
			'options',
		]);
	});
	it('Storage: the file comes before Simplify', () => {
		expect(shown('storage', { operation: 'download' })).toStrictEqual([
			'resource',
			'operation',
			'fileId',
			'binaryPropertyName',
			'simplify',
			'options',
		]);
	});
	it('Storage: an upload shows the fields of its source', () => {
		expect(shown('storage', { uploadSource: 'base64' })).toStrictEqual([
			'resource',
			'operation',
			'uploadSource',
			'base64',
			'mimeType',
			'storagePolicy',
			'simplify',
			'options',
		]);
	});
	it('Text Generation: Generate', () => {
		expect(shown('textGeneration', {})).toStrictEqual([
			'resource',
			'operation',
			'model',
			'prompt',
			'systemPrompt',
			'attachments',
			'outputFormat',
			'tools',
			'toolChoice',
			'inputMode',
			'format',
			'simplify',
			'options',
		]);
	});
});

describe('the description of the option Timeout', () => {
	const timeouts = fields.filter(({ property: { name } }) => name === 'timeout');

	it('is in the options of each operation once', () => {
		const collections = fields.filter(
			({ node, property: { type, name } }) =>
				type === 'collection' && name === 'options' && !node.group.includes('trigger'),
		);
		expect(collections.length).toBeGreaterThan(20);
		for (const { place, property } of collections) {
			const names = collected(property).map(({ name }) => name);
			expect([place, names.filter((name) => name === 'timeout')]).toStrictEqual([place, ['timeout']]);
		}
	});

	it('names the default of a streamed response, which has more time', () => {
		for (const { property } of timeouts) {
			expect(property.description).toContain('to 900 for a streamed response');
		}
	});

	it('names the default', () => {
		for (const { property } of timeouts) {
			expect(property.description).toContain(`Defaults to ${Number(property.default)}`);
		}
	});
});
