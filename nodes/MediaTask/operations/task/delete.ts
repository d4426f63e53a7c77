import { deleteMediaTask } from '../../../shared/gateway/endpoints/taskActions';
import { defineOperation } from '../../../shared/run/operation';
import { taskId } from './taskId';

/** Marks a task and its files deleted (§4.10). */
export const deleteOperation = defineOperation({
	displayName: 'Delete',
	action: 'Delete media task',
	description: "Delete a task and the files it has made; 'Restore' brings them back",
	parameters: { taskId },
	async execute({ client, params }) {
		await deleteMediaTask(client, params.taskId);
		return [{ json: { deleted: true, taskId: params.taskId } }];
	},
});
