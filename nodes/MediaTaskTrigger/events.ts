import { hasEnded } from '../shared/gateway/endpoints/tasks';

/** What a trigger waits for. */
export type Events = 'success' | 'fail' | 'both';

/** Whether a task in this state (§3.1) starts the workflow. */
export function startsWorkflow(state: string, events: Events): boolean {
	return hasEnded(state) && (events === 'both' || events === state);
}

/** So many tasks are remembered: those of some days for most, and a few kilobytes. */
export const MAX_REMEMBERED = 1_000;

/** Lists of task ids in one, in their order, each once; of more than 1,000 the oldest are forgotten. */
export function mergedIds(...lists: ReadonlyArray<readonly string[]>): string[] {
	return [...new Set(lists.flat())].slice(-MAX_REMEMBERED);
}
