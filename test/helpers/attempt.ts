import { ExecuteContext } from 'n8n-core';
import {
	createRunExecutionData,
	type IExecuteFunctions,
	type INodeExecutionData,
	type IRunExecutionData,
} from 'n8n-workflow';

import { binaryStorage, packageNodes, prepare, type RunOptions } from './engine';

/** Where a try of a node stands, and what can end it. */
interface Place {
	/** What is kept of the execution through all tries and runs of its nodes. */
	execution?: IRunExecutionData;
	/** Which run of the node it is, as in a loop. */
	runIndex?: number;
	/** The execution's cancel signal. */
	signal?: AbortSignal;
}

/** What n8n gives a node for one try. */
export async function attemptContext(options: RunOptions, place: Place = {}): Promise<IExecuteFunctions> {
	await binaryStorage();
	const { workflow, more, mode } = prepare(options);
	const node = workflow.getNode('Gateway');
	if (!node) throw new Error('The workflow has no such node');
	const items = (options.items ?? [{ json: {} }]).map((item, index) => ({
		...item,
		pairedItem: { item: index },
	}));
	const data = { main: [items] };
	const { execution = createRunExecutionData(), runIndex = 0, signal } = place;
	const executeData = { node, data, source: null };
	const context = new ExecuteContext(
		workflow,
		node,
		more,
		mode,
		execution,
		runIndex,
		items,
		data,
		executeData,
		[],
		signal,
	);
	return context as unknown as IExecuteFunctions;
}

/** One try of a node, as n8n makes it: what the node itself gives, or throws. */
export async function attempt(options: RunOptions, place: Place = {}): Promise<INodeExecutionData[]> {
	return await executeOn(options, await attemptContext(options, place));
}

/** One try of a node with what n8n gives it. */
export async function executeOn(
	{ node }: Pick<RunOptions, 'node'>,
	context: IExecuteFunctions,
): Promise<INodeExecutionData[]> {
	const type = packageNodes[node];
	if (!('execute' in type)) throw new Error('The node does not execute');
	const [items = []] = await type.execute.call(context);
	return items;
}
