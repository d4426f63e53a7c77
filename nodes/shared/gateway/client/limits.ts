import { StoppedError, type RequestKind } from '../errors/errors';

// Who ends a wait: `RunSignal.until` the end of the run (`GatewayClient.pause` is such a sleep, `GatewayClient.sleep` is not),
// `abortable` a signal, `withinLimits` a signal and the time of an exchange, `Limiter.run` nothing but a free slot.

/** How long an exchange, or the transfer of a stream, may take, in milliseconds. */
export interface TimeLimits {
	totalMs: number;
	/** Without a byte; keep-alive events count as data. */
	idleMs: number;
}

/** The limits of a file's transfer: as long as data comes within the timeout, it may take twelve times as long. */
export function fileLimits(timeoutMs: number): TimeLimits {
	return { totalMs: 12 * timeoutMs, idleMs: timeoutMs };
}

export class TimeLimitError extends Error {
	constructor(readonly limit: 'total' | 'idle') {
		super('The time is over');
	}
}

/** One for all: another reason, or none, makes an error with a stack for each request. */
const WORK_ENDED = new Error('done');

/** The longest sleep: it ends within this time, also where `sleep` takes no signal. */
const MAX_INTERVAL_MS = 1_000;

/**
 * Runs `work`, and throws as soon as its time is over or the signal is aborted; the work continues, and its result is ignored.
 * Sleeps at intervals, because a timer for each chunk would cost more than reading it. `work` calls `touch` when data has
 * come, which begins the idle time anew.
 */
export async function withinLimits<T>(
	{ totalMs, idleMs, signal }: TimeLimits & { signal?: AbortSignal | undefined },
	{ now, sleep }: { now(): number; sleep(milliseconds: number, signal: AbortSignal): Promise<void> },
	work: (touch: () => void) => Promise<T>,
): Promise<T> {
	if (signal?.aborted) throw new StoppedError('not waited for');
	const end = now() + totalMs;
	let last = now();
	const done = new AbortController();
	const timeLimit = async (): Promise<never> => {
		for (;;) {
			done.signal.throwIfAborted();
			const [totalLeftMs, idleLeftMs] = [end - now(), last + idleMs - now()];
			if (totalLeftMs <= 0) throw new TimeLimitError('total');
			if (idleLeftMs <= 0) throw new TimeLimitError('idle');
			await sleep(Math.min(totalLeftMs, idleLeftMs, MAX_INTERVAL_MS), done.signal);
		}
	};
	try {
		const ends = signal ? [aborted(signal, done.signal)] : [];
		return await Promise.race([work(() => (last = now())), timeLimit(), ...ends]);
	} finally {
		done.abort(WORK_ENDED);
	}
}

/** Runs `work`, or throws as soon as the signal is aborted. Work that has begun continues, and its result is ignored. */
export async function abortable<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
	if (!signal) return await work();
	if (signal.aborted) throw new StoppedError('not waited for');
	const done = new AbortController();
	return await Promise.race([work(), aborted(signal, done.signal)]).finally(() => done.abort(WORK_ENDED));
}

/** Rejects when the signal is aborted before the work is done. */
async function aborted(signal: AbortSignal, done: AbortSignal): Promise<never> {
	return await new Promise<never>((_, reject) => {
		const stop = () => reject(new StoppedError('not waited for'));
		signal.addEventListener('abort', stop, { signal: done });
	});
}

/** Ends waits at once and prevents further requests. On a cancellation, n8n aborts those in flight; else they finish. */
export class RunSignal {
	private reason: StoppedError['reason'] | undefined;
	/** Each with a signal of its own: Node.js warns of more than ten listeners on one. */
	private readonly waits = new Set<AbortController>();
	private readonly onCancel = () => this.abort('cancelled');

	/** @param cancelSignal that of the execution; none outside of one */
	constructor(readonly cancelSignal?: AbortSignal) {
		if (cancelSignal?.aborted) this.reason = 'cancelled';
		cancelSignal?.addEventListener('abort', this.onCancel, { once: true });
	}

	/** Ends the run. A cancellation overrides an error. */
	abort(reason: StoppedError['reason']): void {
		if (this.reason !== 'cancelled') this.reason = reason;
		for (const wait of this.waits) wait.abort(reason);
	}

	get isCancelled(): boolean {
		return this.reason === 'cancelled';
	}

	get isAborted(): boolean {
		return this.reason !== undefined;
	}

	/** @throws {StoppedError} if the run has ended. The prices of calls that are paid for are also read when another item has failed. */
	throwIfAborted(kind?: RequestKind): void {
		if (this.reason === undefined || (kind === 'catalogue' && this.reason === 'other item failed')) return;
		throw new StoppedError(this.reason);
	}

	/** Waits for something. @throws {StoppedError} as soon as the run ends */
	async until<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
		this.throwIfAborted();
		const over = new AbortController();
		this.waits.add(over);
		try {
			return await abortable(over.signal, async () => await wait(over.signal));
		} finally {
			this.waits.delete(over);
			this.throwIfAborted();
		}
	}

	/** Removes the listener from the execution's signal, which outlives the node. */
	dispose(): void {
		this.cancelSignal?.removeEventListener('abort', this.onCancel);
	}
}

/** Limits concurrency. Work that waits starts in the order in which it came. */
export class Limiter {
	private running = 0;
	private readonly waiting: Array<() => void> = [];

	/** @param max concurrency, at least 1 */
	constructor(private readonly max: number) {}

	async run<T>(work: () => Promise<T>): Promise<T> {
		// A slot passes directly to the next work that waits, which keeps the order.
		if (this.running >= this.max) await new Promise<void>((resolve) => this.waiting.push(resolve));
		else this.running += 1;
		try {
			return await work();
		} finally {
			const next = this.waiting.shift();
			if (next) next();
			else this.running -= 1;
		}
	}
}
