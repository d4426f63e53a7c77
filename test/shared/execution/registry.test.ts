import { NodeHelpers, type INode, type INodeProperties } from 'n8n-workflow';

import { mergedInOrder } from '../../../nodes/shared/execution/operation';
import { packageNodes } from '../../helpers/engine';

/** The names of the parameters that the panel shows, in order. */
function shown(node: keyof typeof packageNodes, parameters: INode['parameters']): string[] {
	const { description } = packageNodes[node];
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

describe('what the panel shows', () => {
	it('a new media node creates and waits, with a form; Simplify last', () => {
		expect(shown('mediaTask', {})).toEqual([
			'resource',
			'operation',
			'model',
			'inputMode',
			'input',
			'inputFiles',
			'waitStrategy',
			'downloadResults',
			'simplify',
			'options',
		]);
	});
	it('media: create has no Download Results', () => {
		expect(shown('mediaTask', { operation: 'create', inputMode: 'json' })).toEqual([
			'resource',
			'operation',
			'model',
			'inputMode',
			'inputJson',
			'inputFiles',
			'simplify',
			'options',
		]);
	});
	it('media: the price of a model asks for nothing but its input', () => {
		expect(shown('mediaTask', { resource: 'model', operation: 'getPrice' })).toEqual([
			'resource',
			'operation',
			'model',
			'inputMode',
			'input',
			'options',
		]);
	});
	it('media: get needs the task only', () => {
		expect(shown('mediaTask', { operation: 'get' })).toEqual([
			'resource',
			'operation',
			'taskId',
			'simplify',
			'options',
		]);
	});
	it('storage: the file comes before Simplify', () => {
		expect(shown('storage', { operation: 'download' })).toEqual([
			'resource',
			'operation',
			'fileId',
			'binaryPropertyName',
			'simplify',
			'options',
		]);
	});
	it('storage: an upload shows the fields of its source', () => {
		expect(shown('storage', { uploadSource: 'base64' })).toEqual([
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
	it('text: generate', () => {
		expect(shown('textGeneration', {})).toEqual([
			'resource',
			'operation',
			'model',
			'format',
			'inputMode',
			'systemPrompt',
			'prompt',
			'attachments',
			'outputFormat',
			'tools',
			'toolChoice',
			'simplify',
			'options',
		]);
	});
});

describe('merging lists', () => {
	it('keeps the order of each', () => {
		expect(mergedInOrder([['a', 'b', 'z'], ['c', 'z'], ['f'], ['f', 'z', 'e']])).toEqual([
			'a',
			'b',
			'c',
			'f',
			'z',
			'e',
		]);
	});
	it('ends, and loses nothing, when lists contradict each other', () => {
		expect(
			mergedInOrder([
				['a', 'b'],
				['b', 'a'],
			]),
		).toEqual(['a', 'b']);
	});
});
