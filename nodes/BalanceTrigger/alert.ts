import { isBelow, type Balance } from '../shared/gateway/endpoints/balance';
import { addDecimals, compareDecimals } from '../shared/gateway/util/money';

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

/** The result of a poll. */
export interface Decision {
	/** What the workflow starts with; nothing when it does not start. */
	fires: { lowBalance?: boolean; threshold?: string; previousAmount?: string; change?: string } | undefined;
	state: AlertState;
}

/** Decides whether a poll fires. A balance that is low in the first poll counts as fallen. */
export function decide(watch: Watch, state: AlertState, balance: Balance): Decision {
	if (watch.fireOn === 'change') return onChange(state, balance);
	const { threshold } = watch;
	const low = isBelow(balance, threshold);
	const alert = { lowBalance: true, threshold };
	if (watch.fireOn === 'everyPoll') return { fires: low ? alert : undefined, state: {} };
	// A changed threshold starts over.
	const wasLow = state.lowSince !== undefined && compareDecimals(state.lowSince, threshold) === 0;
	if (!wasLow)
		return low ? { fires: alert, state: { lowSince: threshold } } : { fires: undefined, state: {} };
	const hasRisen = !isBelow(balance, addDecimals(threshold, watch.margin) ?? threshold);
	return { fires: undefined, state: hasRisen ? {} : state };
}

/** The first poll does not fire: later ones are compared with it. */
function onChange({ amount: previousAmount }: AlertState, { amount }: Balance): Decision {
	const state = { amount };
	if (previousAmount === undefined || compareDecimals(amount, previousAmount) === 0)
		return { fires: undefined, state };
	const change = addDecimals(amount, previousAmount, -1);
	return { fires: { previousAmount, ...(change === undefined ? {} : { change }) }, state };
}
