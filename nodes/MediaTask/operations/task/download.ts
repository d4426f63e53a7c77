import type { INodeProperties } from 'n8n-workflow';

import { downloadArchive, downloadResults, taskJson } from '../../../shared/n8n/taskResults';
import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { binaryPropertyOption, readBinaryField } from '../../../shared/fields/mediaResults';
import { fetchMediaTask, readMediaTask, type MediaTask } from '../../../shared/gateway/endpoints/tasks';
import { readTaskId, taskIdField } from './taskId';

const separateOption: INodeProperties = {
	displayName: 'Separate Files',
	name: 'separateFiles',
	type: 'boolean',
	default: true,
	description:
		'Whether several files go into a binary field each (data, data_1, …) instead of coming as one ZIP archive',
};

/** Downloads the result of a media task: the file itself, or of several a ZIP (§4.8) or each on its own. */
export const download: Operation = {
	displayName: 'Download',
	action: 'Download result of media task',
	description: 'Retrieve the file that a task has made; several come as one ZIP archive, or in a field each',
	properties: [taskIdField],
	options: [binaryPropertyOption, separateOption],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const taskId = readTaskId(item);
		// An AI Agent can use links, not files.
		if (item.run.isTool) return [{ json: taskJson(await fetchedTask(item, taskId)) }];
		if (item.parameters.options.boolean('separateFiles', 'Separate Files')) {
			return [await separateFiles(item, await fetchedTask(item, taskId))];
		}
		const file = await downloadArchive(item, taskId);
		return [
			{
				json: { taskId, fileName: file.fileName ?? null, mimeType: file.mimeType },
				binary: { [readBinaryField(item.parameters.options)]: file },
			},
		];
	},
};

async function fetchedTask(item: ItemContext, taskId: string): Promise<MediaTask> {
	return readMediaTask(await fetchMediaTask(item.client, taskId), taskId);
}

async function separateFiles(item: ItemContext, task: MediaTask): Promise<OperationOutput> {
	const binary = await downloadResults(item, task, readBinaryField(item.parameters.options));
	const files = Object.entries(binary).map(([field, { fileName = null, mimeType }]) => ({
		field,
		fileName,
		mimeType,
	}));
	return { json: { taskId: task.taskId, files }, binary };
}
