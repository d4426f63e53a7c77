import { Deferred, type ItemContext, type Operation } from '../../../shared/execution/operation';
import { simplifyField } from '../../../shared/fields/common';
import { downloadField, maxWaitOption, pollTask, readMaxWait, readWish, taskOutput } from './finish';
import { binaryPropertyOption, readTaskId, taskIdField } from './results';

/** Waits for tasks that exist, those of all items together (§3.1). */
export const wait: Operation = {
	displayName: 'Wait',
	action: 'Wait for the result of a media task',
	description: 'Get the files of a task that was created before, as soon as it is done',
	properties: [taskIdField, downloadField, simplifyField],
	options: [maxWaitOption, binaryPropertyOption],
	async execute(item: ItemContext): Promise<Deferred> {
		const taskId = readTaskId(item);
		const wish = readWish(item);
		const plan = { maxWaitMs: readMaxWait(item), lookAtOnce: true };
		return new Deferred(async () => [
			await taskOutput(item, taskId, await pollTask(item, taskId, plan), wish),
		]);
	},
};
