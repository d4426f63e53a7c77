import { StoppedError, type RequestKind } from '../errors/errors';
import { abortable } from './limits';

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
