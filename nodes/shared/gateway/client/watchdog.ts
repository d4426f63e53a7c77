/** How long a stream may take, in milliseconds. */
export interface StreamLimits {
	/** From the headers to the last byte. */
	totalMs: number;
	/** Without a byte; keep-alive events count as data. */
	idleMs: number;
}

/**
 * The limits of a file's transfer: as long as data comes, it may take twelve times the timeout.
 *
 * @param timeoutMs the time without data
 */
export function fileLimits(timeoutMs: number): StreamLimits {
	return { totalMs: 12 * timeoutMs, idleMs: timeoutMs };
}

/** The longest sleep: a stopped watchdog ends within this time, also where `sleep` takes no signal. */
const MAX_INTERVAL_MS = 1_000;

/** The same for all: without a reason, each signal makes an exception with a stack, which takes 3 % of a text's time. */
const STOPPED = new Error();

/** Limits the time of a stream. Sleeps at intervals, because a timer for each chunk would cost more than reading it. */
export class Watchdog {
	/** The limit that was exceeded; the caller then closes the stream. */
	expired: 'total' | 'idle' | undefined;
	private readonly stopped = new AbortController();
	private readonly start: number;
	private last: number;

	constructor(
		private readonly limits: StreamLimits,
		private readonly clock: {
			now(): number;
			sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
		},
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
		this.stopped.abort(STOPPED);
	}

	/** Resolves when it is stopped or a limit is exceeded. */
	async watch(): Promise<void> {
		const { signal } = this.stopped;
		while (!signal.aborted) {
			const now = this.clock.now();
			const totalMs = this.start + this.limits.totalMs - now;
			const idleMs = this.last + this.limits.idleMs - now;
			if (totalMs <= 0 || idleMs <= 0) {
				this.expired = totalMs <= 0 ? 'total' : 'idle';
				return;
			}
			// Rejects when it is stopped.
			await this.clock.sleep(Math.min(totalMs, idleMs, MAX_INTERVAL_MS), signal).catch(() => undefined);
		}
	}
}
