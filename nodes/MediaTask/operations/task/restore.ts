import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { restoreMediaTask } from '../../../shared/gateway/endpoints/taskActions';
import { readTaskId, taskIdField } from './taskId';

/** Brings a deleted task back (§4.11). */
export const restore: Operation = {
	displayName: 'Restore',
	action: 'Restore media task',
	description: 'Bring back a deleted task, with the files that were deleted with it',
	properties: [taskIdField],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const taskId = readTaskId(item);
		await restoreMediaTask(item.client, taskId);
		return [{ json: { restored: true, taskId } }];
	},
};
