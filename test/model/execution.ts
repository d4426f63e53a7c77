import { WorkflowExecute } from 'n8n-core';
import { createRunExecutionData, type IRun, type IRunExecutionData, type ITaskData } from 'n8n-workflow';

import { requestSuspended } from '../helpers/contexts';
import { copy, type RunOptions } from '../helpers/engine';
import { RETRY, retryData, workflowOf, type Story } from '../stories/execution';
import { Clock } from '../helpers/time';
import { withAgents, type Answer } from './agent';
import type { History } from './history';
import { nodeName, storyOf } from './workflow';

/** A callback as n8n's server receives it. */
export interface Callback {
	query: Record<string, string>;
	body: unknown;
	reply: (status: number, body: unknown) => void;
}

/** What an execution depends on. */
export interface Surroundings {
	keyOf: NonNullable<Story['keyOf']>;
	n8nUrl: string;
	credential: NonNullable<RunOptions['credential']>;
}

/** The time of a run that a crash has left. */
const LEFT = 0;

type Running = ReturnType<WorkflowExecute['run']>;

/** The longest time from the start or resuming of an execution to its end or next wait, in milliseconds. */
const LONGEST_MS = 3_600_000;

/** How long n8n may take to end a run that was given up, in milliseconds. */
const GRACE_MS = 5_000;

/** An execution of a history's workflow, with what n8n does around it: it stores, resumes, cancels and retries it. */
export class Execution {
	/** Whether a run of it has not ended in time. */
	hangs = false;
	run: IRun | undefined;
	readonly began = Date.now();
	/** What its agents were told. */
	readonly answers: Answer[] = [];
	/** Whether n8n has crashed during it. */
	isLost = false;
	/** When n8n has last stored what a crash does not lose. */
	savedAt = 0;
	private running: Running | undefined;
	private atStart: IRunExecutionData | undefined;
	private suspended: IRunExecutionData | undefined;
	private resume: ((data: IRunExecutionData) => void) | undefined;

	/**
	 * @param history with the workflow as it is written now
	 * @param before the execution that this one is a *Retry* of
	 */
	constructor(
		readonly history: History,
		private readonly id: number,
		private readonly surroundings: Surroundings,
		private readonly before?: Execution,
	) {}

	get canBeRetried(): boolean {
		return this.isLost || this.run?.status === 'error';
	}

	/** Runs it to its end. */
	async play(): Promise<void> {
		const { workflow, source } = this.prepare();
		const { before } = this;
		const main = [[{ json: {} }]];
		const nodeExecutionStack = [{ node: source, data: { main }, source: null }];
		const data = before
			? retryData(before.stored, workflow)
			: createRunExecutionData({ executionData: { nodeExecutionStack } });
		// What the execution before has shown of its costs.
		delete data.resultData.metadata;
		await this.playFrom(data);
	}

	/** Stops the execution as the editor's button does; returns whether a run was cancelled. */
	cancel(): boolean {
		if (!this.running) return false;
		this.running.cancel();
		return true;
	}

	/** Handles a callback, as n8n's server does. */
	async receive({ query, body, reply }: Callback): Promise<void> {
		if (!this.suspended || !this.resume) return reply(409, { message: 'The execution is not waiting' });
		const { workflow, more } = this.prepare();
		const request = { query, body, reply };
		const data = await requestSuspended({ workflow, more, mode: this.mode }, this.suspended, request);
		if (data) this.resume?.(data);
	}

	/** The number of runs of a node that a crash has left. */
	runsBefore(node: number): number {
		const runs = this.atStart?.resultData.runData[nodeName(node)] ?? [];
		return runs.filter(({ startTime }) => startTime === LEFT).length;
	}

	/** What n8n has after its end, or after a crash. */
	get kept(): IRunExecutionData | undefined {
		return this.isLost ? this.atStart : this.run?.data;
	}

	/** After a crash, n8n has what it stored when it last began to run it, and adds a run of each node that had begun. */
	private get stored(): IRunExecutionData {
		const [run, stored] = [this.run?.data, this.kept];
		if (!run || !stored) throw new Error('There is no execution');
		if (!this.isLost) return stored;
		const { resultData } = stored;
		for (const [name, runs] of Object.entries(run.resultData.runData)) {
			if (resultData.runData[name]) continue;
			const { error } = runs.at(-1) ?? {};
			const left = { startTime: LEFT, executionIndex: 0, executionTime: -1, source: [null] };
			resultData.runData[name] = [{ ...left, ...(error && { error }) }];
			resultData.lastNodeExecuted = name;
		}
		return stored;
	}

	private get mode() {
		if (this.before) return RETRY;
		return this.history.isSubWorkflow ? 'integrated' : 'manual';
	}

	/** Builds the workflow anew, as n8n does each time that it starts or resumes an execution. */
	private prepare() {
		const { keyOf, n8nUrl, credential } = this.surroundings;
		const earlier = this.history.operations.map((_, node) => [
			`earlier${node}`,
			String(this.runsBefore(node)),
		]);
		const n8n = { n8nUrl, variables: Object.fromEntries(earlier) as Record<string, string> };
		const prepared = workflowOf({ ...storyOf(this.history), keyOf, n8n }, credential, this.id);
		return withAgents(prepared, this.history, (node) => this.runsBefore(node), this.answers);
	}

	private async playFrom(first: IRunExecutionData): Promise<void> {
		let data: IRunExecutionData | undefined = first;
		while (data) {
			this.run = await this.segment(data);
			data = this.run?.status === 'waiting' ? await this.resumed(this.run) : undefined;
		}
	}

	private async segment(data: IRunExecutionData): Promise<IRun | undefined> {
		this.atStart = copy(data);
		const { workflow, more } = this.prepare();
		more.hooks?.addHandler('nodeExecuteAfter', (name, run, { executionData }) =>
			this.save(name, run, executionData),
		);
		const running = new WorkflowExecute(more, this.mode, data).processRunExecutionData(workflow);
		this.running = running;
		let run: IRun | undefined;
		const ended = running.then((result) => void (run = result));
		if (!(await Clock.current.settled(ended, LONGEST_MS))) {
			this.hangs = true;
			running.cancel();
			await Clock.current.settled(ended, GRACE_MS);
		}
		this.running = undefined;
		return run;
	}

	/** Stores what a crash does not lose, as n8n does after each node. */
	private save(name: string, run: ITaskData, executionData: IRunExecutionData['executionData']): void {
		const { atStart, isLost, history } = this;
		if (!atStart || isLost || !history.savesProgress) return;
		(atStart.resultData.runData[name] ??= []).push(copy(run));
		atStart.resultData.lastNodeExecuted = name;
		if (executionData) atStart.executionData = copy(executionData);
		this.savedAt = Date.now();
	}

	/** How the suspended execution resumes: by a callback, or by time. */
	private async resumed({ data }: IRun): Promise<IRunExecutionData | undefined> {
		const suspended = copy(data);
		this.suspended = suspended;
		const resumed = new Promise<IRunExecutionData>((resolve) => {
			this.resume = (now) => {
				this.resume = undefined;
				this.suspended = undefined;
				clearTimeout(timer);
				resolve(now);
			};
			const waitTill = new Date(suspended.waitTill ?? 0).getTime();
			const timer = setTimeout(() => this.resume?.(suspended), Math.max(waitTill - Date.now(), 0));
		});
		return (await Clock.current.settled(resumed, LONGEST_MS)) ? await resumed : undefined;
	}
}
