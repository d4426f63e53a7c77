import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { setArchived } from '../../../shared/gateway/endpoints/taskActions';
import { readTaskId, taskIdField } from './taskId';

/** Moves a task back to the active list (§4.9). */
export const unarchive: Operation = {
	displayName: 'Unarchive',
	action: 'Unarchive media task',
	description: 'Move a task from the archived list back to the active one',
	properties: [taskIdField],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const taskId = readTaskId(item);
		await setArchived(item.client, taskId, false);
		return [{ json: { archived: false, taskId } }];
	},
};
