import type { GatewayClient } from '../../../shared/gateway/client/client';
import {
	deleteMediaTask,
	restoreMediaTask,
	setArchived,
} from '../../../shared/gateway/endpoints/taskActions';
import { defineOperation, type Operation } from '../../../shared/run/operation';
import { taskId } from './taskId';

// What changes the flags of a task, and returns no more than that (§3.2, §4.9 to 4.11).

function change(
	texts: Pick<Operation, 'displayName' | 'action' | 'description'>,
	request: (client: GatewayClient, taskId: string) => Promise<void>,
	done: { archived: boolean } | { deleted: true } | { restored: true },
): Operation {
	return defineOperation({
		...texts,
		parameters: { taskId },
		async execute({ client, params }) {
			await request(client, params.taskId);
			return [{ json: { ...done, taskId: params.taskId } }];
		},
	});
}

export const archive = change(
	{
		displayName: 'Archive',
		action: 'Archive a media task',
		description: 'Move a task to the archived list, where it can still be retrieved by its ID',
	},
	async (client, id) => await setArchived(client, id, true),
	{ archived: true },
);

export const unarchive = change(
	{
		displayName: 'Unarchive',
		action: 'Unarchive a media task',
		description: 'Move a task from the archived list back to the active one',
	},
	async (client, id) => await setArchived(client, id, false),
	{ archived: false },
);

export const deleteOperation = change(
	{
		displayName: 'Delete',
		action: 'Delete a media task',
		description: "Delete a task and its files, which 'Restore' can bring back",
	},
	deleteMediaTask,
	{ deleted: true },
);

export const restore = change(
	{
		displayName: 'Restore',
		action: 'Restore a deleted media task',
		description: 'Bring back a deleted task and its files',
	},
	restoreMediaTask,
	{ restored: true },
);
