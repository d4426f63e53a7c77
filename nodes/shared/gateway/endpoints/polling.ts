import type { MediaType } from '../media/mediaModel';
import { ApiError, UNREADABLE } from '../errors/errors';
import type { JsonObject } from '../util/json';
import { fetchMediaTask, hasEnded, pollDelayMs, readMediaTask, type MediaTask } from './tasks';
import type { GatewayClient } from '../client/client';
import { duration } from '../util/duration';
import { withinTime } from '../client/abort';
import { POLL_TIMEOUT_MS } from '../client/transport';
import { connectionError } from '../errors/fromResponse';

/** The shortest time for the last poll, in milliseconds, even if the longest wait is over. */
const MIN_POLL_MS = 5_000;

/** A longer `Retry-After` of a poll may be a mistake, and would hide the end of the task. */
const MAX_RETRY_AFTER_MS = 60_000;

/** How a task is waited for. */
export interface WaitOptions {
	/**
	 * Returns the media type of the task's model, which sets the polling interval; `undefined` if it is unknown.
	 *
	 * @param model the one that the last poll reported
	 */
	mediaType: (model: string | undefined) => Promise<MediaType | undefined>;
	/** The longest wait, in milliseconds. */
	maxWaitMs: number;
	/** Whether the task may have ended already, so that the first poll needs no delay. */
	pollImmediately: boolean;
}

/**
 * Polls a task until it has ended (§3.1). Transient errors (lost connection, 429, 5xx, a web page, a response without a
 * task) do not end the wait. Polls a last time when the longest wait is over.
 *
 * @returns the body of the last poll, an envelope
 * @throws {ApiError} with the task's id when the wait is over or the gateway no longer knows the task
 * @throws {StoppedError} as soon as the run ends
 */
export async function waitForTask(
	client: GatewayClient,
	taskId: string,
	options: WaitOptions,
): Promise<JsonObject> {
	const deadline = client.now() + options.maxWaitMs;
	let last: PollResult | undefined;
	let delay = options.pollImmediately ? 0 : await nextDelay(client, options, last, deadline);
	for (;;) {
		const remaining = deadline - client.now();
		const isDue = options.pollImmediately && last === undefined;
		if (remaining <= 0 && !isDue) throw waitTimeout(taskId, last, options.maxWaitMs);
		if (delay > 0) await client.pause(Math.min(delay, remaining));
		const left = Math.max(deadline - client.now(), MIN_POLL_MS);
		last = await pollOnce(client, taskId, left);
		if (last.task && hasEnded(last.task.state)) return last.body;
		delay = await nextDelay(client, options, last, deadline);
	}
}

/** The delay before the next poll, in milliseconds: by media type, longer if the gateway asks. */
async function nextDelay(
	client: GatewayClient,
	options: WaitOptions,
	last: PollResult | undefined,
	deadline: number,
): Promise<number> {
	const mediaType = await withinTime(
		client,
		Math.max(deadline - client.now(), 0),
		async () => await options.mediaType(last?.task?.model),
	);
	const { retryAfterMs = 0 } = last?.transientError?.details ?? {};
	return Math.max(pollDelayMs(mediaType, client.random()), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** Delays between polls after a callback, in milliseconds: the task may still read as running for a moment. */
const CALLBACK_DELAYS_MS = [1_000, 3_000];

/**
 * Polls after a callback until a result ends the polling, at most three times.
 *
 * @param poll polls once
 * @param isOver whether a result ends the polling
 * @returns the result of the last poll
 * @throws what `poll` throws
 */
export async function pollWithRetries<Result>(
	client: GatewayClient,
	poll: () => Promise<Result>,
	isOver: (result: Result) => boolean,
): Promise<Result> {
	let result = await poll();
	for (const delay of CALLBACK_DELAYS_MS) {
		if (isOver(result)) break;
		await client.pause(delay);
		result = await poll();
	}
	return result;
}

/** The result of a poll: the task, or a transient error. */
type PollResult =
	| { body: JsonObject; task: MediaTask; transientError?: undefined }
	| { body?: undefined; task?: undefined; transientError: ApiError };

/**
 * Polls a task once. Returns transient errors (lost connection, 429, 5xx, a web page, a response without a task) and
 * throws others.
 *
 * @param limitMs the longest time of the poll, in milliseconds, with the waits for a slot and for the rate limit
 * @throws {ApiError} with the task's id, if the gateway no longer knows the task
 */
export async function pollOnce(
	client: GatewayClient,
	taskId: string,
	limitMs = POLL_TIMEOUT_MS,
): Promise<PollResult> {
	const settings = { maxRetries: 0, rateLimitWaitMs: limitMs, lane: 'poll' } as const;
	try {
		const body = await withinTime(
			client,
			limitMs,
			async (signal) => await fetchMediaTask(client, taskId, { ...settings, signal }),
		);
		if (!body) throw connectionError({ kind: 'timeout' }, { charged: false });
		return { body, task: readMediaTask(body, taskId) };
	} catch (error) {
		return { transientError: transientErrorOf(error, taskId) };
	}
}

/**
 * The error of a poll, if it is transient.
 *
 * @throws any other error, with the task's id
 */
function transientErrorOf(error: unknown, taskId: string): ApiError {
	if (!(error instanceof ApiError)) throw error;
	const { retryable, delivery, code, isForeign } = error.details;
	// A web page, with any status, or a response without a task is transient: something else than the gateway responded.
	if (retryable || isForeign || delivery === 'unknown' || code === UNREADABLE) return error;
	throw error.with({ taskId });
}

function waitTimeout(taskId: string, last: PollResult | undefined, maxWaitMs: number): ApiError {
	const state = last?.task?.state ?? null;
	const found = last?.transientError
		? `could not be polled for the last time (${last.transientError.message})`
		: `was in state "${state ?? 'unknown'}"`;
	return new ApiError(
		{
			message: 'The media task did not finish within the maximum wait',
			description: `Task ${taskId} ${found} after ${duration(maxWaitMs)}. It continues at the gateway and is paid for: get its result later with its ID, and raise the option 'Max Wait (Minutes)' for such tasks.`,
			delivery: 'responded',
			code: 'wait_timeout',
			retryable: true,
			taskId,
			extra: { state },
		},
		last?.transientError,
	);
}
