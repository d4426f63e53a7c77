/** The queue of fault rules: which rule hits which request. */
import { randomUUID } from 'node:crypto';
import { matchesPath } from './requestLog';
import type {
	AnswerLooks,
	FaultAction,
	FaultRule,
	FaultView,
	RequestMatch,
	RequestRecord,
	StreamFault,
} from './types';

export interface FaultPlan {
	ids: string[];
	delays: Array<Extract<FaultAction, { kind: 'delay' }>>;
	stream: StreamFault;
	answer: AnswerLooks;
	/** The action that decides the response. */
	action: Exclude<FaultAction, AddedAction> | null;
}

/** Actions that go with others. */
type AddedAction = Extract<FaultAction, { kind: 'delay' | 'stream' | 'answer' }>;

function isAdded(action: FaultAction): action is AddedAction {
	return action.kind === 'delay' || action.kind === 'stream' || action.kind === 'answer';
}

export function noFaults(): FaultPlan {
	return { ids: [], delays: [], stream: {}, answer: {}, action: null };
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

	/** Uses up the rules that hit this request: all delays, stream faults and answers, and the first other one. */
	plan(record: RequestRecord): FaultPlan {
		const plan = noFaults();
		for (const rule of this.rules) {
			const { action } = rule;
			if (plan.action && !isAdded(action)) continue;
			if (!this.takes(rule, record)) continue;
			plan.ids.push(rule.id);
			if (!isAdded(action)) plan.action = action;
			else if (action.kind === 'delay') plan.delays.push(action);
			else if (action.kind === 'stream') Object.assign(plan.stream, action.stream);
			else Object.assign(plan.answer, action);
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
