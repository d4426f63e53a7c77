import {
	deleteMediaTask,
	restoreMediaTask,
	setArchived,
} from '../../../shared/gateway/endpoints/taskActions';
import { defineOperation } from '../../../shared/run/operation';
import { taskId } from './taskId';

/** An operation that changes a flag of a task, and returns no more than that (§3.2, §4.9 to 4.11). */
function change(
	displayName: string,
	description: string,
	request: typeof deleteMediaTask,
	done: { archived: boolean } | { deleted: true } | { restored: true },
) {
	return defineOperation({
		displayName,
		action: `${displayName} a media task`,
		description,
		isLight: true,
		parameters: { taskId },
		async execute({ client, params }) {
			await request(client, params.taskId);
			return [{ json: { ...done, taskId: params.taskId } }];
		},
	});
}

export const archive = change(
	'Archive',
	'Move a task to the archived list, where it can still be retrieved by its ID',
	async (client, id) => await setArchived(client, id, true),
	{ archived: true },
);

export const unarchive = change(
	'Unarchive',
	'Move a task from the archived list back to the active one',
	async (client, id) => await setArchived(client, id, false),
	{ archived: false },
);

export const deleteOperation = change(
	'Delete',
	"Delete a task and its files, which 'Restore' can bring back",
	deleteMediaTask,
	{ deleted: true },
);

export const restore = change('Restore', 'Bring back a deleted task and its files', restoreMediaTask, {
	restored: true,
});
