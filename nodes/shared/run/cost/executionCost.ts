import { createHash } from 'node:crypto';
import type { ContextType, IExecuteFunctions } from 'n8n-workflow';

import { InvalidInputError } from '../../gateway/errors/errors';
import { asObject, asText } from '../../gateway/util/json';
import { addDecimals, compareDecimals, sumOfCosts } from '../../gateway/util/money';
import { storedContext } from '../../n8n/features';
import { mayBeCharged } from '../nodeError';

/** Key in the context that all nodes of an execution share. n8n stores it with the execution. */
const KEY = 'aiGatewayCost';

/** The cost of a call that has ended, of which not even the most is known. */
const UNLIMITED = 'unlimited';

/** n8n does not declare `getContext` for sub-nodes, but they have it. */
type CostContext = Pick<IExecuteFunctions, 'getExecutionId' | 'getWorkflowDataProxy'> &
	Partial<Pick<IExecuteFunctions, 'getContext'>>;

/** What the calls of an execution have cost. Plain data; amounts are decimal text in rubles. */
interface Spending {
	executionId: string;
	/** The sum of the calls whose cost is known, and their number. */
	rub: string;
	calls: number;
	/**
	 * The calls whose cost is not known, or not yet, by ID: the most that each may cost. If that is not known, it is
	 * empty while the call is in progress, and {@link UNLIMITED} afterwards.
	 */
	open: Record<string, string>;
	openCalls: number;
	/** The sum of what the open calls may cost. */
	reservedRub: string;
	/** The number of {@link UNLIMITED} ones. */
	unlimited: number;
	/** The IDs of creations whose cost is known: the gateway does not charge a repetition (§4.6). */
	counted: Record<string, true>;
	/** Numbers the calls without an ID. */
	next: number;
	totals: Totals;
}

/** What expressions read: `$('any node of this package').context.gateway.costRub`. */
type Totals = { costRub: number; calls: number; callsWithoutCost: number };

/** A call that costs money, before it is sent. */
export interface PlannedCall {
	/** Its idempotency key: calls with the same key are charged once (§4.6). */
	key?: string;
	/** The most that it may cost; needed for a limit. */
	mostRub?: string | undefined;
	/** The most that the execution may cost. */
	limitRub?: string | undefined;
}

/** The cost of one call. Each function is called at most once, when the call has ended. */
export interface CallCost {
	/** It was charged. */
	charged(rub: string): void;
	/** It failed: it is not charged, or its outcome is unknown. */
	failed(error: unknown): void;
	/** It was not sent, so it costs nothing. */
	notSent(): void;
	/** It is, or may be, charged an unknown amount. */
	unknown(mostRub?: string): void;
}

/**
 * What the calls of this package have cost in an execution. All nodes share it, also sub-nodes and tools. Kept in the
 * context of n8n's execution, and shown in its custom data and in the contexts of the nodes: since n8n evaluates
 * expressions in a sandbox, they no longer read custom data.
 */
export class ExecutionCost {
	/** What the calls of this run have cost, where it is known; decimal text in rubles. */
	ownRub = '0';
	private customData: ExecutionVariables['customData'];
	/** Where n8n has no context of the execution. */
	private readonly ownStore: Record<string, unknown> = {};

	constructor(private readonly context: CostContext) {}

	/**
	 * Counts a call before it is sent, and reserves what it may cost.
	 *
	 * @throws {InvalidInputError} if the execution could then cost more than the limit
	 */
	begin({ key, mostRub = '', limitRub }: PlannedCall): CallCost {
		const spending = this.spending();
		const id = key === undefined ? String((spending.next += 1)) : digestOf(key);
		if (spending.counted[id]) return REPEATED;
		const isOpen = spending.open[id] !== undefined;
		if (!isOpen) {
			if (limitRub !== undefined) checkLimit(spending, limitRub, mostRub);
			add(spending, id, mostRub);
			this.show(spending);
		}
		const calls = inProgressOf(spending);
		const creation = calls.get(id) ?? { requests: 0, isUnknown: isOpen };
		creation.requests += 1;
		calls.set(id, creation);
		const end = (work: (spending: Spending) => void) => {
			creation.requests -= 1;
			if (creation.requests === 0) calls.delete(id);
			this.change(work);
		};
		const leaveOpen = (most = mostRub) => {
			creation.isUnknown = true;
			end((now) => leave(now, id, most));
		};
		// Another request with this key may still be charged, or may have been.
		const drop = () =>
			end((now) => {
				if (creation.requests === 0 && !creation.isUnknown) remove(now, id);
			});
		return {
			charged: (rub) =>
				end((now) => {
					if (charge(now, id, rub, key !== undefined)) this.ownRub = sum(this.ownRub, rub);
				}),
			failed: (error) => (mayBeCharged(error) ? leaveOpen() : drop()),
			notSent: drop,
			unknown: leaveOpen,
		};
	}

	private change(work: (spending: Spending) => void): void {
		const spending = this.spending();
		work(spending);
		this.show(spending);
	}

	/** Also while calls are in progress: n8n stores a cancelled execution at once. */
	private show(spending: Spending): void {
		const { rub, calls, openCalls, totals } = spending;
		Object.assign(totals, { costRub: Number(rub), calls: calls + openCalls, callsWithoutCost: openCalls });
		// The same object for each node, which n8n also stores as one: so it is current at every node.
		this.contextOf('node').gateway = totals;
		this.customData ??= (this.context.getWorkflowDataProxy(0).$execution as ExecutionVariables).customData;
		// n8n keeps ten keys; without room it drops these.
		this.customData?.setAll({
			gatewayCostRub: rub,
			gatewayCalls: totals.calls,
			gatewayCallsWithoutCost: openCalls,
		});
	}

	private contextOf(kind: ContextType): Record<string, unknown> {
		return storedContext(this.context, kind) ?? this.ownStore;
	}

	/** The stored object itself, which other nodes may change meanwhile. */
	private spending(): Spending {
		const store = this.contextOf('flow');
		const executionId = this.context.getExecutionId() ?? '';
		const stored: unknown = store[KEY];
		// n8n's retry of an execution copies the data of the former one.
		if (isSpending(stored) && stored.executionId === executionId) return stored;
		const fresh: Spending = {
			executionId,
			rub: '0',
			calls: 0,
			open: {},
			openCalls: 0,
			reservedRub: '0',
			unlimited: 0,
			counted: {},
			next: 0,
			totals: isSpending(stored) ? stored.totals : { costRub: 0, calls: 0, callsWithoutCost: 0 },
		};
		store[KEY] = fresh;
		return fresh;
	}
}

/** The part of `$execution` that is used. */
interface ExecutionVariables {
	customData?: { setAll(values: Record<string, string | number>): void };
}

/** A call that the gateway answers with an earlier result. */
const REPEATED: CallCost = {
	charged: () => undefined,
	failed: () => undefined,
	notSent: () => undefined,
	unknown: () => undefined,
};

/** A call in progress: requests with the same key are one call, also those of several runs of a tool. */
interface CallInProgress {
	requests: number;
	/** Whether one of its requests, now or earlier, has an unknown outcome. */
	isUnknown: boolean;
}

/** The calls in progress of each execution, by ID. Not stored: after a restart nothing is in progress. */
const inProgress = new WeakMap<Spending, Map<string, CallInProgress>>();

function inProgressOf(spending: Spending): Map<string, CallInProgress> {
	const calls = inProgress.get(spending) ?? new Map<string, CallInProgress>();
	inProgress.set(spending, calls);
	return calls;
}

/** Short, because it is stored for each task. */
function digestOf(key: string): string {
	return createHash('sha256').update(key).digest('hex').slice(0, 20);
}

function add(spending: Spending, id: string, mostRub: string): void {
	spending.open[id] = mostRub;
	spending.openCalls += 1;
	if (mostRub === UNLIMITED) spending.unlimited += 1;
	else spending.reservedRub = sum(spending.reservedRub, mostRub);
}

function remove(spending: Spending, id: string): void {
	const mostRub = spending.open[id];
	if (mostRub === undefined) return;
	delete spending.open[id];
	spending.openCalls -= 1;
	if (mostRub === UNLIMITED) spending.unlimited -= 1;
	else spending.reservedRub = addDecimals(spending.reservedRub, mostRub || '0', -1) ?? '0';
}

/** @returns whether the cost is added; another request with the same key may have added it */
function charge(spending: Spending, id: string, rub: string, hasKey: boolean): boolean {
	if (spending.counted[id]) return false;
	remove(spending, id);
	spending.rub = sum(spending.rub, rub);
	spending.calls += 1;
	if (hasKey) spending.counted[id] = true;
	return true;
}

/** The call stays open, with the most that it may have cost. */
function leave(spending: Spending, id: string, mostRub: string): void {
	if (spending.counted[id]) return;
	const known = spending.open[id];
	remove(spending, id);
	add(spending, id, (known === UNLIMITED ? undefined : known) || mostRub || UNLIMITED);
}

function checkLimit(spending: Spending, limitRub: string, mostRub: string): void {
	if (spending.unlimited > 0) throw unknownSpending(spending.unlimited);
	const total = sum(spending.rub, spending.reservedRub, mostRub);
	if ((compareDecimals(total, limitRub) ?? 1) <= 0) return;
	throw new InvalidInputError(
		`The call may cost ₽${mostRub}, more than is left of 'Max Cost per Execution (Rubles)'`,
		`Of ₽${limitRub}, the execution has spent ₽${spending.rub} and reserved ₽${sum(spending.reservedRub)} for calls that are in progress or whose outcome is unknown. Raise the option, or make the call cheaper; with a lower 'Concurrency', less is reserved at a time.`,
		'maxCostRub',
	);
}

function unknownSpending(calls: number): InvalidInputError {
	return new InvalidInputError(
		"'Max Cost per Execution (Rubles)' cannot be kept: what the execution has cost is not known",
		`The cost of ${calls} earlier call${calls === 1 ? '' : 's'} is unknown. Set the option in all nodes of the workflow that use the gateway: they then reserve what a call may cost. Without the option, this node sends its calls at any cost.`,
		'maxCostRub',
	);
}

/** The sum of amounts; an empty one is 0. */
function sum(...amounts: string[]): string {
	return sumOfCosts(...amounts.map((amount) => amount || '0')) ?? '0';
}

/** Another version of the package may have stored something else. */
function isSpending(value: unknown): value is Spending {
	const { rub, reservedRub, open, counted, totals } = asObject(value) ?? {};
	return (
		asObject(totals) !== undefined &&
		asText(rub) !== undefined &&
		asText(reservedRub) !== undefined &&
		asObject(open) !== undefined &&
		asObject(counted) !== undefined
	);
}
