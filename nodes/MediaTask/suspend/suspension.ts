import { randomUUID } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { pollOnce } from '../../shared/gateway/endpoints/polling';
import { hasEnded, type GatewayTask } from '../../shared/gateway/endpoints/tasks';
import { asObject } from '../../shared/gateway/util/json';
import { taskJson } from '../../shared/n8n/taskResults';
import type { Deferred, ItemContext, OperationOutput, PausedRun } from '../../shared/run/operation';
import { ANY_RESPONSE, ITEM, webhookUrl, lastSuspendedUntil, suspendExecution } from './waitingExecution';

/** Before the polls that follow a suspension: n8n responds with 409 to a callback before it has stored the execution. */
const WATCH_PAUSES_MS = [3_000, 5_000, 15_000];

export interface ResumeCallback {
	url: string;
	/** Whether the gateway sends it when this task has ended. */
	isRequested: boolean;
}

/** Callbacks are for the last tasks, which usually end last: n8n reads the whole execution for each. Others are polled. */
const MAX_CALLBACKS = 20;

export function resumeCallback({ n8n, index }: ItemContext, resumeUrl: URL): ResumeCallback {
	const isRequested = index >= n8n.getInputData().length - MAX_CALLBACKS;
	return { url: webhookUrl(resumeUrl, ITEM, String(index)), isRequested };
}

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
export class SuspendableTask implements Deferred {
	constructor(
		private readonly item: ItemContext,
		readonly task: PendingTask,
		readonly finish: () => Promise<OperationOutput[]>,
	) {}

	/** Polls once. Returns the output without a callback; `undefined` when the task has ended, or its work cannot go on. */
	async check(): Promise<OperationOutput | undefined> {
		const { taskId, model, price } = this.task;
		const { client, run, index } = this.item;
		try {
			const onFound = () => run.records.found(index);
			const { task } = await pollOnce(client, taskId, { isNew: true, onFound });
			return task && hasEnded(task.state)
				? undefined
				: timedOutOutput({ taskId, model }, await price(), task);
		} catch {
			return undefined;
		}
	}

	/** Polls a few times after the suspension, and sends the callback in place of the gateway if the task has ended. */
	async watch(): Promise<void> {
		const { client, n8n } = this.item;
		const callback = { method: 'POST', url: this.task.callback.url, ...ANY_RESPONSE } as const;
		for (const pauseMs of WATCH_PAUSES_MS) {
			await client.sleep(pauseMs);
			const isPending = (await this.check()) !== undefined;
			if (isPending) continue;
			const response: unknown = await n8n.helpers.httpRequest(callback).catch(() => undefined);
			if (Number(asObject(response)?.statusCode) < 300) return;
		}
	}
}

/** The output of an item whose task has not ended when the longest wait is over; `found` is its last poll. */
export function timedOutOutput(
	task: { taskId: string; model: string },
	priceRub: number | undefined,
	{ model = task.model, state = 'unknown', createdAt }: Partial<GatewayTask> = {},
): OperationOutput {
	const { taskId } = task;
	return {
		json: { ...taskJson({ taskId, model, state, createdAt, resultUrls: [] }, priceRub), timedOut: true },
	};
}

/** n8n resumes executions once a minute: shorter waits are not worth a suspension. Milliseconds. */
export const SHORTEST_SUSPENSION_MS = 65_000;

/** How long before the end of a longest wait n8n sets the timer that resumes the execution, and a margin. Milliseconds. */
const TIMER_MS = 75_000;

type OpenTask = [index: number, task: SuspendableTask];

/**
 * Finishes the deferred work, except what the execution can be suspended for (§6.4). A callback that comes before the
 * suspension is lost, but any later one leads to a poll of all tasks, and the last one with a callback is watched.
 */
export async function suspendOrFinish(
	n8n: IExecuteFunctions,
	deferred: ReadonlyMap<number, Deferred>,
	finish: (index: number) => Promise<void>,
): Promise<PausedRun | undefined> {
	const timerMs = lastSuspendedUntil(n8n) - Date.now();
	// n8n keeps the timer of an earlier suspension, and would end the next one with it.
	const canSuspend = timerMs <= 0 || timerMs > TIMER_MS;
	let open: OpenTask[] = [];
	const others: number[] = [];
	for (const [index, work] of deferred) {
		const isLong = work instanceof SuspendableTask && work.task.until - Date.now() >= SHORTEST_SUSPENSION_MS;
		if (isLong && canSuspend) open.push([index, work]);
		else others.push(index);
	}
	await Promise.all(others.map(finish));
	const outputs = new Map<number, OperationOutput>();
	const check = async ([index, task]: OpenTask) => {
		const output = await task.check();
		if (output) outputs.set(index, output);
		else await finish(index);
	};
	await Promise.all(open.map(check));
	open = open.filter(([index]) => outputs.has(index));
	const withCallback = open.filter(([, { task }]) => task.callback.isRequested);
	if (withCallback.length > 0)
		return { outputs, end: async (all) => await suspend(n8n, all, open, withCallback) };
	await Promise.all(open.map(async ([index]) => await finish(index)));
	return undefined;
}

async function suspend(
	n8n: IExecuteFunctions,
	outputs: Parameters<PausedRun['end']>[0],
	open: readonly OpenTask[],
	withCallback: readonly OpenTask[],
): Promise<void> {
	await suspendExecution(n8n, outputs, {
		id: randomUUID(),
		until: Math.max(...open.map(([, { task }]) => task.until)),
		tasks: Object.fromEntries(open.map(([index, { task }]) => [index, task.taskId])),
		callbacks: withCallback.map(([index]) => String(index)),
	});
	void withCallback.at(-1)?.[1].watch();
}
