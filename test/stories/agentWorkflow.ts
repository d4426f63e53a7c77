import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { createAgent } from 'langchain';
import { WorkflowExecute } from 'n8n-core';
import {
	Workflow,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IRun,
	type NodeConnectionType,
} from 'n8n-workflow';

import { binaryStorage, nodeType, prepare, type RunOptions } from '../helpers/engine';
import { passTime } from '../helpers/time';
import { RETRY, retryData, type StoryNode } from './execution';

// A workflow with an AI Agent, its chat model and its tools, which n8n's engine connects. The agent is LangChain's.

export interface AgentStory {
	/** What users ask, each an item. */
	asks: string[];
	/** How many of them the agent answers at the same time; one by default. */
	batchSize?: number;
	/** The parameters of *Gateway Chat Model*. */
	model: INodeParameters;
	/** The nodes that are its tools, by name. */
	tools: Record<string, StoryNode>;
	/** A node behind the agent, named `After`. */
	after?: StoryNode;
	/** The API key of an item, as an expression of the credential gives it. */
	keyOf?: NonNullable<RunOptions['keyOf']>;
}

export type Credential = NonNullable<RunOptions['credential']>;

/** The agent: calls tools until the model answers. The output of an item is the answer, and what the tools returned. */
const answerAll = (batchSize = 1) =>
	async function (this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const answer = async ([index, { json }]: [number, INodeExecutionData]) => {
			const model = await this.getInputConnectionData('ai_languageModel', index);
			const tools = await this.getInputConnectionData('ai_tool', index);
			const agent = createAgent({ model, tools } as Parameters<typeof createAgent>[0]);
			const input = { messages: [new HumanMessage(json.ask as string)] };
			const { messages } = (await agent.invoke(input)) as { messages: BaseMessage[] };
			const results = messages.filter(({ type }) => type === 'tool').map(({ text }) => text);
			return { json: { output: messages.at(-1)?.text, results }, pairedItem: { item: index } };
		};
		const [items, outputs] = [[...this.getInputData().entries()], [] as INodeExecutionData[]];
		while (items.length > 0) outputs.push(...(await Promise.all(items.splice(0, batchSize).map(answer))));
		return [outputs];
	};

const AGENT = 'test.agent';

function agentType({ batchSize }: AgentStory): INodeType {
	const agent = nodeType('agent', 'transform', () => []);
	const inputs = [
		{ type: 'main' as const },
		{ type: 'ai_languageModel' as const, maxConnections: 1, required: true },
		{ type: 'ai_tool' as const },
	];
	return { ...agent, description: { ...agent.description, inputs }, execute: answerAll(batchSize) };
}

/** A node as n8n makes it a tool. */
function toolType(node: INodeType): INodeType {
	const description = { ...node.description, inputs: [], outputs: ['ai_tool' as const] };
	return Object.create(node, { description: { value: description } }) as INodeType;
}

function workflowOf(story: AgentStory, credential: Credential, executionId: string) {
	const { asks, model, tools, keyOf, after } = story;
	const items = asks.map((ask) => ({ json: { ask } }));
	const node = (options: StoryNode, name: string): INode[] => {
		const settings = { ...options.settings, name, id: name };
		const { workflow } = prepare({ ...options, settings });
		return [workflow.getNode(name)].flatMap((found) => found ?? []);
	};
	const { source, more, workflow } = prepare({
		node: 'chatModel',
		parameters: model,
		items,
		credential,
		executionId,
		...(keyOf && { keyOf }),
	});
	const agent: INode = { ...source, id: 'agent', name: 'Agent', type: AGENT };
	const names = Object.keys(tools);
	const toAgent = (type: NodeConnectionType) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
	const find = (type: string): INodeType => {
		if (type === AGENT) return agentType(story);
		const found = workflow.nodeTypes.getByNameAndVersion(type);
		return type.endsWith('Tool') ? toolType(found) : found;
	};
	return {
		source,
		more,
		workflow: new Workflow({
			id: 'workflow-1',
			nodes: [
				source,
				agent,
				...node({ node: 'chatModel', parameters: model }, 'Model'),
				...names.flatMap((name) => node({ ...tools[name], asTool: true } as StoryNode, name)),
				...(after ? node(after, 'After') : []),
			],
			connections: {
				Source: toAgent('main'),
				Model: toAgent('ai_languageModel'),
				...Object.fromEntries(names.map((name) => [name, toAgent('ai_tool')])),
				...(after ? { Agent: { main: [[{ node: 'After', type: 'main' as const, index: 0 }]] } } : {}),
			},
			active: false,
			nodeTypes: { ...workflow.nodeTypes, getByName: find, getByNameAndVersion: find },
			settings: { executionOrder: 'v1' },
		}),
	};
}

/** Executes the workflow. */
export async function runAgent(story: AgentStory, credential: Credential): Promise<IRun> {
	await binaryStorage();
	const { workflow, source, more } = workflowOf(story, credential, 'execution-1');
	return await new WorkflowExecute(more, 'manual').run({ workflow, startNode: source });
}

/** *Retry* of a failed execution, a minute later. */
export async function retryAgent(failed: IRun, story: AgentStory, credential: Credential): Promise<IRun> {
	await passTime(60_000);
	const { workflow, more } = workflowOf(story, credential, 'execution-2');
	const data = retryData(failed.data, workflow);
	return await new WorkflowExecute(more, RETRY, data).processRunExecutionData(workflow);
}
