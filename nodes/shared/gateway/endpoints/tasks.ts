import type { MediaType } from '../media/mediaModel';
import { ApiError, asError } from '../errors/errors';
import { checkKey, sendableKey } from '../media/idempotency';
import { parseJson, type Json, type JsonObject } from '../util/json';
import { id, json, number, object, optionalObject, records, text } from '../util/shape';
import { POLL_TIMEOUT_MS, type HttpResponse, type ByteStream } from '../client/transport';
import type { GatewayClient, GatewayRequest } from '../client/client';
import { withTexts, withServerMessage } from '../errors/fromResponse';
import { TASK_TEXTS, taskPath } from './taskPath';
import { missingInResponse, UNREADABLE } from './response';

/** What a task is created from (§4.6). */
export interface MediaTaskRequest {
	model: string;
	input: JsonObject;
	sessionId?: string | undefined;
	callbackUrl?: string | undefined;
}

/** A media task as nodes put it out (§2.6). */
export interface MediaTask {
	taskId: string;
	model?: string | undefined;
	/** `waiting`, `processing`, `success`, `fail`, or a word that the specification does not show. */
	state: string;
	/** ISO 8601. */
	createdAt?: string | undefined;
	resultUrls: string[];
	/** Music tasks only. */
	tracks?: JsonObject[] | undefined;
	/** `resultJson`, parsed; its text where it is not JSON. */
	result: Json;
	failCode?: string | undefined;
	failMsg?: string | undefined;
}

/** The body of a creation (§4.6), which is also what its idempotency key is derived from. */
export function taskBody(order: MediaTaskRequest): JsonObject {
	return {
		model: order.model,
		input: order.input,
		...(order.sessionId ? { sessionId: order.sessionId } : {}),
		...(order.callbackUrl ? { callBackUrl: order.callbackUrl } : {}),
	};
}

/**
 * Creates a task (§4.6). With its key, a repeat gives the same task and charges nothing, so it is retried freely.
 *
 * @returns its id, and the body as received
 * @throws {InvalidInputError} when the key is longer than §8 allows
 */
export async function createMediaTask(
	client: GatewayClient,
	body: JsonObject,
	idempotencyKey: string,
): Promise<{ taskId: string; body: JsonObject }> {
	checkKey(idempotencyKey);
	const response = client.json({
		group: 'media',
		method: 'POST',
		path: '/async/media/tasks',
		json: body,
		headers: { 'Idempotency-Key': sendableKey(idempotencyKey) },
		charged: true,
		idempotent: true,
		statusesWithoutEffect: STATUSES_WITHOUT_TASK,
	});
	try {
		const created = await response;
		return { taskId: createdTaskId(created), body: created };
	} catch (error) {
		throw maybeCreated(error);
	}
}

/** §7.4: statuses above 500 after which there is no task: the generator was not reached. */
const STATUSES_WITHOUT_TASK: ReadonlySet<number> = new Set([502, 503]);

/**
 * Says of a creation that failed without a clear refusal that the task may exist, and how to repeat it safely. The
 * refusal of a try says nothing of an earlier one whose response was lost.
 */
function maybeCreated(error: unknown): Error {
	if (!(error instanceof ApiError)) return asError(error);
	const { delivery, status = 0, code, description, mayHaveTakenEffect } = error.details;
	const isRefusal = delivery !== 'unknown' && (status < 500 || STATUSES_WITHOUT_TASK.has(status));
	if (isRefusal && !mayHaveTakenEffect && code !== UNREADABLE) return error;
	return error.with({
		mayBeCharged: true,
		idempotent: true,
		description: `${description} The task may have been created and charged all the same. Safe to repeat are the node’s own retries and 'Retry On Fail', which ask for the same task; a new run asks for a new one, unless 'Idempotency Scope' is 'Workflow' or there is an 'Idempotency Key'.`,
	});
}

function createdTaskId(body: JsonObject): string {
	const taskId = envelope(body).data?.taskId;
	if (taskId === undefined) throw missingInResponse('task ID');
	return taskId;
}

/**
 * Fetches a task (§4.7). Gives the body as received, an envelope.
 *
 * @param settings no retries and little patience, for callers that ask again anyway
 */
export async function fetchMediaTask(
	client: GatewayClient,
	taskId: string,
	settings: Pick<GatewayRequest, 'maxRetries' | 'timeoutLimitMs'> = {},
): Promise<JsonObject> {
	const response = client.json({
		group: 'media',
		method: 'GET',
		path: taskPath(taskId),
		timeoutMs: POLL_TIMEOUT_MS,
		...settings,
	});
	return await withTexts(TASK_TEXTS, response);
}

/** Streams the result of a task (§4.8): the file itself, or a ZIP of several. */
export async function downloadMediaTask<T>(
	client: GatewayClient,
	taskId: string,
	consume: (response: HttpResponse<ByteStream>) => Promise<T>,
): Promise<T> {
	const response = client.stream(
		{ group: 'media', method: 'GET', path: `${taskPath(taskId)}/download` },
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

/** What `resultJson` may hold, as far as it is used. */
const taskResult = object({ resultUrls: json, tracks: records });

/**
 * Reads a task from its envelope (§2.6). Tolerant: `resultJson` may be missing, not JSON, or hold anything; ids and
 * times may be strings or numbers.
 *
 * @param taskId used where the record does not repeat it
 */
export function readMediaTask(body: JsonObject, taskId: string): MediaTask {
	const task = envelope(body).data;
	if (!task) throw missingInResponse('task');
	const result = readResult(task.resultJson);
	const { resultUrls, tracks } = taskResult(result);
	return {
		taskId: task.taskId ?? taskId,
		model: task.model,
		state: task.state ?? 'unknown',
		createdAt: isoOfMilliseconds(task.createTime ?? NaN),
		resultUrls: readUrls(resultUrls),
		tracks: tracks.length > 0 ? tracks : undefined,
		result,
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

function readUrls(value: Json | undefined): string[] {
	return [value].flat().flatMap((url) => text(url) ?? []);
}

function isoOfMilliseconds(milliseconds: number): string | undefined {
	const time = new Date(milliseconds);
	return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Whether a client stops polling (§3.1): the task has ended. */
export function hasEnded(state: string): boolean {
	return state === 'success' || state === 'fail';
}

/**
 * The failure that a task in state `fail` is: its `failCode` and `failMsg` (§2.6), never a success.
 *
 * @param secrets what must not be shown
 */
export function taskError(task: MediaTask, secrets: readonly string[]): ApiError {
	return new ApiError({
		message: 'The media task failed',
		description: withServerMessage(
			`The gateway ended task ${task.taskId} without a result${task.failCode ? ` (code ${task.failCode})` : ''}. Change the input or the model, then run this item again.`,
			task.failMsg,
			secrets,
		),
		delivery: 'responded',
		code: task.failCode ?? 'task_failed',
		retryable: false,
		taskId: task.taskId,
		extra: { failCode: task.failCode ?? null, failMsg: task.failMsg ?? null, state: task.state },
	});
}

/** §3.1: seconds between two polls, by what the model makes. */
const POLL_SECONDS: Record<MediaType, readonly [min: number, max: number]> = {
	image: [3, 5],
	video: [5, 10],
	music: [5, 10],
	audio: [5, 10],
};

/**
 * The pause before the next poll (§3.1), spread over the recommended range so that many tasks do not ask at once.
 *
 * @param mediaType `undefined` where the catalogue does not know the model: the slower pace
 * @param random a number in [0, 1)
 * @returns milliseconds
 */
export function pollDelayMs(mediaType: MediaType | undefined, random: number): number {
	const [min, max] = POLL_SECONDS[mediaType ?? 'video'];
	return Math.round((min + (max - min) * random) * 1000);
}
