import { binaryPropertyName } from '../../../shared/fields/mediaResults';
import { fetchMediaTask, readMediaTask, type MediaTask } from '../../../shared/gateway/endpoints/tasks';
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
		// An AI Agent can use links, not files.
		if (run.isTool) return [{ json: taskJson(await fetchedTask(item, id)) }];
		const field = params.options.binaryPropertyName;
		if (params.options.separateFiles) return [await separateFiles(item, await fetchedTask(item, id), field)];
		const file = await downloadArchive(item, id);
		return [
			{
				json: { taskId: id, fileName: file.fileName ?? null, mimeType: file.mimeType },
				binary: { [field]: file },
			},
		];
	},
});

async function fetchedTask({ client }: ItemContext, id: string): Promise<MediaTask> {
	return readMediaTask(await fetchMediaTask(client, id), id);
}

async function separateFiles(item: ItemContext, task: MediaTask, first: string): Promise<OperationOutput> {
	const binary = await downloadFiles(item, task, first);
	const files = Object.entries(binary).map(([field, { fileName = null, mimeType }]) => ({
		field,
		fileName,
		mimeType,
	}));
	return { json: { taskId: task.taskId, files }, binary };
}
