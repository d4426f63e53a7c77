import { restoreMediaTask } from '../../../shared/gateway/endpoints/taskActions';
import { defineOperation } from '../../../shared/run/operation';
import { taskId } from './taskId';

/** Restores a deleted task (§4.11). */
export const restore = defineOperation({
	displayName: 'Restore',
	action: 'Restore a deleted media task',
	description: 'Bring back a deleted task and its files',
	parameters: { taskId },
	async execute({ client, params }) {
		await restoreMediaTask(client, params.taskId);
		return [{ json: { restored: true, taskId: params.taskId } }];
	},
});
