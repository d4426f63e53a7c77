import { pollOnce } from '../../shared/gateway/endpoints/polling';
import { hasEnded, type MediaTask } from '../../shared/gateway/endpoints/tasks';
import { ApiError } from '../../shared/gateway/errors/errors';
import { taskJson } from '../../shared/n8n/taskResults';
import { toErrorJson } from '../../shared/run/nodeError';
import { Deferred, type ItemContext, type OperationOutput } from '../../shared/run/operation';
import { pollTask, taskOutput, type ResultSettings } from '../operations/task/result';
import type { SavedTask } from './savedState';
import { callbackUrlOf } from './waitingExecution';

/**
 * n8n responds with 409 to a callback that comes before it has stored the suspended execution: pauses between the polls
 * for such a task, in milliseconds.
 */
const WATCH_PAUSES_MS = [3_000, 5_000, 15_000];

/** How the gateway resumes the execution. */
export interface ResumeCallback {
	url: string;
	/** Whether the gateway sends it when this task has ended. */
	isRequested: boolean;
}

/**
 * Of the tasks of an execution, so many have a callback, the last that are created. n8n reads the whole execution for
 * each: hundreds at a time would keep it busy for minutes. The last tasks end last as a rule; the others are polled then.
 */
const MAX_CALLBACKS = 20;

/** How the gateway resumes the execution for an item; `undefined` where that cannot be. */
export function resumeCallback({ n8n, index }: ItemContext): ResumeCallback | undefined {
	const url = callbackUrlOf(n8n, index);
	const isRequested = index >= n8n.getInputData().length - MAX_CALLBACKS;
	return url === undefined ? undefined : { url, isRequested };
}

/** A task for which the execution may be suspended. */
interface PendingTask {
	taskId: string;
	settings: ResultSettings;
	/** What it costs, as far as the catalogue says. */
	price: () => Promise<number | undefined>;
	callback: ResumeCallback;
	/** The longest wait, in Unix milliseconds. */
	until: number;
}

/** The rest of an item's work, during which the execution may be suspended (§6.4). */
export class SuspendableTask extends Deferred {
	constructor(
		private readonly item: ItemContext,
		private readonly task: PendingTask,
		finish: () => Promise<OperationOutput[]>,
	) {
		super(finish);
	}

	get hasCallback(): boolean {
		return this.task.callback.isRequested;
	}

	get until(): number {
		return this.task.until;
	}

	/** Polls once, and returns what is to be stored; nothing when the task has ended. */
	async check(): Promise<SavedTask | undefined> {
		const { taskId, settings, price } = this.task;
		const found = await this.firstPoll();
		if (found && hasEnded(found.state)) return undefined;
		const priceRub = await price();
		const { model = settings.model, state = 'unknown', createdAt } = found ?? {};
		const known = { taskId, model, state, createdAt, resultUrls: [], result: null };
		return { taskId, settings, priceRub, timedOutOutput: { ...taskJson(known, priceRub), timedOut: true } };
	}

	/** The task as it is; `undefined` when that is not known, or when the gateway does not know yet that it exists. */
	private async firstPoll(): Promise<MediaTask | undefined> {
		try {
			return (await pollOnce(this.item.client, this.task.taskId)).task;
		} catch (error) {
			if (error instanceof ApiError && error.details.status === 404) return undefined;
			throw error;
		}
	}

	/** Polls a few times while the execution is suspended, and resumes it when the callback has come too early. */
	async watch(): Promise<void> {
		const { client, n8n } = this.item;
		const { taskId, callback } = this.task;
		try {
			for (const pause of WATCH_PAUSES_MS) {
				await client.sleep(pause);
				const { task } = await pollOnce(client, taskId);
				if (task && hasEnded(task.state) && (await isAccepted(this.item, callback.url))) return;
			}
		} catch (error) {
			n8n.logger.debug(`The media task ${taskId} was not watched: ${toErrorJson(error).message}`);
		}
	}
}

/** Sends the callback in place of the gateway. */
async function isAccepted({ n8n }: ItemContext, url: string): Promise<boolean> {
	const request = { method: 'POST', url, returnFullResponse: true, ignoreHttpStatusErrors: true } as const;
	const { statusCode } = (await n8n.helpers.httpRequest(request)) as { statusCode: number };
	return statusCode < 300;
}

/**
 * Continues with a task in a resumed execution. It has ended as a rule; where that is not known, it is polled for the
 * rest of the longest wait, and its item is then output as timed out.
 *
 * @param until the longest wait, in Unix milliseconds
 */
export function resumedTask(item: ItemContext, saved: SavedTask, until: number): Deferred {
	const { taskId, settings, priceRub, timedOutOutput } = saved;
	return new Deferred(async () => {
		const maxWaitMs = Math.max(until - item.client.now(), 0);
		try {
			const body = await pollTask(item, taskId, { model: settings.model, maxWaitMs, pollImmediately: true });
			return [await taskOutput(item, taskId, body, settings, priceRub)];
		} catch (error) {
			if (error instanceof ApiError && error.details.code === 'wait_timeout')
				return [{ json: timedOutOutput }];
			throw error;
		}
	});
}
