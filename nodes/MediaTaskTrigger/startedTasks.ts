import type { IWebhookFunctions } from 'n8n-workflow';

import { asArray, asText } from '../shared/gateway/util/json';

/** Key in the node's static data, which n8n stores with the workflow and copies into each execution. */
const KEY = 'started';

/** How many tasks are remembered: some 40 kB. */
const MAX_TASKS = 1_000;

/** By trigger, the tasks of this process: whether each has started the workflow, or n8n has failed to start it. */
const memory = new Map<string, Map<string, boolean>>();

/** The tasks that have started the workflow. A test in the editor may use the same task several times. */
export class StartedTasks {
	readonly isTest: boolean;
	private readonly store;
	private readonly here: Map<string, boolean>;

	constructor(context: IWebhookFunctions) {
		const trigger = JSON.stringify([context.getWorkflow().id, context.getNode().id]);
		this.isTest = context.getMode() === 'manual';
		this.store = context.getWorkflowStaticData('node');
		this.here = memory.get(trigger) ?? new Map<string, boolean>();
		memory.set(trigger, this.here);
	}

	has(taskId: string): boolean {
		return !this.isTest && (this.here.get(taskId) ?? this.stored.includes(taskId));
	}

	/** Adds a task; returns false when it has started the workflow before. */
	add(taskId: string): boolean {
		if (this.isTest || this.has(taskId)) return this.isTest;
		this.here.set(taskId, true);
		for (const [oldest] of [...this.here].slice(0, -MAX_TASKS)) this.here.delete(oldest);
		// n8n hands out a copy for each call and stores it whole, so each copy gets the tasks of all calls.
		const all = new Set([...this.stored, ...this.here.keys()]);
		this.store[KEY] = [...all].filter((id) => this.has(id)).slice(-MAX_TASKS);
		return true;
	}

	/** n8n has failed to start the execution for a task. */
	fail(taskId: string): void {
		this.here.set(taskId, false);
	}

	private get stored(): string[] {
		return asArray(this.store[KEY]).flatMap((id) => asText(id) ?? []);
	}
}
