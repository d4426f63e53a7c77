import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { backgroundClient, POLL_SETTINGS } from '../shared/n8n/backgroundClient';
import { toNodeError } from '../shared/run/nodeError';
import { OptionReader } from '../shared/params/optionReader';
import { compact } from '../shared/fields/common';
import { fetchBalance, readBalance, type Balance } from '../shared/gateway/endpoints/balance';
import { InvalidInputError } from '../shared/gateway/errors/errors';
import { asNumber, asObject, asText } from '../shared/gateway/util/json';
import { decide, FIRE_ON, type AlertState, type Watch } from './alert';

/** Keys in the node's static data, which n8n stores with the workflow, by node. */
const LOW_SINCE = 'lowSince';
const AMOUNT = 'amount';

/**
 * Asks for the balance and gives what the workflow starts with; `null` when it does not start.
 *
 * @throws {NodeApiError} for a poll that fails: it changes nothing, and the next one goes on from where the last
 *   good one was
 */
export async function pollBalance(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const found = await readPoll(context).catch((error: unknown) =>
		Promise.reject(toNodeError(context.getNode(), error, 0)),
	);
	// Whoever tries it out in the editor wants to see something.
	if (context.getMode() === 'manual') return [[itemOf(found.balance, {})]];
	return next(context, found);
}

interface Poll {
	watch: Watch;
	balance: Balance;
}

async function readPoll(context: IPollFunctions): Promise<Poll> {
	const watch = readWatch(context);
	const client = await backgroundClient(context, POLL_SETTINGS);
	return { watch, balance: readBalance(await fetchBalance(client)) };
}

function next(context: IPollFunctions, { watch, balance }: Poll): INodeExecutionData[][] | null {
	const store = context.getWorkflowStaticData('node');
	const before = readState(store);
	const { fires, state } = decide(watch, before, balance);
	keep(store, state);
	if (fires) return [[itemOf(balance, fires)]];
	// n8n stores what a poll remembers only when it gives something. That the balance has risen must outlast a restart,
	// or the next fall would not be told: an execution without items, of which no further node takes notice.
	return before.lowSince !== undefined && state.lowSince === undefined ? [[]] : null;
}

function itemOf(balance: Balance, more: IDataObject): INodeExecutionData {
	return { json: compact({ ...balance, ...more }) };
}

function readState(store: IDataObject): AlertState {
	const [lowSince, amount] = [asText(store[LOW_SINCE]), asText(store[AMOUNT])];
	return { ...(lowSince === undefined ? {} : { lowSince }), ...(amount === undefined ? {} : { amount }) };
}

function keep(store: IDataObject, state: AlertState): void {
	for (const [key, value] of [
		[LOW_SINCE, state.lowSince],
		[AMOUNT, state.amount],
	] as const) {
		if (value === undefined) delete store[key];
		else store[key] = value;
	}
}

function readWatch(context: IPollFunctions): Watch {
	const value: unknown = context.getNodeParameter('fireOn', 'below');
	const fireOn = FIRE_ON.find((name) => name === value);
	if (fireOn === undefined) {
		throw new InvalidInputError(
			`'Trigger On' has the unknown value "${String(value)}"`,
			'Choose it again from the list.',
			'fireOn',
		);
	}
	const options = new OptionReader(asObject(context.getNodeParameter('options', {})) ?? {});
	const margin = options.number('margin', 'Margin (Rubles)', { min: 0 }) ?? 0;
	const threshold = fireOn === 'change' ? '0' : context.getNodeParameter('threshold');
	return { fireOn, threshold: readThreshold(threshold), margin: String(margin) };
}

/** The amount, as a decimal. */
function readThreshold(value: unknown): string {
	const number = asNumber(value);
	if (number !== undefined) return String(number);
	throw new InvalidInputError(
		"'Threshold (Rubles)' is not a number",
		'Enter an amount in rubles such as 100 or 99.5, with a point and without a currency sign.',
		'threshold',
	);
}
