import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { DAY_MS } from '../shared/gateway/util/text';
import { isBelow, type AccountBalance, fetchBalance, readBalance } from '../shared/gateway/endpoints/balance';
import { addToTotal, compareDecimals, rubles, twoDecimals } from '../shared/gateway/util/money';
import { connect, POLL_SETTINGS } from '../shared/n8n/client';
import { toNodeError } from '../shared/run/nodeError';
import { readParameters } from '../shared/params/nodeParameters';
import { asNumber, asObject, asText, compact } from '../shared/gateway/util/json';
import { parameters } from './fields';
import { paceOf, paceText, readingsIn, withReading, type Pace } from './pace';

/** What the trigger watches for. Amounts are rubles, as decimals. */
export interface Watch {
	fireOn: 'below' | 'daysLeft' | 'change';
	threshold: string;
	days: number;
}

/** The state of a trigger between polls, stored with the workflow. */
export interface AlertState {
	/** The threshold below which the balance fell, or the days, until it has risen again. */
	lowSince?: string | undefined;
	/** The balance of the last poll, when the trigger fires on change. */
	amount?: string | undefined;
}

/** Decides whether a poll fires. A balance that is low in the first poll counts as fallen. */
export function decide(
	{ fireOn, threshold, days }: Watch,
	before: AlertState,
	balance: AccountBalance & Pace,
): { fires: boolean; state: AlertState } {
	if (fireOn === 'change') {
		const { amount } = balance;
		// The first poll does not fire: later ones are compared with it.
		return { fires: compareDecimals(amount, before.amount ?? amount) !== 0, state: { amount } };
	}
	if (fireOn === 'daysLeft' && balance.spentPerDayRub === null)
		return { fires: false, state: compact({ lowSince: before.lowSince }) };
	const limit = fireOn === 'below' ? threshold : `${days} days`;
	// Another threshold starts over.
	const wasLow = before.lowSince === limit;
	const left = balance.daysLeft ?? Infinity;
	// A day more, so that the pace of one hour does not start it again.
	const isLow = fireOn === 'below' ? isBelow(balance, threshold) : left < (wasLow ? days + 1 : days);
	return { fires: isLow && !wasLow, state: isLow ? { lowSince: limit } : {} };
}

export function eventOf({ fireOn, threshold, days }: Watch, before: AlertState, balance: AccountBalance) {
	const { amount } = balance;
	const message = `The balance is ${roundedDown(amount)}`;
	if (fireOn === 'daysLeft') return { days };
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

/** Key in the node's static data, which n8n stores with the workflow. */
const ALERT_STATE = 'alert';

/** A poll that fails changes no state, so the next one is compared with the last successful one. */
export async function pollBalance(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const { watch, balance, account } = await readPoll(context);
	const store = context.getWorkflowStaticData('node');
	const stored = asObject(store[ALERT_STATE]) ?? {};
	// What was seen of another account says nothing of this one.
	const seen = stored.account === account ? stored : {};
	const now = { at: Date.now(), amount: balance.amount };
	const earlier = readingsIn(seen.readings, now.at);
	const pace = paceOf([...earlier, now], now);
	const message = paceText(pace, now, context.getTimezone());
	const event = (before: AlertState) => [
		[{ json: { ...compact({ ...balance, message, ...eventOf(watch, before, balance) }), ...pace } }],
	];
	// A test in the editor always returns an event.
	if (context.getMode() === 'manual') return event({});
	const before = { lowSince: asText(seen.lowSince), amount: asText(seen.amount) };
	const { fires, state } = decide(watch, before, { ...balance, ...pace });
	const isNews =
		before.lowSince !== state.lowSince || (before.amount === undefined && state.amount !== undefined);
	// A restart loses a day of readings at most.
	const lastSavedAt = asNumber(seen.savedAt);
	const isDue = watch.fireOn === 'daysLeft' && now.at - (lastSavedAt ?? -Infinity) >= DAY_MS;
	const isSaved = fires || isNews || isDue;
	const savedAt = isSaved ? now.at : lastSavedAt;
	store[ALERT_STATE] = compact({ ...state, account, readings: withReading(earlier, now), savedAt });
	if (fires) return event(before);
	// n8n stores static data only when a poll returns something. That the balance has risen, and with which balance changes
	// are compared, must survive a restart, so this returns an execution without items, which runs no further node.
	return isSaved ? [[]] : null;
}

async function readPoll(context: IPollFunctions) {
	try {
		// The panel shows what the event needs.
		const { fireOn, threshold = 0, days = 0 } = readParameters(context, parameters);
		const watch = { fireOn, threshold: String(threshold), days };
		const client = await connect(context, POLL_SETTINGS);
		return { watch, balance: readBalance(await fetchBalance(client)), account: client.account };
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}
