/** How many suspended executions are remembered. Tasks of older ones are polled again. */
const MAX_GUARDS = 500;

/** How long n8n may take to resume an execution, in milliseconds. A later callback tries again. */
const RESUMING_MS = 60_000;

/** What a suspended execution waits for. */
export interface SuspendedTasks {
	/** Identifies this suspension of the execution. */
	id: string;
	/** The items whose callbacks are checked. */
	items: ReadonlySet<number>;
}

const guards = new Map<string, CallbackGuard>();

/**
 * Remembers the tasks of a suspended execution that have ended. Callbacks that come at the same time lead to one
 * check, and to another one for those that come during it. A callback for no item of the execution leads to none:
 * where n8n has no secret in the URL, anybody can send one.
 */
export class CallbackGuard {
	/** The IDs of the tasks that are known to have ended. */
	readonly ended = new Set<string>();
	private pending = new Set<number>();
	/** The items of the suspension that is being checked. */
	private checking: ReadonlySet<number> | undefined;
	private resumed: Resumed | undefined;
	private claimed: Resumed | undefined;

	static of(executionId: string): CallbackGuard {
		const guard = guards.get(executionId) ?? new CallbackGuard();
		// A map keeps the order of insertion: the execution with the newest callback comes last.
		guards.delete(executionId);
		guards.set(executionId, guard);
		for (const oldest of [...guards.keys()].slice(0, -MAX_GUARDS)) guards.delete(oldest);
		return guard;
	}

	/**
	 * Handles a callback.
	 *
	 * @param item the item of the callback, if it names one
	 * @param read returns the current suspension; called only when none is being checked
	 * @param check returns whether the execution is to be resumed
	 * @returns whether this callback resumes the execution
	 */
	async handle(
		item: number | undefined,
		read: () => SuspendedTasks | undefined,
		check: (items: ReadonlySet<number>) => Promise<boolean>,
	): Promise<boolean> {
		if (item === undefined) return false;
		if (this.checking) {
			if (this.checking.has(item)) this.pending.add(item);
			return false;
		}
		const suspension = read();
		if (!suspension?.items.has(item) || isRecent(this.resumed, suspension.id)) return false;
		this.checking = suspension.items;
		this.pending.add(item);
		try {
			while (this.pending.size > 0) {
				const items = this.pending;
				this.pending = new Set();
				if (!(await check(items))) continue;
				this.resumed = { id: suspension.id, at: Date.now() };
				return true;
			}
			return false;
		} finally {
			this.checking = undefined;
			this.pending.clear();
		}
	}

	/** Whether the caller is the first, of this process, to resume this suspension. */
	claim(id: string): boolean {
		if (isRecent(this.claimed, id)) return false;
		this.claimed = { id, at: Date.now() };
		return true;
	}
}

/** A suspension, and when it was resumed. */
interface Resumed {
	id: string;
	at: number;
}

function isRecent(resumed: Resumed | undefined, id: string): boolean {
	return resumed?.id === id && Date.now() - resumed.at < RESUMING_MS;
}
