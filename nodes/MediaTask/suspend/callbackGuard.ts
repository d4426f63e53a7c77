/** How many suspended executions are remembered. Tasks of older ones are polled again. */
const MAX_GUARDS = 500;

/** How long n8n may take to resume an execution, in milliseconds. A later callback tries again. */
const RESUMING_MS = 60_000;

const guards = new Map<string, CallbackGuard>();

/**
 * Remembers the tasks of a suspended execution that have ended. Callbacks that come at the same time lead to one
 * check, and to another one for those that come during it.
 */
export class CallbackGuard {
	/** The IDs of the tasks that are known to have ended. */
	readonly ended = new Set<string>();
	private pending = new Set<number | undefined>();
	private isChecking = false;
	private resumed: { id: string; at: number } | undefined;

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
	 * @param item the item of the callback
	 * @param readId returns the ID of the current suspension; called only when there is something to check
	 * @param check returns whether the execution is to be resumed
	 * @returns whether this callback resumes the execution
	 */
	async handle(
		item: number | undefined,
		readId: () => string | undefined,
		check: (items: ReadonlySet<number | undefined>) => Promise<boolean>,
	): Promise<boolean> {
		this.pending.add(item);
		if (this.isChecking) return false;
		this.isChecking = true;
		try {
			const id = readId();
			if (id === undefined || this.isResuming(id)) return false;
			while (this.pending.size > 0) {
				const items = this.pending;
				this.pending = new Set();
				if (!(await check(items))) continue;
				this.resumed = { id, at: Date.now() };
				return true;
			}
			return false;
		} finally {
			this.isChecking = false;
			this.pending.clear();
		}
	}

	private isResuming(id: string): boolean {
		return this.resumed?.id === id && Date.now() - this.resumed.at < RESUMING_MS;
	}
}
