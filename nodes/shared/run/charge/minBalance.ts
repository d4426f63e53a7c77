import type { GatewayClient } from '../../gateway/client/client';
import {
	ApiError,
	asError,
	beforeSending,
	InvalidInputError,
	StoppedError,
} from '../../gateway/errors/errors';
import { addToTotal, compareDecimals, multiplyDecimals, rubles, sumOfCosts } from '../../gateway/util/money';
import { fetchBalance, readBalance } from '../../gateway/endpoints/balance';
import { checkMinBalance } from '../../n8n/credential';
import { InProgress, type CostLimit } from './inProgress';
import { MAKE_CHEAPER } from './words';

/** How long a balance is used, in milliseconds; near the minimum, because other programs spend as well. */
const BALANCE_MS = 30_000;
const NEAR_MINIMUM_MS = 1_000;

/** A call is near the minimum if it leaves less than so many times its most above it. */
const NEAR_CALLS = '10';

/** What is known of an account. All executions of this process share it. Amounts are decimal text in rubles. */
class Account {
	readonly inProgress = new InProgress();
	private balanceRub = '0';
	/** What calls that ended since may have cost: the balance may not show it yet. */
	private endedRub = '0';
	/** When the balance was read, in Unix milliseconds. */
	private readAt = -Infinity;
	private reading: Promise<void> | undefined;

	/** What is left, without the calls in progress. */
	get leftRub(): string {
		return addToTotal(this.balanceRub, this.endedRub, -1);
	}

	/** Reads the balance, if what is known is older; while it is read, all wait for it. */
	async update(client: GatewayClient, mostMs: number): Promise<void> {
		if (client.now() - this.readAt <= mostMs) return;
		const isOwn = this.reading === undefined;
		this.reading ??= this.read(client).finally(() => (this.reading = undefined));
		await this.reading.catch(async (error: unknown) => {
			// It was read for another run, which has ended.
			if (isOwn || !(error instanceof StoppedError)) throw asError(error);
			await this.update(client, mostMs);
		});
	}

	ended(rub: string): void {
		this.endedRub = addToTotal(this.endedRub, rub);
	}

	private async read(client: GatewayClient): Promise<void> {
		const { endedRub } = this;
		this.balanceRub = await readRub(client);
		this.endedRub = addToTotal(this.endedRub, endedRub, -1);
		this.readAt = client.now();
	}
}

const accounts = new Map<string, Account>();

interface AccountLimit extends CostLimit {
	/** Whether there is room above the minimum for several calls that may cost so much. */
	isFar(mostRub: string): Promise<boolean>;
}

/** The limit of an account whose credential has a *Minimum Balance*. */
export function accountLimit(client: GatewayClient): AccountLimit | undefined {
	const { minBalanceRub } = client.settings;
	if (minBalanceRub === undefined) return undefined;
	checkMinBalance(minBalanceRub);
	const account = accounts.get(client.account) ?? new Account();
	accounts.set(client.account, account);
	const { inProgress } = account;
	/** Whether so much can be spent without going below the minimum. */
	const leaves = (...rub: string[]) =>
		(compareDecimals(addToTotal(account.leftRub, sumOfCosts(...rub) ?? '', -1), minBalanceRub) ?? -1) >= 0;
	const several = (mostRub: string) => multiplyDecimals(mostRub, NEAR_CALLS) ?? '';
	return {
		inProgress,
		async prepare(mostRub = '0') {
			await account.update(client, BALANCE_MS);
			if (!leaves(inProgress.rub, mostRub, several(mostRub))) await account.update(client, NEAR_MINIMUM_MS);
		},
		async isFar(mostRub) {
			await account.update(client, BALANCE_MS);
			return leaves(several(mostRub));
		},
		fits(mostRub = '0') {
			if (leaves(mostRub)) return leaves(mostRub, inProgress.rub);
			throw new InvalidInputError(
				`The call may cost ${rubles(mostRub)}, and less than the 'Minimum Balance (₽)' of ${rubles(minBalanceRub)} would be left`,
				`The account has ${rubles(account.leftRub)}. Top up the balance, lower 'Minimum Balance (₽)' in the credential, or ${MAKE_CHEAPER}`,
				'minBalanceRub',
			);
		},
		ended: (rub) => account.ended(rub),
	};
}

async function readRub(client: GatewayClient): Promise<string> {
	try {
		return readBalance(await fetchBalance(client)).amount;
	} catch (error) {
		if (!(error instanceof ApiError)) throw asError(error);
		const message = `The balance cannot be read for 'Minimum Balance (₽)': ${error.message}`;
		throw beforeSending(error.with({ message }));
	}
}
