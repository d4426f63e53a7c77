import type { IWebhookFunctions } from 'n8n-workflow';

import { asArray, asText } from '../shared/gateway/util/json';
import { mergedIds } from './events';

/** Key in the node's static data, which n8n stores with the workflow. */
const KEY = 'started';

/** By trigger, the tasks that have started it since this process began: n8n hands out a copy of the stored ones per call. */
const startedHere = new Map<string, readonly string[]>();

/**
 * Which tasks have started the workflow. Within a process, a task is taken once, however many calls come at a time;
 * the tasks of earlier processes stand in the workflow's static data.
 */
export class StartedTasks {
	private readonly store;
	private readonly trigger: string;
	/** Whether somebody tries the trigger out in the editor, again and again with the same task. */
	readonly isTest: boolean;

	constructor(
		context: Pick<IWebhookFunctions, 'getWorkflowStaticData' | 'getWorkflow' | 'getNode' | 'getMode'>,
	) {
		this.store = context.getWorkflowStaticData('node');
		this.trigger = `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
		this.isTest = context.getMode() === 'manual';
	}

	/** Takes a task; false when it has started the workflow before. */
	take(taskId: string): boolean {
		if (this.isTest) return true;
		const stored = asArray(this.store[KEY]).flatMap((id) => asText(id) ?? []);
		const here = startedHere.get(this.trigger) ?? [];
		if (stored.includes(taskId) || here.includes(taskId)) return false;
		startedHere.set(this.trigger, mergedIds(here, [taskId]));
		// Calls that are answered at the same time each store the list: it holds what all of them have taken.
		this.store[KEY] = mergedIds(stored, here, [taskId]);
		return true;
	}
}
