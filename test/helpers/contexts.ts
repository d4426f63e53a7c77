import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';

import { ExecuteContext, LoadOptionsContext, PollContext, SupplyDataContext, WebhookContext } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	createRunExecutionData,
	NodeConnectionTypes,
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type INode,
	type INodeExecutionData,
	type IPollFunctions,
	type IRunExecutionData,
	type ISupplyDataFunctions,
	type IWebhookFunctions,
	Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { packageNodes, prepare, type RunOptions, wokenUp } from './engine';

// Contexts of nodes that the engine does not run: triggers and sub-nodes.

type NodeOptions = Pick<RunOptions, 'node' | 'parameters' | 'credential' | 'settings'>;

interface TriggerOptions extends NodeOptions {
	mode: WorkflowExecuteMode;
	/** The node's static data. */
	store: object;
}

/** A request to a webhook. */
export interface IncomingRequest {
	body: unknown;
	query?: object;
	headers?: Record<string, string>;
}

function prepared(options: RunOptions) {
	const { workflow, more } = prepare(options);
	const node = workflow.getNode('Gateway');
	if (!node) throw new Error('The workflow has no such node');
	return { workflow, node, more };
}

const staticDataOf = (store: object) => () => store as ReturnType<Workflow['getStaticData']>;

/** The context of a polling trigger. */
export function pollContext({ mode, store, ...options }: TriggerOptions): IPollFunctions {
	const { workflow, node, more } = prepared(options);
	const unused = [undefined, undefined, undefined, undefined] as const;
	const context = new PollContext(workflow, node, more, mode, 'activate', ...unused, staticDataOf(store));
	return context as unknown as IPollFunctions;
}

/** The context in which the editor loads lists and forms. */
export function editorContext(options: NodeOptions): ILoadOptionsFunctions {
	const { workflow, node, more } = prepared(options);
	const shown = { ...more, currentNodeParameters: node.parameters };
	return new LoadOptionsContext(workflow, node, shown, '') as unknown as ILoadOptionsFunctions;
}

/** A response as n8n's web server has it, as far as nodes use it. */
export class RecordedResponse extends EventEmitter {
	statusCode = 200;
	headersSent = false;
	closed = false;
	readonly headers: Record<string, string> = {};

	constructor(private readonly reply: (status: number, body: unknown) => void = () => undefined) {
		super();
	}

	setHeader(name: string, value: string): this {
		this.headers[name] = value;
		return this;
	}

	status(code: number): this {
		this.statusCode = code;
		return this;
	}

	json(body: unknown): this {
		this.headersSent = true;
		this.reply(this.statusCode, body);
		this.close();
		return this;
	}

	/** The response has been sent, or the caller has gone. */
	close(): void {
		this.closed = true;
		this.emit('close');
	}
}

/** The context of a webhook request; the response is dropped. */
export function webhookContext(
	{ mode, store, ...options }: TriggerOptions,
	{ body, query = {}, headers = {} }: IncomingRequest,
): IWebhookFunctions {
	const { workflow, node, more } = prepared(options);
	workflow.getStaticData = staticDataOf(store);
	return requestContext({ workflow, more, mode }, node, { body, query, headers });
}

/**
 * The context of a webhook request to a node of a workflow.
 *
 * @param request `reply` gets the response's status and body
 * @param data the suspended execution that the request is for
 */
export function requestContext(
	{
		workflow,
		more,
		mode,
	}: Pick<ReturnType<typeof prepare>, 'workflow' | 'more'> & { mode: WorkflowExecuteMode },
	node: INode,
	{
		body,
		query = {},
		headers = {},
		reply = () => undefined,
	}: IncomingRequest & { reply?: (status: number, body: unknown) => void },
	data: IRunExecutionData | null = null,
): IWebhookFunctions {
	const response = new RecordedResponse(reply);
	Object.assign(more, { httpRequest: { body, query, headers, params: {} }, httpResponse: response });
	const webhook = { webhookDescription: { name: 'default' }, isTest: false };
	const context = new WebhookContext(
		workflow,
		node,
		more,
		mode,
		webhook as unknown as ConstructorParameters<typeof WebhookContext>[4],
		[],
		data,
	);
	return context as unknown as IWebhookFunctions;
}

/**
 * Passes a request to the node of a suspended execution, as n8n does.
 *
 * @param adapt changes the node's context
 * @returns the data from which the execution runs on, if the node resumes it
 */
export async function requestSuspended(
	prepared: Parameters<typeof requestContext>[0],
	stored: IRunExecutionData,
	request: Parameters<typeof requestContext>[2],
	adapt = (context: IWebhookFunctions) => context,
): Promise<IRunExecutionData | undefined> {
	const { data, waiting } = wokenUp(stored);
	waiting.node.disabled = true;
	const node = prepared.workflow.getNode(waiting.node.name);
	if (!node) throw new Error('The workflow has no such node');
	const context = adapt(requestContext(prepared, node, request, data));
	const { workflowData } = await packageNodes.mediaTask.webhook.call(context);
	if (!workflowData) return undefined;
	waiting.data.main = workflowData;
	return data;
}

/**
 * The context of a sub-node, and the execution in which n8n records its runs.
 *
 * @param options.execution that of other nodes; a new one by default
 * @param options.parent the type of the node that it serves
 */
export function supplyContext({
	execution = createRunExecutionData(),
	parent: parentType,
	...options
}: NodeOptions &
	Pick<RunOptions, 'asTool' | 'executionId'> & { execution?: IRunExecutionData; parent?: string }): {
	context: ISupplyDataFunctions;
	execution: IRunExecutionData;
} {
	const { workflow, node, more } = prepared(options);
	const parent: INode = { ...node, id: 'node-2', name: 'AI Agent', type: parentType ?? node.type };
	const items = [{ json: {} }];
	const context = new SupplyDataContext(
		workflow,
		node,
		more,
		'manual',
		execution,
		0,
		items,
		{ main: [items] },
		options.asTool ? NodeConnectionTypes.AiTool : NodeConnectionTypes.AiLanguageModel,
		{ node, data: { main: [items] }, source: null },
		[],
		undefined,
		parent,
	);
	return { context: context as unknown as ISupplyDataFunctions, execution };
}

/** The context in which n8n's Agents, which are in no workflow, run a node as a tool: see n8n's `EphemeralNodeExecutor`. */
export function agentsContext(options: NodeOptions, input: INodeExecutionData['json']): IExecuteFunctions {
	const { workflow, node: own, more } = prepared({ ...options, asTool: true });
	const node = { ...own, id: randomUUID(), name: 'Target Node' };
	const alone = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: workflow.nodeTypes,
	});
	const items = [{ json: input }];
	const data = { main: [items] };
	delete more.executionId;
	const context = new ExecuteContext(
		alone,
		node,
		more,
		'internal',
		createEmptyRunExecutionData(),
		0,
		items,
		data,
		{ node, data, source: null },
		[],
	);
	return context as unknown as IExecuteFunctions;
}
