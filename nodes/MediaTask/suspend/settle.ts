import type { DeferredWork } from '../../shared/run/operation';
import type { SavedTask } from './savedState';
import { SuspendableTask } from './suspendableTask';

/** n8n resumes executions once a minute: shorter waits, in milliseconds, are not worth a suspension. */
export const SHORTEST_SUSPENSION_MS = 65_000;

/** An item for which the execution is to be suspended. */
export interface SuspendedItem {
	task: SuspendableTask;
	saved: SavedTask;
}

/**
 * Ends the deferred work, except where the execution can be suspended for it.
 *
 * The callback of a task that ends before the execution is suspended is lost. Any callback leads to a poll of all tasks,
 * so it is enough that one is still to come: the last poll finds a task that goes on and has a callback. Where no such
 * task is left, the others are waited for without suspending.
 *
 * @returns the items for which the execution is to be suspended; none when all are finished
 */
export async function settle({
	deferred,
	finish,
	attempt,
}: DeferredWork): Promise<Map<number, SuspendedItem>> {
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
		// It has ended meanwhile; so may have others.
		await Promise.all(open.filter((other) => other !== last).map(check));
	}
}
