import { abortable, type RunSignal } from '../../gateway/client/limits';
import { addToTotal } from '../../gateway/util/money';

/** What the calls of an execution hold that are in flight, in this process, and those that wait for them in one queue. */
export class InFlight {
	/** The most that they may cost, as decimal text in rubles. */
	heldRub = '0';
	private readonly queue: Array<{ wake: () => void }> = [];

	hold(rub: string): void {
		this.heldRub = addToTotal(this.heldRub, rub);
	}

	/** Returns what a call held: the first call of the queue may take it. */
	release(rub: string): void {
		this.heldRub = addToTotal(this.heldRub, rub, -1);
		this.queue[0]?.wake();
	}

	/**
	 * Waits for the turn of a call, then until `take` returns true, which is tried again when another one ends.
	 *
	 * @returns how long it has waited, in milliseconds
	 * @throws {StoppedError} when the run or the signal ends the wait; and what `take` throws
	 */
	async inTurn(take: () => boolean, run: RunSignal, signal?: AbortSignal): Promise<number> {
		const own = { wake: () => undefined as void };
		let waitedMs = 0;
		const change = async () => {
			const start = performance.now();
			const nextChange = async () => await new Promise<void>((resolve) => (own.wake = resolve));
			await abortable(signal, async () => await run.until(nextChange)).finally(() => {
				waitedMs += performance.now() - start;
			});
		};
		this.queue.push(own);
		try {
			while (this.queue[0] !== own || !take()) await change();
		} finally {
			this.queue.splice(this.queue.indexOf(own), 1);
			this.queue[0]?.wake();
		}
		return waitedMs;
	}
}
