import { resultOf, waitForExecution } from '../../../sandbox/n8n/executions';
import type { WorkflowJson, WorkflowNode } from '../../../sandbox/n8n/types';
import type { Environment } from './environment';
import { byId, catcher, gatewayNode, itemsNode, setNode, startName, workflowOf } from './workflows';

/** The workflow with one more node at its end. */
export function withNext(workflow: WorkflowJson, node: WorkflowNode): WorkflowJson {
	const next = { ...node, id: 'next', position: [900, 0] as [number, number] };
	const connections = {
		...workflow.connections,
		After: { main: [[{ node: node.name, type: 'main', index: 0 }]] },
	};
	return { ...workflow, nodes: [...workflow.nodes, next], connections };
}

/** A workflow that creates a task for each prompt, and is suspended until they have ended. */
export function pictures(
	prompts: string[],
	parameters: Record<string, unknown> = {},
	settings: Record<string, unknown> = {},
): WorkflowJson {
	const media = gatewayNode(
		'Picture {"x"}',
		'mediaTask',
		{
			model: byId('aurora/canvas-1'),
			inputMode: 'json',
			inputJson:
				'={"prompt": {{ JSON.stringify($json.prompt) }}, "quality": "draft", "size": "512x512"{{ $json.bad ? ", \\"n\\": \\"many\\"" : "" }} }',
			waitStrategy: 'suspend',
			downloadResults: '={{ $json.prompt !== "no file" }}',
			...parameters,
			// One after the other, so that the tasks stand in the order of the items.
			options: { concurrency: 1, ...(parameters['options'] as object | undefined) },
		},
		settings,
	);
	const asked = {
		name: 'asked',
		type: 'string',
		value: "={{ ($('Prompts').item.json ?? $('Prompts').item).prompt }}",
	};
	const after = setNode('After', [asked], true);
	const nodes = [
		itemsNode(
			'Prompts',
			prompts.map((prompt) => ({ prompt, bad: prompt === 'bad' })),
		),
		media,
		after,
		catcher('Failed'),
	];
	return workflowOf('Pictures', nodes, {
		[startName]: ['Prompts'],
		Prompts: ['Picture {"x"}'],
		'Picture {"x"}': ['After', 'Failed'],
	});
}

/** A suspended execution, with its tasks in the order of the items. */
export interface Suspended {
	executionId: string;
	tasks: string[];
}

/** Starts a workflow and waits until it is suspended. */
export async function suspendExecution(environment: Environment, workflow: WorkflowJson): Promise<Suspended> {
	const { client, gateway } = environment;
	const earlier = new Set(gateway.control.tasks().map(({ taskId }) => taskId));
	const executionId = await environment.begin(workflow);
	const execution = await waitForExecution(client, executionId, { orWaiting: true });
	expect(resultOf(execution)).toMatchObject({ status: 'waiting' });
	const tasks = gateway.control.tasks().flatMap(({ taskId }) => (earlier.has(taskId) ? [] : [taskId]));
	return { executionId, tasks };
}
