import { hasEnded } from '../shared/gateway/endpoints/tasks';

/** The events that start a workflow. */
export type Events = 'success' | 'fail' | 'both';

/** Whether a task in this state (§3.1) starts the workflow. */
export function startsWorkflow(state: string, events: Events): boolean {
	return hasEnded(state) && (events === 'both' || events === state);
}

/** How many tasks are remembered: for most accounts those of several days, in a few kilobytes. */
export const MAX_REMEMBERED = 1_000;

/** Merges lists of task IDs, each ID once, in order; keeps the last {@link MAX_REMEMBERED}. */
export function mergedIds(...lists: ReadonlyArray<readonly string[]>): string[] {
	return [...new Set(lists.flat())].slice(-MAX_REMEMBERED);
}
