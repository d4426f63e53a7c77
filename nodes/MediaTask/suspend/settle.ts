import type { DeferredWork } from '../../shared/run/operation';
import type { SavedTask } from './savedState';
import { SuspendableTask } from './suspendableTask';

/** n8n resumes executions once a minute: shorter waits are not worth a suspension. Milliseconds. */
export const SHORTEST_SUSPENSION_MS = 65_000;

/** How long before the end of a longest wait n8n sets the timer that resumes the execution, and a margin. Milliseconds. */
const TIMER_MS = 75_000;

/** An item for which the execution is to be suspended. */
export interface SuspendedItem {
	task: SuspendableTask;
	saved: SavedTask;
}

/**
 * Finishes the deferred work, except what the execution can be suspended for. The callback of a task that ends before
 * the suspension is lost, but any other callback leads to a poll of all tasks. So the last poll before it must find an
 * unfinished task with a callback; otherwise the tasks are waited for without suspending.
 *
 * @param lastUntil when the longest wait of an earlier suspension of the execution ended, in Unix milliseconds. n8n
 *   keeps the timer for it when a callback has resumed the execution, and would end the next suspension.
 * @returns the items for which the execution is to be suspended; none when all are finished
 */
export async function settle(
	{ deferred, finish, attempt }: DeferredWork,
	lastUntil = 0,
): Promise<Map<number, SuspendedItem>> {
	const suspendable: Array<[number, SuspendableTask]> = [];
	const others: number[] = [];
	for (const [index, work] of deferred) {
		const isLong = work instanceof SuspendableTask && work.until - Date.now() >= SHORTEST_SUSPENSION_MS;
		if (isLong) suspendable.push([index, work]);
		else others.push(index);
	}
	await Promise.all(others.map(finish));

	const suspended = new Map<number, SuspendedItem>();
	const check = async ([index, task]: [number, SuspendableTask]) => {
		suspended.delete(index);
		await attempt(index, async () => {
			const saved = await task.check();
			if (saved) suspended.set(index, { task, saved });
			else await finish(index);
		});
	};
	await Promise.all(suspendable.map(check));
	const timerMs = lastUntil - Date.now();
	if (timerMs > 0 && timerMs <= TIMER_MS) {
		const pause = async ([index, item]: [number, SuspendedItem]) => {
			suspended.delete(index);
			await attempt(index, async () => {
				await item.task.pause(timerMs);
				suspended.set(index, item);
			});
		};
		await Promise.all([...suspended].map(pause));
	}
	for (;;) {
		const open = suspendable.filter(([index]) => suspended.has(index));
		const last = open.filter(([, { hasCallback }]) => hasCallback).at(-1);
		if (!last) {
			suspended.clear();
			await Promise.all(open.map(async ([index]) => await finish(index)));
			return suspended;
		}
		await check(last);
		if (suspended.has(last[0])) return suspended;
		// It has ended; others may have ended, too.
		await Promise.all(open.filter((other) => other !== last).map(check));
	}
}
