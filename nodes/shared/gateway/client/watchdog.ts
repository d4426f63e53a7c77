/** How long a stream may take, in milliseconds. */
export interface StreamLimits {
	/** From the headers to the last byte. */
	totalMs: number;
	/** Without a byte; keep-alive events count as data. */
	idleMs: number;
	/** The slowest transfer, in bytes per second, over each span of `idleMs`. Default: no limit. */
	minBytesPerSecond?: number;
}

/** The slowest transfer of a file, in bytes per second. */
const MIN_FILE_SPEED = 1_000;

/**
 * The limits of a file's transfer.
 *
 * @param timeoutMs the time over which a transfer may be slow
 */
export function fileLimits(timeoutMs: number): StreamLimits {
	return { totalMs: Infinity, idleMs: timeoutMs, minBytesPerSecond: MIN_FILE_SPEED };
}

/** The slowest transfer whose progress is not known, in bytes per second: nobody can tell it from one that hangs. */
const MIN_UNSEEN_SPEED = 32_000;

/** How long the slowest transfer of so many bytes takes if its progress is not known, in milliseconds. */
export function unseenMs(bytes: number): number {
	return Math.ceil((bytes / MIN_UNSEEN_SPEED) * 1_000);
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
	/** The span over which the speed is measured. */
	private span: { start: number; bytes: number };

	constructor(
		private readonly limits: StreamLimits,
		private readonly clock: {
			now(): number;
			sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
		},
	) {
		this.start = this.last = clock.now();
		this.span = { start: this.start, bytes: 0 };
	}

	/** Restarts the idle time: data has arrived. */
	touch(bytes = 0): void {
		this.last = this.clock.now();
		this.span.bytes += bytes;
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
			const left = this.left();
			if (left.total <= 0 || left.idle <= 0) {
				this.expired = left.total <= 0 ? 'total' : 'idle';
				return;
			}
			const interval = Math.min(left.total, left.idle, left.span, MAX_INTERVAL_MS);
			// Rejects when it is stopped.
			await this.clock.sleep(interval, signal).catch(() => undefined);
		}
	}

	/** What is left of each limit, in milliseconds. */
	private left(): { total: number; idle: number; span: number } {
		const { totalMs, idleMs, minBytesPerSecond } = this.limits;
		const now = this.clock.now();
		const total = this.start + totalMs - now;
		const idle = this.last + idleMs - now;
		if (minBytesPerSecond === undefined) return { total, idle, span: Infinity };
		const span = this.span.start + idleMs - now;
		if (span > 0) return { total, idle, span };
		const isSlow = this.span.bytes < (minBytesPerSecond * idleMs) / 1_000;
		this.span = { start: now, bytes: 0 };
		return { total, idle: isSlow ? 0 : idle, span: idleMs };
	}
}
