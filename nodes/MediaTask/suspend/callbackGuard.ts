/** So many sleeping executions are remembered; of more, those that were called longest ago are looked at anew. */
const MAX_GUARDS = 500;

/** For so long, in milliseconds, n8n may take to wake an execution; a call after that finds it asleep and tries again. */
const WAKING_MS = 60_000;

const guards = new Map<string, WakeUpGuard>();

/**
 * What this process knows of a sleeping execution's tasks. Of many calls at a time only one is answered by a look, and
 * by one more when others came meanwhile.
 */
export class WakeUpGuard {
	/** The tasks that are known to have ended. */
	readonly ended = new Set<string>();
	private calls = new Set<number | undefined>();
	private isLooking = false;
	private woken: { sleep: string; at: number } | undefined;

	static of(executionId: string): WakeUpGuard {
		const guard = guards.get(executionId) ?? new WakeUpGuard();
		// The order of a map is that of insertion: the one that was called last comes last.
		guards.delete(executionId);
		guards.set(executionId, guard);
		for (const oldest of [...guards.keys()].slice(0, -MAX_GUARDS)) guards.delete(oldest);
		return guard;
	}

	/**
	 * Answers a call.
	 *
	 * @param item the item that calls
	 * @param readSleep the id of the present sleep; asked for only when there is somebody to look
	 * @param look gives whether the execution is to be woken
	 * @returns whether this call is to wake it
	 */
	async answer(
		item: number | undefined,
		readSleep: () => string | undefined,
		look: (items: ReadonlySet<number | undefined>) => Promise<boolean>,
	): Promise<boolean> {
		this.calls.add(item);
		if (this.isLooking) return false;
		this.isLooking = true;
		try {
			const sleep = readSleep();
			if (sleep === undefined || this.isWaking(sleep)) return false;
			while (this.calls.size > 0) {
				const items = this.calls;
				this.calls = new Set();
				if (!(await look(items))) continue;
				this.woken = { sleep, at: Date.now() };
				return true;
			}
			return false;
		} finally {
			this.isLooking = false;
			this.calls.clear();
		}
	}

	private isWaking(sleep: string): boolean {
		return this.woken?.sleep === sleep && Date.now() - this.woken.at < WAKING_MS;
	}
}
