import type { GatewayClient } from '../../gateway/client/client';
import {
	ApiError,
	asError,
	beforeSending,
	InvalidInputError,
	StoppedError,
} from '../../gateway/errors/errors';
import { addToTotal, compareDecimals } from '../../gateway/util/money';
import { fetchBalance, readBalance } from '../../gateway/endpoints/balance';

/** How long a balance is used, in milliseconds. */
const BALANCE_MS = 30_000;

/** What is known of an account. Amounts are decimal text in rubles. */
interface Account {
	/** Rejects if it cannot be read. */
	balance?: Promise<string> | undefined;
	/** When it was read, in Unix milliseconds. */
	readAt: number;
	/** What calls that ended since may have cost: the balance may not show it yet. */
	endedRub: string;
	/** What the calls in progress may cost. */
	inProgressRub: string;
}

/** All executions of this process share them. */
const accounts = new Map<string, Account>();

/**
 * Reserves what a call may cost, where the credential has a *Minimum Balance*.
 *
 * @param mostRub decimal text in rubles
 * @returns ends the reservation; gets what the call may have cost
 * @throws {InvalidInputError} if less than the minimum could be left
 * @throws {ApiError} if the balance cannot be read
 */
export async function reserveOnAccount(
	client: GatewayClient,
	mostRub?: string,
): Promise<(rub: string) => void> {
	const { minBalanceRub } = client.settings;
	if (minBalanceRub === undefined || mostRub === undefined) return () => undefined;
	const account = accounts.get(client.account) ?? { readAt: 0, endedRub: '0', inProgressRub: '0' };
	accounts.set(client.account, account);
	const balanceRub = await balanceOf(account, client);
	// From here on, no other call comes between.
	const leftRub = addToTotal(addToTotal(balanceRub, account.endedRub, -1), account.inProgressRub, -1);
	if ((compareDecimals(addToTotal(leftRub, mostRub, -1), minBalanceRub) ?? -1) < 0) {
		throw new InvalidInputError(
			`The call may cost ₽${mostRub}, and less than the 'Minimum Balance (Rubles)' of ₽${minBalanceRub} would be left`,
			`The account has ₽${leftRub}, without what calls in progress may cost. Top up the balance, or lower 'Minimum Balance (Rubles)' in the credential.`,
			'minBalanceRub',
		);
	}
	account.inProgressRub = addToTotal(account.inProgressRub, mostRub);
	return (rub) => {
		account.inProgressRub = addToTotal(account.inProgressRub, mostRub, -1);
		account.endedRub = addToTotal(account.endedRub, rub);
	};
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
