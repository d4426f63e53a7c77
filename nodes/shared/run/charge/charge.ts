import { ApiError, asError } from '../../gateway/errors/errors';
import type { GatewayClient } from '../../gateway/client/client';
import { checkBalance } from './account';
import type { Call, Ledger } from './ledger';
import type { ItemRecord } from './record';
import type { Records } from './records';
import type { Outcome, Tokens } from './sums';
import { mayBeCharged } from './words';

/** A call that costs money, before anything is sent. */
export interface Plan {
	/** Whose account pays. */
	client: GatewayClient;
	call: Call;
	/** The item that it is for; none where each request is a new one, as of a chat model. */
	item?: { index: number; records: Records } | undefined;
	/** The key of a task, as its record has it, and the user's own one, encrypted. */
	key?: { name: string; sealed?: string | undefined };
	/** Whether another execution may have paid for its task: with a key of the user. */
	mayBePaid?: boolean;
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

/**
 * Sends a call that costs money: checks its limits, notes it before it is sent, and counts what it cost. All such calls of the
 * package go through here.
 *
 * @param costOf what it cost, from its result or its error
 * @returns the result; and its cost, as soon as that is known
 * @throws {InvalidInputError} if the call does not fit a limit
 * @throws {ApiError} if it fails, or was sent before with another account
 */
export async function charge<R>(
	ledger: Ledger,
	plan: Plan,
	send: () => Promise<R>,
	costOf: (ended: { result: R } | { error: unknown }) => Promise<Cost>,
): Promise<{ result: R; rub: Promise<string | undefined> }> {
	const { client, call, item, key, mayBePaid = false, maxCostRub, signal } = plan;
	const known = item?.records.get(item.index);
	if (known) assertSameAccount(known, client);
	// A repetition may be of a task that is paid for: it is counted, and neither waits nor is refused.
	const isRepeated = key !== undefined && known?.key === key.name;
	const entry = await ledger.begin(call, { maxCostRub, isRepeated, run: client.run, signal });
	try {
		const { minBalanceRub } = client.settings;
		if (minBalanceRub !== undefined && !entry.isRepeated)
			await checkBalance(client, minBalanceRub, call.maxRub);
	} catch (error) {
		ledger.end(entry, 'free');
		throw asError(error);
	}
	const record = item?.records.sent(item.index, client.account, key?.name, key?.sealed);
	const unknown: Outcome = { maxRub: call.maxRub };
	const end = async (ended: { result: R } | { error: unknown }) => {
		const { rub, tokens } = await costOf(ended).catch((error: unknown) => {
			ledger.end(entry, unknown);
			throw asError(error);
		});
		const isFree = rub === undefined && 'error' in ended && !mayBeCharged(ended.error);
		const isKnown = rub !== undefined && !mayBePaid;
		if (isKnown && record) record.costRub = rub;
		const charged = isKnown ? { rub } : { maxRub: rub ?? call.maxRub };
		ledger.end(entry, isFree ? 'free' : charged, tokens);
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
