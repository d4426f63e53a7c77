import { binaryPropertyName } from '../../../shared/fields/mediaResults';
import {
	fetchMediaTask,
	hasEnded,
	readMediaTask,
	type MediaTask,
} from '../../../shared/gateway/endpoints/tasks';
import { ApiError, asError } from '../../../shared/gateway/errors/errors';
import { downloadArchive, downloadFiles, taskJson } from '../../../shared/n8n/taskResults';
import { flag, optional } from '../../../shared/params/kinds';
import { defineOperation, type ItemContext, type OperationOutput } from '../../../shared/run/operation';
import { taskId } from './taskId';

/** Downloads the result of a media task: one file, or several as a ZIP archive (§4.8) or separately. */
export const download = defineOperation({
	displayName: 'Download',
	action: 'Download the result of a media task',
	description: 'Retrieve the file of a task; several files come as one ZIP archive or in separate fields',
	toolDescription: 'Looks up a finished task by its ID. Returns the URLs of its files.',
	parameters: { taskId },
	options: {
		binaryPropertyName,
		separateFiles: optional(
			flag({
				displayName: 'Separate Files',
				default: true,
				description:
					'Whether to put each file into its own binary field (data, data_1, …) instead of all files into one ZIP archive',
			}),
		),
	},
	async execute(item) {
		const { params, run } = item;
		const id = params.taskId;
		const { binaryPropertyName: field, separateFiles } = params.options;
		const task = async () => readMediaTask(await fetchMediaTask(item.client, id), id);
		// An AI Agent can use links, not files.
		if (run.isTool) return [{ json: taskJson(await task()) }];
		try {
			return [separateFiles ? await filesOf(item, await task(), field) : await archiveOf(item, id, field)];
		} catch (error) {
			// §4.8: a task that has no file yet gives 404, as one that does not exist.
			if (!(error instanceof ApiError) || error.details.status !== 404) throw asError(error);
			const { state } = await task();
			throw hasEnded(state) ? error : notFinished(id, state, error);
		}
	},
});

function notFinished(taskId: string, state: string, error: ApiError): ApiError {
	return error.with({
		message: 'The media task has not finished',
		description: `It has no file yet: its state is "${state}". Use the operation 'Wait', which returns its files.`,
		code: 'task_not_finished',
		retryable: true,
		taskId,
	});
}

async function archiveOf(item: ItemContext, taskId: string, field: string): Promise<OperationOutput> {
	const file = await downloadArchive(item, taskId);
	return {
		json: { taskId, fileName: file.fileName ?? null, mimeType: file.mimeType },
		binary: { [field]: file },
	};
}

async function filesOf(item: ItemContext, task: MediaTask, first: string): Promise<OperationOutput> {
	const binary = await downloadFiles(item, task, first);
	const files = Object.entries(binary).map(([field, { fileName = null, mimeType }]) => ({
		field,
		fileName,
		mimeType,
	}));
	return { json: { taskId: task.taskId, files }, binary };
}
