import { taskJson } from '../../../shared/n8n/taskResults';
import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { simplifyField } from '../../../shared/fields/common';
import { fetchMediaTask, readMediaTask } from '../../../shared/gateway/endpoints/tasks';
import { readTaskId, taskIdField } from './taskId';

/** Gets a media task with its state and result (§4.7). A failed task is what was asked for here, not an error. */
export const get: Operation = {
	displayName: 'Get',
	action: 'Get media task',
	description: 'Retrieve a task: its state and the URLs of its result',
	properties: [taskIdField, simplifyField],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const simplify = item.parameters.flag('simplify', 'Simplify');
		const taskId = readTaskId(item);
		const body = await fetchMediaTask(item.client, taskId);
		return [{ json: simplify ? taskJson(readMediaTask(body, taskId)) : body }];
	},
};
