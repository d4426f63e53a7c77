import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { DeferredWork, OperationOutput, PausedRun } from '../../shared/run/operation';
import { SuspendableTask } from './suspendableTask';
import { lastSuspendedUntil, suspendExecution } from './waitingExecution';

/** n8n resumes executions once a minute: shorter waits are not worth a suspension. Milliseconds. */
export const SHORTEST_SUSPENSION_MS = 65_000;

/** How long before the end of a longest wait n8n sets the timer that resumes the execution, and a margin. Milliseconds. */
const TIMER_MS = 75_000;

/**
 * Finishes the deferred work, except what the execution can be suspended for (§6.4). The callback of a task that ends
 * before the suspension is lost, but any other callback leads to a poll of all tasks. So the last poll before it must
 * find an unfinished task with a callback; otherwise the tasks are waited for without suspending.
 *
 * @returns how to suspend the execution; `undefined` when all work is finished
 */
export async function suspendOrFinish(
	n8n: IExecuteFunctions,
	{ deferred, finish, attempt }: DeferredWork,
): Promise<PausedRun | undefined> {
	const suspendable: Array<[number, SuspendableTask]> = [];
	const others: number[] = [];
	for (const [index, work] of deferred) {
		const isLong = work instanceof SuspendableTask && work.until - Date.now() >= SHORTEST_SUSPENSION_MS;
		if (isLong) suspendable.push([index, work]);
		else others.push(index);
	}
	await Promise.all(others.map(finish));

	/** By item, the output if the execution resumes without a callback and the task has not ended. */
	const pending = new Map<number, OperationOutput>();
	const check = async ([index, task]: [number, SuspendableTask]) => {
		pending.delete(index);
		await attempt(index, async () => {
			const output = await task.check();
			if (output) pending.set(index, output);
			else await finish(index);
		});
	};
	await Promise.all(suspendable.map(check));
	// n8n keeps the timer of an earlier suspension, and would end the next one with it.
	const timerMs = lastSuspendedUntil(n8n) - Date.now();
	if (timerMs > 0 && timerMs <= TIMER_MS) {
		const pause = async ([index, output]: [number, OperationOutput]) => {
			pending.delete(index);
			await attempt(index, async () => {
				await deferredTask(deferred, index)?.pause(timerMs);
				pending.set(index, output);
			});
		};
		await Promise.all([...pending].map(pause));
	}
	for (;;) {
		const open = suspendable.filter(([index]) => pending.has(index));
		const last = open.filter(([, { hasCallback }]) => hasCallback).at(-1);
		if (!last) {
			await Promise.all(open.map(async ([index]) => await finish(index)));
			return undefined;
		}
		await check(last);
		if (pending.has(last[0])) return paused(n8n, open, pending);
		// It has ended; others may have ended, too.
		await Promise.all(open.filter((other) => other !== last).map(check));
	}
}

function deferredTask(deferred: DeferredWork['deferred'], index: number): SuspendableTask | undefined {
	const work = deferred.get(index);
	return work instanceof SuspendableTask ? work : undefined;
}

function paused(
	n8n: IExecuteFunctions,
	open: Array<[number, SuspendableTask]>,
	outputs: ReadonlyMap<number, OperationOutput>,
): PausedRun {
	const withCallback = open.filter(([, { hasCallback }]) => hasCallback);
	return {
		outputs,
		end: async (all) => {
			await suspendExecution(n8n, all, {
				id: randomUUID(),
				until: Math.max(...open.map(([, { until }]) => until)),
				tasks: Object.fromEntries(open.map(([index, { taskId }]) => [index, taskId])),
				callbacks: withCallback.map(([index]) => index),
			});
			void withCallback.at(-1)?.[1].watch();
		},
	};
}
