import { WorkflowExecute } from 'n8n-core';
import type { IRun } from 'n8n-workflow';

import { requestContext } from '../helpers/contexts';
import { packageNodes, type RunOptions } from '../helpers/engine';
import type { Clock } from './clock';
import type { History } from './history';
import { workflowOf } from './workflow';

/** A callback as n8n's server receives it. */
export interface Callback {
	query: Record<string, string>;
	body: unknown;
	reply: (status: number, body: unknown) => void;
}

/** How long one run of the execution, from its start or resuming to its end, took. */
export interface Segment {
	/** Milliseconds. */
	took: number;
	hasEnded: boolean;
}

type Running = ReturnType<WorkflowExecute['run']>;

/** How long n8n may take to end a run that was given up, in milliseconds. */
const GRACE_MS = 5_000;

/** An execution of a history's workflow, with what n8n does around it: it stores, resumes and cancels it. */
export class Execution {
	readonly segments: Segment[] = [];
	run: IRun | undefined;
	private prepare;
	private running: Running | undefined;
	private stored: IRun['data'] | undefined;
	private resume: ((start: () => Running) => void) | undefined;

	constructor(
		private readonly history: History,
		options: RunOptions,
		private readonly clock: Clock,
	) {
		this.prepare = workflowOf(history, options);
	}

	/** Runs it to its end. */
	async play(limitMs: number): Promise<void> {
		const { workflow, source, mode, more } = this.prepare();
		await this.playFrom(() => new WorkflowExecute(more, mode).run({ workflow, startNode: source }), limitMs);
	}

	/** Runs the failed node again in an execution of its own, with the data of the failed one. */
	async retry(options: RunOptions, limitMs: number): Promise<void> {
		if (!this.run) throw new Error('There is no execution');
		this.prepare = workflowOf(this.history, options);
		const { workflow, mode, more } = this.prepare();
		const data = copy(this.run.data);
		delete data.resultData.error;
		data.resultData.runData.Gateway?.pop();
		await this.playFrom(
			() => new WorkflowExecute(more, mode, data).processRunExecutionData(workflow),
			limitMs,
		);
	}

	/** Runs the node again in the same execution, as an agent does that repeats a call of its tool. */
	async repeat(limitMs: number): Promise<void> {
		if (!this.run) throw new Error('There is no execution');
		const { workflow, mode, more } = this.prepare();
		const data = copy(this.run.data);
		const node = workflow.getNode('Gateway');
		const { executionData, resultData } = data;
		const [items = []] = resultData.runData.Source?.[0]?.data?.main ?? [];
		if (!node || !executionData) throw new Error('The execution has no data');
		delete resultData.error;
		resultData.runData.Gateway = [];
		const repeated = items?.map((item) => ({ ...item, json: { ...item.json, toolCallId: 'call-2' } }));
		executionData.nodeExecutionStack = [
			{ node, data: { main: [repeated ?? []] }, source: { main: [{ previousNode: 'Source' }] } },
		];
		await this.playFrom(
			() => new WorkflowExecute(more, mode, data).processRunExecutionData(workflow),
			limitMs,
		);
	}

	private async playFrom(first: () => Running, limitMs: number): Promise<void> {
		let start: (() => Running) | undefined = first;
		while (start) {
			await this.segment(start, limitMs);
			start = this.run?.status === 'waiting' ? await this.resumed(this.run, limitMs) : undefined;
		}
	}

	/** Stops the execution as the editor's button does; returns whether a run was cancelled. */
	cancel(): boolean {
		if (!this.running) return false;
		this.running.cancel();
		return true;
	}

	/** Handles a callback, as n8n's server does. */
	async receive({ query, body, reply }: Callback): Promise<void> {
		if (!this.stored || !this.resume) return reply(409, { message: 'The execution is not waiting' });
		const { workflow, mode, more } = this.prepare();
		const data = copy(this.stored);
		delete data.waitTill;
		data.resultData.runData.Gateway?.pop();
		const [waiting] = data.executionData?.nodeExecutionStack ?? [];
		const node = workflow.getNode('Gateway');
		if (!waiting || !node) throw new Error('The execution is not suspended');
		waiting.node.disabled = true;
		const context = requestContext({ workflow, more, mode }, node, { query, body, reply }, data);
		const { workflowData } = await packageNodes.mediaTask.webhook.call(context);
		if (!workflowData) return;
		waiting.data.main = workflowData;
		this.resume?.(() => new WorkflowExecute(more, mode, data).processRunExecutionData(workflow));
	}

	private async segment(start: () => Running, limitMs: number): Promise<void> {
		const began = Date.now();
		const running = start();
		this.running = running;
		const ended = running.then((run) => void (this.run = run));
		const hasEnded = await this.clock.until(ended, limitMs);
		this.segments.push({ took: Date.now() - began, hasEnded });
		if (!hasEnded) {
			running.cancel();
			await this.clock.until(ended, GRACE_MS);
		}
		this.running = undefined;
	}

	/** How the stored execution resumes: by a callback, or by time. */
	private async resumed(run: IRun, limitMs: number): Promise<(() => Running) | undefined> {
		this.stored = copy(run.data);
		const { stored } = this;
		const resumed = new Promise<() => Running>((resolve) => {
			this.resume = (start) => {
				this.resume = undefined;
				this.stored = undefined;
				clearTimeout(timer);
				resolve(start);
			};
			const byTime = (): void =>
				this.resume?.(() => {
					const { workflow, mode, more } = this.prepare();
					return new WorkflowExecute(more, mode, stored).processRunExecutionData(workflow);
				});
			const waitTill = new Date(stored.waitTill ?? 0).getTime();
			const timer = setTimeout(byTime, Math.max(waitTill - Date.now(), 0));
		});
		return (await this.clock.until(resumed, limitMs + 600_000)) ? await resumed : undefined;
	}
}

/** What n8n reads back from its database. */
function copy<T>(data: T): T {
	return JSON.parse(JSON.stringify(data)) as T;
}
