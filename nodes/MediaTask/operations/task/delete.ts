import { deleteMediaTask } from '../../../shared/gateway/endpoints/taskActions';
import { defineOperation } from '../../../shared/run/operation';
import { taskId } from './taskId';

/** Marks a task and its files deleted (§4.10). */
export const deleteOperation = defineOperation({
	displayName: 'Delete',
	action: 'Delete a media task',
	description: "Delete a task and its files, which 'Restore' can bring back",
	parameters: { taskId },
	async execute({ client, params }) {
		await deleteMediaTask(client, params.taskId);
		return [{ json: { deleted: true, taskId: params.taskId } }];
	},
});
