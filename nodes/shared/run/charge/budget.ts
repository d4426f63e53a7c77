import type { RunSignal } from '../../gateway/client/limits';
import { addToTotal, compareDecimals, sumOfCosts } from '../../gateway/util/money';
import { fieldOf, setField } from '../../gateway/util/json';

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
	/** Reads what {@link left} needs. */
	prepare?(mostRub: string, inFlightRub: string): Promise<void>;
	/** What is left of it beside what is spent, as decimal text in rubles. */
	left(): string;
	refusal(mostRub: string): Error;
}

export interface BudgetCall {
	/** The most that it may cost, as decimal text in rubles; `undefined` for any amount. */
	mostRub: string | undefined;
	/** A call without one is counted, and does not wait. */
	limit?: Limit | undefined;
	/** Identifies calls of which only one is charged. What is kept for the key is that of its last call. */
	key?: string | undefined;
	run: RunSignal;
}

/** What is kept for a call in flight. It is ended once, by one of these. */
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

/** What calls spend under a limit, or may: of an execution, or of an account. Calls that do not fit now wait in one queue. */
export class Budget {
	/** What the calls in flight may cost; `undefined` for any amount. */
	private readonly inFlight = new Set<{ mostRub: string | undefined }>();
	private readonly byKey = new Map<string, () => void>();
	private readonly queue: Waiting[] = [];

	constructor(private readonly spent: () => Spent) {}

	/**
	 * Keeps what a call may cost until it ends. One that does not fit beside those in flight waits for them, and for all that
	 * wait before it. Throws the limit's refusal if it does not fit beside what is spent, and {@link StoppedError}.
	 */
	async take(call: BudgetCall): Promise<Hold> {
		const { limit, mostRub = '0', run } = call;
		if (!limit) return this.hold(call);
		const own: Waiting = { wake: () => undefined };
		const change = async () =>
			await run.until<void>(async () => await new Promise((resolve) => (own.wake = resolve)));
		this.queue.push(own);
		try {
			while (this.queue[0] !== own) await change();
			for (;;) {
				await limit.prepare?.(mostRub, this.inFlightRub ?? '0');
				// From here on, no other call comes between.
				const left = addToTotal(limit.left(), this.keptFor(call.key));
				if (isMore(mostRub, left)) throw limit.refusal(mostRub);
				const { inFlightRub } = this;
				if (inFlightRub !== undefined && !isMore(addToTotal(inFlightRub, mostRub), left))
					return this.hold(call);
				await change();
			}
		} finally {
			this.queue.splice(this.queue.indexOf(own), 1);
			this.wake();
		}
	}

	/** What the calls in flight may cost, unless one may cost any amount. */
	private get inFlightRub(): string | undefined {
		let sum = '0';
		for (const { mostRub } of this.inFlight) {
			if (mostRub === undefined) return undefined;
			sum = addToTotal(sum, mostRub);
		}
		return sum;
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

	private hold({ mostRub, key }: BudgetCall): Hold {
		const before = key === undefined ? undefined : this.takeOver(key);
		const own = { mostRub };
		this.inFlight.add(own);
		const end = () => {
			if (!this.inFlight.delete(own)) return;
			if (key !== undefined && this.byKey.get(key) === end) this.byKey.delete(key);
		};
		if (key !== undefined) this.byKey.set(key, end);
		const ended = (count: () => void) => {
			end();
			count();
			this.wake();
		};
		return {
			release: () =>
				ended(() => {
					if (before !== undefined) this.addUnknown(before, key);
				}),
			spend: (rub) =>
				ended(() => {
					this.takeOver(key);
					const spent = this.spent();
					spent.calls += 1;
					spent.rub = addToTotal(spent.rub, isMore('0', rub) ? '0' : rub);
				}),
			keep: (most = mostRub) => ended(() => this.addUnknown(most ?? null, key)),
		};
	}

	/** Removes what is kept for a key, of calls that have ended and of one in flight. */
	private takeOver(key: string | undefined): string | null | undefined {
		if (key === undefined) return undefined;
		this.byKey.get(key)?.();
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

/** Whether an amount is more than another one, or is no amount. */
export function isMore(rub: string, than: string): boolean {
	return (compareDecimals(rub, than) ?? 1) > 0;
}
