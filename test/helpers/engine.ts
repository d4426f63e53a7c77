import { createHash } from 'node:crypto';

import 'reflect-metadata';

import { Container } from '@n8n/di';
import { BinaryDataService, ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	Workflow,
	type IBinaryData,
	type IConnection,
	type IConnections,
	type ICredentialDataDecryptedObject,
	type ICredentialsHelper,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IRunExecutionData,
	type IWorkflowExecuteAdditionalData,
	type StructuredChunk,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { AiGatewayApi } from '../../credentials/AiGatewayApi.credentials.ts';
import { newestVersion, packageNodes } from './packageNodes.ts';
import { olderNode, type OlderN8n } from './olderN8n.ts';

export { packageNodes };

const PACKAGE = 'n8n-nodes-ai-gateway';

export interface RunOptions {
	node: keyof typeof packageNodes;
	parameters: INodeParameters;
	/** Input items; one empty one by default. */
	items?: INodeExecutionData[];
	/** Settings of the node, such as `onError` and `retryOnFail`. */
	settings?: Partial<INode>;
	credential?: { baseUrl: string; apiKey: string; minBalanceRub?: number };
	/** The API key of an item, as an expression of the credential gives it. */
	keyOf?: (item: INodeExecutionData, index: number) => string;
	executionId?: string;
	workflowId?: string;
	/** The values of `$vars`, read each time. */
	variables?: Record<string, string>;
	/** How many branches lead to the node: n8n runs it once for each. */
	branches?: number;
	/** The URL of this n8n; `https://n8n.test` by default. */
	n8nUrl?: string;
	/** Executes the node as an older n8n would. */
	older?: OlderN8n;
	/** Runs the node as a tool of an AI Agent. */
	asTool?: boolean;
	/** Receives the chunks of a workflow that streams its response; without it, the workflow does not stream. */
	onChunk?: (chunk: StructuredChunk) => Promise<void> | void;
	/** Receives a function that cancels the execution, as the editor's stop button does. */
	onStart?: (cancel: () => void) => void;
}

/** The result of a run of the node. */
export interface RunResult {
	run: IRun;
	/** Items of the first output. */
	items: INodeExecutionData[];
	/** The hints above its output. */
	hints: string[];
	/** The error that ended the node. */
	error:
		| {
				message: string;
				description?: string | null;
				httpCode?: string | null;
				context?: Record<string, unknown>;
		  }
		| undefined;
}

let binaryReady: Promise<void> | undefined;

/** n8n's binary storage, on disk. */
export async function binaryStorage(): Promise<BinaryDataService> {
	const service = Container.get(BinaryDataService);
	binaryReady ??= service.init();
	await binaryReady;
	return service;
}

/** A binary in n8n's storage, which nodes read as a stream. */
export async function storedBinary(
	content: string,
	metadata: { mimeType: string; fileName: string },
): Promise<IBinaryData> {
	const location = { type: 'execution', workflowId: 'workflow-1', executionId: 'execution-1' } as const;
	return await (await binaryStorage()).store(location, Buffer.from(content), { data: '', ...metadata });
}

/** Runs one node of the package on the real engine, after a node that returns `items`. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	await binaryStorage();
	const { workflow, source, mode, more } = prepare(options);
	const secret = createHash('sha256').update(`${more.executionId}`).digest('hex');
	const data = createRunExecutionData({ resumeToken: secret });
	if (options.older) delete data.resumeToken;
	const execution = new WorkflowExecute(more, mode, data);
	const running = execution.run({ workflow, startNode: source });
	options.onStart?.(() => void running.cancel());
	return result(await running);
}

/** What n8n reads back from its database. */
export function copy<T>(data: T): T {
	return JSON.parse(JSON.stringify(data)) as T;
}

/** Items as n8n passes them to a node; one empty one by default. */
export function inputOf(items: INodeExecutionData[] = [{ json: {} }]): INodeExecutionData[] {
	return items.map((item, index) => ({ ...item, pairedItem: { item: index } }));
}

/** A suspended execution as n8n begins to resume it, without the run that suspended it; and the node that waits. */
export function wokenUp(stored: IRunExecutionData) {
	const data = copy(stored);
	delete data.waitTill;
	const [waiting] = data.executionData?.nodeExecutionStack ?? [];
	if (!waiting) throw new Error('The execution is not suspended');
	data.resultData.runData[waiting.node.name]?.pop();
	return { data, waiting };
}

/** Runs an execution on from its data. */
export async function runFrom(data: IRunExecutionData, options: RunOptions): Promise<RunResult> {
	const { workflow, mode, more } = prepare(options);
	return result(await new WorkflowExecute(more, mode, data).processRunExecutionData(workflow));
}

/**
 * Runs a suspended node again with its stored items, as n8n does after a callback that has resumed the execution.
 *
 * @param options those with which it was suspended
 */
export async function resumeNode({ run }: RunResult, options: RunOptions): Promise<RunResult> {
	const { data, waiting } = wokenUp(run.data);
	waiting.node.disabled = false;
	const { aiGatewaySuspended: state } = data.executionData?.contextData['node:Gateway'] ?? {};
	const [first] = waiting.data.main?.[0] ?? [];
	if (first) first.json.aiGatewayResumed = String((state as { id?: unknown } | undefined)?.id);
	return await runFrom(data, options);
}

/**
 * Runs the node again with the contexts of an earlier run, as n8n does for a call of a tool in the same execution and, with
 * another `executionId`, when somebody retries a failed execution.
 */
export async function runAgain({ run }: RunResult, options: RunOptions): Promise<RunResult> {
	const node = prepare(options).workflow.getNode('Gateway');
	const data = copy(run.data);
	const { executionData, resultData } = data;
	if (!executionData || !node) throw new Error('The run has no data to run again.');
	delete resultData.error;
	resultData.runData.Gateway = [];
	const main = [inputOf(options.items)];
	const source = { main: [{ previousNode: 'Source' }] };
	executionData.nodeExecutionStack = [{ node, data: { main }, source }];
	return await runFrom(data, options);
}

/** A workflow of two nodes, and the additional data of its execution. */
export function prepare(options: RunOptions) {
	const target: INode = {
		id: 'node-1',
		name: 'Gateway',
		type: `${PACKAGE}.${options.node}${options.asTool ? 'Tool' : ''}`,
		typeVersion: newestVersion(packageNodes[options.node].description),
		position: [200, 0],
		parameters: options.parameters,
		credentials: { aiGatewayApi: { id: '1', name: 'Gateway' } },
		...options.settings,
	};
	const source: INode = {
		id: 'node-0',
		name: 'Source',
		type: 'test.source',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const branch: IConnection = { node: target.name, type: 'main', index: 0 };
	const connections: IConnections = { Source: { main: [Array(options.branches ?? 1).fill(branch)] } };
	const workflow = new Workflow({
		id: options.workflowId ?? 'workflow-1',
		nodes: [source, target],
		connections,
		active: false,
		nodeTypes: nodeTypes(options),
		settings: { executionOrder: 'v1' },
	});
	const mode: WorkflowExecuteMode = 'manual';
	return { workflow, source, mode, more: additionalData(options, mode, [source, target], connections) };
}

/** The result of a run of the node `Gateway`. */
export function result(run: IRun): RunResult {
	const [task] = run.data.resultData.runData.Gateway ?? [];
	const main = task?.data?.main ?? [];
	return {
		run,
		items: main[0] ?? [],
		hints: task?.hints?.map(({ message }) => message) ?? [],
		error: (task?.error ?? run.data.resultData.error) as RunResult['error'],
	};
}

/** A type for a node around those of the package. */
export function nodeType(
	name: string,
	group: 'trigger' | 'transform',
	outputs: (this: IExecuteFunctions) => INodeExecutionData[][],
): INodeType {
	return {
		description: {
			displayName: name,
			name,
			group: [group],
			version: 1,
			description: '',
			defaults: {},
			inputs: group === 'trigger' ? [] : ['main'],
			outputs: ['main'],
			properties: [],
		},
		async execute() {
			return await Promise.resolve(outputs.call(this));
		},
	};
}

function nodeTypes({ items, older }: RunOptions): INodeTypes {
	const source = nodeType('source', 'trigger', () => [inputOf(items)]);
	const find = (type: string): INodeType => {
		if (type === 'test.source') return source;
		const name = type.split('.')[1]?.replace(/Tool$/, '');
		const node = packageNodes[name as keyof typeof packageNodes];
		return older ? olderNode(node, older) : node;
	};
	return {
		getByName: find,
		getByNameAndVersion: find,
		getKnownTypes: () => ({}),
	};
}

function additionalData(
	options: RunOptions,
	mode: WorkflowExecuteMode,
	nodes: INode[],
	connections: IConnections,
): IWorkflowExecuteAdditionalData {
	const executionId = options.executionId ?? 'execution-1';
	const n8nUrl = options.n8nUrl ?? 'https://n8n.test';
	const credential = options.credential ?? { baseUrl: 'https://gateway.test/api/v1', apiKey: 'sk-test' };
	const workflowData = {
		id: 'workflow-1',
		name: 'Test',
		active: false,
		isArchived: false,
		createdAt: new Date(),
		updatedAt: new Date(),
		activeVersionId: null,
		nodes,
		connections,
	};
	const hooks = new ExecutionLifecycleHooks(mode, executionId, workflowData);
	const { onChunk } = options;
	if (onChunk) hooks.addHandler('sendChunk', async (chunk) => await onChunk(chunk));
	return {
		executionId,
		streamingEnabled: onChunk !== undefined,
		currentNodeExecutionIndex: 0,
		restApiUrl: '',
		instanceBaseUrl: '',
		webhookWaitingBaseUrl: `${n8nUrl}/webhook-waiting`,
		formWaitingBaseUrl: `${n8nUrl}/form-waiting`,
		variables: options.variables ?? {},
		hooks,
		credentialsHelper: {
			getParentTypes: () => [],
			isCredentialUsableByNode: () => true,
			preAuthentication: () => Promise.resolve(undefined),
			getDecrypted: async (...[, , , , , , values]: Parameters<ICredentialsHelper['getDecrypted']>) => {
				const item = values?.connectionInputData[values.itemIndex];
				const own = item && options.keyOf ? { apiKey: options.keyOf(item, values.itemIndex) } : {};
				return await Promise.resolve({ ...credential, ...own });
			},
			authenticate: async (
				credentials: ICredentialDataDecryptedObject,
				_type: string,
				request: IHttpRequestOptions,
			) => await new AiGatewayApi().authenticate(credentials, request),
		},
		logAiEvent: () => undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
}
