import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { deleteMediaTask } from '../../../shared/gateway/endpoints/taskActions';
import { readTaskId, taskIdField } from './taskId';

/** Marks a task and its files deleted (§4.10). */
export const deleteOperation: Operation = {
	displayName: 'Delete',
	action: 'Delete media task',
	description: "Delete a task and the files it has made; 'Restore' brings them back",
	properties: [taskIdField],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const taskId = readTaskId(item);
		await deleteMediaTask(item.client, taskId);
		return [{ json: { deleted: true, taskId } }];
	},
};
