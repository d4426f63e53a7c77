import type { IBinaryData, IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { compact } from '../gateway/util/json';
import { ApiError, asError } from '../gateway/errors/errors';
import { problemError } from '../gateway/errors/fromResponse';
import { excerpt } from '../gateway/util/text';
import { nameInUrl } from '../gateway/util/fileName';
import { downloadMediaTask, type MediaTask } from '../gateway/endpoints/tasks';
import type { GatewayClient } from '../gateway/client/client';
import { storeResponse, storeUrl, type BinaryStore } from './binary';

/** What fetches results and stores them: an `ItemContext`, or the parts of one that a trigger has. */
export interface ResultContext {
	client: GatewayClient;
	n8n: BinaryStore;
}

export function taskJson(task: Partial<MediaTask>, priceRub?: number): IDataObject {
	const { taskId, state, failCode, failMsg, ...rest } = task;
	// Important fields first: the table of the output panel shows four columns.
	return compact({ taskId, state, priceRub, failCode, failMsg, ...rest });
}

/**
 * Downloads the result files of a task into binary fields, one after the other, streamed. Each comes from its own
 * URL, without the key; those of a task without URLs come from the gateway (§4.8). Further fields get _1, _2 … appended.
 */
export async function downloadFiles(
	context: ResultContext,
	task: MediaTask,
	field: string,
): Promise<IBinaryKeyData> {
	const { taskId, resultUrls } = task;
	try {
		if (resultUrls.length === 0) return { [field]: await downloadArchive(context, taskId) };
		const files: Array<[string, IBinaryData]> = [];
		for (const [index, url] of resultUrls.entries()) {
			const name = index === 0 ? field : `${field}_${index}`;
			files.push([name, await resultFile(context, url, `task_${taskId}_${index}`)]);
		}
		return Object.fromEntries(files);
	} catch (error) {
		throw error instanceof ApiError ? error.with({ taskId }) : asError(error);
	}
}

/** @param name of a file whose URL and response have none */
async function resultFile(context: ResultContext, url: string, name: string): Promise<IBinaryData> {
	if (!/^https?:/i.test(url)) {
		throw problemError('address', 'file', {
			message: 'The link to the file is no web address',
			description: `The gateway returns "${excerpt(url, 80)}".`,
		});
	}
	return await storeUrl(context, url, { names: [nameInUrl(url), name] });
}

/** Downloads the result of a task from the gateway: the file, or a ZIP archive of several (§4.8). */
export async function downloadArchive(
	{ client, n8n }: ResultContext,
	taskId: string,
): Promise<IBinaryKeyData[string]> {
	return await downloadMediaTask(
		client,
		taskId,
		async (response) => await storeResponse(n8n, response, { names: [`task_${taskId}`] }),
	);
}
