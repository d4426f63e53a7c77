import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Deferred, OperationOutput, PausedRun } from '../../shared/run/operation';
import { SuspendableTask } from './suspendableTask';
import { lastSuspendedUntil, suspendExecution } from './waitingExecution';

/** n8n resumes executions once a minute: shorter waits are not worth a suspension. Milliseconds. */
export const SHORTEST_SUSPENSION_MS = 65_000;

/** How long before the end of a longest wait n8n sets the timer that resumes the execution, and a margin. Milliseconds. */
const TIMER_MS = 75_000;

type OpenTask = [index: number, task: SuspendableTask];

/**
 * Finishes the deferred work, except what the execution can be suspended for (§6.4). A callback that comes before the
 * suspension is lost, but any other one leads to a poll of all tasks. So tasks are checked until none of them has ended
 * meanwhile, and the last one with a callback is watched.
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
	for (;;) {
		const outputs = new Map<number, OperationOutput>();
		const check = async ([index, task]: OpenTask) => {
			const output = await task.check();
			if (output) outputs.set(index, output);
			else await finish(index);
		};
		await Promise.all(open.map(check));
		const isUnchanged = outputs.size === open.length;
		open = open.filter(([index]) => outputs.has(index));
		const withCallback = open.filter(([, { task }]) => task.callback.isRequested);
		if (withCallback.length === 0) {
			await Promise.all(open.map(async ([index]) => await finish(index)));
			return undefined;
		}
		if (isUnchanged) return { outputs, end: async (all) => await suspend(n8n, all, open, withCallback) };
	}
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
