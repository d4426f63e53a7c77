import type { RecentCount } from './recentCount';

const MINUTE_MS = 60_000;

/** The limits that nodes have set. The smallest counts, until its node has sent nothing for a minute. */
export class OwnLimits {
	/** The time of the last request of each, in Unix milliseconds. */
	private readonly lastUse = new Map<number, number>();

	/** @param requestsPerMinute 0 for a node without a limit */
	use(requestsPerMinute: number, now: number): void {
		if (requestsPerMinute > 0) this.lastUse.set(requestsPerMinute, now);
	}

	/**
	 * When the next request may be sent, in Unix milliseconds.
	 *
	 * @param sent the requests of the last minute
	 */
	opensAt(sent: RecentCount, now: number): number {
		if (this.lastUse.size === 0) return now;
		for (const [limit, lastUse] of this.lastUse) if (now - lastUse > MINUTE_MS) this.lastUse.delete(limit);
		const lowest = Math.min(...this.lastUse.keys());
		return sent.total(now) < lowest ? now : sent.nextExpiry(now);
	}
}
