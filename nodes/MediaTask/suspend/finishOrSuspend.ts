import type { Deferred, SleepState, Sleeper } from '../../shared/run/operation';

/** n8n looks for executions to wake once a minute: shorter waits, in milliseconds, belong in memory. */
export const SHORTEST_SLEEP_MS = 65_000;

/** An item for which the execution is to sleep. */
export interface Asleep extends SleepState {
	sleeper: Sleeper;
}

/** What becomes of an item's work. */
export interface Settling {
	/** Does the rest of an item's work. Never rejects. */
	finish(index: number): Promise<void>;
	/** Does something for an item, and lets the item fail when it fails. Never rejects. */
	attempt(index: number, work: () => Promise<void>): Promise<void>;
}

/**
 * Finishes what was deferred, but for what the execution can sleep for.
 *
 * The call of a task that ends before the execution sleeps is lost. Any call leads to a look at all tasks, so it is
 * enough that one is still to come: the last look before the sleep finds a task going on that will call. Where no such
 * task is left, the others are waited for awake.
 *
 * @returns the items for which the execution is to sleep; none when all are finished
 */
export async function finishOrSleep(
	deferred: ReadonlyMap<number, Deferred>,
	{ finish, attempt }: Settling,
): Promise<Map<number, Asleep>> {
	const sleepers: Array<[number, Sleeper]> = [];
	const awake: number[] = [];
	for (const [index, { sleeper }] of deferred) {
		if (sleeper && sleeper.until - Date.now() >= SHORTEST_SLEEP_MS) sleepers.push([index, sleeper]);
		else awake.push(index);
	}
	await Promise.all(awake.map(finish));

	const asleep = new Map<number, Asleep>();
	const look = async ([index, sleeper]: [number, Sleeper]) => {
		asleep.delete(index);
		await attempt(index, async () => {
			const state = await sleeper.look();
			if (state) asleep.set(index, { ...state, sleeper });
			else await finish(index);
		});
	};
	await Promise.all(sleepers.map(look));
	for (;;) {
		const open = sleepers.filter(([index]) => asleep.has(index));
		const last = open.filter(([, { calls }]) => calls).at(-1);
		if (!last) {
			asleep.clear();
			await Promise.all(open.map(async ([index]) => await finish(index)));
			return asleep;
		}
		await look(last);
		if (asleep.has(last[0])) return asleep;
		// It has ended meanwhile; so may have others.
		await Promise.all(open.filter((sleeper) => sleeper !== last).map(look));
	}
}
