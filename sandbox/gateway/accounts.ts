/** Accounts with their wallets and keys (§2.8, §2.9, §5). */
import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { KeyView } from './control/types';
import { parseRubles, type Nano } from './money';

export interface Account {
	readonly name: string;
	wallet: Nano;
	/** Times of recent requests, and tokens of recent text calls, for the rate limit. */
	recentRequests: Array<{ time: number; amount: number }>;
	recentTokens: Array<{ time: number; amount: number }>;
}

export const mainAccount = 'main';
export class Accounts {
	private readonly accounts = new Map<string, Account>();
	private readonly keyList: KeyView[] = [];
	readonly firstKey = newKey();

	constructor(private readonly startBalance: string) {
		this.reset();
	}

	/** The account with this name, created on first use. */
	get(name = mainAccount): Account {
		const known = this.accounts.get(name);
		if (known) return known;
		const account: Account = {
			name,
			wallet: parseRubles(this.startBalance),
			recentRequests: [],
			recentTokens: [],
		};
		this.accounts.set(name, account);
		return account;
	}

	/** The account of an active key; null for an unknown, revoked or expired one (§5 treats them alike). */
	byKey(key: string): Account | null {
		const found = this.keyList.find((entry) => entry.key === key && entry.status === 'active');
		return found ? this.get(found.account) : null;
	}

	createKey(account = mainAccount, key = newKey()): KeyView {
		this.get(account);
		const entry: KeyView = { key, account, status: 'active' };
		this.keyList.push(entry);
		return { ...entry };
	}

	setKeyStatus(key: string, status: KeyView['status']): void {
		const found = this.keyList.find((entry) => entry.key === key);
		if (!found) throw new Error('No such key');
		found.status = status;
	}

	reset(): void {
		this.accounts.clear();
		this.keyList.length = 0;
		this.createKey(mainAccount, this.firstKey);
	}
}

function newKey(): string {
	return `sk-${randomUUID()}`;
}

/** §2.9: first and last four characters. */
export function maskKey(key: string): string {
	return key.length <= 8 ? '…' : `${key.slice(0, 4)}…${key.slice(-4)}`;
}

/** The key of a request; X-Api-Key is checked first (§5). */
export function keyOf({ headers }: FastifyRequest): string | null {
	const own = headers['x-api-key'];
	if (typeof own === 'string' && own !== '') return own;
	return /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}
