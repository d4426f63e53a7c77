import type { INode, INodeParameters } from 'n8n-workflow';

import { TextGeneration } from '../../nodes/TextGeneration/TextGeneration.node';
import { nodeHelpersOf, versions } from './versions';

// A group of options is a fixedCollection in a collection: n8n keeps its fields, and fills in those that are not stored.

const { description } = new TextGeneration();

const parameters: INodeParameters = {
	resource: 'text',
	operation: 'generate',
	options: { penalties: { values: { presencePenalty: 0.5 } } },
};
const node: INode = {
	id: '1',
	name: 'Text',
	type: 'textGeneration',
	typeVersion: 1,
	position: [0, 0],
	parameters,
};

describe.each(versions)('with n8n-workflow %s', (version) => {
	it.each([
		['is stored with what differs from the default', false, { presencePenalty: 0.5 }],
		['is read with all its fields', true, { frequencyPenalty: 0, presencePenalty: 0.5 }],
	])('a group %s', (_, withDefaults, values) => {
		const { getNodeParameters } = nodeHelpersOf(version);
		const kept = getNodeParameters(
			description.properties,
			parameters,
			withDefaults,
			false,
			node,
			description,
		);
		expect(kept?.['options']).toStrictEqual({ penalties: { values } });
	});
});
