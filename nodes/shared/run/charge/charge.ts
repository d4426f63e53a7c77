import { ApiError, asError } from '../../gateway/errors/errors';
import type { GatewayClient } from '../../gateway/client/client';
import { checkBalance } from './account';
import type { Call, Ledger } from './ledger';
import type { ItemRecord } from './record';
import type { Records, TaskKey } from './records';
import type { Tokens } from './sums';
import { mayBeCharged } from './words';

/** A call that costs money, before anything is sent. */
export interface Plan extends Pick<Call, 'model' | 'maxRub'> {
	/** Whose account pays. */
	client: GatewayClient;
	/** The item that it is for; none where each request is a new one, as of a chat model. */
	item?: { index: number; records: Records } | undefined;
	/** The key of a task. */
	taskKey?: TaskKey;
	/** The most that the execution may cost, as decimal text in rubles. */
	maxCostRub: string | undefined;
	/** Ends a wait for the limit. */
	signal?: AbortSignal | undefined;
}

/** The cost of a call, as decimal text in rubles, and its tokens, where they are known. */
export interface Cost {
	rub?: string | undefined;
	tokens?: Tokens | undefined;
}

/** Counts what a call has cost: its cost is known, or it counts with its maximum. With an error, it may be free. */
export type EndCall = (cost: Cost, error?: unknown) => void;

/**
 * Begins a call that costs money: checks its limits, and notes it before it is sent. All such calls of the package go through
 * here, and end with the function that it returns.
 *
 * @throws {InvalidInputError} if the call does not fit a limit
 * @throws {ApiError} if it was sent before with another account
 */
export async function beginCall(ledger: Ledger, plan: Plan): Promise<EndCall> {
	const { client, model, maxRub, item, taskKey, maxCostRub, signal } = plan;
	const { account, run, settings } = client;
	const known = item?.records.get(item.index);
	if (known) assertSameAccount(known, client);
	// A repetition may be of a task that is paid for: it is counted, and neither waits nor is refused.
	const isRepeated = taskKey !== undefined && known?.key === taskKey.stored;
	const call = { model, account, maxRub, key: taskKey?.ledger };
	const entry = await ledger.begin(call, { maxCostRub, isRepeated, run, signal });
	try {
		if (settings.minBalanceRub !== undefined && !entry.isRepeated)
			await checkBalance(client, settings.minBalanceRub, maxRub);
	} catch (error) {
		ledger.end(entry, 'free');
		throw asError(error);
	}
	const record = item?.records.sent(item.index, account, taskKey);
	return ({ rub, tokens }, error) => {
		if (rub === undefined) {
			const isFree = error !== undefined && !mayBeCharged(error);
			ledger.end(entry, isFree ? 'free' : { maxRub }, tokens);
		} else if (taskKey?.sealed !== undefined) {
			// Another execution may have paid for the task of a user's key.
			ledger.end(entry, { maxRub: rub }, tokens);
		} else {
			if (record) record.costRub = rub;
			ledger.end(entry, { rub }, tokens);
		}
	};
}

/** A call that may be charged is not sent from another account: both would pay. */
function assertSameAccount(known: ItemRecord, client: GatewayClient): void {
	if (known.account === undefined || known.account === client.account) return;
	if (known.state !== 'sent' && known.state !== 'unknown') return;
	throw new ApiError({
		message: 'The item was sent with another API key before, and may have been charged',
		description:
			'The credential resolved to a different API key or base URL than in the previous attempt. Use the same one for every attempt, e.g. without an expression that changes, or look at the balance of both and execute the workflow again.',
		outcome: 'unknown',
		kind: known.key === undefined ? 'charge' : 'keyed',
		code: 'other_account',
		retryable: false,
	});
}
