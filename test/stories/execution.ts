import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	Workflow,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IRun,
	type IRunExecutionData,
	type ITaskData,
	type IWorkflowSettings,
} from 'n8n-workflow';

import { requestSuspended } from '../helpers/contexts';
import { passTime } from '../helpers/time';
import {
	copy,
	nodeType,
	prepare,
	result,
	runAgain,
	type RunOptions,
	type RunResult,
} from '../helpers/engine';

/** A node of this package in a workflow. */
export type StoryNode = Pick<RunOptions, 'node' | 'parameters' | 'settings' | 'asTool'>;

/** What users run. */
export interface Story {
	/** They run one after the other, as `Gateway`, `Gateway 2`, … */
	nodes: [StoryNode, ...StoryNode[]];
	/** The input of the first node. */
	items: INodeExecutionData[];
	/** Its input in each further round, if the workflow loops over its nodes. */
	rounds?: INodeExecutionData[][];
	/** Whether the nodes have the same ID, as after an import of such JSON: n8n does not check it. */
	haveSameId?: boolean;
	/** The API key of an item, as an expression of the credential gives it each time that it is read. */
	keyOf?: NonNullable<RunOptions['keyOf']>;
	/** The credential's *Minimum Balance*. */
	minBalanceRub?: number;
	/** The settings of the workflow. */
	workflow?: IWorkflowSettings;
	/** Whether the workflow is published, and n8n starts it; otherwise somebody executes it by hand. */
	isPublished?: boolean;
	/** Whether another workflow executes it. */
	isSubWorkflow?: boolean;
	/** What else differs from n8n as tests usually have it. */
	n8n?: Pick<RunOptions, 'n8nUrl' | 'variables'>;
}

type Credential = NonNullable<RunOptions['credential']>;

/** The mode in which n8n runs a retry. */
export const RETRY = 'retry';

/** An execution of a workflow that has ended, or was killed. */
export class Execution {
	private constructor(
		private readonly story: Story,
		private readonly credential: Credential,
		private readonly id: number,
		private readonly run: IRun,
	) {}

	/** @param killed n8n is killed when it resolves */
	static async start(story: Story, credential: Credential, killed?: Promise<void>): Promise<Execution> {
		const { workflow, source, more } = workflowOf(story, credential, 1);
		const mode = story.isPublished ? 'trigger' : 'manual';
		const running = new WorkflowExecute(more, story.isSubWorkflow ? 'integrated' : mode).run({
			workflow,
			startNode: source,
		});
		// Nothing that the node still does then is stored.
		void killed?.then(() => running.cancel());
		return new Execution(story, credential, 1, await running);
	}

	/** The error that ended it. */
	get error(): RunResult['error'] {
		return this.run.data.resultData.error as RunResult['error'];
	}

	/** What the user reads of that error. */
	get errorText(): string {
		const { message = '', description } = this.error ?? {};
		return `${message}\n${description ?? ''}`;
	}

	/** The custom data: what the execution has cost. */
	get sums(): Record<string, string> | undefined {
		return this.run.data.resultData.metadata;
	}

	/** What nodes have stored beside their items: `flow`, and one for each node. */
	get contexts(): object {
		return this.run.data.executionData?.contextData ?? {};
	}

	/** The outputs of a node, of all rounds. */
	items(node = 'Gateway'): INodeExecutionData[] {
		return this.runs(node).flatMap(({ data }) => data?.main?.[0] ?? []);
	}

	/** The items of its error output. */
	failed(node = 'Gateway'): INodeExecutionData[] {
		return this.runs(node).flatMap(({ data }) => data?.main?.[1] ?? []);
	}

	/** The errors of those that are error items. */
	errors(node = 'Gateway'): Array<Record<string, unknown>> {
		const errors = this.items(node).map(({ json }) => json.error as Record<string, unknown> | undefined);
		return errors.filter((error) => error !== undefined);
	}

	/** The hints above the output of a node. */
	hints(node = 'Gateway'): string {
		return this.runs(node)
			.flatMap(({ hints = [] }) => hints.map(({ message }) => message))
			.join('\n');
	}

	/** Empties its items, as n8n's redaction does; what nodes have stored stays. */
	redact(): this {
		const { resultData, executionData } = this.run.data;
		const runs = Object.values(resultData.runData).flat();
		for (const { data } of [...runs, ...(executionData?.nodeExecutionStack ?? [])])
			for (const item of data?.main?.flatMap((items) => items ?? []) ?? []) {
				item.json = {};
				delete item.binary;
			}
		return this;
	}

	/** Whether n8n has stored it until a callback comes. */
	get isAsleep(): boolean {
		return this.run.status === 'waiting';
	}

	/** How long it will sleep at most, in milliseconds. */
	get restMs(): number {
		return Math.max((this.run.waitTill?.getTime() ?? 0) - Date.now(), 0);
	}

	/**
	 * Passes a request to it while it sleeps, as n8n does.
	 *
	 * @returns runs it on, if the request resumes it
	 */
	async receive(
		request: Parameters<typeof requestSuspended>[2],
	): Promise<(() => Promise<Execution>) | undefined> {
		const prepared = workflowOf(this.story, this.credential, this.id);
		const data = await requestSuspended({ ...prepared, mode: 'manual' }, this.run.data, request);
		return data && (async () => await this.resume(data));
	}

	/** n8n resumes it at the end of its longest wait. */
	async wake(): Promise<Execution> {
		await passTime(this.restMs);
		return await this.resume(copy(this.run.data));
	}

	private async resume(data: IRunExecutionData): Promise<Execution> {
		const { story, credential, id } = this;
		const { workflow, more } = workflowOf(story, credential, id);
		const run = await new WorkflowExecute(more, 'manual', data).processRunExecutionData(workflow);
		return new Execution(story, credential, id, run);
	}

	private runs(node: string) {
		return this.run.data.resultData.runData[node] ?? [];
	}

	/**
	 * *Retry* of this failed execution, a minute later.
	 *
	 * @param parameters what the user has changed of the first node: *Retry with currently saved workflow*
	 * @param settings the same of its settings
	 */
	async retry(parameters: object = {}, settings: StoryNode['settings'] = {}): Promise<Execution> {
		return await this.next(this.edited(parameters, settings), ({ workflow, more }) => {
			const data = retryData(this.run.data, workflow);
			return new WorkflowExecute(more, RETRY, data).processRunExecutionData(workflow);
		});
	}

	/**
	 * *Retry* a minute after n8n was killed: it has only what it stored when the execution started, and adds a run of each node
	 * that had begun.
	 *
	 * @param items what the source returns now; the same by default
	 * @param parameters what the user has changed of the first node
	 */
	async retryAfterKill(items = this.story.items, parameters: object = {}): Promise<Execution> {
		return await this.next({ ...this.edited(parameters), items }, ({ workflow, source, more }) => {
			const { resumeToken } = this.run.data;
			const run: ITaskData = { startTime: 0, executionIndex: 0, executionTime: -1, source: [null] };
			const data = createRunExecutionData({
				...(resumeToken === undefined ? {} : { resumeToken }),
				resultData: { runData: { Source: [run], Gateway: [run] } },
				executionData: {
					nodeExecutionStack: [{ node: source, data: { main: [[{ json: {} }]] }, source: null }],
				},
			});
			return new WorkflowExecute(more, RETRY, data).processRunExecutionData(workflow);
		});
	}

	/** The story with another first node. */
	private edited(parameters: object, settings: StoryNode['settings'] = {}): Story {
		const [first, ...others] = this.story.nodes;
		const node: StoryNode = {
			...first,
			parameters: { ...first.parameters, ...parameters },
			settings: { ...first.settings, ...settings },
		};
		return { ...this.story, nodes: [node, ...others] };
	}

	private async next(
		story: Story,
		run: (prepared: ReturnType<typeof workflowOf>) => Promise<IRun>,
	): Promise<Execution> {
		// To read an error and to act.
		await passTime(60_000);
		const { credential } = this;
		const id = this.id + 1;
		return new Execution(story, credential, id, await run(workflowOf(story, credential, id)));
	}

	/** The AI Agent of this execution calls the tool again, with this input. */
	async callAgain(items: INodeExecutionData[]): Promise<Execution> {
		const { credential, id } = this;
		const story = { ...this.story, items };
		const [options] = optionsOf(story, credential, id);
		return new Execution(story, credential, id, (await runAgain(result(this.run), options)).run);
	}
}

/** The data with which a *Retry* begins: that of the failed execution, with the workflow as it is now. */
export function retryData(failed: IRunExecutionData, workflow: Workflow): IRunExecutionData {
	const data = copy(failed);
	const { resultData, executionData } = data;
	delete resultData.error;
	const runs = resultData.runData[resultData.lastNodeExecuted ?? ''];
	if (runs?.at(-1)?.error) runs.pop();
	for (const entry of executionData?.nodeExecutionStack ?? [])
		entry.node = workflow.getNode(entry.node.name) ?? entry.node;
	return data;
}

/** The options of each node. */
function optionsOf(
	{ nodes: [first, ...others], items, keyOf, n8n }: Story,
	credential: Credential,
	id: number,
): [RunOptions, ...RunOptions[]] {
	const shared = { items, credential, executionId: `execution-${id}`, ...n8n, ...(keyOf && { keyOf }) };
	return [{ ...first, ...shared }, ...others.map((node) => ({ ...node, ...shared }))];
}

const LOOP = 'test.loop';

/** The workflow, as n8n builds it anew for each execution. */
export function workflowOf(story: Story, credential: Credential, id: number) {
	const { rounds = [], haveSameId = false } = story;
	const [first, ...others] = optionsOf(story, credential, id);
	const prepared = prepare(first);
	const { nodes, nodeTypes } = prepared.workflow;
	const added = others.flatMap((options, index): INode[] => {
		const node = prepare(options).workflow.getNode('Gateway');
		const id = haveSameId ? node?.id : `more-${index}`;
		return node ? [{ ...node, id: id ?? '', name: `Gateway ${index + 2}` }] : [];
	});
	const loop: INode = {
		id: 'loop',
		name: 'Loop',
		type: LOOP,
		typeVersion: 1,
		position: [400, 0],
		parameters: {},
	};
	const line = ['Source', 'Gateway', ...added.map(({ name }) => name), 'Loop', 'Gateway'];
	const steps = line.slice(0, -1).map((name, index) => [name, line[index + 1] ?? ''] as const);
	const find = (type: string) => (type === LOOP ? loopOver(rounds) : nodeTypes.getByNameAndVersion(type));
	const workflow = new Workflow({
		id: 'workflow-1',
		nodes: [...Object.values(nodes), ...added, loop],
		connections: Object.fromEntries(
			steps.map(([from, node]) => [from, { main: [[{ node, type: 'main', index: 0 }]] }]),
		),
		active: false,
		nodeTypes: { ...nodeTypes, getByName: find, getByNameAndVersion: find },
		settings: { executionOrder: 'v1', ...story.workflow },
	});
	return { ...prepared, workflow };
}

/** A node that starts the rounds after the first one, and ends the workflow after the last. */
function loopOver(rounds: INodeExecutionData[][]): INodeType {
	return nodeType('loop', 'transform', function () {
		const { $runIndex: done } = this.getWorkflowDataProxy(0);
		return [rounds[Number(done)] ?? []];
	});
}
