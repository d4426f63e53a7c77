import type { IDataObject } from 'n8n-workflow';

import { taskJson } from '../../shared/n8n/taskResults';
import { toErrorJson } from '../../shared/run/nodeError';
import {
	Deferred,
	type SleepState,
	type ItemContext,
	type OperationOutput,
	type Sleeper,
} from '../../shared/run/operation';
import { wakeUpUrl } from './savedState';
import { pollOnce } from '../../shared/gateway/endpoints/polling';
import { ApiError, asError } from '../../shared/gateway/errors/errors';
import type { JsonObject } from '../../shared/gateway/util/json';
import { hasEnded, type MediaTask } from '../../shared/gateway/endpoints/tasks';
import { pollTask, taskOutput, type ResultSettings } from '../operations/task/result';

/**
 * A call that comes before n8n has stored the sleeping execution is answered with 409: pauses between the looks for
 * such a task, in milliseconds.
 */
const WATCH_PAUSES_MS = [3_000, 5_000, 15_000];

/** A task for which the execution may sleep. */
export interface SleepingTask {
	taskId: string;
	settings: ResultSettings;
	/** What it costs, as far as the catalogue tells. */
	price: () => Promise<number | undefined>;
	wakeUp: WakeUp;
	/** Unix milliseconds. */
	until: number;
}

/** How the execution is woken. */
export interface WakeUp {
	/** The address that wakes it. */
	url: string;
	/** Whether the gateway is to call it when this task has ended. */
	calls: boolean;
}

/**
 * Of the tasks of an execution, so many call, the last that are created. n8n reads the whole execution for each call:
 * hundreds at a time would keep it busy for minutes. Those that call end last as a rule; the others are looked at then.
 */
const MAX_CALLERS = 20;

/** How this execution is woken for an item; `undefined` where that cannot be. */
export function wakeUpOf({ n8n, index }: ItemContext): WakeUp | undefined {
	const url = wakeUpUrl(n8n, index);
	return url === undefined ? undefined : { url, calls: index >= n8n.getInputData().length - MAX_CALLERS };
}

/** What must be known of a task to go on after a sleep. */
interface TaskMemo {
	taskId: string;
	settings: ResultSettings;
	priceRub?: number | undefined;
	/** What the item says when nobody calls in time. */
	late: IDataObject;
}

/** Sleeps until a task has ended (§6.4). */
export function sleeperFor(
	item: ItemContext,
	{ taskId, settings, price, wakeUp, until }: SleepingTask,
): Sleeper {
	const { client } = item;
	return {
		taskId,
		calls: wakeUp.calls,
		until,
		async look(): Promise<SleepState | undefined> {
			const task = await firstLook(item, taskId);
			if (task && hasEnded(task.state)) return undefined;
			const priceRub = await price();
			const { model = settings.model, state = 'unknown', createdAt } = task ?? {};
			const known = { taskId, model, state, createdAt, resultUrls: [], result: null };
			const json = { ...taskJson(known, priceRub), timedOut: true };
			const memo: TaskMemo = { taskId, settings, priceRub, late: json };
			return { json, memo: memo as unknown as JsonObject };
		},
		async watch(): Promise<void> {
			try {
				for (const pause of WATCH_PAUSES_MS) {
					await client.sleep(pause);
					const { task } = await pollOnce(client, taskId);
					if (task && hasEnded(task.state) && (await isWoken(item, wakeUp.url))) return;
				}
			} catch (error) {
				item.n8n.logger.debug(`The media task ${taskId} was not watched: ${toErrorJson(error).message}`);
			}
		},
	};
}

/** The task as it stands; `undefined` when that cannot be told, or when the gateway has not noticed yet that it exists. */
async function firstLook({ client }: ItemContext, taskId: string): Promise<MediaTask | undefined> {
	const { task } = await pollOnce(client, taskId).catch((error: unknown) => {
		const isUnknown = error instanceof ApiError && error.details.status === 404;
		return isUnknown ? { task: undefined } : Promise.reject(asError(error));
	});
	return task;
}

/** Calls as the gateway does. Gives whether the call was taken. */
async function isWoken({ n8n }: ItemContext, url: string): Promise<boolean> {
	const request = { method: 'POST', url, returnFullResponse: true, ignoreHttpStatusErrors: true } as const;
	const { statusCode } = (await n8n.helpers.httpRequest(request)) as { statusCode: number };
	return statusCode < 300;
}

/**
 * Goes on with a task after a sleep. It has ended as a rule; where that could not be told, it is polled for the rest of
 * the longest wait, and then passes on as last known.
 */
export function wakeUpWith(item: ItemContext, stored: JsonObject, until: number): Deferred {
	const { taskId, settings, priceRub, late } = stored as unknown as TaskMemo;
	return new Deferred(async (): Promise<OperationOutput[]> => {
		const maxWaitMs = Math.max(until - item.client.now(), 0);
		const poll = pollTask(item, taskId, { model: settings.model, maxWaitMs, pollImmediately: true });
		const body = await poll.catch((error: unknown) => {
			const isLate = error instanceof ApiError && error.details.code === 'wait_timeout';
			return isLate ? undefined : Promise.reject(asError(error));
		});
		return [body ? await taskOutput(item, taskId, body, settings, priceRub) : { json: late }];
	});
}
