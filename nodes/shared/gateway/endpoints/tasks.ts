import type { MediaType } from '../media/mediaModel';
import { ApiError } from '../errors/errors';
import { asId, asObject, parseJson, type Json, type JsonObject } from '../util/json';
import { id, json, number, object, optionalObject, records, text } from '../util/shape';
import { POLL_TIMEOUT_MS, type HttpResponse, type ByteStream } from '../client/transport';
import type { GatewayClient } from '../client/client';
import { withTexts, withServerMessage } from '../errors/fromResponse';
import { fetchList, type RecordList } from './lists';
import { TASK_TEXTS, taskPath, TASKS_PATH } from './taskPath';
import { missingInResponse } from './response';

/** A request to create a task (§4.6). */
export interface MediaTaskRequest {
	model: string;
	input: JsonObject;
	sessionId?: string | undefined;
	callbackUrl?: string | undefined;
}

/** A media task as nodes output it (§2.6). */
export interface MediaTask {
	taskId: string;
	model?: string | undefined;
	/** `waiting`, `processing`, `success`, `fail`, or a state that the specification does not show. */
	state: string;
	/** ISO 8601. */
	createdAt?: string | undefined;
	resultUrls: string[];
	/** Music tasks only. */
	tracks?: JsonObject[] | undefined;
	/** What else `resultJson` holds, parsed; the text itself if it is not JSON; `undefined` if there is nothing. */
	result?: Json | undefined;
	failCode?: string | undefined;
	failMsg?: string | undefined;
}

/** The body of a task request (§4.6). The idempotency key is derived from it. */
export function taskBody(request: MediaTaskRequest): JsonObject {
	return {
		model: request.model,
		input: request.input,
		...(request.sessionId ? { sessionId: request.sessionId } : {}),
		...(request.callbackUrl ? { callBackUrl: request.callbackUrl } : {}),
	};
}

/**
 * Creates a task (§4.6). A retry with the same key returns the same task and charges nothing.
 *
 * @returns its id, and the body as received
 * @throws {ApiError} when the request fails, or the response has no task ID
 */
export async function createMediaTask(
	client: GatewayClient,
	body: JsonObject,
	idempotencyKey: string,
): Promise<{ taskId: string; body: JsonObject }> {
	const created = await client.json({
		group: 'media',
		kind: 'keyed',
		method: 'POST',
		path: TASKS_PATH,
		json: body,
		headers: { 'Idempotency-Key': idempotencyKey },
	});
	const taskId = envelope(created).data?.taskId;
	if (taskId === undefined) throw missingInResponse('task ID').with({ kind: 'keyed', outcome: 'unknown' });
	return { taskId, body: created };
}

/**
 * Fetches a task (§4.7).
 *
 * @param limitMs for a single poll: its longest time in milliseconds, also while the rate limit makes it wait
 * @returns the body as received, an envelope
 * @throws {ApiError} when the request fails
 * @throws {InvalidInputError} for the IDs "." and ".."
 */
export async function fetchMediaTask(
	client: GatewayClient,
	taskId: string,
	limitMs?: number,
): Promise<JsonObject> {
	const response = client.json({
		group: 'media',
		path: taskPath(taskId),
		timeoutMs: POLL_TIMEOUT_MS,
		...(limitMs === undefined
			? { kind: 'read' }
			: { kind: 'poll', timeoutLimitMs: limitMs, rateLimitWaitMs: limitMs }),
	});
	return await withTexts(TASK_TEXTS, response);
}

/**
 * Lists the account's tasks (§4.13, which shows neither filters nor shape).
 *
 * @throws {ApiError} when the request fails
 */
export async function listMediaTasks(client: GatewayClient): Promise<RecordList> {
	return await fetchList(client, { group: 'media', path: TASKS_PATH }, taskIdOf);
}

/** The ID of a task in a list; `undefined` for other objects. */
export function taskIdOf({ taskId, task_id, id: plainId }: JsonObject): string | undefined {
	return asId(taskId) ?? asId(task_id) ?? asId(plainId);
}

/**
 * Streams the result of a task (§4.8): the file itself, or a ZIP of several.
 *
 * @throws {ApiError} when the request fails
 * @throws {InvalidInputError} for the IDs "." and ".."
 */
export async function downloadMediaTask<T>(
	client: GatewayClient,
	taskId: string,
	consume: (response: HttpResponse<ByteStream>) => Promise<T>,
): Promise<T> {
	const response = client.stream(
		{ group: 'media', kind: 'read', path: `${taskPath(taskId)}/download` },
		consume,
	);
	return await withTexts(TASK_TEXTS, response);
}

/** The record of a task (§2.6). */
const envelope = object({
	data: optionalObject({
		taskId: id,
		model: text,
		state: text,
		createTime: number,
		resultJson: json,
		failCode: id,
		failMsg: text,
	}),
});

/** The fields of `resultJson` that are used. */
const taskResult = object({ resultUrls: json, tracks: records });

/**
 * Reads a task from its envelope (§2.6). `resultJson` may be missing, not JSON, or hold anything; ids and times may
 * be strings or numbers.
 *
 * @param taskId used if the record has none
 */
export function readMediaTask(body: JsonObject, taskId: string): MediaTask {
	const task = envelope(body).data;
	if (!task) throw missingInResponse('task');
	const result = readResult(task.resultJson);
	const { resultUrls, tracks } = taskResult(result);
	const urls = readUrls(resultUrls);
	return {
		taskId: task.taskId ?? taskId,
		model: task.model,
		state: task.state ?? 'unknown',
		createdAt: isoOfMilliseconds(task.createTime ?? NaN),
		resultUrls: urls,
		tracks: tracks.length > 0 ? tracks : undefined,
		result: restOf(result, { hasUrls: urls.length > 0, hasTracks: tracks.length > 0 }),
		failCode: task.failCode,
		failMsg: task.failMsg,
	};
}

function readResult(value: Json | undefined): Json {
	if (typeof value !== 'string') return value ?? null;
	if (value === '') return null;
	const parsed = parseJson(value);
	return parsed === undefined ? value : parsed;
}

/** The result without the fields that are read. */
function restOf(result: Json, { hasUrls, hasTracks }: { hasUrls: boolean; hasTracks: boolean }) {
	const object = asObject(result);
	if (!object) return result ?? undefined;
	const rest = Object.entries(object).filter(
		([name]) => !(hasUrls && name === 'resultUrls') && !(hasTracks && name === 'tracks'),
	);
	return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

function readUrls(value: Json | undefined): string[] {
	return [value].flat().flatMap((url) => text(url) ?? []);
}

function isoOfMilliseconds(milliseconds: number): string | undefined {
	const time = new Date(milliseconds);
	return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** §3.1: whether the task has ended, so that polling stops. */
export function hasEnded(state: string): boolean {
	return state === 'success' || state === 'fail';
}

/**
 * The error for a task in state `fail`, with its `failCode` and `failMsg` (§2.6).
 *
 * @param secrets are redacted
 * @param priceRub its price in rubles, where known
 */
export function taskError(task: MediaTask, secrets: readonly string[], priceRub?: number): ApiError {
	return new ApiError({
		message: 'The media task failed',
		description: withServerMessage(
			`The gateway ended task ${task.taskId} without a result${task.failCode ? ` (code ${task.failCode})` : ''}. Change the input or the model, then execute the workflow again: within this execution, the item keeps its task, because another one could cost again.`,
			task.failMsg,
			secrets,
		),
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
			...(task.model === undefined ? {} : { model: task.model }),
			...(priceRub === undefined ? {} : { priceRub }),
		},
	});
}

/** Whether an error is about a task that has ended in the state `fail`. */
export function isFailedTask(error: unknown): error is ApiError & { details: { taskId: string } } {
	if (!(error instanceof ApiError)) return false;
	return error.details.taskId !== undefined && error.details.extra?.state === 'fail';
}

/** §3.1: seconds between two polls, by media type. */
const POLL_SECONDS: Record<MediaType, readonly [min: number, max: number]> = {
	image: [3, 5],
	video: [5, 10],
	music: [5, 10],
	audio: [5, 10],
};

/**
 * The delay before the next poll (§3.1), random within the recommended range so that tasks are not polled all at
 * once.
 *
 * @param mediaType `undefined`, for a model that the catalogue does not have, is polled at the slower interval
 * @param random a number in [0, 1)
 * @returns milliseconds
 */
export function pollDelayMs(mediaType: MediaType | undefined, random: number): number {
	const [min, max] = POLL_SECONDS[mediaType ?? 'video'];
	return Math.round((min + (max - min) * random) * 1000);
}
