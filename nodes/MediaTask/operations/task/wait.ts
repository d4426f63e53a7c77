import { defineOperation, Deferred } from '../../../shared/run/operation';
import { resultOptions, resultParameters, resultReader } from './result';
import { taskId } from './taskId';

/** Waits for the existing tasks of all items at the same time (§3.1). */
export const wait = defineOperation({
	displayName: 'Wait',
	action: 'Wait for a media task',
	description: 'Wait until an existing task ends, and retrieve its files',
	toolDescription:
		'Waits for a task that generates an image, video, music or speech, by its ID, until it has ended. Returns the URLs of its files.',
	parameters: { taskId, ...resultParameters },
	options: resultOptions,
	async execute(item) {
		const { taskId: id, options } = item.params;
		const result = resultReader(item);
		const maxWaitMs = options.maxWait * 60_000;
		return new Deferred(async () => await result(id, { maxWaitMs, pollImmediately: true }));
	},
});
