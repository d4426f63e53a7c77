/** The queue of fault rules: which rule hits which request. */
import { randomUUID } from 'node:crypto';
import { matchesPath } from './requestLog';
import type { FaultAction, FaultRule, FaultView, RequestMatch, RequestRecord, StreamFault } from './types';

export interface FaultPlan {
	ids: string[];
	delays: Array<Extract<FaultAction, { kind: 'delay' }>>;
	stream: StreamFault;
	/** The action that decides the response. */
	action: Exclude<FaultAction, { kind: 'delay' } | { kind: 'stream' }> | null;
}

export class FaultBook {
	private rules: FaultView[] = [];

	add(rule: FaultRule): FaultView {
		const view: FaultView = { ...rule, id: randomUUID(), seen: 0, hits: 0 };
		this.rules.push(view);
		return { ...view };
	}

	list(): FaultView[] {
		return this.rules.map((rule) => ({ ...rule }));
	}

	clear(): void {
		this.rules = [];
	}

	/** Uses up the rules that hit this request: all delays and stream faults, and the first other one. */
	plan(record: RequestRecord): FaultPlan {
		const plan: FaultPlan = { ids: [], delays: [], stream: {}, action: null };
		for (const rule of this.rules) {
			const { action } = rule;
			if (plan.action && action.kind !== 'delay' && action.kind !== 'stream') continue;
			if (!this.takes(rule, record)) continue;
			plan.ids.push(rule.id);
			if (action.kind === 'delay') plan.delays.push(action);
			else if (action.kind === 'stream') Object.assign(plan.stream, action.stream);
			else plan.action = action;
		}
		return plan;
	}

	private takes(rule: FaultView, record: RequestRecord): boolean {
		if (!matches(rule.match, record)) return false;
		rule.seen += 1;
		const times = rule.times ?? 1;
		if (rule.seen < (rule.match?.nth ?? 1) || (times > 0 && rule.hits >= times)) return false;
		rule.hits += 1;
		return true;
	}
}

/** Whether a request is meant. */
export function matches(match: RequestMatch = {}, record: RequestRecord): boolean {
	return (
		(match.host ?? 'api') === record.host &&
		(match.method === undefined || match.method.toUpperCase() === record.method) &&
		(match.path === undefined || matchesPath(match.path, record.path)) &&
		(match.model === undefined || match.model === record.body.model) &&
		(match.which === undefined || match.which(record))
	);
}
