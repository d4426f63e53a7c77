import { abortable, throwIfAborted } from '../gateway/client/abort';
import { StoppedError } from '../gateway/errors/errors';
import { sleepUnlessAborted } from './features';

/**
 * Ends a run early: when the user cancels the execution, or another item fails. Ends pauses at once and prevents
 * further requests. n8n aborts requests in flight when the execution is cancelled; otherwise they finish.
 */
export class RunSignal {
	private readonly failure = new AbortController();
	private readonly cancellation = new AbortController();
	private readonly ended = AbortSignal.any([this.failure.signal, this.cancellation.signal]);
	private readonly onCancel = () => this.abort('cancelled');

	constructor(readonly cancelSignal: AbortSignal | undefined) {
		if (cancelSignal?.aborted) this.onCancel();
		cancelSignal?.addEventListener('abort', this.onCancel, { once: true });
	}

	/** Ends the run. */
	abort(reason: StoppedError['reason']): void {
		(reason === 'cancelled' ? this.cancellation : this.failure).abort(new StoppedError(reason));
	}

	get isCancelled(): boolean {
		return this.cancellation.signal.aborted;
	}

	get isAborted(): boolean {
		return this.ended.aborted;
	}

	/**
	 * @param isForPaid whether the request is for a call that is paid for: it is also sent when another item has failed
	 * @throws {StoppedError} when the run has ended
	 */
	throwIfAborted(isForPaid = false): void {
		throwIfAborted(this.cancellation.signal);
		if (!isForPaid) throwIfAborted(this.failure.signal);
	}

	/** @throws {StoppedError} as soon as the run ends */
	async pause(milliseconds: number): Promise<void> {
		this.throwIfAborted();
		const over = new AbortController();
		const wait = async () => await sleepUnlessAborted(milliseconds, over.signal);
		await abortable(this.ended, wait).finally(() => over.abort());
	}

	/** Removes the listener from the execution's signal, which outlives the node. */
	dispose(): void {
		this.cancelSignal?.removeEventListener('abort', this.onCancel);
	}
}
