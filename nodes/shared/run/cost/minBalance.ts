import type { GatewayClient } from '../../gateway/client/client';
import { fetchBalance, readBalance } from '../../gateway/endpoints/balance';
import {
	ApiError,
	asError,
	beforeSending,
	InvalidInputError,
	StoppedError,
} from '../../gateway/errors/errors';
import { addToTotal, compareDecimals } from '../../gateway/util/money';
import type { CallCost, ExecutionCost, PlannedCall } from './executionCost';

/** How long a balance is used, in milliseconds. */
const BALANCE_MS = 30_000;

/** An option that limits the cost of calls. */
export interface Limit {
	label: string;
	/** By the name that workflows and credentials store. */
	param: string;
}

const MIN_BALANCE: Limit = { label: 'Minimum Balance (Rubles)', param: 'minBalanceRub' };

/** What limits the cost of a call: the option of the node, else the credential. */
export function costLimit({ settings }: GatewayClient, maxCostRub: string | undefined): Limit | undefined {
	if (maxCostRub !== undefined) return { label: 'Max Cost per Execution (Rubles)', param: 'maxCostRub' };
	return settings.minBalanceRub === undefined ? undefined : MIN_BALANCE;
}

interface Account {
	/** Decimal text in rubles. Rejects if it cannot be read. */
	balance?: Promise<string> | undefined;
	/** When it was read, in Unix milliseconds. */
	readAt: number;
	/** What calls that ended since may have cost: the balance may not show it yet. */
	endedRub: string;
	/** What the calls in progress may cost. */
	inProgressRub: string;
}

/** By account; all executions of this process share them. */
const accounts = new Map<string, Account>();

/**
 * Counts a call before it is sent. With *Minimum Balance* in the credential, what is left on the account is checked
 * first.
 *
 * @throws {InvalidInputError} if the execution could then cost more than its limit, or less than the minimum be left
 * @throws {ApiError} if the balance cannot be read
 */
export async function beginCall(
	{ client, cost }: { client: GatewayClient; cost: ExecutionCost },
	planned: PlannedCall,
): Promise<CallCost> {
	const { account: id, settings } = client;
	const { mostRub } = planned;
	if (settings.minBalanceRub === undefined || mostRub === undefined) return cost.begin(planned);
	const account = accounts.get(id) ?? { readAt: 0, endedRub: '0', inProgressRub: '0' };
	accounts.set(id, account);
	const balanceRub = await balanceOf(account, client);
	// From here on, no other call comes between.
	const leftRub = addToTotal(addToTotal(balanceRub, account.endedRub, -1), account.inProgressRub, -1);
	checkBalance(leftRub, settings.minBalanceRub, mostRub);
	const call = cost.begin(planned, (rub) => {
		account.inProgressRub = addToTotal(account.inProgressRub, mostRub, -1);
		account.endedRub = addToTotal(account.endedRub, rub);
	});
	account.inProgressRub = addToTotal(account.inProgressRub, mostRub);
	return call;
}

/** The balance as it was last read; read again, when that is too long ago. */
async function balanceOf(account: Account, client: GatewayClient): Promise<string> {
	const isOld = client.now() - account.readAt > BALANCE_MS;
	const last = isOld ? undefined : account.balance;
	const balance = last ?? readRub(client);
	if (!last) {
		// While it is read, all wait for it.
		Object.assign(account, { balance, endedRub: '0', readAt: Infinity });
		balance.then(
			() => (account.readAt = client.now()),
			() => (account.balance = undefined),
		);
	}
	return await balance.catch(async (error: unknown) => {
		// It was read for another run, which has ended.
		if (last && error instanceof StoppedError) return await balanceOf(account, client);
		throw asError(error);
	});
}

async function readRub(client: GatewayClient): Promise<string> {
	try {
		return readBalance(await fetchBalance(client)).amount;
	} catch (error) {
		if (!(error instanceof ApiError)) throw asError(error);
		const message = `The balance cannot be read for 'Minimum Balance (Rubles)': ${error.message}`;
		throw beforeSending(error.with({ message }));
	}
}

function checkBalance(leftRub: string, minRub: string, mostRub: string): void {
	if ((compareDecimals(addToTotal(leftRub, mostRub, -1), minRub) ?? -1) >= 0) return;
	throw new InvalidInputError(
		`The call may cost ₽${mostRub}, and less than the 'Minimum Balance (Rubles)' of ₽${minRub} would be left`,
		`The account has ₽${leftRub}, without what calls in progress may cost. Top up the balance, or lower 'Minimum Balance (Rubles)' in the credential.`,
		MIN_BALANCE.param,
	);
}
