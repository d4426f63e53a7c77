import type { INode, INodeParameters } from 'n8n-workflow';

import { MediaTask } from '../../nodes/MediaTask/MediaTask.node';
import { nodeHelpersOf, versions } from './versions';

// The panel has the prompt of a task from version 1.1 of the node on.

const { description } = new MediaTask();

function shownPrompt(version: string, typeVersion: number, parameters: INodeParameters): unknown {
	const node: INode = { id: '1', name: 'Draw', type: 'mediaTask', typeVersion, position: [0, 0], parameters };
	const shown = nodeHelpersOf(version).getNodeParameters(
		description.properties,
		parameters,
		true,
		false,
		node,
		description,
	);
	return shown?.['prompt'];
}

describe.each(versions)('with n8n-workflow %s', (version) => {
	test.each<[string, number, string, string, string | undefined]>([
		['a task of version 1 has no prompt', 1, 'task', 'create', undefined],
		['a task of version 1.1 has one', 1.1, 'task', 'create', 'A cat'],
		['generating has one in both: version 1', 1, 'image', 'generate', 'A cat'],
		['generating has one in both: version 1.1', 1.1, 'speech', 'generate', 'A cat'],
		['a price needs none', 1.1, 'model', 'getPrice', undefined],
	])('%s', (_, typeVersion, resource, operation, prompt) => {
		expect(shownPrompt(version, typeVersion, { resource, operation, prompt: 'A cat' })).toBe(prompt);
	});
});
