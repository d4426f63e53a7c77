import { setArchived } from '../../../shared/gateway/endpoints/taskActions';
import { defineOperation } from '../../../shared/run/operation';
import { taskId } from './taskId';

/** Moves a task to the archived list (§4.9). */
export const archive = defineOperation({
	displayName: 'Archive',
	action: 'Archive a media task',
	description: 'Move a task to the archived list, where it can still be retrieved by its ID',
	parameters: { taskId },
	async execute({ client, params }) {
		await setArchived(client, params.taskId, true);
		return [{ json: { archived: true, taskId: params.taskId } }];
	},
});
