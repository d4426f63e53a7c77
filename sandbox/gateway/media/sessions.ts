/** Media sessions (§4.13; fields not shown): a session runs one task at a time (§7.4, 409). */
import { randomUUID } from 'node:crypto';

export class SessionStore {
	/** The account of each. */
	private readonly owners = new Map<string, string>();

	create(account: string): string {
		const sessionId = randomUUID();
		this.owners.set(sessionId, account);
		return sessionId;
	}

	owned(sessionId: string, account: string): boolean {
		return this.owners.get(sessionId) === account;
	}

	clear(): void {
		this.owners.clear();
	}
}
