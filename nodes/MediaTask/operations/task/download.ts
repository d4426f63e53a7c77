import { binaryPropertyName } from '../../../shared/fields/mediaResults';
import { fetchMediaTask, hasEnded, readMediaTask, taskError } from '../../../shared/gateway/endpoints/tasks';
import { ApiError, asError } from '../../../shared/gateway/errors/errors';
import { downloadArchive, isWithoutFile, taskJson } from '../../../shared/n8n/taskResults';
import { defineOperation } from '../../../shared/run/operation';
import { taskId } from './taskId';

export const download = defineOperation({
	displayName: 'Download',
	action: 'Download the result of a media task',
	description: "Retrieve the file of a task, or a ZIP archive of several; 'Wait' retrieves them one by one",
	toolDescription: 'Looks up a finished task by its ID. Returns the URLs of its files.',
	parameters: { taskId },
	options: { binaryPropertyName },
	async execute(item) {
		const { taskId: id, options } = item.params;
		const task = async () => readMediaTask(await fetchMediaTask(item.client, id), id);
		// An AI Agent can use links, not files.
		if (item.run.isTool) return [{ json: taskJson(await task()) }];
		try {
			const file = await downloadArchive(item, id);
			const { fileName = null, mimeType } = file;
			return [{ json: { taskId: id, fileName, mimeType }, binary: { [options.binaryPropertyName]: file } }];
		} catch (error) {
			// §4.8: a task that has no file yet gives 404, as one that does not exist.
			if (!(error instanceof ApiError) || error.details.status !== 404) throw asError(error);
			const found = await task();
			const { state } = found;
			if (isWithoutFile(item, found, error)) return [{ json: taskJson(found) }];
			if (state === 'fail') throw taskError(found, item.client.settings.secrets);
			if (hasEnded(state)) throw asError(error);
			throw error.with({
				message: 'The media task has not finished',
				description: `It has no file yet: its state is "${state}". Use the operation 'Wait', which returns its files.`,
				code: 'task_not_finished',
				retryable: true,
				taskId: id,
			});
		}
	},
});
