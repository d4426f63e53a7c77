/** The outcomes that are kept. */
const MAX_OUTCOMES = 20;

/** Below this share, the gateway refuses all kinds of requests. */
const LEAST_TAKEN = 0.5;

/** Whether the last requests were taken or refused. */
export class Outcomes {
	private readonly kept: Array<{ at: number; isTaken: boolean }> = [];

	/** @param at when the request was sent, in Unix milliseconds */
	add(at: number, isTaken: boolean): void {
		this.kept.push({ at, isTaken });
		if (this.kept.length > MAX_OUTCOMES) this.kept.shift();
	}

	/**
	 * Whether the gateway takes requests that were sent later, and most of all.
	 *
	 * @param since Unix milliseconds
	 * @returns `undefined` if none was sent later
	 */
	areTaken(since: number): boolean | undefined {
		const later = this.kept.filter(({ at }) => at > since);
		if (later.length === 0) return undefined;
		const taken = this.kept.filter(({ isTaken }) => isTaken);
		return later.some(({ isTaken }) => isTaken) && taken.length >= LEAST_TAKEN * this.kept.length;
	}
}
