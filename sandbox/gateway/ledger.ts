/** Every charge, in order; the sum of an account's entries is what its wallet lost. */
import type { LedgerEntry } from './control/types';
import type { Account } from './accounts';
import { formatRubles, type Nano } from './money';

export type Charge = Pick<LedgerEntry, 'kind' | 'endpoint' | 'model' | 'requestId'> & {
	taskId?: string | undefined;
	idempotencyKey?: string | undefined;
};

export class Ledger {
	private entries: LedgerEntry[] = [];

	/** Takes the amount from the account's wallet and notes it. */
	charge(account: Account, amount: Nano, charge: Charge): void {
		account.wallet -= amount;
		const { kind, endpoint, model, requestId, taskId, idempotencyKey } = charge;
		this.entries.push({
			time: Date.now(),
			account: account.name,
			kind,
			endpoint,
			model,
			amount: formatRubles(amount),
			requestId,
			...(taskId !== undefined && { taskId }),
			...(idempotencyKey !== undefined && { idempotencyKey }),
		});
	}

	list(account?: string): LedgerEntry[] {
		return this.entries.filter((entry) => account === undefined || entry.account === account);
	}

	clear(): void {
		this.entries = [];
	}
}
