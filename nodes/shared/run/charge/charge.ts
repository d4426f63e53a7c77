import { ApiError, asError } from '../../gateway/errors/errors';
import type { GatewayClient } from '../../gateway/client/client';
import type { KeyUse } from './keys';
import { reserve } from './limits';
import type { ItemRecord } from './record';
import type { Records } from './records';
import type { Spending } from './spending';
import { mayBeCharged } from './words';

/** A call that costs money, before anything is sent. */
export interface Plan {
	/** Whose account pays. */
	client: GatewayClient;
	/** The item that it is for; none where each request is a new one, as of a chat model. */
	item?: { index: number; records: Records } | undefined;
	/** The `Idempotency-Key` of a task (§4.6); a text has none. */
	key?: string;
	/** If the key is the user's: its use, and the place of the item. Another execution may have paid for its task. */
	ownKey?: { use: KeyUse; place: string } | undefined;
	/** The most that the call may cost, as decimal text in rubles; needed for a limit. */
	mostRub: string | undefined;
	/** The most that the execution may cost, as decimal text in rubles. */
	maxCostRub: string | undefined;
}

/**
 * Sends a call that costs money: checks its limits, notes it before it is sent, and counts what it cost. All such calls of the
 * package go through here.
 *
 * @param send sends it, with its retries
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
	const { client, item, key, mostRub } = plan;
	const known = item?.records.get(item.index);
	assertSameAccount(known, client);
	// A repetition may be of a task that is paid for: its limits are not checked again.
	const isRepeated = key !== undefined && known?.key === key;
	const release = isRepeated ? () => undefined : await reserve(spending, plan);
	const record = item?.records.sent(item.index, client.account, key) ?? { state: 'sent' };
	const end = async (ended: { result: R } | { error: unknown }) => {
		const rub = await costOf(ended);
		const isFree = rub === undefined && 'error' in ended && !mayBeCharged(ended.error);
		if (!isFree) count(spending, record, plan, rub);
		// Also when nothing was charged: expressions read the sums from each node that sends such calls.
		spending.show();
		release(isFree ? '0' : (rub ?? mostRub ?? '0'));
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
			'Its credential gives another API key or base URL than in the try before. Use the same in each try, e.g. without an expression that changes, or look at the balance of both and execute the workflow again.',
		outcome: 'unknown',
		kind: known.key === undefined ? 'charge' : 'keyed',
		code: 'other_account',
		retryable: false,
	});
}

/** Counts a call that is, or may be, charged: once, although several tries or equal calls of an agent may end it. */
function count(
	spending: Spending,
	record: ItemRecord,
	{ mostRub, ownKey }: Plan,
	rub: string | undefined,
): void {
	if (record.costRub !== undefined) return;
	if (ownKey) {
		const { use, place } = ownKey;
		// Another place counts it.
		if (use.isCharged && use.place !== place) return;
		Object.assign(use, { place, isCharged: true });
	}
	// An earlier try has counted it with an unknown cost.
	if (record.mayCostRub !== undefined) spending.mayCost(record.mayCostRub, -1);
	delete record.mayCostRub;
	if (rub !== undefined && !ownKey) {
		record.costRub = rub;
		spending.costs(rub);
	} else {
		record.mayCostRub = rub ?? mostRub ?? null;
		spending.mayCost(record.mayCostRub);
	}
}
