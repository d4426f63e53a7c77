import { createHash } from 'node:crypto';

import { RateGate, type GateClock } from './rateGate';

/** With so many accounts, all are forgotten: those that pause are refused once more. */
const MAX_GATES = 1_000;

/**
 * Identifies an account without showing its key: it is stored with executions.
 *
 * @param baseUrl of any spelling; without a trailing slash
 * @param secrets the API key first
 */
export function accountOf(baseUrl: string, [key = '']: readonly string[]): string {
	const account = JSON.stringify([new URL(baseUrl).href, key]);
	return createHash('sha256').update(account).digest('hex');
}

/** The gates of a process: one for each account, which all nodes and executions share. */
export class RateGates {
	private readonly gates = new Map<string, RateGate>();

	constructor(private readonly clock: GateClock) {}

	/** The gate of an account, see {@link accountOf}. */
	of(baseUrl: string, secrets: readonly string[]): RateGate {
		const id = accountOf(baseUrl, secrets);
		const gate = this.gates.get(id) ?? new RateGate(this.clock);
		if (this.gates.size >= MAX_GATES) this.gates.clear();
		this.gates.set(id, gate);
		return gate;
	}
}
