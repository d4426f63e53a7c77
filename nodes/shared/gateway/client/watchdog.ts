/** How long a stream may take, in milliseconds. */
export interface StreamLimits {
	/** From the headers to the last byte. */
	totalMs: number;
	/** Without a byte; keep-alive events count as data. */
	idleMs: number;
}

/** The longest sleep: a stopped watchdog ends within this time. */
const MAX_INTERVAL_MS = 1_000;

/** Limits the time of a stream. Sleeps at intervals, because a timer for each chunk would cost more than reading it. */
export class Watchdog {
	/** The limit that was exceeded; the caller then closes the stream. */
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

	/** Restarts the idle time: data has arrived. */
	touch(): void {
		this.last = this.clock.now();
	}

	/**
	 * Whether no data has come for half the idle limit: the HTTP client counts from the last byte received, this class
	 * from the time at which n8n read it.
	 */
	isSilent(): boolean {
		return this.clock.now() - this.last >= this.limits.idleMs / 2;
	}

	stop(): void {
		this.isWatching = false;
	}

	/** Resolves when it is stopped or a limit is exceeded. */
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
