import type { IWebhookFunctions } from 'n8n-workflow';

import {
	hasStarted,
	isTooOld,
	merged,
	readRecord,
	withTask,
	type RecordedTask,
	type StartedRecord,
} from './startedRecord';

/** Key in the node's static data, which n8n stores with the workflow. */
const KEY = 'started';

/**
 * By trigger, the tasks that have started it, as far as this process knows. n8n hands out the stored ones as a copy
 * for each callback.
 */
const startedHere = new Map<string, StartedRecord>();

/**
 * Remembers which tasks have started the workflow. In a process, each task starts it once, even with several
 * callbacks at the same time; tasks of other processes are in the workflow's static data. A task that is too old to
 * be remembered does not start it.
 */
export class StartedTasks {
	private readonly store;
	private readonly trigger: string;
	/** Whether this is a test in the editor, which may use the same task several times. */
	readonly isTest: boolean;

	constructor(
		context: Pick<IWebhookFunctions, 'getWorkflowStaticData' | 'getWorkflow' | 'getNode' | 'getMode'>,
		private readonly now: () => number = Date.now,
	) {
		this.store = context.getWorkflowStaticData('node');
		this.trigger = `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
		this.isTest = context.getMode() === 'manual';
	}

	/** Whether a task with this ID has started the workflow. */
	has(taskId: string): boolean {
		return !this.isTest && hasStarted(this.known(), { taskId }, this.now());
	}

	/** Whether a task was created before what is remembered. */
	isTooOld(task: RecordedTask): boolean {
		return !this.isTest && isTooOld(this.known(), task, this.now());
	}

	/** Marks a task as started; returns false when it has started the workflow before, or is too old. */
	take(task: RecordedTask): boolean {
		if (this.isTest) return true;
		const known = this.known();
		if (hasStarted(known, task, this.now())) return false;
		const record = withTask(known, task, this.now());
		startedHere.set(this.trigger, record);
		// Callbacks at the same time each store their copy, so it includes the tasks of all.
		this.store[KEY] = record;
		return true;
	}

	private known(): StartedRecord {
		const stored = readRecord(this.store[KEY]);
		const here = startedHere.get(this.trigger);
		return here ? merged(here, stored) : stored;
	}
}
