import { ExecuteContext } from 'n8n-core';
import {
	createRunExecutionData,
	type IExecuteFunctions,
	type INodeExecutionData,
	type IRunExecutionData,
} from 'n8n-workflow';

import { binaryStorage, inputOf, packageNodes, prepare, type RunOptions } from './engine';

/** The execution that an attempt belongs to. */
interface AttemptScope {
	/** The execution's data, which all attempts share. */
	execution?: IRunExecutionData;
	/** The execution's cancel signal. */
	signal?: AbortSignal;
	/** Whether the execution has an ID, as it has in a workflow. */
	hasId?: boolean;
}

/** The execution context of one attempt. */
export async function attemptContext(
	options: RunOptions,
	scope: AttemptScope = {},
): Promise<IExecuteFunctions> {
	await binaryStorage();
	const { workflow, more, mode } = prepare(options);
	if (scope.hasId === false) delete more.executionId;
	const node = workflow.getNode('Gateway');
	if (!node) throw new Error('The workflow has no such node');
	const items = inputOf(options.items);
	const data = { main: [items] };
	const { execution = createRunExecutionData(), signal } = scope;
	const executeData = { node, data, source: null };
	const context = new ExecuteContext(
		workflow,
		node,
		more,
		mode,
		execution,
		0,
		items,
		data,
		executeData,
		[],
		signal,
	);
	return context as unknown as IExecuteFunctions;
}

/** Runs one attempt of a node, without the engine. */
export async function attempt(options: RunOptions, scope: AttemptScope = {}): Promise<INodeExecutionData[]> {
	return await executeOn(options, await attemptContext(options, scope));
}

/** Runs one attempt of a node with this context. */
export async function executeOn(
	{ node }: Pick<RunOptions, 'node'>,
	context: IExecuteFunctions,
): Promise<INodeExecutionData[]> {
	const type = packageNodes[node];
	if (!('execute' in type)) throw new Error('The node does not execute');
	const [items = []] = await type.execute.call(context);
	return items;
}
