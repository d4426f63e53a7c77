import type { INodeType } from 'n8n-workflow';

import type { WorkflowJson, WorkflowNode } from '../../../sandbox/n8n/types';
import { newestVersion, packageNodes } from '../../helpers/packageNodes';

/** The first node of a workflow made here. */
export const startName = 'Start';

/** Every second: n8n refuses a schedule that is quicker than a minute, but takes sixty of them. */
export const everySecond = Array.from({ length: 60 }, (_, second) => ({
	mode: 'custom',
	cronExpression: `${second} * * * * *`,
}));

/** A model id as a resource locator stores it. */
export function byId(value: string): Record<string, unknown> {
	return { __rl: true, mode: 'id', value };
}

/** A node of the package, in its newest version unless `more` has a version. */
export function gatewayNode(
	name: string,
	type: string,
	parameters: Record<string, unknown>,
	more: Record<string, unknown> = {},
): WorkflowNode {
	// The tests of media tasks are about *Task*, if they do not say otherwise.
	const resource = /^mediaTask(Tool)?$/.test(type) ? { resource: 'task' } : {};
	return {
		typeVersion: newestOf(type),
		...more,
		name,
		type: `n8n-nodes-ai-gateway.${type}`,
		parameters: { ...resource, ...parameters },
	};
}

function newestOf(type: string): number {
	const nodes: Record<string, INodeType> = packageNodes;
	const node = nodes[type];
	return node ? newestVersion(node.description) : 1;
}

/** A node that gives these items, one per element. */
export function itemsNode(name: string, items: Array<Record<string, unknown>>): WorkflowNode {
	const jsCode = `return ${JSON.stringify(items.map((json) => ({ json })))};`;
	return { name, type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } };
}

/** A node that passes on what it gets, to catch an output. */
export function catcher(name: string): WorkflowNode {
	return { name, type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} };
}

/**
 * A workflow of a manual trigger and these nodes.
 * @param routes the names of the nodes behind each node's outputs; the trigger is called `Start`
 */
export function workflowOf(
	name: string,
	nodes: WorkflowNode[],
	routes: Record<string, Array<string | undefined>>,
): WorkflowJson {
	const trigger = { name: startName, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
	const placed = [trigger, ...nodes].map((node, index) => ({
		id: `node-${index}`,
		position: [index * 220, 0],
		...node,
	}));
	const connections = Object.entries(routes).map(([from, targets]) => [
		from,
		{
			main: targets.map((target) => (target === undefined ? [] : [{ node: target, type: 'main', index: 0 }])),
		},
	]);
	return {
		name,
		nodes: placed,
		connections: Object.fromEntries(connections) as Record<string, unknown>,
		// As the editor stores it: n8n fails on none when it executes a step after another one.
		pinData: {},
		settings: { executionOrder: 'v1' },
	};
}

/** Connects a node that serves another one: a model, a tool, a memory. */
export type Service = 'ai_languageModel' | 'ai_tool' | 'ai_memory' | 'ai_outputParser';

/**
 * A workflow in which nodes serve a root node, such as an AI Agent.
 *
 * @param root the node that is served, with what starts it before
 * @param services the nodes that serve it, and as what
 * @param after a node that gets its output
 */
export function clusterOf(
	name: string,
	[start, ...rest]: [WorkflowNode, ...WorkflowNode[]],
	services: Array<[Service, WorkflowNode]>,
	after: WorkflowNode[] = [],
): WorkflowJson {
	const main = [start, ...rest];
	const root = main.at(-1) ?? start;
	const place = (node: WorkflowNode, index: number, y: number) => ({
		id: `${y}-${index}`,
		position: [index * 220, y],
		...node,
	});
	const route = (type: string, target: WorkflowNode) => ({
		[type]: [[{ node: target.name, type, index: 0 }]],
	});
	return {
		name,
		nodes: [
			...main.map((node, index) => place(node, index, 0)),
			...services.map(([, node], index) => place(node, index, 240)),
			...after.map((node, index) => place(node, main.length + index, 0)),
		],
		connections: Object.fromEntries([
			...rest.map((node, index) => [(main[index] ?? start).name, route('main', node)] as const),
			...services.map(([type, node]) => [node.name, route(type, root)] as const),
			...after.map((node) => [root.name, route('main', node)] as const),
		]),
		settings: { executionOrder: 'v1' },
	};
}

/**
 * A node that reads what the execution has cost, as a user's expression does.
 *
 * @param of a node of the package that has run
 */
export function costNode(name: string, of: string): WorkflowNode {
	const field = (key: string) => ({
		name: key,
		type: 'number',
		value: `={{ $('${of}').context.gateway.${key} }}`,
	});
	const fields = ['costRub', 'calls', 'callsWithoutCost', 'inputTokens', 'outputTokens'];
	return setNode(name, fields.map(field));
}

/**
 * An Edit Fields node.
 *
 * @param keepsOthers whether the other fields of the items are kept
 */
export function setNode(
	name: string,
	fields: Array<{ name: string; type: string; value: string }>,
	keepsOthers = false,
): WorkflowNode {
	const assignments = fields.map((field) => ({ id: field.name, ...field }));
	const parameters = {
		mode: 'manual',
		includeOtherFields: keepsOthers,
		assignments: { assignments },
		options: {},
	};
	return { name, type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters };
}

/** A workflow of nodes that all get the same items. */
export function behindItems(name: string, items: WorkflowNode, nodes: WorkflowNode[]): WorkflowJson {
	const workflow = workflowOf(name, [items, ...nodes], { Start: [items.name] });
	workflow.connections[items.name] = {
		main: [nodes.map((node) => ({ node: node.name, type: 'main', index: 0 }))],
	};
	return workflow;
}
