import { abortable, type RunSignal } from '../../gateway/client/limits';
import { addToTotal } from '../../gateway/util/money';

/** Calls with one key, or one without. */
export interface EqualCalls {
	calls: number;
	/** What they hold of a limit, as decimal text in rubles. */
	heldRub: string;
	/** Whether their task may have existed before them. */
	readonly isRepeated: boolean;
}

/** What the calls of an execution hold that are in flight, in this process, and those that wait for them in one queue. */
export class InFlight {
	/** Their maximum, as decimal text in rubles. */
	heldRub = '0';
	private readonly queue: Array<{ wake: () => void }> = [];
	private readonly byKey = new Map<string, EqualCalls>();

	/** Begins a call. Equal ones are charged once, so the first one holds for all, until the last one ends. */
	begin(call: EqualCalls, key: string | undefined): void {
		const equal = key === undefined ? undefined : this.byKey.get(key);
		if (equal) equal.calls += 1;
		else if (key !== undefined) this.byKey.set(key, call);
		// In a *Retry*, each of them would hold; of a node without the limit, the first one holds nothing.
		if (equal && equal.heldRub !== '0') return;
		if (equal) equal.heldRub = call.heldRub;
		this.heldRub = addToTotal(this.heldRub, call.heldRub);
	}

	/** Ends a call: the first one of the queue may take what it held. Returns `undefined` while equal ones are in flight. */
	end(call: EqualCalls, key: string | undefined): EqualCalls | undefined {
		const equal = (key === undefined ? undefined : this.byKey.get(key)) ?? call;
		equal.calls -= 1;
		if (equal.calls > 0) return undefined;
		if (key !== undefined) this.byKey.delete(key);
		this.heldRub = addToTotal(this.heldRub, equal.heldRub, -1);
		this.queue[0]?.wake();
		return equal;
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
