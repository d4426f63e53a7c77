/** How long a stream may take, in milliseconds. */
export interface StreamLimits {
	/** From the first headers to the last byte. */
	totalMs: number;
	/** Without a single byte; keep-alive events count. */
	idleMs: number;
}

/** The longest nap: what is left of a stopped watchdog lives no longer. */
const MAX_INTERVAL_MS = 1_000;

/**
 * Watches the time of a stream. One nap after the other, whatever the number of portions: a timer for each of
 * them would cost more than reading them.
 */
export class Watchdog {
	/** The limit that was passed; the stream is to be given up then. */
	expired: 'total' | 'idle' | undefined;
	private isWatching = true;
	private readonly start: number;
	private last: number;

	constructor(
		private readonly limits: StreamLimits,
		private readonly clock: { now(): number; sleep(milliseconds: number): Promise<void> },
	) {
		this.start = this.last = clock.now();
	}

	/** Something has arrived. */
	touch(): void {
		this.last = this.clock.now();
	}

	/**
	 * Whether the silence has reached half its limit: the HTTP client counts from the last byte that came, this one from
	 * the moment at which n8n read it.
	 */
	isSilent(): boolean {
		return this.clock.now() - this.last >= this.limits.idleMs / 2;
	}

	stop(): void {
		this.isWatching = false;
	}

	/** Watches until it is stopped or a limit is passed. */
	async watch(): Promise<void> {
		while (this.isWatching) {
			const now = this.clock.now();
			const total = this.start + this.limits.totalMs - now;
			const idle = this.last + this.limits.idleMs - now;
			if (total <= 0 || idle <= 0) {
				this.expired = total <= 0 ? 'total' : 'idle';
				return;
			}
			await this.clock.sleep(Math.min(total, idle, MAX_INTERVAL_MS));
		}
	}
}
