import { isBelow, type Balance } from '../shared/gateway/endpoints/balance';
import { addDecimals, compareDecimals, twoDecimals } from '../shared/gateway/util/money';

/** When the trigger fires. */
export type FireOn = 'below' | 'everyPoll' | 'change';

/** What the trigger watches for. Amounts are rubles, as decimals. */
export interface Watch {
	fireOn: FireOn;
	threshold: string;
	/** How far above the threshold the balance must rise before it can fall below it again. */
	margin: string;
}

/** The state of a trigger between polls, stored with the workflow. */
export interface AlertState {
	/** The threshold below which the balance fell, until it has risen again. */
	lowSince?: string;
	/** The balance of the last poll, when the trigger fires on change. */
	amount?: string;
}

/** What the workflow starts with, besides the balance. */
export type Event = { message: string } & (
	| { lowBalance: boolean; threshold: string }
	| { previousAmount: string; change: string }
);

/** The result of a poll. */
export interface Decision {
	/** `undefined` when the workflow does not start. */
	fires: Event | undefined;
	state: AlertState;
}

/** Decides whether a poll fires. A balance that is low in the first poll counts as fallen. */
export function decide(watch: Watch, state: AlertState, balance: Balance): Decision {
	if (watch.fireOn === 'change') return onChange(state, balance);
	const { threshold } = watch;
	const low = isBelow(balance, threshold);
	const alert = lowEvent(balance, threshold);
	if (watch.fireOn === 'everyPoll') return { fires: low ? alert : undefined, state: {} };
	// A changed threshold starts over.
	const wasLow = state.lowSince !== undefined && compareDecimals(state.lowSince, threshold) === 0;
	if (!wasLow)
		return low ? { fires: alert, state: { lowSince: threshold } } : { fires: undefined, state: {} };
	const hasRisen = !isBelow(balance, addDecimals(threshold, watch.margin) ?? threshold);
	return { fires: undefined, state: hasRisen ? {} : state };
}

/** The first poll does not fire: later ones are compared with it. */
function onChange({ amount: previousAmount }: AlertState, balance: Balance): Decision {
	const { amount } = balance;
	const state = { amount };
	if (previousAmount === undefined || compareDecimals(amount, previousAmount) === 0)
		return { fires: undefined, state };
	return { fires: changeEvent(balance, previousAmount), state };
}

/** The event of a test in the editor: as a poll that fires, with what is true of the balance now. */
export function testEvent({ fireOn, threshold }: Watch, balance: Balance): Event {
	return fireOn === 'change' ? changeEvent(balance, balance.amount) : lowEvent(balance, threshold);
}

function lowEvent(balance: Balance, threshold: string): Event {
	const lowBalance = isBelow(balance, threshold);
	const limit = `the threshold of ${twoDecimals(threshold)} RUB`;
	return {
		message: `The balance is ${rubles(balance)}, ${lowBalance ? 'below' : 'not below'} ${limit}`,
		lowBalance,
		threshold,
	};
}

function changeEvent(balance: Balance, previousAmount: string): Event {
	const change = addDecimals(balance.amount, previousAmount, -1) ?? '0';
	return {
		message: `The balance is ${rubles(balance)}, it was ${twoDecimals(previousAmount)} RUB before`,
		previousAmount,
		change,
	};
}

function rubles({ amount }: Balance): string {
	return `${twoDecimals(amount)} RUB`;
}
