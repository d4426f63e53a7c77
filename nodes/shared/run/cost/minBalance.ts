import type { GatewayClient } from '../../gateway/client/client';
import { fetchBalance, readBalance } from '../../gateway/endpoints/balance';
import { ApiError, asError, InvalidInputError } from '../../gateway/errors/errors';
import { addToTotal, compareDecimals } from '../../gateway/util/money';
import type { CallCost, ExecutionCost, PlannedCall } from './executionCost';

/** How long a balance is used, in milliseconds. */
const BALANCE_MS = 30_000;

/** One request for the balance of an account. */
interface Reading {
	startedAt: number;
	/** Rejects if the balance cannot be read. */
	ended: Promise<void>;
	/** Decimal text in rubles, when it has ended. */
	balanceRub?: string;
	/** What calls that ended since may have cost: the balance may not show it yet. */
	endedRub: string;
}

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
	reading?: Reading | undefined;
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
	const account = accounts.get(id) ?? { inProgressRub: '0' };
	accounts.set(id, account);
	let reading = currentReading(account, client);
	while (reading.balanceRub === undefined) {
		await reading.ended;
		reading = currentReading(account, client);
	}
	// From here on, no other call comes between.
	const leftRub = addToTotal(addToTotal(reading.balanceRub, reading.endedRub, -1), account.inProgressRub, -1);
	checkBalance(leftRub, settings.minBalanceRub, mostRub);
	const call = cost.begin(planned);
	account.inProgressRub = addToTotal(account.inProgressRub, mostRub);
	const end = (rub: string) => {
		account.inProgressRub = addToTotal(account.inProgressRub, mostRub, -1);
		if (account.reading) account.reading.endedRub = addToTotal(account.reading.endedRub, rub);
	};
	return {
		charged: (rub) => {
			end(rub);
			call.charged(rub);
		},
		ended: (isUnknown, most) => {
			end(isUnknown ? (most ?? mostRub) : '0');
			return call.ended(isUnknown, most);
		},
	};
}

/** The last reading of the balance; a new one, when that is too old. */
function currentReading(account: Account, client: GatewayClient): Reading {
	const { reading: last } = account;
	if (last && client.now() - last.startedAt <= BALANCE_MS) return last;
	const reading: Reading = { startedAt: client.now(), endedRub: '0', ended: Promise.resolve() };
	reading.ended = readInto(reading, client).catch((error: unknown) => {
		account.reading = undefined;
		throw asError(error);
	});
	account.reading = reading;
	return reading;
}

async function readInto(reading: Reading, client: GatewayClient): Promise<void> {
	try {
		reading.balanceRub = readBalance(await fetchBalance(client)).amount;
	} catch (error) {
		if (!(error instanceof ApiError)) throw asError(error);
		throw error.with({
			message: `The balance cannot be read for 'Minimum Balance (Rubles)': ${error.message}`,
		});
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
