import { abortable, type RunSignal } from '../../gateway/client/limits';
import { at } from '../../gateway/util/json';
import { addToTotal } from '../../gateway/util/money';
import { higher } from './sums';

/** A call that counts against the limit of its execution while it is in flight. */
export interface HeldCall {
	key?: string | undefined;
	/** The most that it may cost, as decimal text in rubles. */
	maxRub?: string | undefined;
}

/** The calls with one key, of which only one is charged. */
interface Group {
	calls: number;
	heldRub: string;
	countedRub: string;
}

/**
 * The calls of an execution that are in flight under its limit, in this process, and those that wait for them in one queue.
 * Amounts are decimal text in rubles.
 */
export class InFlight {
	/** What they may cost. */
	heldRub = '0';
	/** What is already counted of them, such as of a creation that was lost, and is repeated. */
	countedRub = '0';
	private readonly groups = new Map<string | HeldCall, Group>();
	private readonly queue: Array<{ wake: () => void }> = [];

	/** @param countedRub what is counted of calls with its key */
	add(call: HeldCall, countedRub: string): void {
		const name = call.key ?? call;
		const group = at(this.groups, name, () => ({ calls: 0, heldRub: '0', countedRub: '0' }));
		group.calls += 1;
		this.set(group, higher(call.maxRub ?? '0', higher(group.heldRub, countedRub)), countedRub);
	}

	/** Notes what is counted of the calls with a key. */
	count(key: string, rub: string): void {
		const group = this.groups.get(key);
		if (group) this.set(group, higher(group.heldRub, rub), rub);
	}

	/** Ends a call, if it is in flight. What it held goes to the first call of the queue. */
	delete(call: HeldCall): void {
		const name = call.key ?? call;
		const group = this.groups.get(name);
		if (group) group.calls -= 1;
		if (group?.calls === 0) {
			this.set(group, '0', '0');
			this.groups.delete(name);
		}
		this.wake();
	}

	/**
	 * Waits for the turn of a call, then until `take` adds it, which is tried again when another one ends.
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
			this.wake();
		}
		return waitedMs;
	}

	private set(group: Group, heldRub: string, countedRub: string): void {
		this.heldRub = addToTotal(addToTotal(this.heldRub, group.heldRub, -1), heldRub);
		this.countedRub = addToTotal(addToTotal(this.countedRub, group.countedRub, -1), countedRub);
		Object.assign(group, { heldRub, countedRub });
	}

	private wake(): void {
		this.queue[0]?.wake();
	}
}
