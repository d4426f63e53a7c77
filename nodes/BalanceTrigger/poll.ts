import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { connect, POLL_SETTINGS } from '../shared/n8n/client';
import { toNodeError } from '../shared/run/nodeError';
import { nodeParameters } from '../shared/params/source';
import { fetchBalance, readBalance, type Balance } from '../shared/gateway/endpoints/balance';
import { asObject, asText, compact } from '../shared/gateway/util/json';
import { decide, eventOf, type AlertState, type Watch } from './alert';
import { parameters } from './fields';

/** Key in the node's static data, which n8n stores with the workflow. */
const STATE = 'alert';

/**
 * Polls the balance. Returns what the workflow starts with; `null` when it does not start. A poll that fails changes no
 * state, so the next one is compared with the last successful one.
 */
export async function pollBalance(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const { watch, balance } = await readPoll(context);
	const event = (before: AlertState) => [
		[{ json: compact({ ...balance, ...eventOf(watch, before, balance) }) }],
	];
	// A test in the editor always returns an event.
	if (context.getMode() === 'manual') return event({});
	const store = context.getWorkflowStaticData('node');
	const { lowSince, amount } = asObject(store[STATE]) ?? {};
	const before = { lowSince: asText(lowSince), amount: asText(amount) };
	const { fires, state } = decide(watch, before, balance);
	store[STATE] = compact(state);
	if (fires) return event(before);
	// n8n stores static data only when a poll returns something. That the balance has risen must survive a restart,
	// so this returns an execution without items, which runs no further node.
	return before.lowSince !== undefined && state.lowSince === undefined ? [[]] : null;
}

async function readPoll(context: IPollFunctions): Promise<{ watch: Watch; balance: Balance }> {
	try {
		const { fireOn, threshold, options } = parameters.read(nodeParameters(context));
		const watch = { fireOn, threshold: String(threshold), margin: String(options.margin ?? 0) };
		const client = await connect(context, POLL_SETTINGS);
		return { watch, balance: readBalance(await fetchBalance(client)) };
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}
