/** The rate limit of an account: in tokens, of which a request uses one unless its scenario says otherwise. */
export interface Limit {
	tokens: number;
	windowMs: number;
	/** `fixed`: in each window of the clock; `sliding`: in any window; `bucket`: the limit is refilled evenly. */
	kind: 'fixed' | 'sliding' | 'bucket';
	/** Whether a 429 says when to come again, in whole seconds. */
	retryAfter?: boolean;
	/** Whether a request that is refused counts. */
	countsRefused?: boolean;
}

/** An account whose requests are limited. */
export class LimitedAccount {
	private counted: Array<{ at: number; tokens: number }> = [];
	private level: number;
	private refilledAt: number;

	/** @param start the time at which its first window begins, in milliseconds */
	constructor(
		private readonly limit: Limit,
		private readonly start: number,
	) {
		this.level = limit.tokens;
		this.refilledAt = start;
	}

	/** Takes a request. Returns in how many milliseconds it would be taken if it is refused, else 0. */
	take(now: number, tokens = 1): number {
		const { kind, windowMs, countsRefused = false } = this.limit;
		if (kind === 'bucket') return this.takeFromBucket(now, tokens);
		const begin = kind === 'fixed' ? now - ((now - this.start) % windowMs) : now - windowMs + 1;
		this.counted = this.counted.filter(({ at }) => at >= begin);
		const used = this.counted.reduce((sum, one) => sum + one.tokens, 0);
		const isTaken = used + tokens <= this.limit.tokens;
		if (isTaken || countsRefused) this.counted.push({ at: now, tokens });
		if (isTaken) return 0;
		return kind === 'fixed'
			? begin + windowMs - now
			: Math.max((this.counted[0]?.at ?? now) + windowMs - now, 1);
	}

	private takeFromBucket(now: number, tokens: number): number {
		const { tokens: most, windowMs } = this.limit;
		this.level = Math.min(most, this.level + ((now - this.refilledAt) * most) / windowMs);
		this.refilledAt = now;
		if (this.level < tokens) return ((tokens - this.level) * windowMs) / most;
		this.level -= tokens;
		return 0;
	}
}
