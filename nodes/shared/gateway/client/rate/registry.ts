import { createHash } from 'node:crypto';

import { RateGate, type GateClock } from './rateGate';

/** The most gates that are kept. Those of accounts in use are kept in any case. */
const MAX_GATES = 100;

/** The gates of a process: one for each account, so that all nodes and executions share its rate limit. */
export class RateGates {
	private readonly gates = new Map<string, RateGate>();

	constructor(private readonly clock: GateClock) {}

	/**
	 * The gate of an account. Only a digest of its key is kept.
	 *
	 * @param secrets the API key
	 */
	of(baseUrl: string, secrets: readonly string[]): RateGate {
		const id = createHash('sha256')
			.update(JSON.stringify([baseUrl, ...secrets]))
			.digest('base64');
		const known = this.gates.get(id);
		if (known) return known;
		if (this.gates.size >= MAX_GATES) this.dropIdle();
		const gate = new RateGate(this.clock);
		this.gates.set(id, gate);
		return gate;
	}

	private dropIdle(): void {
		for (const [id, gate] of this.gates) if (gate.isIdle) this.gates.delete(id);
	}
}
