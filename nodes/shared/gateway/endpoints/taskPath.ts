import type { ErrorText } from '../errors/texts';
import { pathSegment } from './response';

/** The path of all tasks (§4.6, §4.13). */
export const TASKS_PATH = '/async/media/tasks';

/** The path of a task (§4.7). */
export function taskPath(taskId: string): string {
	return `${TASKS_PATH}/${pathSegment(taskId, 'task ID', 'taskId')}`;
}

/** Texts for requests with a task ID: their 422 is about the ID, not about a model's input (§4.7). */
export const TASK_TEXTS: Readonly<Record<number, ErrorText>> = {
	422: {
		message: 'The gateway does not accept this task ID',
		description: "Enter the ID exactly as 'Create' returned it, e.g. {{ $json.taskId }}.",
	},
};
