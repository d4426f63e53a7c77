import type { GatewayClient } from '../../gateway/client/client';
import { fetchBalance, readBalance } from '../../gateway/endpoints/balance';
import {
	ApiError,
	asError,
	beforeSending,
	InvalidInputError,
	StoppedError,
} from '../../gateway/errors/errors';
import { addToTotal, multiplyDecimals, rubles, sumOfCosts } from '../../gateway/util/money';
import { checkMinBalance } from '../../n8n/credential';
import { Budget, isMore, mostSpent, nothingSpent, type Limit, type Spent } from './budget';
import { MAKE_CHEAPER } from './words';

/** How long a balance is used, in milliseconds; near the minimum, because other programs spend as well. */
const BALANCE_MS = 30_000;
const NEAR_MINIMUM_MS = 1_000;

/** A call is near the minimum if it leaves less than so many times its most above it. */
const NEAR_CALLS = '10';

/** What is known of an account. All executions of this process share it. Amounts are decimal text in rubles. */
class Account {
	/** What has ended since the last reading of the balance began, and since those that failed after it. */
	private spent: [Spent, ...Spent[]] = [nothingSpent()];
	readonly budget = new Budget(() => this.spent[0]);
	private balanceRub = '0';
	/** When the balance was read, by a clock that is never set back. */
	private readAt = -Infinity;
	private reading: Promise<void> | undefined;

	/** What is left, without the calls in flight. */
	get leftRub(): string {
		return addToTotal(this.balanceRub, sumOfCosts(...this.spent.map(mostSpent)) ?? '0', -1);
	}

	/** Whether calls have ended that the balance may not show. */
	get hasSpent(): boolean {
		return this.spent.some(({ calls, unknownCalls }) => calls + unknownCalls > 0);
	}

	/** Whether one of them may have cost any amount. */
	get isUnknown(): boolean {
		return this.spent.some(({ unlimited }) => unlimited > 0);
	}

	/** Reads the balance, if what is known is older; while it is read, all wait for it. */
	async update(client: GatewayClient, mostMs: number): Promise<void> {
		if (performance.now() - this.readAt <= mostMs) return;
		const isOwn = this.reading === undefined;
		this.reading ??= this.read(client).finally(() => (this.reading = undefined));
		await this.reading.catch(async (error: unknown) => {
			// It was read for another run, which has ended.
			if (isOwn || !(error instanceof StoppedError)) throw asError(error);
			await this.update(client, mostMs);
		});
	}

	private async read(client: GatewayClient): Promise<void> {
		const now = nothingSpent();
		this.spent = [now, ...this.spent];
		this.balanceRub = await readRub(client);
		this.spent = [now];
		this.readAt = performance.now();
	}
}

const accounts = new Map<string, Account>();

export function accountOf(client: GatewayClient): Account {
	const account = accounts.get(client.account) ?? new Account();
	accounts.set(client.account, account);
	return account;
}

export function balanceLimit(client: GatewayClient, minBalanceRub: string): Limit {
	const account = accountOf(client);
	checkMinBalance(minBalanceRub);
	const left = () => addToTotal(account.leftRub, minBalanceRub, -1);
	return {
		left,
		async prepare(mostRub, inFlightRub) {
			await account.update(client, BALANCE_MS);
			const near = sumOfCosts(inFlightRub, mostRub, several(mostRub)) ?? '';
			if (isMore(near, left())) await account.update(client, NEAR_MINIMUM_MS);
			// What has ended may be in the balance, too: only a reading that begins after it decides.
			while (account.isUnknown || (account.hasSpent && isMore(mostRub, left())))
				await account.update(client, -1);
		},
		refusal: (mostRub) =>
			new InvalidInputError(
				`The call may cost ${rubles(mostRub)}, and less than the 'Minimum Balance (₽)' of ${rubles(minBalanceRub)} would be left`,
				`The account has ${rubles(account.leftRub)}. Top up the balance, lower 'Minimum Balance (₽)' in the credential, or ${MAKE_CHEAPER}`,
				'minBalanceRub',
			),
	};
}

/** Whether the account of a credential with *Minimum Balance* has room for several calls that may cost so much. */
export async function hasRoom(client: GatewayClient, mostRub: string): Promise<boolean> {
	const account = accountOf(client);
	await account.update(client, BALANCE_MS);
	const { minBalanceRub = '0' } = client.settings;
	return !isMore(several(mostRub), addToTotal(account.leftRub, minBalanceRub, -1));
}

const several = (mostRub: string) => multiplyDecimals(mostRub, NEAR_CALLS) ?? '';

async function readRub(client: GatewayClient): Promise<string> {
	try {
		return readBalance(await fetchBalance(client)).amount;
	} catch (error) {
		if (!(error instanceof ApiError)) throw asError(error);
		const message = `The balance cannot be read for 'Minimum Balance (₽)': ${error.message}`;
		throw beforeSending(error.with({ message }));
	}
}
