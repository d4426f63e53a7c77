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

type Shown = [string, keyof typeof packageNodes, INode['parameters'], isTool: boolean, names: string];

const mediaInput = 'model prompt input inputFiles';

it.each<Shown>([
	[
		'a new one',
		'mediaTask',
		{},
		false,
		`${mediaInput} waitStrategy simplify options inputMode downloadResults`,
	],
	[
		'a tool of an agent',
		'mediaTask',
		{},
		true,
		'toolDescription model prompt input simplify options inputMode',
	],
	[
		'Create',
		'mediaTask',
		{ resource: 'task', operation: 'create', inputMode: 'json' },
		false,
		'model prompt inputJson inputFiles simplify options inputMode',
	],
	['Get', 'mediaTask', { resource: 'task', operation: 'get' }, false, 'taskId simplify options'],
	['Download', 'storage', { operation: 'download' }, false, 'fileId binaryPropertyName simplify options'],
	[
		'Upload',
		'storage',
		{ uploadSource: 'base64' },
		false,
		'uploadSource base64 mimeType storagePolicy simplify options',
	],
	[
		'Generate',
		'textGeneration',
		{},
		false,
		'model prompt systemPrompt attachments outputFormat tools simplify options inputMode format',
	],
])('the panel of %s (%s) shows its parameters in order', (_, node, parameters, isTool, names) => {
	expect(shown(node, parameters, isTool).join(' ')).toBe(`resource operation ${names}`);
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

	it('names the default, and that of a streamed response, which has more time', () => {
		for (const { property } of timeouts) {
			expect(property.description).toContain(`Defaults to ${Number(property.default)}`);
			expect(property.description).toContain('to 900 for a streamed response');
		}
	});
});
