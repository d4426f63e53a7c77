import { Budget } from './budget';
import { DroppedCallbacks } from './droppedCallbacks';
import type { IncomingCallback } from './incoming';

/** Polls at a time. */
const MAX_POLLS = 4;

/** Polls at once that lead to no ended task, and the milliseconds until one more is allowed. */
const MAX_VAIN_POLLS = 60;
const REFILL_MS = 1_000;

/** Unknown IDs at once that make a flood, and the milliseconds until one less counts. */
const MAX_UNKNOWN = 40;

/** Callbacks that wait, and the bytes that they keep in memory. */
const MAX_WAITING = 1_000;
const MAX_KEPT = 8 * 1024 * 1024;

/**
 * Calls of the webhook that check callbacks; fewer in a flood. For each, n8n keeps the request in memory, and since
 * 2.40 some 11 MB for expressions.
 */
const MAX_WORKERS = 500;
const MAX_WORKERS_IN_FLOOD = 20;
const MAX_WORKER_BYTES = 64 * 1024 * 1024;

/** How long it is remembered that an ID needs no further poll, in milliseconds, and how many IDs. */
const SETTLED_MS = 10 * 60_000;
const MAX_SETTLED = 10_000;

/** How many sources are remembered with their last turn. */
const MAX_SOURCES = 1_000;

interface Dependencies {
	/** Unix milliseconds. */
	now: () => number;
	sleep: (milliseconds: number) => Promise<void>;
	/** Writes a line to the log. */
	warn: (line: string) => void;
}

type Waiting = Pick<IncomingCallback, 'ids' | 'source' | 'kept' | 'content' | 'passThrough'>;

/** Runs a poll when its turn has come. */
export type Turn = <T>(poll: () => Promise<T>) => Promise<T>;

/** Returns the result of a callback; `undefined` when there is none. Sends each poll with `turn`. */
type Check<T> = (callback: Waiting, turn: Turn) => Promise<T | undefined>;

/**
 * The callbacks to a trigger that are to be checked. Anybody can send callbacks, so few are checked at a time, and a
 * budget limits the polls that lead to nothing. The sources take turns, so that a flood from one does not hold up
 * the gateway.
 *
 * A call of the webhook can start one execution, which need not be for its own callback: a call checks callbacks
 * until one of them starts the workflow. So a flood of callbacks keeps few calls, and the others end at once.
 */
export class CallbackQueue {
	/** By their IDs. */
	private readonly waiting = new Map<string, Waiting>();
	private readonly checking = new Set<string>();
	/** Calls of the webhook that wait for a callback. */
	private readonly idle: Array<(callback: Waiting | undefined) => void> = [];
	/** Further polls of callbacks that are being checked. */
	private readonly retries: Array<() => void> = [];
	/** IDs that need no further poll, and until when. */
	private readonly settled = new Map<string, number>();
	private readonly lastTurn = new Map<string, number>();
	private readonly budget: Budget;
	private readonly unknown: Budget;
	private readonly dropped: DroppedCallbacks;
	private turns = 0;
	private polls = 0;
	/** Calls of the webhook that check a callback. */
	private busy = 0;
	private workerBytes = 0;
	private keptBytes = 0;
	private isTimed = false;

	constructor(private readonly dependencies: Dependencies) {
		const { now, warn } = dependencies;
		this.budget = new Budget(MAX_VAIN_POLLS, REFILL_MS, now);
		this.unknown = new Budget(MAX_UNKNOWN, REFILL_MS, now);
		this.dropped = new DroppedCallbacks(now, warn);
	}

	/** Adds a callback; returns false when there are too many. One that waits already is not added again. */
	add(callback: Waiting): boolean {
		const key = keyOf(callback);
		if (!this.isOpen(callback) || this.waiting.has(key)) return true;
		while (this.waiting.size >= MAX_WAITING || this.keptBytes + callback.kept > MAX_KEPT) {
			const last = this.lastOfMost(callback.source);
			this.dropped.add((last ?? callback).ids);
			if (!last) return false;
			this.remove(last);
		}
		this.waiting.set(key, callback);
		this.keptBytes += callback.kept;
		return true;
	}

	/**
	 * Checks callbacks that wait, until one of them has a result. Returns at once when enough calls do so.
	 *
	 * @param size what this call of the webhook keeps in memory, in bytes
	 * @returns the result; `undefined` when nothing is left to check
	 */
	async work<T>(size: number, check: Check<T>): Promise<T | undefined> {
		const workers = this.idle.length + this.busy;
		const isEnough = workers >= this.maxWorkers || this.workerBytes + size > MAX_WORKER_BYTES;
		if (isEnough && workers > 0) return undefined;
		this.workerBytes += size;
		try {
			for (;;) {
				const callback = await this.next();
				if (!callback) return undefined;
				const result = await this.checked(callback, check);
				if (result !== undefined) return result;
			}
		} finally {
			this.workerBytes -= size;
			if (this.idle.length + this.busy === 0) this.dropped.report();
		}
	}

	/** Whether a task's ID may need a poll. */
	isUnsettled(id: string): boolean {
		return (this.settled.get(id) ?? 0) <= this.dependencies.now();
	}

	/**
	 * Remembers that an ID needs no further poll.
	 *
	 * @param isKnown whether the account has such a task
	 */
	settle(id: string, isKnown: boolean): void {
		this.settled.delete(id);
		this.settled.set(id, this.dependencies.now() + SETTLED_MS);
		limit(this.settled, MAX_SETTLED);
		if (!isKnown) this.unknown.take();
	}

	/** Gives back the polls of a callback that was news. */
	refund(polls: number): void {
		this.budget.refund(polls);
	}

	private get maxWorkers(): number {
		return this.unknown.isEmpty ? MAX_WORKERS_IN_FLOOD : MAX_WORKERS;
	}

	private isOpen({ ids }: Waiting): boolean {
		return ids.some((id) => this.isUnsettled(id));
	}

	private async next(): Promise<Waiting | undefined> {
		return await new Promise((resolve) => {
			this.idle.push(resolve);
			this.assign();
		});
	}

	/** Checks a callback whose first poll has its turn. */
	private async checked<T>(callback: Waiting, check: Check<T>): Promise<T | undefined> {
		let hasTurn = true;
		const turn: Turn = async (poll) => {
			if (!hasTurn) await this.retryTurn();
			hasTurn = false;
			return await poll().finally(() => {
				this.polls -= 1;
				this.assign();
			});
		};
		try {
			return await check(callback, turn);
		} finally {
			if (hasTurn) this.polls -= 1;
			this.busy -= 1;
			this.checking.delete(keyOf(callback));
			this.assign();
		}
	}

	private async retryTurn(): Promise<void> {
		await new Promise<void>((resolve) => {
			this.retries.push(resolve);
			this.assign();
		});
	}

	/** Gives turns, and ends the calls of the webhook that are not needed. */
	private assign(): void {
		for (const callback of this.waiting.values()) if (!this.isOpen(callback)) this.remove(callback);
		while (this.polls < MAX_POLLS) {
			const isRetry = this.retries.length > 0;
			const callback = isRetry || this.idle.length === 0 ? undefined : this.nextWaiting();
			if (!isRetry && !callback) break;
			if (!this.budget.take()) {
				this.assignLater();
				break;
			}
			this.polls += 1;
			if (callback) this.start(callback);
			else this.retries.shift()?.();
		}
		const needed = Math.min(this.waiting.size, Math.max(this.maxWorkers - this.busy, 0));
		for (const end of this.idle.splice(needed)) end(undefined);
	}

	private start(callback: Waiting): void {
		this.remove(callback);
		this.checking.add(keyOf(callback));
		this.turns += 1;
		this.lastTurn.delete(callback.source);
		this.lastTurn.set(callback.source, this.turns);
		limit(this.lastTurn, MAX_SOURCES);
		this.busy += 1;
		this.idle.shift()?.(callback);
	}

	private assignLater(): void {
		if (this.isTimed) return;
		this.isTimed = true;
		void this.dependencies.sleep(this.budget.waitMs).then(() => {
			this.isTimed = false;
			this.assign();
		});
	}

	private remove(callback: Waiting): void {
		if (this.waiting.delete(keyOf(callback))) this.keptBytes -= callback.kept;
	}

	/** The first callback of the source that has waited longest for a turn. */
	private nextWaiting(): Waiting | undefined {
		const turnOf = ({ source }: Waiting) => this.lastTurn.get(source) ?? 0;
		let next: Waiting | undefined;
		for (const [key, callback] of this.waiting) {
			if (!this.checking.has(key) && (!next || turnOf(callback) < turnOf(next))) next = callback;
		}
		return next;
	}

	/** The last callback of the source with the most; `undefined` when the given source has as many. */
	private lastOfMost(than: string): Waiting | undefined {
		const counts = new Map([[than, 1]]);
		for (const { source } of this.waiting.values()) counts.set(source, (counts.get(source) ?? 0) + 1);
		const most = Math.max(...counts.values());
		if (counts.get(than) === most) return undefined;
		return [...this.waiting.values()].filter(({ source }) => counts.get(source) === most).at(-1);
	}
}

function keyOf({ ids }: Pick<Waiting, 'ids'>): string {
	return ids.join('\n');
}

/** Removes the oldest entries of a map. */
function limit(map: Map<string, unknown>, max: number): void {
	for (const key of map.keys()) {
		if (map.size <= max) return;
		map.delete(key);
	}
}
