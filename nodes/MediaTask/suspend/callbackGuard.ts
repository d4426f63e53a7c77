/** So many suspended executions are remembered; of more, those with the oldest callback are polled anew. */
const MAX_GUARDS = 500;

/** How long n8n may take to resume an execution, in milliseconds. A callback after that tries again. */
const RESUMING_MS = 60_000;

const guards = new Map<string, CallbackGuard>();

/**
 * What this process knows of a suspended execution's tasks. Of many callbacks at a time only one leads to a check, and
 * to one more when others came meanwhile.
 */
export class CallbackGuard {
	/** The tasks that are known to have ended. */
	readonly ended = new Set<string>();
	private callers = new Set<number | undefined>();
	private isChecking = false;
	private resumed: { id: string; at: number } | undefined;

	static of(executionId: string): CallbackGuard {
		const guard = guards.get(executionId) ?? new CallbackGuard();
		// The order of a map is that of insertion: the execution with the newest callback comes last.
		guards.delete(executionId);
		guards.set(executionId, guard);
		for (const oldest of [...guards.keys()].slice(0, -MAX_GUARDS)) guards.delete(oldest);
		return guard;
	}

	/**
	 * Handles a callback.
	 *
	 * @param item the item of the callback
	 * @param readId the ID of the present suspension; asked for only when there is a check to make
	 * @param check returns whether the execution is to be resumed
	 * @returns whether this callback resumes it
	 */
	async handle(
		item: number | undefined,
		readId: () => string | undefined,
		check: (items: ReadonlySet<number | undefined>) => Promise<boolean>,
	): Promise<boolean> {
		this.callers.add(item);
		if (this.isChecking) return false;
		this.isChecking = true;
		try {
			const id = readId();
			if (id === undefined || this.isResuming(id)) return false;
			while (this.callers.size > 0) {
				const items = this.callers;
				this.callers = new Set();
				if (!(await check(items))) continue;
				this.resumed = { id, at: Date.now() };
				return true;
			}
			return false;
		} finally {
			this.isChecking = false;
			this.callers.clear();
		}
	}

	private isResuming(id: string): boolean {
		return this.resumed?.id === id && Date.now() - this.resumed.at < RESUMING_MS;
	}
}
