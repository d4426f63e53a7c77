import { StoppedError } from '../gateway/errors/errors';
import { sleepUnlessAborted } from './features';

/**
 * Ends a run early: when the user cancels the execution, or another item fails. Ends pauses at once and prevents
 * further requests. n8n aborts requests in flight when the execution is cancelled; otherwise they finish.
 */
export class RunSignal {
	private reason: StoppedError['reason'] | undefined;
	private readonly waiting = new Set<(stopped: StoppedError) => void>();
	private readonly onCancel = () => this.abort('cancelled');

	constructor(readonly cancelSignal: AbortSignal | undefined) {
		if (cancelSignal?.aborted) this.reason = 'cancelled';
		cancelSignal?.addEventListener('abort', this.onCancel, { once: true });
	}

	/** Ends the run. A cancellation overrides an error. */
	abort(reason: StoppedError['reason']): void {
		if (this.reason !== 'cancelled') this.reason = reason;
		for (const reject of this.waiting) reject(new StoppedError(reason));
	}

	/**
	 * Calls a listener when the run ends; at once, when it has ended.
	 *
	 * @returns a function that removes the listener
	 */
	onStop(listener: (stopped: StoppedError) => void): () => void {
		if (this.reason !== undefined) listener(new StoppedError(this.reason));
		this.waiting.add(listener);
		return () => void this.waiting.delete(listener);
	}

	get isCancelled(): boolean {
		return this.reason === 'cancelled';
	}

	get isAborted(): boolean {
		return this.reason !== undefined;
	}

	/**
	 * @param ignored a reason that does not count
	 * @throws {StoppedError} when the run has ended
	 */
	throwIfAborted(ignored?: StoppedError['reason']): void {
		if (this.reason !== undefined && this.reason !== ignored) throw new StoppedError(this.reason);
	}

	/** @throws {StoppedError} as soon as the run ends */
	async pause(milliseconds: number): Promise<void> {
		this.throwIfAborted();
		let removeListener: () => void = () => undefined;
		const interrupted = new Promise<never>((_, reject) => (removeListener = this.onStop(reject)));
		const over = new AbortController();
		try {
			await Promise.race([sleepUnlessAborted(milliseconds, over.signal), interrupted]);
		} finally {
			removeListener();
			over.abort();
		}
	}

	/** Removes the listener from the execution's signal, which outlives the node. */
	dispose(): void {
		this.cancelSignal?.removeEventListener('abort', this.onCancel);
	}
}
