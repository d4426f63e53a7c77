import { pollOnce, pollUntil } from '../../shared/gateway/endpoints/polling';
import { hasEnded, type MediaTask } from '../../shared/gateway/endpoints/tasks';
import { ApiError } from '../../shared/gateway/errors/errors';
import { taskJson } from '../../shared/n8n/taskResults';
import { toErrorJson } from '../../shared/run/nodeError';
import { Deferred, type ItemContext, type OperationOutput } from '../../shared/run/operation';
import { callbackUrlOf } from './waitingExecution';

/**
 * Pauses before the polls that follow a suspension, in milliseconds. n8n responds with 409 to a callback that
 * comes before it has stored the suspended execution.
 */
const WATCH_PAUSES_MS = [3_000, 5_000, 15_000];

/** How the gateway resumes the execution. */
export interface ResumeCallback {
	url: string;
	/** Whether the gateway sends it when this task has ended. */
	isRequested: boolean;
}

/**
 * How many tasks of an execution have a callback: the last ones, which usually end last. n8n reads the whole
 * execution for each callback, so hundreds would keep it busy for minutes. The other tasks are polled when the
 * callbacks have come.
 */
const MAX_CALLBACKS = 20;

/** How the gateway resumes the execution for an item; `undefined` when it cannot. */
export function resumeCallback({ n8n, index }: ItemContext): ResumeCallback | undefined {
	const url = callbackUrlOf(n8n, index);
	const isRequested = index >= n8n.getInputData().length - MAX_CALLBACKS;
	return url === undefined ? undefined : { url, isRequested };
}

/** A task for which the execution may be suspended. */
interface PendingTask {
	taskId: string;
	model: string;
	/** Its price in rubles, when the catalogue has it. */
	price: () => Promise<number | undefined>;
	callback: ResumeCallback;
	/** When the longest wait ends, in Unix milliseconds. */
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

	get taskId(): string {
		return this.task.taskId;
	}

	get hasCallback(): boolean {
		return this.task.callback.isRequested;
	}

	get until(): number {
		return this.task.until;
	}

	/**
	 * Polls once.
	 *
	 * @returns the output if the execution resumes without a callback; `undefined` when the task has ended, or when its
	 *   work cannot go on
	 */
	async check(): Promise<OperationOutput | undefined> {
		const { taskId, model, price } = this.task;
		let found: MediaTask | undefined;
		try {
			found = (await pollOnce(this.item.client, taskId)).task;
		} catch (error) {
			// The gateway may not know the task yet.
			if (!(error instanceof ApiError) || error.details.status !== 404) return undefined;
		}
		return found && hasEnded(found.state)
			? undefined
			: timedOutOutput({ taskId, model }, await price(), found);
	}

	/**
	 * Polls a few times while the execution is suspended. Resumes it when the task has ended, in case the callback
	 * came too early.
	 */
	async watch(): Promise<void> {
		const { client, n8n } = this.item;
		const { taskId, callback } = this.task;
		try {
			const pausesMs = [...WATCH_PAUSES_MS];
			const watched = { poll: async () => await pollOnce(client, taskId), pauseMs: () => pausesMs.shift() };
			const pause = async (milliseconds: number) => await client.sleep(milliseconds);
			while (pausesMs.length > 0) {
				const found = await pollUntil({ ...watched, pause });
				if (!found?.task || !hasEnded(found.task.state)) return;
				if (await isAccepted(this.item, callback.url)) return;
			}
		} catch (error) {
			n8n.logger.debug(`The media task ${taskId} was not watched: ${toErrorJson(error).message}`);
		}
	}
}

/** Sends the callback in place of the gateway. Returns whether n8n accepts it. */
async function isAccepted({ n8n }: ItemContext, url: string): Promise<boolean> {
	const request = { method: 'POST', url, returnFullResponse: true, ignoreHttpStatusErrors: true } as const;
	const { statusCode } = (await n8n.helpers.httpRequest(request)) as { statusCode: number };
	return statusCode < 300;
}

/**
 * The output of an item whose task has not ended when the longest wait is over.
 *
 * @param found the task as it was last polled
 */
export function timedOutOutput(
	task: { taskId: string; model: string },
	priceRub: number | undefined,
	{ model = task.model, state = 'unknown', createdAt }: Partial<MediaTask> = {},
): OperationOutput {
	const { taskId } = task;
	return {
		json: { ...taskJson({ taskId, model, state, createdAt, resultUrls: [] }, priceRub), timedOut: true },
	};
}
