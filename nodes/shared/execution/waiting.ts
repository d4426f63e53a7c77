import type { MediaType } from '../gateway/catalogue';
import { ApiFailure } from '../gateway/failure';
import type { JsonObject } from '../gateway/json';
import { fetchMediaTask, hasEnded, pollDelayMs, readMediaTask } from '../gateway/media';
import type { GatewayClient } from '../gateway/request';

export interface WaitPlan {
	mediaType: MediaType | undefined;
	/** The longest wait, in milliseconds. */
	maxWaitMs: number;
	/** Whether a result may already be there, so that the first look needs no pause. */
	lookAtOnce: boolean;
}

/**
 * Polls a task until it has ended (§3.1). A poll that fails for a moment (lost connection, 429, 5xx) is only a
 * poll without news: the task goes on. Looks a last time when the longest wait is over.
 *
 * @returns the body of the last poll, an envelope
 * @throws {ApiFailure} with the task's id when the wait is over or the gateway does not know the task any more
 * @throws {Stopped} as soon as the run ends
 */
export async function awaitTask(client: GatewayClient, taskId: string, plan: WaitPlan): Promise<JsonObject> {
	const deadline = client.now() + plan.maxWaitMs;
	let state = 'waiting';
	let pause = plan.lookAtOnce ? 0 : pollDelayMs(plan.mediaType, client.random());
	for (;;) {
		const remaining = deadline - client.now();
		if (remaining <= 0) throw stillRunning(taskId, state, plan.maxWaitMs);
		if (pause > 0) await client.pause(Math.min(pause, remaining));
		const look = await lookAt(client, taskId);
		if ('body' in look) {
			state = look.state;
			if (hasEnded(state)) return look.body;
		}
		pause = Math.max(pollDelayMs(plan.mediaType, client.random()), look.retryAfterMs ?? 0);
	}
}

type Look = { body: JsonObject; state: string; retryAfterMs?: undefined } | { retryAfterMs: number };

async function lookAt(client: GatewayClient, taskId: string): Promise<Look> {
	try {
		const body = await fetchMediaTask(client, taskId, 0);
		return { body, state: readMediaTask(body, taskId).state };
	} catch (error) {
		return { retryAfterMs: passingTrouble(error, taskId) };
	}
}

/**
 * The pause that a passing trouble asks for, in milliseconds.
 *
 * @throws the error, with the task's id, when it is no passing one
 */
function passingTrouble(error: unknown, taskId: string): number {
	if (!(error instanceof ApiFailure)) throw error;
	const { retryable, arrival, retryAfterMs } = error.details;
	if (!retryable && arrival === 'answered') throw error.with({ taskId });
	return retryAfterMs ?? 0;
}

function stillRunning(taskId: string, state: string, maxWaitMs: number): ApiFailure {
	const minutes = Math.round(maxWaitMs / 6_000) / 10;
	return new ApiFailure({
		message: 'The media task was not finished within the longest wait',
		description: `Task ${taskId} was in state "${state}" after ${minutes} minutes. It goes on at the gateway and is paid for: fetch its result later by its ID, and raise the option "Max Wait (Minutes)" for such tasks.`,
		arrival: 'answered',
		code: 'wait_timeout',
		retryable: true,
		taskId,
		extra: { state },
	});
}
