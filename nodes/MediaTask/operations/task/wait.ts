import { Deferred, type ItemContext, type Operation } from '../../../shared/run/operation';
import { simplifyField } from '../../../shared/fields/common';
import { binaryPropertyOption, downloadField } from '../../../shared/fields/mediaResults';
import { maxWaitOption, pollTask, readMaxWait, readResultSettings, taskOutput } from './result';
import { readTaskId, taskIdField } from './taskId';

/** Waits for tasks that exist, those of all items together (§3.1). */
export const wait: Operation = {
	displayName: 'Wait',
	action: 'Wait for result of media task',
	description: 'Retrieve the files of a task that was created before, as soon as it has ended',
	properties: [taskIdField, downloadField, simplifyField],
	options: [maxWaitOption('After that, the item fails.'), binaryPropertyOption],
	async execute(item: ItemContext): Promise<Deferred> {
		const taskId = readTaskId(item);
		const settings = readResultSettings(item);
		const plan = { maxWaitMs: readMaxWait(item), pollImmediately: true };
		return new Deferred(async () => [
			await taskOutput(item, taskId, await pollTask(item, taskId, plan), settings),
		]);
	},
};
