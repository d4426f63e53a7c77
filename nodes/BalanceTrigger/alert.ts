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
	lowSince?: string | undefined;
	/** The balance of the last poll, when the trigger fires on change. */
	amount?: string | undefined;
}

/** What the workflow starts with, besides the balance. */
export type Event = { message: string } & (
	| { lowBalance: boolean; threshold: string }
	| { previousAmount: string; change: string }
);

interface Decision {
	/** `undefined` when the workflow does not start. */
	fires: Event | undefined;
	state: AlertState;
}

/** Decides whether a poll fires. A balance that is low in the first poll counts as fallen. */
export function decide(watch: Watch, state: AlertState, balance: Balance): Decision {
	if (watch.fireOn === 'change') return onChange(state, balance);
	const { threshold } = watch;
	const fires = isBelow(balance, threshold) ? lowEvent(balance, threshold) : undefined;
	if (watch.fireOn === 'everyPoll') return { fires, state: {} };
	// A changed threshold starts over.
	const wasLow = state.lowSince !== undefined && compareDecimals(state.lowSince, threshold) === 0;
	if (!wasLow) return { fires, state: fires ? { lowSince: threshold } : {} };
	const hasRisen = !isBelow(balance, addDecimals(threshold, watch.margin) ?? threshold);
	return { fires: undefined, state: hasRisen ? {} : state };
}

/** The first poll does not fire: later ones are compared with it. */
function onChange({ amount: previousAmount }: AlertState, balance: Balance): Decision {
	const { amount } = balance;
	const isChanged = previousAmount !== undefined && compareDecimals(amount, previousAmount) !== 0;
	return { fires: isChanged ? changeEvent(balance, previousAmount) : undefined, state: { amount } };
}

/** The event of a test in the editor: as a poll that fires, with what is true of the balance now. */
export function testEvent({ fireOn, threshold }: Watch, balance: Balance): Event {
	return fireOn === 'change' ? changeEvent(balance, balance.amount) : lowEvent(balance, threshold);
}

function lowEvent(balance: Balance, threshold: string): Event {
	const lowBalance = isBelow(balance, threshold);
	return {
		message: `The balance is ${rubles(balance.amount)}, ${lowBalance ? '' : 'not '}below the threshold of ${rubles(threshold)}`,
		lowBalance,
		threshold,
	};
}

function changeEvent(balance: Balance, previousAmount: string): Event {
	return {
		message: `The balance is ${rubles(balance.amount)}, it was ${rubles(previousAmount)} before`,
		previousAmount,
		change: addDecimals(balance.amount, previousAmount, -1) ?? '0',
	};
}

function rubles(amount: string): string {
	return `${twoDecimals(amount)} RUB`;
}
