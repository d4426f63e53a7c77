import { sleep } from 'n8n-workflow';

import { abortable } from '../gateway/client/limits';
import { StoppedError } from '../gateway/errors/errors';

/** Before n8n-workflow 2.34, it ignores the signal, and its timer runs on. */
const sleepUnlessAborted: (milliseconds: number, signal: AbortSignal) => Promise<void> = sleep;

/** Ends pauses at once and prevents further requests. On a cancellation, n8n aborts those in flight; else they finish. */
export class RunSignal {
	private reason: StoppedError['reason'] | undefined;
	/** Each with a signal of its own: Node.js warns of more than ten listeners on one. */
	private readonly pauses = new Set<AbortController>();
	private readonly onCancel = () => this.abort('cancelled');

	constructor(readonly cancelSignal: AbortSignal | undefined) {
		if (cancelSignal?.aborted) this.reason = 'cancelled';
		cancelSignal?.addEventListener('abort', this.onCancel, { once: true });
	}

	/** Ends the run. A cancellation overrides an error. */
	abort(reason: StoppedError['reason']): void {
		if (this.reason !== 'cancelled') this.reason = reason;
		for (const pause of this.pauses) pause.abort(reason);
	}

	get isCancelled(): boolean {
		return this.reason === 'cancelled';
	}

	get isAborted(): boolean {
		return this.reason !== undefined;
	}

	throwIfAborted(ignored?: StoppedError['reason']): void {
		if (this.reason !== undefined && this.reason !== ignored) throw new StoppedError(this.reason);
	}

	async pause(milliseconds: number): Promise<void> {
		await this.until(async (signal) => await sleepUnlessAborted(milliseconds, signal));
	}

	/** @throws {StoppedError} as soon as the run ends */
	async until<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
		this.throwIfAborted();
		const over = new AbortController();
		this.pauses.add(over);
		try {
			return await abortable(over.signal, async () => await wait(over.signal));
		} finally {
			this.pauses.delete(over);
			this.throwIfAborted();
		}
	}

	/** Removes the listener from the execution's signal, which outlives the node. */
	dispose(): void {
		this.cancelSignal?.removeEventListener('abort', this.onCancel);
	}
}
