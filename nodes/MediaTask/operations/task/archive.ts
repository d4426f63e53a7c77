import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { setArchived } from '../../../shared/gateway/endpoints/taskActions';
import { readTaskId, taskIdField } from './taskId';

/** Moves a task to the archived list (§4.9). */
export const archive: Operation = {
	displayName: 'Archive',
	action: 'Archive media task',
	description: 'Move a task to the archived list, where it can still be retrieved by its ID',
	properties: [taskIdField],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const taskId = readTaskId(item);
		await setArchived(item.client, taskId, true);
		return [{ json: { archived: true, taskId } }];
	},
};
