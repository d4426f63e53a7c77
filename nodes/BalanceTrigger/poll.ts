import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isBelow, type Balance, fetchBalance, readBalance } from '../shared/gateway/endpoints/balance';
import { addToTotal, compareDecimals, rubles, twoDecimals } from '../shared/gateway/util/money';
import { connect, POLL_SETTINGS } from '../shared/n8n/client';
import { toNodeError } from '../shared/run/nodeError';
import { nodeParameters } from '../shared/params/source';
import { asObject, asText, compact } from '../shared/gateway/util/json';
import { parameters } from './fields';

/** What the trigger watches for. Amounts are rubles, as decimals. */
export interface Watch {
	fireOn: 'below' | 'change';
	threshold: string;
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
export function decide({ fireOn, threshold }: Watch, before: AlertState, balance: Balance): Decision {
	if (fireOn === 'change') {
		const { amount } = balance;
		// The first poll does not fire: later ones are compared with it.
		return { fires: compareDecimals(amount, before.amount ?? amount) !== 0, state: { amount } };
	}
	const isLow = isBelow(balance, threshold);
	// A changed threshold starts over.
	const wasLow = compareDecimals(before.lowSince ?? '', threshold) === 0;
	return { fires: isLow && !wasLow, state: isLow ? { lowSince: threshold } : {} };
}

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

/** Key in the node's static data, which n8n stores with the workflow. */
const STATE = 'alert';

/** A poll that fails changes no state, so the next one is compared with the last successful one. */
export async function pollBalance(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const { watch, balance, account } = await readPoll(context);
	const event = (before: AlertState) => [
		[{ json: compact({ ...balance, ...eventOf(watch, before, balance) }) }],
	];
	// A test in the editor always returns an event.
	if (context.getMode() === 'manual') return event({});
	const store = context.getWorkflowStaticData('node');
	const { lowSince, amount, account: known } = asObject(store[STATE]) ?? {};
	// What was seen of another account says nothing of this one.
	const before = known === account ? { lowSince: asText(lowSince), amount: asText(amount) } : {};
	const { fires, state } = decide(watch, before, balance);
	store[STATE] = compact({ ...state, account });
	if (fires) return event(before);
	// n8n stores static data only when a poll returns something. That the balance has risen, and with which balance changes
	// are compared, must survive a restart, so this returns an execution without items, which runs no further node.
	const isNews =
		before.lowSince !== state.lowSince || (before.amount === undefined && state.amount !== undefined);
	return isNews ? [[]] : null;
}

async function readPoll(context: IPollFunctions) {
	try {
		const { fireOn, threshold } = parameters.read(nodeParameters(context));
		const watch = { fireOn, threshold: String(threshold) };
		const client = await connect(context, POLL_SETTINGS);
		return { watch, balance: readBalance(await fetchBalance(client)), account: client.account };
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}
