import type { MediaType } from '../media/mediaModel';
import { ApiError } from '../errors/errors';
import type { JsonObject } from '../util/json';
import { fetchMediaTask, hasEnded, pollDelayMs, readMediaTask, type MediaTask } from './tasks';
import type { GatewayClient } from '../client/client';
import { UNREADABLE } from './response';

/** The last look gets this much time, in milliseconds, although the longest wait is over. */
const SHORTEST_LOOK_MS = 5_000;

export interface WaitOptions {
	/**
	 * Tells what the task's model makes, which decides about the pace; `undefined` when that is not known.
	 *
	 * @param told the model that the task itself tells, once it has been looked at
	 */
	mediaType: (told: string | undefined) => Promise<MediaType | undefined>;
	/** The longest wait, in milliseconds. */
	maxWaitMs: number;
	/** Whether a result may already be there, so that the first look needs no pause. */
	pollImmediately: boolean;
}

/**
 * Polls a task until it has ended (§3.1). A poll that fails for a moment (lost connection, 429, 5xx) is only a
 * poll without news: the task goes on. Looks a last time when the longest wait is over.
 *
 * @returns the body of the last poll, an envelope
 * @throws {ApiError} with the task's id when the wait is over or the gateway does not know the task any more
 * @throws {Stopped} as soon as the run ends
 */
export async function waitForTask(
	client: GatewayClient,
	taskId: string,
	plan: WaitOptions,
): Promise<JsonObject> {
	const deadline = client.now() + plan.maxWaitMs;
	let last: Look | undefined;
	let pause = plan.pollImmediately ? 0 : await nextPause(client, plan, last);
	for (;;) {
		const remaining = deadline - client.now();
		const isDue = plan.pollImmediately && last === undefined;
		if (remaining <= 0 && !isDue) throw waitTimeout(taskId, last, plan.maxWaitMs);
		if (pause > 0) await client.pause(Math.min(pause, remaining));
		const left = Math.max(deadline - client.now(), SHORTEST_LOOK_MS);
		const look = await pollOnce(client, taskId, left);
		if (look.task && hasEnded(look.task.state)) return look.body;
		last = look;
		pause = await nextPause(client, plan, look);
	}
}

/** The pause before the next look, in milliseconds: the pace of what the model makes, longer when the gateway asks. */
async function nextPause(client: GatewayClient, plan: WaitOptions, last: Look | undefined): Promise<number> {
	const mediaType = await plan.mediaType(last?.task?.model);
	return Math.max(pollDelayMs(mediaType, client.random()), last?.transientError?.details.retryAfterMs ?? 0);
}

/**
 * A task may read as running for a moment although its end is announced, and the gateway may be in trouble for a
 * moment: pauses between the looks, in milliseconds.
 */
const ANNOUNCED_PAUSES_MS = [1_000, 3_000];

/**
 * Looks at a task whose end was announced until it has ended, with a little patience.
 *
 * @returns what the last look gave
 */
export async function pollWithRetries<Found>(
	client: GatewayClient,
	look: () => Promise<Found>,
	isOver: (found: Found) => boolean,
): Promise<Found> {
	let found = await look();
	for (const pause of ANNOUNCED_PAUSES_MS) {
		if (isOver(found)) break;
		await client.pause(pause);
		found = await look();
	}
	return found;
}

/** What a poll gave: the task, or a passing trouble. */
export type Look =
	| { body: JsonObject; task: MediaTask; transientError?: undefined }
	| { body?: undefined; task?: undefined; transientError: ApiError };

/**
 * Looks at a task once. A passing trouble (lost connection, 429, 5xx) is no news; it is not an error.
 *
 * @param timeoutLimitMs how long to wait for an answer at most, in milliseconds
 * @throws {ApiError} with the task's id, when the gateway does not know the task any more
 */
export async function pollOnce(
	client: GatewayClient,
	taskId: string,
	timeoutLimitMs?: number,
): Promise<Look> {
	try {
		const body = await fetchMediaTask(client, taskId, { maxRetries: 0, timeoutLimitMs });
		const task = readMediaTask(body, taskId);
		return { body, task };
	} catch (error) {
		return { transientError: transientErrorOf(error, taskId) };
	}
}

/**
 * The failure of a poll when it is a passing one.
 *
 * @throws the error, with the task's id, when it is not
 */
function transientErrorOf(error: unknown, taskId: string): ApiError {
	if (!(error instanceof ApiError)) throw error;
	const { retryable, delivery, code } = error.details;
	// What stands in for the gateway passes (a page, an answer without a task); a refusal or an untrusted certificate
	// does not.
	const passes = retryable || delivery === 'unknown' || code === UNREADABLE;
	if (!passes) throw error.with({ taskId });
	return error;
}

function waitTimeout(taskId: string, last: Look | undefined, maxWaitMs: number): ApiError {
	const minutes = Math.round(maxWaitMs / 6_000) / 10;
	const state = last?.task?.state ?? null;
	const found = last?.transientError
		? `could not be looked at for the last time (${last.transientError.message})`
		: `was in state "${state ?? 'unknown'}"`;
	return new ApiError(
		{
			message: 'The media task was not finished within the longest wait',
			description: `Task ${taskId} ${found} after ${minutes} minutes. It goes on at the gateway and is paid for: fetch its result later by its ID, and raise the option 'Max Wait (Minutes)' for such tasks.`,
			delivery: 'responded',
			code: 'wait_timeout',
			retryable: true,
			taskId,
			extra: { state },
		},
		last?.transientError,
	);
}
