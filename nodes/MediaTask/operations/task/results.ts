import type { IBinaryKeyData, IDataObject, INodeProperties } from 'n8n-workflow';

import { storeAnswer } from '../../../shared/execution/binary';
import type { ItemContext } from '../../../shared/execution/operation';
import { compact } from '../../../shared/fields/common';
import { ApiFailure, Stopped } from '../../../shared/gateway/failure';
import { nameInUrl } from '../../../shared/gateway/files';
import { downloadMediaTask, type MediaTask } from '../../../shared/gateway/media';

export const taskIdField: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
	description: 'The ID that Create gave',
};

export const binaryPropertyOption: INodeProperties = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	placeholder: 'e.g. data',
	description: 'Name of the binary field for the result. Further files get _1, _2 … appended.',
};

const DEFAULT_BINARY_FIELD = 'data';

/** The task id of an item. */
export function readTaskId({ parameters }: ItemContext): string {
	return parameters
		.requiredText('taskId', 'Task ID', 'Enter the ID that Create gave, e.g. {{ $json.taskId }}.')
		.trim();
}

/** The name of the binary field that results go to. */
export function binaryField({ parameters }: ItemContext): string {
	return parameters.options.text('binaryPropertyName', 'Put Output File in Field') ?? DEFAULT_BINARY_FIELD;
}

/**
 * A task as the node puts it out.
 *
 * @param priceRub what it costs, where that is known
 */
export function taskJson(task: MediaTask, priceRub?: number): IDataObject {
	const { failCode, failMsg, ...rest } = task;
	return compact({ ...rest, priceRub, failCode, failMsg });
}

/**
 * Fetches the result files of a task into binary fields, one after the other, streamed. Each comes from its own
 * URL without the key; where the task names none, from the gateway's download (§4.8).
 *
 * @throws {ApiFailure} with the task's id: the result exists and can be fetched again
 */
export async function fetchResults(item: ItemContext, task: MediaTask): Promise<IBinaryKeyData> {
	const field = binaryField(item);
	const binary: IBinaryKeyData = {};
	try {
		if (task.resultUrls.length === 0) return { [field]: await fetchArchive(item, task.taskId) };
		for (const [index, url] of task.resultUrls.entries()) {
			const name = index === 0 ? field : `${field}_${index}`;
			binary[name] = await item.client.downloadUrl(
				url,
				async (answer) =>
					await storeAnswer(item.n8n, answer, [nameInUrl(url), `task_${task.taskId}_${index}`]),
			);
		}
		return binary;
	} catch (error) {
		throw resultNotFetched(error, task.taskId);
	}
}

/** Whatever kept a result from being fetched or stored: the task is paid for, so its id stands in the error. */
function resultNotFetched(error: unknown, taskId: string): Error {
	if (error instanceof Stopped) return error;
	const advice = `Task ${taskId} is finished and paid for: fetch its result again with the operation Download.`;
	if (error instanceof ApiFailure) {
		return error.with({ taskId, description: `${error.details.description} ${advice}` });
	}
	const reason = error instanceof Error ? error.message : String(error);
	return new ApiFailure({
		message: 'The result of the media task could not be stored in n8n',
		description: `${reason}. ${advice}`,
		arrival: 'answered',
		code: 'result_not_stored',
		retryable: false,
		taskId,
	});
}

/** Fetches the result of a task as the gateway gives it: the file, or a ZIP of several (§4.8). */
export async function fetchArchive(item: ItemContext, taskId: string): Promise<IBinaryKeyData[string]> {
	return await downloadMediaTask(
		item.client,
		taskId,
		async (answer) => await storeAnswer(item.n8n, answer, [`task_${taskId}`]),
	);
}
