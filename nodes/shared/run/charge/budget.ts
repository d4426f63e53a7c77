import { abortable, type RunSignal } from '../../gateway/client/limits';
import { fieldOf, setField } from '../../gateway/util/json';
import { addToTotal, isMore, sumOfCosts } from '../../gateway/util/money';

/** What calls have cost. n8n stores that of an execution as JSON; amounts are decimal text in rubles. */
export interface Spent {
	/** The number of calls whose cost is known, and what they cost. */
	calls: number;
	rub: string;
	/** The number of other calls that may be charged, and what those may cost at most, where that is known. */
	unknownCalls: number;
	unknownRub: string;
	/** How many of them may have cost any amount. */
	unlimited: number;
	/** The most of those that have a key, by that key; null for any amount. */
	unknown: Record<string, string | null>;
}

export const nothingSpent = (): Spent => ({
	calls: 0,
	rub: '0',
	unknownCalls: 0,
	unknownRub: '0',
	unlimited: 0,
	unknown: {},
});

export interface Limit {
	/** The amount that is still available, without the calls in flight, as decimal text in rubles. */
	left(): string;
	refusal(mostRub: string): Error;
	/** Called with how long a call has waited for other calls, in milliseconds. */
	waited?(milliseconds: number): void;
}

export interface BudgetCall {
	/** The most that it may cost, as decimal text in rubles; `undefined` for any amount. */
	mostRub: string | undefined;
	/** A call without one does not wait. */
	limit?: Limit | undefined;
	/** Whether its most counts against the limits of others while it is in flight; with a `limit`, it always does. */
	isHeld?: boolean;
	/** Identifies calls of which only one is charged. What is kept for the key is that of its last call. */
	key?: string | undefined;
	run: RunSignal;
	/** Ends its wait. */
	signal?: AbortSignal | undefined;
}

/** Ends a call. Exactly one of these is called, once. */
export interface Hold {
	/** The call was not charged. */
	release(): void;
	spend(rub: string): void;
	/** It may be charged: its most is kept. */
	keep(mostRub?: string): void;
}

interface Waiting {
	wake: () => void;
}

/** What the calls in flight with one key hold. */
interface Held {
	calls: number;
	rub: string;
	/** What was kept of earlier calls, until one of these has another outcome; null for any amount. */
	before?: string | null | undefined;
}

/** What calls spend under a limit, or may: of an execution, or of an account. Calls that do not fit now wait in one queue. */
export class Budget {
	/** What the limited calls in flight may cost, as decimal text in rubles. */
	private inFlightRub = '0';
	private readonly byKey = new Map<string, Held>();
	private readonly queue: Waiting[] = [];

	constructor(private readonly spent: () => Spent) {}

	/**
	 * Keeps what a limited call may cost until it ends. One that does not fit beside those in flight waits for them, and for all
	 * that wait before it. Throws the limit's refusal if it does not fit beside what is spent, and {@link StoppedError}.
	 */
	async take(call: BudgetCall): Promise<Hold> {
		const { limit, mostRub = '0', run, signal, isHeld = false } = call;
		if (!limit) return isHeld ? this.reserve(call, mostRub) : this.holdOf(call);
		const own: Waiting = { wake: () => undefined };
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
			while (this.queue[0] !== own) await change();
			for (;;) {
				const left = addToTotal(limit.left(), this.keptFor(call.key));
				if (isMore(mostRub, left)) throw limit.refusal(mostRub);
				if (!isMore(addToTotal(this.inFlightRub, mostRub), left)) return this.reserve(call, mostRub);
				await change();
			}
		} finally {
			this.queue.splice(this.queue.indexOf(own), 1);
			this.wake();
			limit.waited?.(waitedMs);
		}
	}

	/** The cost of a call that was counted is not known any more. */
	doubt(rub: string, key: string | undefined): void {
		const spent = this.spent();
		spent.calls -= 1;
		spent.rub = addToTotal(spent.rub, rub, -1);
		this.addUnknown(rub, key);
	}

	/** What is kept of earlier calls with the key, if it is an amount. */
	private keptFor(key: string | undefined): string {
		return (key === undefined ? undefined : fieldOf(this.spent().unknown, key)) ?? '0';
	}

	/** Holds the most of a call in flight, in place of what is kept of earlier ones with its key. */
	private reserve(call: BudgetCall, mostRub: string): Hold {
		const { key } = call;
		const held: Held = (key === undefined ? undefined : this.byKey.get(key)) ?? { calls: 0, rub: '0' };
		if (key !== undefined) {
			this.byKey.set(key, held);
			held.before ??= this.takeOver(key);
		}
		held.calls += 1;
		// Of several with one key, one is charged.
		if (isMore(mostRub, held.rub)) {
			this.inFlightRub = addToTotal(addToTotal(this.inFlightRub, mostRub), held.rub, -1);
			held.rub = mostRub;
		}
		return this.holdOf(call, () => {
			held.calls -= 1;
			if (held.calls > 0) return;
			this.inFlightRub = addToTotal(this.inFlightRub, held.rub, -1);
			if (key !== undefined) this.byKey.delete(key);
			if (held.before !== undefined) this.addUnknown(held.before, key);
		});
	}

	/** @param end ends what is held */
	private holdOf({ mostRub, key }: BudgetCall, end: () => void = () => undefined): Hold {
		const ended = (count: () => void = () => undefined) => {
			count();
			end();
			this.wake();
		};
		return {
			release: () => ended(),
			spend: (rub) =>
				ended(() => {
					this.takeOver(key);
					const spent = this.spent();
					spent.calls += 1;
					spent.rub = addToTotal(spent.rub, rub);
				}),
			keep: (most = mostRub) => ended(() => this.addUnknown(most ?? null, key)),
		};
	}

	/** Removes what is kept for a key, of calls that have ended. */
	private takeOver(key: string | undefined): string | null | undefined {
		if (key === undefined) return undefined;
		const held = this.byKey.get(key);
		if (held) delete held.before;
		const spent = this.spent();
		const most = fieldOf(spent.unknown, key);
		if (most === undefined) return undefined;
		delete spent.unknown[key];
		countUnknown(spent, most, -1);
		return most;
	}

	private addUnknown(most: string | null, key: string | undefined): void {
		this.takeOver(key);
		const spent = this.spent();
		if (key !== undefined) setField(spent.unknown, key, most);
		countUnknown(spent, most, 1);
	}

	/** What is given back goes to the first call of the queue. */
	private wake(): void {
		this.queue[0]?.wake();
	}
}

function countUnknown(spent: Spent, most: string | null, factor: 1 | -1): void {
	spent.unknownCalls += factor;
	if (most === null) spent.unlimited += factor;
	else spent.unknownRub = addToTotal(spent.unknownRub, most, factor);
}

/** What calls have cost, with what those of unknown cost may, as decimal text in rubles. */
export function mostSpent({ rub, unknownRub }: Spent): string {
	return sumOfCosts(rub, unknownRub) ?? rub;
}
