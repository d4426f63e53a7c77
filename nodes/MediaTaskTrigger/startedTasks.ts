import type { IWebhookFunctions } from 'n8n-workflow';

import { asArray, asText } from '../shared/gateway/util/json';

/** Key in the node's static data, which n8n stores with the workflow and copies into each execution. */
const STARTED_KEY = 'started';

/** How many tasks are remembered: some 40 kB. */
const MAX_TASKS = 1_000;

type State = 'starting' | 'started' | 'failed';

/** By trigger, of the editor's tests and of the published workflow, the tasks of this process. */
const memory = new Map<string, Map<string, State>>();

/** The tasks that have started the workflow. A test in the editor may use the same task several times. */
export class StartedTasks {
	readonly isTest: boolean;
	private readonly store;
	private readonly here: Map<string, State>;

	constructor(context: IWebhookFunctions) {
		this.isTest = context.getMode() === 'manual';
		const trigger = JSON.stringify([context.getWorkflow().id, context.getNode().id, this.isTest]);
		this.store = context.getWorkflowStaticData('node');
		this.here = memory.get(trigger) ?? new Map<string, State>();
		memory.set(trigger, this.here);
	}

	stateOf(taskId: string): 'starting' | 'started' | undefined {
		const state = this.here.get(taskId) ?? (this.stored.includes(taskId) ? 'started' : 'failed');
		return state === 'failed' || (this.isTest && state === 'started') ? undefined : state;
	}

	/** Begins the start for a task, which nothing else does until it has ended. */
	begin(taskId: string): void {
		this.here.delete(taskId);
		this.here.set(taskId, 'starting');
		for (const [oldest] of [...this.here].slice(0, -MAX_TASKS)) this.here.delete(oldest);
	}

	/**
	 * Stores a task, for n8n to keep with its start. n8n hands out a copy for each call and stores it whole, so each copy gets
	 * the tasks of all calls. Starts that have not ended are left out: they may fail.
	 */
	add(taskId: string): void {
		if (this.isTest) return;
		const all = new Set([...this.stored, ...this.here.keys()].filter((id) => this.stateOf(id) === 'started'));
		this.store[STARTED_KEY] = [...all, taskId].slice(-MAX_TASKS);
	}

	end(taskId: string, state: 'started' | 'failed'): void {
		this.here.set(taskId, state);
	}

	private get stored(): string[] {
		return asArray(this.store[STARTED_KEY]).flatMap((id) => asText(id) ?? []);
	}
}
