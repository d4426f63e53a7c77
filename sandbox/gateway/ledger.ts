/** Every charge, in order; an account's entries add up to what its wallet has paid. */
import type { LedgerEntry } from './control/types';
import type { Account } from './accounts';
import { formatRubles, type Nano } from './money';

export type Charge = Omit<LedgerEntry, 'time' | 'account' | 'amount'>;

export class Ledger {
	private entries: LedgerEntry[] = [];

	/** Charges the account's wallet and records the amount. */
	charge(account: Account, amount: Nano, charge: Charge): void {
		account.wallet -= amount;
		this.entries.push({ time: Date.now(), account: account.name, amount: formatRubles(amount), ...charge });
	}

	list(account?: string): LedgerEntry[] {
		return this.entries.filter((entry) => account === undefined || entry.account === account);
	}

	clear(): void {
		this.entries = [];
	}
}
