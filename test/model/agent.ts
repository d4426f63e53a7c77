import {
	NodeOperationError,
	Workflow,
	type IConnections,
	type INode,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';

import { nodeType, prepare } from '../helpers/engine';
import { locator } from '../helpers/values';
import type { workflowOf } from '../stories/execution';
import { image, text } from '../stories/support';
import type { Call, History } from './history';
import { nodeName, orderName, requestOptions } from './workflow';

// A node that calls its chat model and its tools for each item, all at the same time, as an AI Agent does.

const AGENT = 'test.agent';

/** A call of an agent, and what the agent was told. */
export interface Answer {
	call: Call;
	order: string;
	text: string;
	isError: boolean;
	/** Whether the agent no longer waited for it. */
	isAbandoned: boolean;
}

interface Callable {
	name?: string;
	invoke(input: unknown, options?: { signal?: AbortSignal }): Promise<unknown>;
}

type Prepared = ReturnType<typeof workflowOf>;

/** The workflow with its agents, and their models and tools. */
export function withAgents(
	prepared: Prepared,
	history: History,
	runsBefore: (node: number) => number,
	answers: Answer[],
): Prepared {
	const agents = history.operations.flatMap((operation, node) => (operation === 'agent' ? node : []));
	if (agents.length === 0) return prepared;
	const { nodes, nodeTypes, connectionsBySourceNode, settings } = prepared.workflow;
	const subNodes = agents.flatMap((node) => subNodesOf(history, node));
	const connections: IConnections = { ...connectionsBySourceNode };
	for (const { name, agent, type } of subNodes)
		connections[name] = { [type]: [[{ node: agent, type, index: 0 }]] };
	const isAgent = ({ name }: INode) => agents.some((node) => nodeName(node) === name);
	const find = (type: string): INodeType => {
		const node = agents.find((one) => type === `${AGENT}${one}`);
		if (node !== undefined) return agentType(history, node, runsBefore, answers);
		const found = nodeTypes.getByNameAndVersion(type);
		return type.endsWith('Tool') ? toolType(found) : found;
	};
	const workflow = new Workflow({
		id: 'workflow-1',
		nodes: [
			...Object.values(nodes).map((node) =>
				isAgent(node)
					? { ...node, type: `${AGENT}${agents.find((one) => nodeName(one) === node.name)}` }
					: node,
			),
			...subNodes.map(({ node }) => node),
		],
		connections,
		active: false,
		nodeTypes: { ...nodeTypes, getByName: find, getByNameAndVersion: find },
		settings,
	});
	return { ...prepared, workflow };
}

function subNodesOf(history: History, agent: number) {
	const parent = nodeName(agent);
	const prompt = "={{ $fromAI('prompt', '', 'string') }}";
	const options = (call: Call) => ({ ...requestOptions(history, agent, call), timeout: 30 });
	const tool = { settings: {}, asTool: true };
	const written = [
		{
			call: 'task',
			type: 'ai_tool',
			...image({ prompt, options: { ...options('task'), maxWait: history.maxWait / 60 } }),
			...tool,
		},
		{
			call: 'text',
			type: 'ai_tool',
			...text({ prompt, model: locator('sandbox/swift-1'), options: { ...options('text'), maxTokens: 50 } }),
			...tool,
		},
		{
			call: 'chat',
			type: 'ai_languageModel',
			node: 'chatModel',
			parameters: { model: locator('sandbox/swift-1'), options: { ...options('chat'), maxTokens: 50 } },
		},
	] as const;
	return written.flatMap(({ call, type, ...given }) => {
		const name = `${parent} ${call}`;
		const node = prepare({ ...given, settings: { name, id: name } }).workflow.getNode(name);
		return node ? [{ name, agent: parent, type, node }] : [];
	});
}

function toolType(node: INodeType): INodeType {
	const description = { ...node.description, inputs: [], outputs: ['ai_tool' as const] };
	return Object.create(node, { description: { value: description } }) as INodeType;
}

function agentType(
	history: History,
	node: number,
	runsBefore: (node: number) => number,
	answers: Answer[],
): INodeType {
	const agent = nodeType('agent', 'transform', () => []);
	const inputs = [
		{ type: 'main' as const },
		{ type: 'ai_languageModel' as const, maxConnections: 1, required: true },
		{ type: 'ai_tool' as const },
	];
	return {
		...agent,
		description: { ...agent.description, inputs },
		async execute() {
			const run = Number(this.getWorkflowDataProxy(0).$runIndex) - runsBefore(node);
			const outputs: INodeExecutionData[] = [];
			for (const item of this.getInputData().keys()) {
				const model = (await this.getInputConnectionData('ai_languageModel', item)) as Callable;
				const tools = (await this.getInputConnectionData('ai_tool', item)) as Callable[];
				const left = new AbortController();
				const ask = async (call: Call): Promise<Answer> => {
					const order = `${call}${orderName(history, 'agent', { node, run, item })}`;
					const answer = { call, order, text: '', isError: false, isAbandoned: false };
					// Also if it never ends.
					answers.push(answer);
					const fails = call === 'task' && history.failing.includes(item) ? '[[fail]]' : '';
					const prompt = `${call === 'task' ? '' : `[[say:order ${order}]] `}order ${order} ${fails}`;
					const tool = tools.find(({ name }) => name?.endsWith(call));
					const asked =
						call === 'chat'
							? model.invoke(prompt, history.abandons ? { signal: left.signal } : {})
							: tool?.invoke({ prompt });
					const end = (ended: Partial<Answer>) => Object.assign(answer, ended);
					return await Promise.resolve(asked).then(
						(result) => {
							const said = call === 'chat' ? String(Reflect.get(Object(result), 'content')) : String(result);
							return end({ text: said, isError: /^\[\{"error"|^Error|There was an error/.test(said) });
						},
						(error: unknown) => {
							const { message, description } = error as NodeOperationError;
							const said = `${message}\n${description ?? ''}`;
							return end({ text: said, isError: true, isAbandoned: left.signal.aborted });
						},
					);
				};
				const asked = history.calls.map(ask);
				await Promise.race(asked);
				left.abort(new Error('The agent has left'));
				const results = await Promise.all(asked);
				if (results.some(({ isError }) => isError))
					throw new NodeOperationError(this.getNode(), 'A call has failed', { itemIndex: item });
				outputs.push({ json: { results: results.map((one) => ({ ...one })) }, pairedItem: { item } });
			}
			return [outputs];
		},
	};
}
