import { ApiError, UNREADABLE } from '../errors/errors';
import {
	asId,
	asNumber,
	asObject,
	asObjects,
	asText,
	compact,
	parseJson,
	someText,
	type JsonObject,
} from '../util/json';
import { POLL_TIMEOUT_MS, type HttpResponse, type ByteStream } from '../client/transport';
import type { GatewayClient } from '../client/client';
import { quoted, ignoreAlreadyDone } from '../errors/fromResponse';
import { redact } from '../errors/secrets';
import { errorText } from '../errors/texts';
import { isWebAddress, listed } from '../util/text';
import { idPath, missingInResponse } from './response';
import { fetchList, type List } from './lists';

/** A media task as nodes output it (§2.6). */
export type GatewayTask = ReturnType<typeof readMediaTask>;

const TASKS_PATH = '/async/media/tasks';

function taskPath(taskId: string): string {
	return idPath(TASKS_PATH, taskId);
}

/** Creates a task (§4.6). A retry with the same key returns the same task and charges nothing. */
export async function createMediaTask(
	client: GatewayClient,
	body: JsonObject,
	idempotencyKey: string,
): Promise<{ taskId: string; body: JsonObject }> {
	const created = await client.json({
		endpoint: 'createTask',
		kind: 'keyed',
		method: 'POST',
		path: TASKS_PATH,
		json: body,
		headers: { 'Idempotency-Key': idempotencyKey },
	});
	const taskId = asId(asObject(created.data)?.taskId);
	if (taskId === undefined)
		throw missingInResponse('task ID', created).with({ kind: 'keyed', outcome: 'unknown' });
	return { taskId, body: created };
}

/**
 * Fetches a task (§4.7): the envelope as received. With `limitMs`, it is a single poll, which is not repeated and takes no
 * longer, also while the rate limit makes it wait.
 */
export async function fetchMediaTask(
	client: GatewayClient,
	taskId: string,
	limitMs = Infinity,
): Promise<JsonObject> {
	return await client.json({
		endpoint: 'fetchTask',
		path: taskPath(taskId),
		timeoutMs: Math.min(client.settings.timeoutMs ?? POLL_TIMEOUT_MS, limitMs),
		...(limitMs === Infinity ? { kind: 'read' } : { kind: 'poll', rateLimitWaitMs: limitMs }),
	});
}

/** Lists the account's tasks (§4.13), see {@link fetchList}. */
export async function listMediaTasks(client: GatewayClient): Promise<List> {
	return await fetchList(client, 'listTasks', TASKS_PATH, taskIdOf);
}

export function taskIdOf({ taskId, task_id, id: plainId }: JsonObject): string | undefined {
	return asId(taskId) ?? asId(task_id) ?? asId(plainId);
}

/** Streams the result of a task (§4.8): the file itself, or a ZIP of several. */
export async function downloadMediaTask<T>(
	client: GatewayClient,
	taskId: string,
	consume: (response: HttpResponse<ByteStream>) => Promise<T>,
): Promise<T> {
	const path = `${taskPath(taskId)}/download`;
	return await client.stream({ endpoint: 'downloadTask', kind: 'read', path }, consume);
}

/**
 * §2.6. `resultJson` may be missing, no JSON, or anything, and times may be strings or numbers. The task is known by the ID that
 * was asked for, whatever the response says: by that of another one, that one would be made again.
 */
export function readMediaTask(body: JsonObject, taskId: string) {
	const task = asObject(body.data);
	if (!task) throw missingInResponse('task', body);
	const { resultJson } = task;
	const parsed = typeof resultJson === 'string' ? parseJson(resultJson) : resultJson;
	const result = parsed === undefined ? asText(resultJson) : parsed;
	const { resultUrls, tracks, ...others } = asObject(result) ?? {};
	const [urls, songs] = [[resultUrls ?? []].flat(), [tracks ?? []].flat()];
	// Whole, unless they have the shape of the specification.
	const odd = {
		resultUrls: urls.every(asText) ? undefined : resultUrls,
		tracks: songs.every(asObject) ? undefined : tracks,
	};
	const rest = compact({ ...others, ...odd });
	const foundTracks = asObjects(songs);
	const created = new Date(asNumber(task.createTime) ?? NaN);
	const links = urls.flatMap((url) => asText(url) ?? asText(asObject(url)?.url) ?? []);
	return {
		taskId,
		model: asText(task.model),
		/** One of §3.1, or the gateway's own word for a task that goes on. */
		state: stateOf(task, links.length > 0 || someText(result, LINK)),
		/** ISO 8601. */
		createdAt: Number.isNaN(created.getTime()) ? undefined : created.toISOString(),
		resultUrls: links,
		/** Music tasks only. */
		tracks: foundTracks.length > 0 ? foundTracks : undefined,
		/** What else `resultJson` holds, parsed; the text itself if it is not JSON. */
		result: asObject(result) ? (Object.keys(rest).length > 0 ? rest : undefined) : (result ?? undefined),
		failCode: asId(task.failCode),
		failMsg: asText(task.failMsg),
	};
}

const LINK = /^(https?:|data:)/i;

/** The letters of words for a task that waits, whatever files it has already. `created` may be a word for its files. */
const WAITS = /^(in|en)?queued?$|^(scheduled|submitted|(not)?started)$/;

/**
 * The state of a task (§3.1), in any spelling. A word in -ing, and one that says that the task waits, goes on. Any other has ended if
 * there is a reason for failure (§2.6), or if there are files.
 */
function stateOf({ state, failCode, failMsg }: JsonObject, hasFiles: boolean): string {
	const word = asText(state) ?? 'unknown';
	const known = word.trim().toLowerCase();
	if (/ing$|progress/.test(known) || WAITS.test(known.replace(/[^a-z]/g, ''))) return known;
	const hasReason = (asId(failCode) ?? '0') !== '0' || asText(failMsg) !== undefined;
	if (known.startsWith('fail')) return 'fail';
	if (known.startsWith('succe')) return 'success';
	if (hasReason) return 'fail';
	return hasFiles ? 'success' : word;
}

/** §3.1: whether the task has ended, so that polling stops. */
export function hasEnded(state: string): boolean {
	return state === 'success' || state === 'fail';
}

/**
 * The error for a task in state `fail`, with its `failCode` and `failMsg` (§2.6).
 *
 * @param created its price, if that is known, for a task that the node itself has created
 */
export function taskError(
	task: GatewayTask,
	secrets: readonly string[],
	created?: { priceRub: number | undefined },
): ApiError {
	const advice = created
		? 'Change the input or the model: in this run of the node, the item keeps its task; a loop back to the node, and a new execution, create another one.'
		: 'Each try gets the same task: change the input or the model in the node that creates it, and create another one.';
	const { taskId, failCode, failMsg = '' } = task;
	const code = failCode === undefined ? '' : ` (code ${failCode})`;
	// Of several results, some may have succeeded.
	const files = task.resultUrls.filter(isWebAddress);
	const made = files.length > 0 ? ` Files that it has made: ${listed(files)}.` : '';
	const reason = quoted(redact(failMsg, secrets)) || 'the gateway gives no reason.';
	return new ApiError({
		message: 'The media task failed',
		description: `Task ${taskId}${code}: ${reason} ${advice}${made}`,
		// The specification does not show whether it is charged.
		outcome: 'unknown',
		kind: 'keyed',
		code: task.failCode ?? 'task_failed',
		retryable: false,
		taskId: task.taskId,
		extra: {
			failCode: task.failCode ?? null,
			failMsg: task.failMsg ?? null,
			state: task.state,
			...compact({ model: task.model, ...created, resultUrls: files.length > 0 ? files : undefined }),
		},
	});
}

/** Whether the gateway, and not a proxy, says that it does not have a task. */
export function isMissing(error: unknown): error is ApiError {
	return error instanceof ApiError && error.details.status === 404 && error.details.code !== UNREADABLE;
}

export function isFailedTask(error: unknown): error is ApiError {
	return error instanceof ApiError && error.details.extra?.state === 'fail';
}

/** §4.9. A 404 for a flag that has the value already (§3.2) is an error, unless an earlier attempt may have set it. */
export async function setArchived(client: GatewayClient, taskId: string, archived: boolean): Promise<void> {
	const request = {
		endpoint: archived ? 'archiveTask' : 'unarchiveTask',
		kind: 'read',
		method: 'PATCH',
		path: `${taskPath(taskId)}/archive`,
		json: { archive: archived },
	} as const;
	await client.json(request).catch(ignoreAlreadyDone);
}

/** Marks a task and its files as deleted (§4.10); repeating it changes nothing. */
export async function deleteMediaTask(client: GatewayClient, taskId: string): Promise<void> {
	await client.json({ endpoint: 'deleteTask', kind: 'read', method: 'DELETE', path: taskPath(taskId) });
}

/** Restores a deleted task and its files (§4.11); repeating it changes nothing. */
export async function restoreMediaTask(client: GatewayClient, taskId: string): Promise<void> {
	const path = `${taskPath(taskId)}/restore`;
	await client.json({ endpoint: 'restoreTask', kind: 'read', method: 'POST', path });
}

/** Fetches the lyrics of a track with the time of each word (§4.12): the envelope as received, unless it has no lyrics. */
export async function fetchLyrics(
	client: GatewayClient,
	taskId: string,
	audioId: string,
): Promise<JsonObject> {
	const path = `${taskPath(taskId)}/lyrics/timestamped`;
	const endpoint = 'fetchLyrics';
	const body = await client.json({ endpoint, kind: 'read', method: 'POST', path, json: { audioId } });
	if (Array.isArray(asObject(body.data)?.alignedWords)) return body;
	const { message, description } = errorText({ endpoint, status: 404 });
	throw missingInResponse('lyrics').with({ message, description });
}

/** Creates a media session (§4.13, which shows the shape of neither request nor response): the body as received. */
export async function createMediaSession(client: GatewayClient, body: JsonObject): Promise<JsonObject> {
	return await client.json({
		endpoint: 'createSession',
		kind: 'create',
		method: 'POST',
		path: '/media/sessions',
		json: body,
	});
}
