import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { backgroundClient, POLL_SETTINGS } from '../shared/n8n/client';
import { toNodeError } from '../shared/run/nodeError';
import { compact } from '../shared/n8n/compact';
import { nodeParameters } from '../shared/params/source';
import { fetchBalance, readBalance, type Balance } from '../shared/gateway/endpoints/balance';
import { asObject, asText } from '../shared/gateway/util/json';
import { decide, testEvent, type AlertState, type Watch } from './alert';
import { parameters } from './fields';

/** Key in the node's static data, which n8n stores with the workflow. */
const STATE = 'alert';

/**
 * Polls the balance. Returns what the workflow starts with; `null` when it does not start.
 *
 * @throws {NodeApiError} for a poll that fails. It changes no state, so the next poll is compared with the last
 *   successful one.
 */
export async function pollBalance(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const { watch, balance } = await readPoll(context);
	// A test in the editor always returns an event.
	if (context.getMode() === 'manual') return [[itemOf(balance, testEvent(watch, balance))]];
	const store = context.getWorkflowStaticData('node');
	const { lowSince, amount } = asObject(store[STATE]) ?? {};
	const before: AlertState = { lowSince: asText(lowSince), amount: asText(amount) };
	const { fires, state } = decide(watch, before, balance);
	store[STATE] = compact(state);
	if (fires) return [[itemOf(balance, fires)]];
	// n8n stores static data only when a poll returns something. That the balance has risen must survive a restart,
	// so this returns an execution without items, which runs no further node.
	return before.lowSince !== undefined && state.lowSince === undefined ? [[]] : null;
}

async function readPoll(context: IPollFunctions): Promise<{ watch: Watch; balance: Balance }> {
	try {
		const watch = readWatch(context);
		const client = await backgroundClient(context, POLL_SETTINGS);
		return { watch, balance: readBalance(await fetchBalance(client)) };
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}

function itemOf(balance: Balance, more: IDataObject): INodeExecutionData {
	return { json: compact({ ...balance, ...more }) };
}

function readWatch(context: IPollFunctions): Watch {
	const params = parameters.read(nodeParameters(context));
	const { fireOn, options } = params;
	const threshold = fireOn === 'change' ? '0' : String(params.threshold);
	return { fireOn, threshold, margin: String(options.margin ?? 0) };
}
