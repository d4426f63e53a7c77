import { sleep } from 'n8n-workflow';

import { StoppedError } from '../gateway/errors/errors';

/**
 * The end of a run before its time: the user cancelled the execution, or another item failed. Ends pauses at
 * once and keeps requests from being started; those in flight are n8n's (cancelled) or run to their end (failed).
 */
export class RunSignal {
	private reason: StoppedError['reason'] | undefined;
	private readonly waiting = new Set<(stopped: StoppedError) => void>();
	private readonly onCancel = () => this.abort('cancelled');

	constructor(readonly cancelSignal: AbortSignal | undefined) {
		if (cancelSignal?.aborted) this.reason = 'cancelled';
		cancelSignal?.addEventListener('abort', this.onCancel, { once: true });
	}

	/** Ends the run. A cancellation overrides a failure. */
	abort(reason: StoppedError['reason']): void {
		if (this.reason !== 'cancelled') this.reason = reason;
		for (const reject of this.waiting) reject(new StoppedError(reason));
	}

	get isCancelled(): boolean {
		return this.reason === 'cancelled';
	}

	get isAborted(): boolean {
		return this.reason !== undefined;
	}

	/** @throws {Stopped} when the run has ended */
	throwIfAborted(): void {
		if (this.reason !== undefined) throw new StoppedError(this.reason);
	}

	/**
	 * Waits.
	 *
	 * @param milliseconds how long
	 * @throws {Stopped} as soon as the run ends
	 */
	async pause(milliseconds: number): Promise<void> {
		this.throwIfAborted();
		let reject: (stopped: StoppedError) => void = () => undefined;
		const interrupted = new Promise<never>((_, onStop) => {
			reject = onStop;
			this.waiting.add(onStop);
		});
		const over = new AbortController();
		try {
			await Promise.race([sleep(milliseconds, over.signal), interrupted]);
		} finally {
			this.waiting.delete(reject);
			// An n8n whose pauses take no signal leaves the timer to its end.
			over.abort();
		}
	}

	/** Lets go of the execution's signal, which outlives the node. */
	dispose(): void {
		this.cancelSignal?.removeEventListener('abort', this.onCancel);
	}
}
