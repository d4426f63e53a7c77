import { isBelow, type Balance } from '../shared/gateway/endpoints/balance';
import { addToTotal, compareDecimals, rubles, twoDecimals } from '../shared/gateway/util/money';

/** What the trigger watches for. Amounts are rubles, as decimals. */
export interface Watch {
	fireOn: 'below' | 'everyPoll' | 'change';
	threshold: string;
	/** How far above the threshold the balance must rise before it can fall below it again. */
	margin: string;
}

/** The state of a trigger between polls, stored with the workflow. */
export interface AlertState {
	/** The threshold below which the balance fell, until it has risen again. */
	lowSince?: string | undefined;
	/** The balance of the last poll, when the trigger fires on change. */
	amount?: string | undefined;
}

interface Decision {
	fires: boolean;
	state: AlertState;
}

/** Decides whether a poll fires. A balance that is low in the first poll counts as fallen. */
export function decide({ fireOn, threshold, margin }: Watch, before: AlertState, balance: Balance): Decision {
	if (fireOn === 'change') {
		const { amount } = balance;
		// The first poll does not fire: later ones are compared with it.
		return { fires: compareDecimals(amount, before.amount ?? amount) !== 0, state: { amount } };
	}
	const isLow = isBelow(balance, threshold);
	if (fireOn === 'everyPoll') return { fires: isLow, state: {} };
	// A changed threshold starts over.
	const wasLow = compareDecimals(before.lowSince ?? '', threshold) === 0;
	if (!wasLow) return { fires: isLow, state: isLow ? { lowSince: threshold } : {} };
	const hasRisen = !isBelow(balance, addToTotal(threshold, margin));
	return { fires: false, state: hasRisen ? {} : before };
}

/** What the workflow starts with, besides the balance. */
export function eventOf({ fireOn, threshold }: Watch, before: AlertState, balance: Balance) {
	const { amount } = balance;
	const message = `The balance is ${roundedDown(amount)}`;
	if (fireOn === 'change') {
		const previousAmount = before.amount ?? amount;
		return {
			message: `${message}, it was ${roundedDown(previousAmount)} before`,
			previousAmount,
			change: addToTotal(amount, previousAmount, -1),
		};
	}
	const lowBalance = isBelow(balance, threshold);
	return {
		message: `${message}, ${lowBalance ? '' : 'not '}below the threshold of ${roundedDown(threshold)}`,
		lowBalance,
		threshold,
	};
}

/** Rounded down: 99.999 is not shown as 100. */
function roundedDown(amount: string): string {
	return rubles(twoDecimals(amount));
}
