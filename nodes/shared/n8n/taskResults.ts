import type { IBinaryData, IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { compact } from '../gateway/util/json';
import { ApiError, asError } from '../gateway/errors/errors';
import { excerpt, isWebAddress } from '../gateway/util/text';
import { fileNameFor, nameInUrl, suffixOf } from '../gateway/util/fileName';
import { fileType } from '../gateway/util/fileType';
import { isDataUrl, readBase64 } from '../gateway/util/base64';
import { downloadMediaTask, type GatewayTask } from '../gateway/endpoints/tasks';
import type { GatewayClient } from '../gateway/client/client';
import type { Hints } from './hints';
import { storeResponse, storeUrl, type BinaryStore } from './binary';

/** What fetches results and stores them: an `ItemContext`, or the parts of one that a trigger has. */
export interface ResultContext {
	client: GatewayClient;
	n8n: BinaryStore;
	run?: { hints: Pick<Hints, 'add'> };
}

export function taskJson(task: Partial<GatewayTask>, priceRub?: number): IDataObject {
	const { taskId, state, failCode, failMsg, ...rest } = task;
	// A data URL is a whole file, too long for JSON.
	const resultUrls = rest.resultUrls?.map((url) => (isDataUrl(url) ? excerpt(url, 80) : url));
	// Important fields first: the table of the output panel shows four columns.
	return compact({ taskId, state, priceRub, failCode, failMsg, ...rest, resultUrls });
}

/**
 * Downloads the result files of a task into binary fields, one after the other, streamed. Each comes from its own
 * URL, without the key; those of a task without usable URLs come from the gateway (§4.8). Further fields get _1, _2 …
 * appended. `undefined` for a task that has a result, but no file.
 */
export async function downloadFiles(
	context: ResultContext,
	task: GatewayTask,
	field: string,
): Promise<IBinaryKeyData | undefined> {
	const { taskId, resultUrls } = task;
	try {
		if (!hasLinks(task)) return { [field]: await downloadArchive(context, taskId) };
		const files: Array<[string, IBinaryData]> = [];
		for (const [index, url] of resultUrls.entries()) {
			const name = index === 0 ? field : `${field}_${index}`;
			files.push([name, await resultFile(context, url, suffixOf(taskId, index))]);
		}
		return Object.fromEntries(files);
	} catch (error) {
		if (isWithoutFile(context, task, error)) return undefined;
		if (!(error instanceof ApiError)) throw asError(error);
		const isMissing = error.details.status === 404 && !hasLinks(task);
		throw (isMissing ? error.with(TASK_WITHOUT_FILE) : withOtherWays(error)).with({ taskId });
	}
}

/** For a task that has succeeded; each way to fetch its file fails. */
const TASK_WITHOUT_FILE = {
	description:
		'The task has succeeded without a file or a result, or its files are deleted: the gateway keeps them for 7 days. If you have waited for it just now, ask the gateway’s support.',
	kind: 'file',
} as const;

/** What to do about a file that *Wait* would not get, either. */
function withOtherWays(error: ApiError): ApiError {
	const { retryable, description } = error.details;
	const others =
		"The operation 'Get' returns the URLs of all files of the task, 'Download' gets them from the gateway. With 'Download Results' off, a retry returns the URLs, too.";
	return retryable ? error : error.with({ description: `${description} ${others}` });
}

function hasLinks({ resultUrls }: GatewayTask): boolean {
	return resultUrls.length > 0 && resultUrls.every((url) => isWebAddress(url) || readBase64Url(url));
}

const readBase64Url = (url: string) => (isDataUrl(url) ? readBase64(url) : undefined);

/** Whether `error` says that a task has ended with a result, but without a file (§4.8); the run then has a hint. */
export function isWithoutFile({ run }: ResultContext, task: GatewayTask, error: unknown): boolean {
	const { state, result, tracks, resultUrls } = task;
	const hasResult = result !== undefined || tracks !== undefined || resultUrls.length > 0;
	const isMissing = error instanceof ApiError && error.details.status === 404;
	if (!isMissing || state !== 'success' || !hasResult || hasLinks(task)) return false;
	run?.hints.add('A task has ended without a file: its result is in the JSON of its item.');
	return true;
}

/** The name of a file without one. */
const TASK_FILE = 'task';

async function resultFile(context: ResultContext, url: string, suffix: string): Promise<IBinaryData> {
	const file = readBase64Url(url);
	if (!file) return await storeUrl(context, url, { names: [nameInUrl(url), TASK_FILE], suffix });
	const bytes = Buffer.from(file.base64, 'base64');
	const mimeType = fileType(file.mimeType, undefined, bytes);
	const fileName = fileNameFor(TASK_FILE + suffix, mimeType);
	return await context.n8n.helpers.prepareBinaryData(bytes, fileName, mimeType);
}

/** Downloads the result of a task from the gateway: the file, or a ZIP archive of several (§4.8). */
export async function downloadArchive(
	{ client, n8n }: ResultContext,
	taskId: string,
): Promise<IBinaryKeyData[string]> {
	return await downloadMediaTask(client, taskId, async (response) => {
		const { link } = response;
		const names = [link && nameInUrl(link), TASK_FILE];
		return await storeResponse(n8n, response, { names, suffix: suffixOf(taskId) });
	});
}
