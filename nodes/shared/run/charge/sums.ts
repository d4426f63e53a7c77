import { addToTotal } from '../../gateway/util/money';

/** What is, or may be, charged for a call, as decimal text in rubles: its cost; else the most that it may cost, if that is known. */
export type Charge = { rub: string } | { maxRub?: string | undefined };

/** How a call that costs money has ended. One that is free was not charged. */
export type CallCost = Charge | 'free';

export interface Tokens {
	inputTokens: number | null;
	outputTokens: number | null;
}

/** What calls have cost. Amounts are decimal text in rubles. */
export interface Sum {
	/** The number of calls whose cost is known, and what they cost. */
	calls: number;
	rub: string;
	/** The number of other calls that may be charged, and what those may cost at most, where that is known. */
	unknownCalls: number;
	unknownRub: string;
	/** How many of them may have cost any amount. */
	unlimited: number;
	inputTokens: number;
	outputTokens: number;
}

export const NO_CALLS: Readonly<Sum> = {
	calls: 0,
	rub: '0',
	unknownCalls: 0,
	unknownRub: '0',
	unlimited: 0,
	inputTokens: 0,
	outputTokens: 0,
};

/** Adds a call to a sum, or with the factor -1 takes it off. */
export function addCharge(sum: Sum, charge: Charge, factor: 1 | -1 = 1): void {
	if ('rub' in charge) {
		sum.calls += factor;
		sum.rub = addToTotal(sum.rub, charge.rub, factor);
		return;
	}
	sum.unknownCalls += factor;
	if (charge.maxRub === undefined) sum.unlimited += factor;
	else sum.unknownRub = addToTotal(sum.unknownRub, charge.maxRub, factor);
}

export function addSum(total: Sum, more: Sum): void {
	total.rub = addToTotal(total.rub, more.rub);
	total.unknownRub = addToTotal(total.unknownRub, more.unknownRub);
	for (const name of ['calls', 'unknownCalls', 'unlimited', 'inputTokens', 'outputTokens'] as const)
		total[name] += more[name];
}

export function totalOf(sums: readonly Sum[]): Sum {
	const total = { ...NO_CALLS };
	for (const sum of sums) addSum(total, sum);
	return total;
}
