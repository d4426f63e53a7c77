import { createHash } from 'node:crypto';

import { RateGate, type GateClock } from './rateGate';

/** With so many accounts, all are forgotten: those that pause are refused once more. */
const MAX_GATES = 1_000;

/** The gates of a process: one for each account, which all nodes and executions share. */
export class RateGates {
	private readonly gates = new Map<string, RateGate>();

	constructor(private readonly clock: GateClock) {}

	/**
	 * The gate of an account. Only a digest of its key is kept.
	 *
	 * @param baseUrl of any spelling; without a trailing slash
	 * @param secrets the API key
	 */
	of(baseUrl: string, secrets: readonly string[]): RateGate {
		const account = JSON.stringify([new URL(baseUrl).href, ...secrets]);
		const id = createHash('sha256').update(account).digest('base64');
		const gate = this.gates.get(id) ?? new RateGate(this.clock);
		if (this.gates.size >= MAX_GATES) this.gates.clear();
		this.gates.set(id, gate);
		return gate;
	}
}
