/** Media sessions (§4.13; fields not shown): a session runs one task at a time (§7.4, 409). */
import { randomUUID } from 'node:crypto';

export interface MediaSession {
	sessionId: string;
	account: string;
	createTime: number;
	/** What the client sent. */
	body: unknown;
}

export class SessionStore {
	private readonly sessions = new Map<string, MediaSession>();

	create(account: string, body: unknown): MediaSession {
		const session = { sessionId: randomUUID(), account, createTime: Date.now(), body };
		this.sessions.set(session.sessionId, session);
		return session;
	}

	owned(sessionId: string, account: string): boolean {
		return this.sessions.get(sessionId)?.account === account;
	}

	clear(): void {
		this.sessions.clear();
	}
}
