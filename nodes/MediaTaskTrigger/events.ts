import { hasEnded } from '../shared/gateway/endpoints/tasks';

/** The events that start a workflow. */
export type Events = 'success' | 'fail' | 'both';

/** Whether a task in this state (§3.1) starts the workflow. */
export function startsWorkflow(state: string, events: Events): boolean {
	return hasEnded(state) && (events === 'both' || events === state);
}
