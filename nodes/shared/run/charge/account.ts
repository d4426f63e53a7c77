import type { GatewayClient } from '../../gateway/client/client';
import { fetchBalance, readBalance } from '../../gateway/endpoints/balance';
import { ApiError, asError, beforeSending, LimitError, StoppedError } from '../../gateway/errors/errors';
import { addToTotal, isMore, rubles } from '../../gateway/util/money';
import { checkMinBalance, minBalance } from '../../n8n/credential';
import { MAKE_CHEAPER } from './words';

/** How long a balance is used, in milliseconds: other programs spend as well. */
const BALANCE_MS = 5_000;

/** What is left on an account. All executions of this process share it. Amounts are decimal text in rubles. */
class Account {
	/** The last balance, less the maximum of each call sent since its reading began. */
	private leftRub = '0';
	/** The maximum of the calls that were sent since the last reading began. */
	private sentRub = '0';
	/** When the last reading began, by a clock that is never set back. */
	private readAt = -Infinity;
	private reading: Promise<string> | undefined;

	/** Throws if a call may leave less than the minimum. If it may, by what is known, a new reading alone decides. */
	async admit(client: GatewayClient, maxRub: string, minRub: string): Promise<void> {
		const leavesLess = (rub: string) => isMore(minRub, addToTotal(rub, maxRub, -1));
		if (performance.now() - this.readAt > BALANCE_MS) await this.read(client);
		if (leavesLess(this.leftRub)) {
			const balanceRub = await this.read(client);
			if (leavesLess(balanceRub)) throw refusal(maxRub, minRub, balanceRub);
		}
		this.leftRub = addToTotal(this.leftRub, maxRub, -1);
		this.sentRub = addToTotal(this.sentRub, maxRub);
	}

	/** Reads the balance. All that ask meanwhile share the reading. */
	private async read(client: GatewayClient): Promise<string> {
		const isOwn = this.reading === undefined;
		this.reading ??= this.readAnew(client).finally(() => (this.reading = undefined));
		return await this.reading.catch(async (error: unknown) => {
			// It was read for another run, which has ended.
			if (isOwn || !(error instanceof StoppedError)) throw asError(error);
			return await this.read(client);
		});
	}

	private async readAnew(client: GatewayClient): Promise<string> {
		const startedAt = performance.now();
		this.sentRub = '0';
		const balanceRub = await readRub(client);
		this.leftRub = addToTotal(balanceRub, this.sentRub, -1);
		this.readAt = startedAt;
		return balanceRub;
	}
}

const accounts = new Map<string, Account>();

/**
 * Checks *Minimum Balance*. It may be passed by what is in flight at that moment. Amounts are decimal text in rubles.
 *
 * @param maxRub the most that the call may cost, which is known where there is a limit
 * @throws {InvalidInputError} if the call would leave less, and for a minimum that is not an amount
 * @throws {ApiError} if the balance cannot be read
 */
export async function checkBalance(
	client: GatewayClient,
	minBalanceRub: string,
	maxRub = '0',
): Promise<void> {
	checkMinBalance(minBalanceRub);
	const account = accounts.get(client.account) ?? new Account();
	accounts.set(client.account, account);
	await account.admit(client, maxRub, minBalanceRub);
}

function refusal(maxRub: string, minRub: string, balanceRub: string): LimitError {
	return new LimitError(
		`This call may cost ${rubles(maxRub)} and would leave less than the '${minBalance.label}' of ${rubles(minRub)}`,
		`The account has ${rubles(balanceRub)}. Top up the balance, lower '${minBalance.label}' in the credential, or ${MAKE_CHEAPER}`,
		minBalance.param,
	);
}

async function readRub(client: GatewayClient): Promise<string> {
	try {
		return readBalance(await fetchBalance(client)).amount;
	} catch (error) {
		if (!(error instanceof ApiError)) throw asError(error);
		const message = `The balance cannot be read for '${minBalance.label}': ${error.message}`;
		throw beforeSending(error.with({ message }));
	}
}
