/** How many sleeping executions are remembered; of more, those that were called longest ago are looked at anew. */
const MAX_VIGILS = 500;

/** For so long, in milliseconds, n8n may take to wake an execution; a call after that finds it asleep and tries again. */
const WAKING_MS = 60_000;

const vigils = new Map<string, Vigil>();

/**
 * What this process knows of a sleeping execution. Of many calls at a time one does the work, once more when others
 * came meanwhile; the call whose work wakes the execution is the last. (Of several processes, n8n lets one go on.)
 */
export class Vigil {
	/** The tasks that are known to have ended. */
	readonly ended = new Set<string>();
	private named: string[] = [];
	private calls = 0;
	private isBusy = false;
	private wokenAt = -Infinity;

	/** @param sleep the id of the sleep */
	static of(sleep: string): Vigil {
		const vigil = vigils.get(sleep) ?? new Vigil();
		// The order of a map is that of insertion: the one that was called last comes last.
		vigils.delete(sleep);
		vigils.set(sleep, vigil);
		for (const oldest of [...vigils.keys()].slice(0, -MAX_VIGILS)) vigils.delete(oldest);
		return vigil;
	}

	/**
	 * Takes a call.
	 *
	 * @param named the tasks that the call may speak of
	 * @param work gives what wakes the execution; `undefined` when it sleeps on
	 * @returns what the work gave; `undefined` for a call that another does the work of
	 * @throws what the work throws; a later call does it anew
	 */
	async answer<T>(
		named: readonly string[],
		work: (named: readonly string[]) => Promise<T | undefined>,
	): Promise<T | undefined> {
		if (Date.now() - this.wokenAt < WAKING_MS) return undefined;
		this.named.push(...named);
		this.calls += 1;
		if (this.isBusy) return undefined;
		this.isBusy = true;
		try {
			while (this.calls > 0) {
				this.calls = 0;
				const given = await work(this.named.splice(0));
				if (given === undefined) continue;
				this.wokenAt = Date.now();
				return given;
			}
		} finally {
			this.isBusy = false;
		}
		return undefined;
	}
}
