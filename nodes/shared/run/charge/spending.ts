import type { IExecuteFunctions } from 'n8n-workflow';

import { InvalidInputError } from '../../gateway/errors/errors';
import { addToTotal, compareDecimals, rubles, sumOfCosts } from '../../gateway/util/money';
import { addHint, storedContext } from '../../n8n/features';
import { InProgress, type CostLimit } from './inProgress';
import type { KeyUse } from './keys';
import type { ItemRecord } from './record';
import { MAKE_CHEAPER } from './words';

/** Key in the context that all nodes of an execution share. With another shape of {@link Stored}, use another key. */
const KEY = 'aiGatewaySpending';

/** n8n does not declare the others for sub-nodes, but they have them. */
export type SpendingContext = Pick<IExecuteFunctions, 'getExecutionId' | 'getWorkflowDataProxy'> &
	Partial<Pick<IExecuteFunctions, 'getContext' | 'addExecutionHints'>>;

/** What the calls of an execution that have ended cost. n8n stores it as JSON; amounts are decimal text in rubles. */
interface Stored {
	executionId: string;
	/** The sum of the costs that are known. */
	rub: string;
	/** The most that the other calls may cost, where that is known. */
	unknownRub: string;
	/** The number of calls that may have cost any amount. */
	unlimited: number;
	/** What the executions cost that this one is a retry of, and their calls of unknown cost. */
	beforeRub: string;
	unknownBefore: number;
	totals: Totals;
	/** What each idempotency key of the user stands for. */
	keys: Record<string, KeyUse>;
}

/** What expressions read: `$('any node of this package').context.gateway.costRub`. */
type Totals = { costRub: number; calls: number; callsWithoutCost: number };

/** The calls in progress, by what n8n stores of the execution: all of its nodes share them. They are not stored. */
const inProgress = new WeakMap<object, InProgress>();

/**
 * What the calls of this package cost in an execution. All nodes share it, also sub-nodes and tools. Shown in a hint at each
 * node that sends such calls, in custom data and in the contexts of the nodes: since n8n evaluates expressions in a sandbox,
 * they no longer read custom data.
 */
export class Spending {
	readonly inProgress: InProgress;
	private ownRub = '0';
	private ownCalls = 0;
	private hint: { message: string } | undefined;
	private customData: { setAll(values: Record<string, string | number>): void } | undefined;
	/** What n8n stores for all nodes, and for this one; without an execution, it is this object's own. */
	private readonly flowStore: Record<string, unknown>;
	private readonly nodeStore: Record<string, unknown>;

	/** @param countsCalls whether the hint has the number of the node's own calls */
	constructor(
		private readonly context: SpendingContext,
		private readonly countsCalls = false,
	) {
		this.flowStore = storedContext(context, 'flow') ?? {};
		this.nodeStore = storedContext(context, 'node') ?? {};
		this.inProgress = inProgress.get(this.flowStore) ?? new InProgress();
		inProgress.set(this.flowStore, this.inProgress);
	}

	/** The limit of the execution, if a node has one. */
	limit(maxCostRub: string | undefined): CostLimit | undefined {
		if (maxCostRub === undefined) return undefined;
		return { inProgress: this.inProgress, fits: (mostRub = '0') => this.fits(mostRub, maxCostRub) };
	}

	private fits(mostRub: string, limitRub: string): boolean {
		const { rub, unknownRub, unlimited } = this.stored();
		if (unlimited > 0) {
			throw new InvalidInputError(
				"'Max Cost per Execution (₽)' cannot be kept: what the execution has cost is not known",
				`The cost of ${unlimited} earlier call${unlimited === 1 ? '' : 's'} is unknown. Set the option in all nodes of the workflow that use the gateway: they then reserve what a call may cost. Without the option, this node sends its calls at any cost.`,
				'maxCostRub',
			);
		}
		const isWithin = (...costs: string[]) =>
			(compareDecimals(sumOfCosts(...costs) ?? '', limitRub) ?? 1) <= 0;
		if (isWithin(rub, unknownRub, mostRub))
			return this.inProgress.unlimited === 0 && isWithin(rub, unknownRub, mostRub, this.inProgress.rub);
		const unknown =
			unknownRub === '0' ? '' : `, and up to ${rubles(unknownRub)} for calls whose cost is unknown`;
		throw new InvalidInputError(
			`The call may cost ${rubles(mostRub)}, more than is left of 'Max Cost per Execution (₽)'`,
			`Of ${rubles(limitRub)}, the execution has spent ${rubles(rub)}${unknown}. Raise the option, or ${MAKE_CHEAPER} A retry may cost as much again.`,
			'maxCostRub',
		);
	}

	/** Adds a call whose cost is known. */
	costs(rub: string): void {
		const stored = this.stored();
		stored.rub = addToTotal(stored.rub, rub);
		stored.totals.calls += 1;
		this.ownCalls += 1;
		this.addOwn(rub);
	}

	/**
	 * Adds a call whose cost is not known, or with the factor -1 takes it out again.
	 *
	 * @param mostRub the most that it may be; null if that is not known
	 */
	mayCost(mostRub: string | null, factor: 1 | -1 = 1): void {
		const stored = this.stored();
		if (mostRub === null) stored.unlimited += factor;
		else stored.unknownRub = addToTotal(stored.unknownRub, mostRub, factor);
		stored.totals.calls += factor;
		this.ownCalls += factor;
		stored.totals.callsWithoutCost += factor;
		this.show();
	}

	/** §2.6 does not say what a task that has failed costs: what was counted for it is not known any more. */
	taskFailed(record: ItemRecord | undefined): void {
		const { costRub: rub } = record ?? {};
		if (!record || rub === undefined) return;
		delete record.costRub;
		record.mayCostRub = rub;
		const stored = this.stored();
		stored.rub = addToTotal(stored.rub, rub, -1);
		stored.unknownRub = addToTotal(stored.unknownRub, rub);
		stored.totals.callsWithoutCost += 1;
		this.addOwn(rub, -1);
	}

	/** Adds to what this run of the node has cost, such as in an earlier try. */
	addOwn(rub: string, factor: 1 | -1 = 1): void {
		this.ownRub = addToTotal(this.ownRub, rub, factor);
		this.show();
	}

	/** The user's keys of the execution, also of those that it is a retry of. */
	get keys(): Record<string, KeyUse> {
		return this.stored().keys;
	}

	/** Shows the sums; in a hint only if something is, or may be, charged. */
	show(): void {
		const { rub, beforeRub, unknownBefore, totals } = this.stored();
		totals.costRub = Number(rub);
		// The same object for each node, which n8n also stores as one: so it is current at every node.
		this.nodeStore.gateway = totals;
		this.customData ??= this.context.getWorkflowDataProxy(0).$execution.customData;
		// n8n keeps ten keys; without room it drops these.
		this.customData?.setAll({
			gatewayCostRub: rub,
			gatewayCalls: totals.calls,
			gatewayCallsWithoutCost: totals.callsWithoutCost,
		});
		if (rub === '0' && totals.callsWithoutCost === 0 && beforeRub === '0' && !this.hint) return;
		const parts = [`execution so far: ${rubles(rub)}`];
		if (totals.callsWithoutCost > 0) parts.push(`calls of unknown cost: ${totals.callsWithoutCost}`);
		const more = unknownBefore > 0 ? ` and calls of unknown cost: ${unknownBefore}` : '';
		if (beforeRub !== '0' || more) parts.push(`in the execution before: ${rubles(beforeRub)}${more}`);
		this.hint ??= addHint(this.context, '');
		const of = this.countsCalls && this.ownCalls > 1 ? ` of ${this.ownCalls} calls` : '';
		this.hint.message = `Cost${of}: ${rubles(this.ownRub)} (${parts.join('; ')})`;
	}

	/** The stored object itself, which other nodes may change meanwhile. */
	private stored(): Stored {
		const executionId = this.context.getExecutionId() ?? '';
		// Nothing else writes to the key.
		const stored = this.flowStore[KEY] as Stored | undefined;
		// n8n's retry of an execution copies the data of the former one.
		if (stored?.executionId === executionId) return stored;
		const beforeRub = addToTotal(stored?.beforeRub ?? '0', stored?.rub ?? '0');
		const unknownBefore = (stored?.unknownBefore ?? 0) + (stored?.totals.callsWithoutCost ?? 0);
		const totals = Object.assign(stored?.totals ?? {}, { costRub: 0, calls: 0, callsWithoutCost: 0 });
		const sums = { rub: '0', unknownRub: '0', unlimited: 0, beforeRub, unknownBefore, totals };
		// Somebody may have corrected the input of the others.
		const charged = Object.entries(stored?.keys ?? {}).filter(([, { isCharged }]) => isCharged);
		const now: Stored = { executionId, ...sums, keys: Object.fromEntries(charged) };
		this.flowStore[KEY] = now;
		return now;
	}
}
