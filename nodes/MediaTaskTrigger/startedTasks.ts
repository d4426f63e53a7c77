import type { IWebhookFunctions } from 'n8n-workflow';

import { asArray, asText } from '../shared/gateway/util/json';
import { mergedIds } from './events';

/** Key in the node's static data, which n8n stores with the workflow. */
const KEY = 'started';

/**
 * By trigger, the tasks that have started it in this process. n8n hands out the stored ones as a copy for each
 * callback.
 */
const startedHere = new Map<string, readonly string[]>();

/**
 * Remembers which tasks have started the workflow. In a process, each task starts it once, even with several
 * callbacks at the same time; tasks of earlier processes are in the workflow's static data.
 */
export class StartedTasks {
	private readonly store;
	private readonly trigger: string;
	/** Whether this is a test in the editor, which may use the same task several times. */
	readonly isTest: boolean;

	constructor(
		context: Pick<IWebhookFunctions, 'getWorkflowStaticData' | 'getWorkflow' | 'getNode' | 'getMode'>,
	) {
		this.store = context.getWorkflowStaticData('node');
		this.trigger = `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
		this.isTest = context.getMode() === 'manual';
	}

	/** Marks a task as started; returns false when it has started the workflow before. */
	take(taskId: string): boolean {
		if (this.isTest) return true;
		const stored = asArray(this.store[KEY]).flatMap((id) => asText(id) ?? []);
		const here = startedHere.get(this.trigger) ?? [];
		if (stored.includes(taskId) || here.includes(taskId)) return false;
		startedHere.set(this.trigger, mergedIds(here, [taskId]));
		// Callbacks at the same time each store their copy of the list, so it includes the tasks of all.
		this.store[KEY] = mergedIds(stored, here, [taskId]);
		return true;
	}
}
