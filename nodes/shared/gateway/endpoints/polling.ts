import type { GatewayClient } from '../client/client';
import { POLL_TIMEOUT_MS } from '../client/transport';
import { ApiError, asError, UNREADABLE } from '../errors/errors';
import { duration } from '../util/text';
import type { JsonObject } from '../util/json';
import type { MediaType } from '../media/price';
import { fetchMediaTask, hasEnded, readMediaTask, type GatewayTask } from './tasks';

export type PollResult =
	| { body: JsonObject; task: GatewayTask; transientError?: undefined }
	| { body?: undefined; task?: undefined; transientError: ApiError };

export interface PollOptions {
	/** The longest time of the poll, see {@link fetchMediaTask}. */
	limitMs?: number;
	/** Whether the gateway may not know the task yet, so that a 404 is transient. */
	isNew?: boolean;
	/** Is called when the gateway has returned the task. */
	onFound?: (() => void) | undefined;
}

/** Returns transient errors (lost connection, 429, 5xx, a web page, no task); throws others with the task's ID. */
export async function pollOnce(
	client: GatewayClient,
	taskId: string,
	{ limitMs = POLL_TIMEOUT_MS, isNew = false, onFound }: PollOptions = {},
): Promise<PollResult> {
	try {
		const body = await fetchMediaTask(client, taskId, limitMs);
		const task = readMediaTask(body, taskId);
		onFound?.();
		return { body, task };
	} catch (error) {
		if (!(error instanceof ApiError)) throw asError(error);
		const { retryable, code, status } = error.details;
		// Something else than the gateway responded: a web page, with any status, or a response without a task.
		const isTransient = retryable || code === UNREADABLE || (isNew && status === 404);
		if (!isTransient) throw error.with({ taskId });
		return { transientError: error };
	}
}

/** Polls a task until it has ended, or until `pauseMs` has no pause before another poll. Returns the last result. */
export async function pollUntil(
	client: GatewayClient,
	taskId: string,
	pauseMs: (polls: number, last: PollResult | undefined) => number | undefined,
	options?: () => PollOptions,
): Promise<PollResult | undefined> {
	let last: PollResult | undefined;
	for (let polls = 0; !last?.task || !hasEnded(last.task.state); polls += 1) {
		const milliseconds = pauseMs(polls, last);
		if (milliseconds === undefined) break;
		if (milliseconds > 0) await client.pause(milliseconds);
		last = await pollOnce(client, taskId, options?.());
	}
	return last;
}

/** The pause between two polls of a task, in milliseconds: in the ranges of §3.1 for all media types. */
const POLL_PAUSE_MS = 5_000;

/** The first pause differs by up to so much, so that tasks are not polled all at once. Milliseconds. */
const SPREAD_MS = 2_000;

/** The shortest time for the last poll, in milliseconds, even if the longest wait is over. */
const MIN_POLL_MS = 5_000;

/** A longer `Retry-After` of a poll may be a mistake, and would hide the end of the task. */
const MAX_POLL_PAUSE_MS = 60_000;

export interface WaitOptions extends Pick<PollOptions, 'onFound'> {
	maxWaitMs: number;
	/** How long the gateway may not know the task yet, in milliseconds. */
	newMs?: number;
	/** Whether the task may have ended already, so that the first poll needs no delay. */
	pollImmediately: boolean;
	mediaType?: MediaType | undefined;
}

/**
 * Polls a task until it has ended (§3.1), and a last time when the longest wait is over: then it throws an error with
 * the task's ID. Transient errors do not end the wait. Returns the body of the last poll, an envelope.
 */
export async function waitForTask(
	client: GatewayClient,
	taskId: string,
	{ maxWaitMs, pollImmediately, newMs = 0, mediaType = 'image', onFound }: WaitOptions,
): Promise<JsonObject> {
	const start = client.now();
	const deadline = start + maxWaitMs;
	// §3.1: images every 3 to 5 s, all others every 5 to 10 s.
	const spreadMs = mediaType === 'image' ? -SPREAD_MS : SPREAD_MS;
	let state: string | null = null;
	const pauseBefore = (polls: number, found: PollResult | undefined) => {
		state = found?.task?.state ?? state;
		if (polls === 0 && pollImmediately) return 0;
		const { retryAfterMs = 0 } = found?.transientError?.details ?? {};
		const leftMs = deadline - client.now();
		const isFirst = polls === (pollImmediately ? 1 : 0);
		const pauseMs = POLL_PAUSE_MS + (isFirst ? Math.round(spreadMs * client.random()) : 0);
		const wanted = Math.max(pauseMs, Math.min(retryAfterMs, MAX_POLL_PAUSE_MS));
		return leftMs > 0 ? Math.min(wanted, leftMs) : undefined;
	};
	// One that has been found does not become unknown: it was deleted.
	const options = () => ({
		limitMs: Math.max(deadline - client.now(), MIN_POLL_MS),
		isNew: state === null && client.now() - start < newMs,
		onFound,
	});
	const last = await pollUntil(client, taskId, pauseBefore, options);
	if (last?.task && hasEnded(last.task.state)) return last.body;
	throw waitTimeout(taskId, last, state, maxWaitMs);
}

/** @param state that of the last poll that had one */
function waitTimeout(
	taskId: string,
	last: PollResult | undefined,
	state: string | null,
	maxWaitMs: number,
): ApiError {
	const found = last?.transientError
		? `could not be polled for the last time (${last.transientError.message})`
		: `was in state "${state ?? 'unknown'}"`;
	return new ApiError(
		{
			message: 'The media task did not finish within the maximum wait',
			description: `Task ${taskId} ${found} after ${duration(maxWaitMs)}. It continues at the gateway: get its result later with its ID, and raise the option 'Max Wait (Minutes)' for such tasks.`,
			outcome: 'rejected',
			kind: 'poll',
			code: 'wait_timeout',
			retryable: true,
			taskId,
			extra: { state },
		},
		last?.transientError,
	);
}

/** How long a task that may be new, or an old one that was deleted, counts as new, in milliseconds. */
export const MAY_BE_NEW_MS = 30_000;

/** The pauses before polls after a callback or a creation, in milliseconds: the gateway may be behind for a moment. */
export const CALLBACK_PAUSES_MS: readonly number[] = [0, 1_000, 3_000];
