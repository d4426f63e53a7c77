import { createHash } from 'node:crypto';

import type { GateClock } from './passage';
import { RateGate } from './rateGate';

/** The most gates that are kept. Those that something still uses, or that are not idle, are kept in any case. */
const MAX_GATES = 100;

/** The gates of a process: one for each account, so that all nodes and executions share its rate limit. */
export class RateGates {
	private readonly gates = new Map<string, RateGate>();
	/** Idle gates, as long as a node uses them. */
	private readonly idle = new Map<string, WeakRef<RateGate>>();

	constructor(private readonly clock: GateClock) {}

	/**
	 * The gate of an account. Only a digest of its key is kept.
	 *
	 * @param baseUrl of any spelling; without a trailing slash
	 * @param secrets the API key
	 */
	of(baseUrl: string, secrets: readonly string[]): RateGate {
		const id = createHash('sha256')
			.update(JSON.stringify([new URL(baseUrl).href, ...secrets]))
			.digest('base64');
		const known = this.gates.get(id);
		if (known) return known;
		if (this.gates.size >= MAX_GATES) this.dropIdle();
		const gate = this.idle.get(id)?.deref() ?? new RateGate(this.clock);
		this.idle.delete(id);
		this.gates.set(id, gate);
		return gate;
	}

	private dropIdle(): void {
		for (const [id, gate] of this.idle) if (!gate.deref()) this.idle.delete(id);
		for (const [id, gate] of this.gates) {
			if (!gate.isIdle) continue;
			this.gates.delete(id);
			this.idle.set(id, new WeakRef(gate));
		}
	}
}
