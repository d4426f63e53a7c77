import { ApiError, asError } from '../../gateway/errors/errors';
import type { GatewayClient } from '../../gateway/client/client';
import { checkBalance } from './account';
import type { KeyUse } from './keys';
import type { ItemRecord } from './record';
import type { Records } from './records';
import { budgetKey, type Spending } from './spending';
import { mayBeCharged } from './words';

/** A call that costs money, before anything is sent. */
export interface Plan {
	/** Whose account pays. */
	client: GatewayClient;
	/** The item that it is for; none where each request is a new one, as of a chat model. */
	item?: { index: number; records: Records } | undefined;
	/** The `Idempotency-Key` of a task (§4.6); a text has none. */
	key?: string;
	/** If the key is the user's: its use. Another execution may have paid for its task. */
	ownKey?: KeyUse | undefined;
	/** The most that the call may cost, as decimal text in rubles; needed for a limit. */
	mostRub: string | undefined;
	/** The most that the execution may cost, as decimal text in rubles. */
	maxCostRub: string | undefined;
	/** Ends a wait for a limit. */
	signal?: AbortSignal | undefined;
}

/**
 * Sends a call that costs money: checks its limits, notes it before it is sent, and counts what it cost. All such calls of the
 * package go through here.
 *
 * @param costOf what it cost, from its result or its error, as decimal text in rubles; `undefined` if that is not known
 * @returns the result; and its cost, as soon as that is known
 * @throws {InvalidInputError} if the call does not fit a limit
 * @throws {ApiError} if it fails, or was sent before with another account
 */
export async function charge<R>(
	spending: Spending,
	plan: Plan,
	send: () => Promise<R>,
	costOf: (ended: { result: R } | { error: unknown }) => Promise<string | undefined>,
): Promise<{ result: R; rub: Promise<string | undefined> }> {
	const { client, item, key, ownKey } = plan;
	const known = item?.records.get(item.index);
	assertSameAccount(known, client);
	const { mostRub, maxCostRub, signal } = plan;
	// A repetition may be of a task that is paid for: it is counted, and neither waits nor is refused.
	const isRepeated = key !== undefined && known?.key === key;
	const hold = await spending.budget.take({
		mostRub,
		limit: isRepeated || maxCostRub === undefined ? undefined : spending.limit(maxCostRub),
		// Calls without a limit hold nothing: those with one would wait for them.
		isHeld: maxCostRub !== undefined,
		key: key && budgetKey({ account: client.account, key }),
		run: client.run,
		signal,
	});
	try {
		if (!isRepeated) await checkBalance(client, mostRub);
	} catch (error) {
		hold.release();
		throw asError(error);
	}
	const record = item?.records.sent(item.index, client.account, key) ?? { state: 'sent' };
	const end = async (ended: { result: R } | { error: unknown }) => {
		const rub = await costOf(ended).catch((error: unknown) => {
			hold.keep();
			throw asError(error);
		});
		const isFree = rub === undefined && 'error' in ended && !mayBeCharged(ended.error);
		const isKnown = rub !== undefined && !ownKey;
		// An equal call of an agent has counted it.
		const isCounted = isFree || record.costRub !== undefined;
		if (isCounted) hold.release();
		else if (isKnown) hold.spend(rub);
		else hold.keep(rub);
		if (isKnown && !isCounted) {
			record.costRub = rub;
			spending.taskCharged(record);
		}
		if (ownKey && !isFree) ownKey.isCharged = true;
		// Also when nothing was charged: expressions read the sums from each node that sends such calls.
		spending.addOwn(isKnown && !isCounted ? rub : '0', isCounted ? 0 : 1);
		return rub;
	};
	try {
		const result = await send();
		return { result, rub: end({ result }) };
	} catch (error) {
		await end({ error });
		throw asError(error);
	}
}

/** A call that may be charged is not sent from another account: both would pay. */
function assertSameAccount(known: ItemRecord | undefined, client: GatewayClient): void {
	if (known?.account === undefined || known.account === client.account) return;
	if (known.state !== 'sent' && known.state !== 'unknown') return;
	throw new ApiError({
		message: 'The item was sent with another API key before, and may have been charged',
		description:
			'Its credential gives another API key or base URL than in the previous attempt. Use the same in each attempt, e.g. without an expression that changes, or look at the balance of both and execute the workflow again.',
		outcome: 'unknown',
		kind: known.key === undefined ? 'charge' : 'keyed',
		code: 'other_account',
		retryable: false,
	});
}
