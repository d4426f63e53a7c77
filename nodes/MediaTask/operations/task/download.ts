import type { ItemContext, Operation, OperationOutput } from '../../../shared/execution/operation';
import { fetchMediaTask, readMediaTask } from '../../../shared/gateway/media';
import {
	binaryField,
	binaryPropertyOption,
	fetchArchive,
	readTaskId,
	taskIdField,
	taskJson,
} from './results';

/** Downloads the result of a media task: the file itself, or a ZIP of several (§4.8). */
export const download: Operation = {
	displayName: 'Download',
	action: 'Download the result of a media task',
	description: 'Get the generated file; several files come as one ZIP archive',
	properties: [taskIdField],
	options: [binaryPropertyOption],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const taskId = readTaskId(item);
		// An AI Agent can use links, not files.
		if (item.run.isTool) {
			return [{ json: taskJson(readMediaTask(await fetchMediaTask(item.client, taskId), taskId)) }];
		}
		const file = await fetchArchive(item, taskId);
		return [
			{
				json: { taskId, fileName: file.fileName ?? null, mimeType: file.mimeType },
				binary: { [binaryField(item)]: file },
			},
		];
	},
};
