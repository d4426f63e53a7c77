import { Workflow, type INode, type INodeParameters } from 'n8n-workflow';

import { nodesByName } from '../helpers/panel';

// The subtitles of nodes on the canvas, evaluated as the editor does.

function subtitleOf(name: string, parameters: INodeParameters): unknown {
	const type = nodesByName[name];
	if (type === undefined) throw new Error(`There is no node ${name}`);
	const node: INode = { id: '1', name, type: name, typeVersion: 1, position: [0, 0], parameters };
	const nodeTypes = { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => ({}) };
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const stored = workflow.getNode(name);
	if (!stored) throw new Error('The node is missing');
	return workflow.expression.getSimpleParameterValue(stored, type.description.subtitle, 'internal', {});
}

test.each<[string, INodeParameters, string]>([
	['textGeneration', {}, 'Generate: Text'],
	['mediaTask', {}, 'Generate: Image'],
	['mediaTask', { resource: 'model', operation: 'getMany' }, 'Get Many: Model'],
	['mediaTask', { resource: 'image', operation: 'generate' }, 'Generate: Image'],
	['storage', {}, 'Upload: File'],
	['balance', {}, 'Get: Balance'],
	['mediaTaskTrigger', {}, 'Task Ended'],
	['mediaTaskTrigger', { events: 'fail' }, 'Task Failed'],
	['balanceTrigger', {}, 'Below ₽100'],
	['balanceTrigger', { fireOn: 'change' }, 'On Change'],
	['chatModel', { model: { __rl: true, mode: 'id', value: 'vendor/model' } }, 'vendor/model'],
])('%s with %j has the subtitle %s', (name, parameters, subtitle) => {
	expect(subtitleOf(name, parameters)).toBe(subtitle);
});
