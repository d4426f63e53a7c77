/** Every charge, in order; an account's entries add up to what its wallet has paid. */
import type { LedgerEntry } from './control/types';
import type { Account } from './accounts';
import { formatRubles, type Nano } from './money';

export type Charge = Pick<LedgerEntry, 'kind' | 'endpoint' | 'model' | 'requestId'> & {
	taskId?: string | undefined;
	idempotencyKey?: string | undefined;
};

export class Ledger {
	private entries: LedgerEntry[] = [];

	/** Charges the account's wallet and records the amount. */
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
