import { createHash, randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { GatewayClient } from '../../gateway/client/client';
import { reserve } from '../../gateway/endpoints/minBalance';
import { asError, InvalidInputError } from '../../gateway/errors/errors';
import { asObject, asText } from '../../gateway/util/json';
import { addToTotal, compareDecimals, sumOfCosts } from '../../gateway/util/money';
import { addHint, storedContext } from '../../n8n/features';

/** Key in the context that all nodes of an execution share. With another shape of {@link Spending}, use another key. */
const KEY = 'aiGatewayCost';

/** n8n does not declare the others for sub-nodes, but they have them. */
type CostContext = Pick<IExecuteFunctions, 'getExecutionId' | 'getWorkflowDataProxy'> &
	Partial<Pick<IExecuteFunctions, 'getContext' | 'addExecutionHints' | 'getExecuteData' | 'setMetadata'>>;

/** What the calls of an execution have cost. n8n stores it as JSON; amounts are decimal text in rubles. */
interface Spending {
	executionId: string;
	/** By ID; null if the cost is known: it is then in the sum, and short, because it is stored for each task. */
	calls: Record<string, Call | null>;
	/** The sum of the costs that are known. */
	rub: string;
	/** The sum of what the other calls may cost. */
	reservedRub: string;
	/** The number of calls that may have cost any amount. */
	unlimited: number;
	totals: Totals;
}

/** A call whose cost is not known, or not yet. Requests with the same key are one call. */
interface Call {
	/** The most that it may cost, if that is known. */
	mostRub: string | undefined;
	/** Whether a request has ended that may be charged, at an unknown cost. */
	isUnknown?: boolean;
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

/** What limits the cost of calls, by the name that workflows and credentials store. */
const LIMITS = {
	maxCostRub: 'Max Cost per Execution (Rubles)',
	maxPriceRub: 'Max Price (Rubles)',
	minBalanceRub: 'Minimum Balance (Rubles)',
};
export type Limit = keyof typeof LIMITS;

/** What limits the cost of a call: the option of the node, else the credential. */
export function costLimit({ settings }: GatewayClient, maxCostRub: string | undefined): Limit | undefined {
	if (maxCostRub !== undefined) return 'maxCostRub';
	return settings.minBalanceRub === undefined ? undefined : 'minBalanceRub';
}

/** The error for a limit that cannot be kept, because a price is not known. */
export function unknownPrice(what: string, reason: string, limit: Limit): InvalidInputError {
	return new InvalidInputError(`${what} is unknown, so '${LIMITS[limit]}' cannot be kept`, reason, limit);
}

/** The cost of one call. One of the functions is called, once, when the call has ended. */
export type CallCost = ReturnType<ExecutionCost['begin']>;

/**
 * What the calls of this package have cost in an execution. All nodes share it, also sub-nodes and tools. Kept in the
 * context of n8n's execution, and shown in a hint at each node that sends such calls, in custom data and in the contexts
 * of the nodes: since n8n evaluates expressions in a sandbox, they no longer read custom data.
 */
export class ExecutionCost {
	/** What the calls of this run have cost, where it is known; also those that a resumed run ends again. */
	private ownRub = '0';
	private readonly ownCalls = new Set<string>();
	private hint: { message: string } | undefined;
	private customData: { setAll(values: Record<string, string | number>): void } | undefined;
	/** What n8n stores for all nodes, and for this one; without an execution, it is this object's own. */
	private readonly flowStore: Record<string, unknown>;
	private readonly nodeStore: Record<string, unknown>;

	constructor(private readonly context: CostContext) {
		this.flowStore = storedContext(context, 'flow') ?? {};
		this.nodeStore = storedContext(context, 'node') ?? {};
	}

	/** As {@link begin}; what is left on the account is checked before, see {@link reserve}. */
	async beginAfterCheck(client: GatewayClient, planned: PlannedCall): Promise<CallCost> {
		const release = await reserve(client, planned.mostRub);
		try {
			return this.begin(planned, release);
		} catch (error) {
			release('0');
			throw asError(error);
		}
	}

	/**
	 * Counts a call before it is sent, and reserves what it may cost.
	 *
	 * @param onEnd gets what the call may have cost
	 * @throws {InvalidInputError} if the execution could then cost more than the limit
	 */
	begin({ key, mostRub, limitRub }: PlannedCall, onEnd?: (rub: string) => void) {
		const id = key === undefined ? randomUUID() : createHash('sha256').update(key).digest('hex').slice(0, 20);
		const { calls } = this.spending();
		if (calls[id] === undefined) {
			if (limitRub !== undefined) checkLimit(this.spending(), limitRub, mostRub);
			this.set(id, { mostRub });
		}
		return {
			charged: (rub: string) => {
				onEnd?.(rub);
				const isNew = calls[id] !== null;
				this.trace({ costRub: isNew ? rub : '0' });
				if (!this.ownCalls.has(id)) this.ownRub = addToTotal(this.ownRub, rub);
				this.ownCalls.add(id);
				if (isNew) this.set(id, null, rub);
				if (key === undefined) delete calls[id];
				this.showHint();
			},
			/** What was counted as charged may not be: its task has failed. */
			doubtful: (rub: string) => {
				if (calls[id] !== null) return;
				this.trace({ costRub: `-${rub}` });
				this.ownRub = addToTotal(this.ownRub, rub, -1);
				this.ownCalls.delete(id);
				this.set(id, { mostRub: rub, isUnknown: true }, `-${rub}`);
				this.showHint();
			},
			/** It is not charged, or an unknown amount. */
			ended: (isUnknown: boolean, most = mostRub) => {
				onEnd?.(isUnknown ? (most ?? '0') : '0');
				const known = calls[id];
				if (isUnknown && known !== null) this.set(id, { mostRub: known?.mostRub ?? most, isUnknown });
				else if (known && !known.isUnknown) this.set(id, undefined);
				this.showHint();
			},
		};
	}

	/**
	 * Adds to what n8n's traces (OpenTelemetry) have of the node's run: models, and sums. What a sub-node adds is in the trace
	 * of its agent, of whose run n8n keeps only what comes after the last tool. An n8n before 2.16 ignores it.
	 */
	trace(values: Record<string, string | number | null | undefined>): void {
		const run = asObject(this.context.getExecuteData?.());
		if (!run) return;
		const { tracing, nodeWasResumed } = asObject(run.metadata) ?? {};
		const earlier = nodeWasResumed ? asObject(this.nodeStore.gatewayTrace) : {};
		const trace = { ...earlier, ...asObject(tracing) };
		for (const [name, value] of Object.entries(values)) {
			const before = asText(trace[`gateway.${name}`]);
			const added = String(value ?? 0);
			const listed = new Set([...(before?.split(', ') ?? []), added]);
			trace[`gateway.${name}`] = sumOfCosts(before ?? '0', added) ?? [...listed].join(', ');
		}
		const metadata: object = { tracing: (this.nodeStore.gatewayTrace = trace) };
		this.context.setMetadata?.(metadata);
	}

	/** Changes what is known of a call: null if its cost is known, `undefined` if it is not charged. */
	private set(id: string, call: Call | null | undefined, rub = '0'): void {
		const spending = this.spending();
		const { calls, totals } = spending;
		if (calls[id]) count(spending, calls[id], -1);
		else if (calls[id] === null) totals.calls -= 1;
		delete calls[id];
		if (call !== undefined) calls[id] = call;
		if (call) count(spending, call, 1);
		else if (call === null) totals.calls += 1;
		spending.rub = addToTotal(spending.rub, rub);
		this.show(spending);
	}

	/** One hint with what is known last; none as long as nothing is charged. */
	private showHint(): void {
		const { rub, totals } = this.spending();
		const count = totals.callsWithoutCost;
		if (rub === '0' && count === 0 && !this.hint) return;
		const unknown = count === 0 ? '' : `; calls of unknown cost: ${count}`;
		this.hint ??= addHint(this.context, '');
		this.hint.message = `Cost: ₽${this.ownRub} (execution so far: ₽${rub}${unknown})`;
	}

	/** Also while calls are in progress: n8n stores a cancelled execution at once. */
	private show({ rub, totals }: Spending): void {
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
	}

	/** The stored object itself, which other nodes may change meanwhile. */
	private spending(): Spending {
		const executionId = this.context.getExecutionId() ?? '';
		// Nothing else writes to the key.
		const stored = this.flowStore[KEY] as Spending | undefined;
		// n8n's retry of an execution copies the data of the former one.
		if (stored?.executionId === executionId) return stored;
		const totals = Object.assign(stored?.totals ?? {}, { costRub: 0, calls: 0, callsWithoutCost: 0 });
		const empty: Spending = { executionId, calls: {}, rub: '0', reservedRub: '0', unlimited: 0, totals };
		return (this.flowStore[KEY] = empty);
	}
}

/** Adds a call to the sums, or takes it out of them. */
function count(spending: Spending, { mostRub, isUnknown }: Call, sign: 1 | -1): void {
	spending.totals.calls += sign;
	spending.totals.callsWithoutCost += sign;
	if (mostRub !== undefined) spending.reservedRub = addToTotal(spending.reservedRub, mostRub, sign);
	else if (isUnknown) spending.unlimited += sign;
}

function checkLimit({ rub, reservedRub, unlimited }: Spending, limitRub: string, mostRub = '0'): void {
	if (unlimited > 0) {
		throw new InvalidInputError(
			"'Max Cost per Execution (Rubles)' cannot be kept: what the execution has cost is not known",
			`The cost of ${unlimited} earlier call${unlimited === 1 ? '' : 's'} is unknown. Set the option in all nodes of the workflow that use the gateway: they then reserve what a call may cost. Without the option, this node sends its calls at any cost.`,
			'maxCostRub',
		);
	}
	const total = sumOfCosts(rub, reservedRub, mostRub) ?? '';
	if ((compareDecimals(total, limitRub) ?? 1) <= 0) return;
	throw new InvalidInputError(
		`The call may cost ₽${mostRub}, more than is left of 'Max Cost per Execution (Rubles)'`,
		`Of ₽${limitRub}, the execution has spent ₽${rub} and reserved ₽${reservedRub} for calls that are in progress or whose outcome is unknown. Raise the option, or make the call cheaper; with a lower 'Concurrency', less is reserved at a time.`,
		'maxCostRub',
	);
}
