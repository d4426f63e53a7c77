import { setArchived } from '../../../shared/gateway/endpoints/taskActions';
import { defineOperation } from '../../../shared/run/operation';
import { taskId } from './taskId';

/** Moves a task back to the active list (§4.9). */
export const unarchive = defineOperation({
	displayName: 'Unarchive',
	action: 'Unarchive a media task',
	description: 'Move a task from the archived list back to the active one',
	parameters: { taskId },
	async execute({ client, params }) {
		await setArchived(client, params.taskId, false);
		return [{ json: { archived: false, taskId: params.taskId } }];
	},
});
