import { errorReport } from '../../../shared/execution/nodeError';
import type { Dream, ItemContext, Sleeper } from '../../../shared/execution/operation';
import { lookAt } from '../../../shared/execution/waiting';
import { taskJson } from '../../../shared/execution/mediaResults';
import type { JsonObject } from '../../../shared/gateway/json';
import { fetchMediaTask, hasEnded, readMediaTask } from '../../../shared/gateway/media';
import type { Wish } from './finish';

/** A call that comes before n8n has stored the sleeping execution is answered with 409: pauses between the tries, in milliseconds. */
const WATCH_PAUSES_MS = [3_000, 5_000, 15_000];

/** How much clocks may differ, in milliseconds. */
const CLOCK_TOLERANCE_MS = 5_000;

/** A task for which the execution may sleep. */
export interface SleepingTask {
	taskId: string;
	wish: Wish;
	/** What it costs, as far as the catalogue tells. */
	price: () => Promise<number | undefined>;
	/** The address that wakes the execution. */
	wakeUp: string;
	/** Unix milliseconds. */
	until: number;
}

/** What the node must know of a task on waking up. */
export interface TaskMemo extends Wish {
	taskId: string;
	priceRub?: number | undefined;
	/** The item's own timeout of requests, in milliseconds. */
	timeoutMs?: number | undefined;
}

/** Sleeps until a task has ended (§6.4). */
export function sleeperFor(item: ItemContext, { taskId, wish, price, wakeUp, until }: SleepingTask): Sleeper {
	const { client } = item;
	return {
		until,
		async look(): Promise<Dream | undefined> {
			const { task } = await lookAt(client, taskId);
			if (task && hasEnded(task.state)) return undefined;
			const priceRub = await price();
			const memo: TaskMemo = { ...wish, taskId, priceRub, timeoutMs: client.settings.timeoutMs };
			const { model = wish.model, state = 'unknown', createdAt } = task ?? {};
			const known = { taskId, model, state, createdAt, resultUrls: [], result: null };
			return { json: { ...taskJson(known, priceRub), timedOut: true }, memo: memo as unknown as JsonObject };
		},
		async watch(): Promise<void> {
			try {
				for (const pause of WATCH_PAUSES_MS) {
					await client.sleep(pause);
					const { task } = await lookAt(client, taskId);
					if (!task || !hasEnded(task.state) || (await wake(item, wakeUp, taskId))) return;
				}
			} catch (error) {
				item.n8n.logger.debug(`The media task ${taskId} was not watched: ${errorReport(error).message}`);
			}
		},
	};
}

/** Calls as the gateway does. Gives whether the call was taken. */
async function wake({ n8n }: ItemContext, url: string, taskId: string): Promise<boolean> {
	const response = (await n8n.helpers.httpRequest({
		method: 'POST',
		url,
		body: { taskId },
		json: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
	})) as { statusCode: number };
	return response.statusCode < 300;
}

/** Whether a task was created before a time (Unix milliseconds): another execution may have asked for it. */
export async function isOlderThan({ client }: ItemContext, taskId: string, time: number): Promise<boolean> {
	const { createdAt } = readMediaTask(await fetchMediaTask(client, taskId), taskId);
	return createdAt === undefined || Date.parse(createdAt) < time - CLOCK_TOLERANCE_MS;
}
