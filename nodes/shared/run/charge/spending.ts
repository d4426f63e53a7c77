import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { InvalidInputError } from '../../gateway/errors/errors';
import type { Usage } from '../../gateway/text/formats/completion';
import { omit } from '../../gateway/util/json';
import { addToTotal, rubles } from '../../gateway/util/money';
import { counted, duration } from '../../gateway/util/text';
import { storedContext } from '../../n8n/context';
import { Budget, mostSpent, nothingSpent, type Limit, type Spent } from './budget';
import type { KeyUse } from './keys';
import type { ItemRecord } from './record';
import { LIMITS } from './limits';
import { MAKE_CHEAPER } from './words';

/** Key in the context that all nodes of an execution share. With another shape of {@link Stored}, use another key. */
const KEY = 'aiGatewaySpending';

/** A wait for a limit is shown if it lasts longer, in milliseconds. */
const LONG_WAIT_MS = 5_000;

/** n8n does not declare `getContext` for sub-nodes, but they have it. */
export type SpendingContext = Pick<
	IExecuteFunctions,
	'addExecutionHints' | 'getExecutionId' | 'getWorkflowDataProxy'
> &
	Partial<Pick<IExecuteFunctions, 'getContext'>>;

interface ExecutionTask extends Pick<ItemRecord, 'key' | 'costRub'> {
	taskId: string;
	account: string;
}

/** What n8n stores of the execution, as JSON; amounts are decimal text in rubles. */
interface Stored {
	executionId: string;
	spent: Spent;
	/** What the executions cost that this one is a retry of, and their calls of unknown cost. */
	beforeRub: string;
	unknownBefore: number;
	totals: Totals;
	keys: Record<string, KeyUse>;
	/** In order of creation, also those of the executions that this one is a retry of. */
	tasks: ExecutionTask[];
}

/** What expressions read: `$('any node of this package').context.gateway.costRub`. */
type Totals = typeof NO_TOTALS;

const NO_TOTALS = { costRub: 0, calls: 0, callsWithoutCost: 0, inputTokens: 0, outputTokens: 0 };

/** The budgets of executions, by what n8n stores of each: all of its nodes share it. */
const budgets = new WeakMap<object, Budget>();

/**
 * What the calls of this package cost in an execution. All nodes share it, also sub-nodes and tools. Shown in a hint at each
 * node that sends such calls, in custom data and in the contexts of the nodes: since n8n evaluates expressions in a sandbox,
 * they no longer read custom data.
 */
export class Spending {
	readonly budget: Budget;
	private ownRub = '0';
	private ownCalls = 0;
	private hint: NodeExecutionHint | undefined;
	private longestWaitMs = LONG_WAIT_MS;
	private waitHint: NodeExecutionHint | undefined;
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
		this.budget = budgets.get(this.flowStore) ?? new Budget(() => this.stored().spent);
		budgets.set(this.flowStore, this.budget);
	}

	limit(maxCostRub: string): Limit {
		return {
			left: () => this.left(maxCostRub),
			refusal: (mostRub) => this.refusal(mostRub, maxCostRub),
			waited: (milliseconds) => this.showWait(milliseconds),
		};
	}

	/** Shows the longest wait of calls for the limit, in milliseconds, if it is long. */
	private showWait(milliseconds: number): void {
		if (milliseconds < this.longestWaitMs) return;
		this.longestWaitMs = milliseconds;
		this.waitHint ??= this.addHint();
		this.waitHint.message = `Calls waited up to ${duration(milliseconds)} for other calls, because of '${LIMITS.maxCostRub}'.`;
	}

	/** n8n keeps the object, so its text may still change. */
	private addHint(): NodeExecutionHint {
		const hint: NodeExecutionHint = { message: '', location: 'outputPane' };
		this.context.addExecutionHints(hint);
		return hint;
	}

	private left(limitRub: string): string {
		const { spent } = this.stored();
		const { unlimited } = spent;
		if (unlimited === 0) return addToTotal(limitRub, mostSpent(spent), -1);
		throw new InvalidInputError(
			"'Max Cost per Execution (₽)' cannot be kept: what the execution has cost is not known",
			`The cost of ${counted(unlimited, 'earlier call')} is unknown. Set the option in all nodes of the workflow that use the gateway: they then reserve what a call may cost. Without the option, this node sends its calls at any cost.`,
			'maxCostRub',
		);
	}

	private refusal(mostRub: string, limitRub: string): InvalidInputError {
		const { rub, unknownRub } = this.stored().spent;
		const unknown =
			unknownRub === '0' ? '' : `, and up to ${rubles(unknownRub)} for calls whose cost is unknown`;
		const spent =
			rub === '0' && unknown === ''
				? `The limit is ${rubles(limitRub)}, and nothing is spent yet: this call alone may cost more.`
				: `Of ${rubles(limitRub)}, the execution has spent ${rubles(rub)}${unknown}. A retry may cost as much again.`;
		return new InvalidInputError(
			`The call may cost ${rubles(mostRub)}, more than is left of 'Max Cost per Execution (₽)'`,
			`${spent} Raise the option, or ${MAKE_CHEAPER}`,
			'maxCostRub',
		);
	}

	/** Notes what a task has cost: another node may find out that it has failed. */
	taskCharged({ taskId, key, costRub }: ItemRecord): void {
		const task = this.task(taskId);
		if (task) Object.assign(task, { key, costRub });
	}

	/**
	 * §2.6 does not say what a task that has failed costs: what was counted for it is not known any more.
	 *
	 * @param record that of the node's item, if the node has created the task
	 */
	taskFailed(taskId: string | undefined, record: ItemRecord | undefined): void {
		const task = this.task(taskId);
		const { costRub: rub } = task ?? {};
		if (!task || rub === undefined) return;
		delete task.costRub;
		this.budget.doubt(rub, budgetKey(task));
		if (record?.costRub === undefined) return this.show();
		delete record.costRub;
		this.addOwn(rub, 0, -1);
	}

	private task(id: string | undefined): ExecutionTask | undefined {
		return this.stored().tasks.find(({ taskId }) => taskId === id);
	}

	/** Adds to what this run of the node has cost, such as in an earlier try; `calls` are, or may be, charged. */
	addOwn(rub: string, calls: number, factor: 1 | -1 = 1): void {
		this.ownCalls += calls;
		this.ownRub = addToTotal(this.ownRub, rub, factor);
		this.show();
	}

	addTask(account: string, taskId: string): void {
		const { tasks } = this.stored();
		// A retry with its key gives the same one.
		if (!tasks.some((task) => task.taskId === taskId)) tasks.push({ taskId, account });
	}

	/** The IDs of the tasks that this execution has made with an account. */
	tasksOf(account: string): string[] {
		return this.stored().tasks.flatMap((task) => (task.account === account ? task.taskId : []));
	}

	/** Adds the tokens of a text, as far as the response has them. */
	addTokens({ inputTokens, outputTokens }: Pick<Usage, 'inputTokens' | 'outputTokens'>): void {
		const { totals } = this.stored();
		totals.inputTokens += inputTokens ?? 0;
		totals.outputTokens += outputTokens ?? 0;
	}

	/** The user's keys of the execution, also of those that it is a retry of. */
	get keys(): Record<string, KeyUse> {
		return this.stored().keys;
	}

	/** Shows the sums; in a hint only if something is, or may be, charged. */
	show(): void {
		const { spent, beforeRub, unknownBefore, totals } = this.stored();
		const { rub, calls, unknownCalls } = spent;
		Object.assign(totals, {
			costRub: Number(rub),
			calls: calls + unknownCalls,
			callsWithoutCost: unknownCalls,
		});
		// The same object for each node, which n8n also stores as one: so it is current at every node.
		this.nodeStore.gateway = totals;
		this.customData ??= this.context.getWorkflowDataProxy(0).$execution.customData;
		// n8n keeps ten keys; without room it drops these.
		this.customData?.setAll({
			gatewayCostRub: rub,
			gatewayCalls: totals.calls,
			gatewayCallsWithoutCost: unknownCalls,
		});
		const isFree = rub === '0' && unknownCalls === 0 && beforeRub === '0' && unknownBefore === 0;
		if (isFree && !this.hint) return;
		const parts = [`execution so far: ${rubles(rub)}`];
		if (unknownCalls > 0) parts.push(`calls of unknown cost: ${unknownCalls}`);
		const more = unknownBefore > 0 ? ` and calls of unknown cost: ${unknownBefore}` : '';
		if (beforeRub !== '0' || more) parts.push(`in the execution before: ${rubles(beforeRub)}${more}`);
		this.hint ??= this.addHint();
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
		const beforeRub = addToTotal(stored?.beforeRub ?? '0', stored?.spent.rub ?? '0');
		const unknownBefore = (stored?.unknownBefore ?? 0) + (stored?.spent.unknownCalls ?? 0);
		const totals = Object.assign(stored?.totals ?? {}, NO_TOTALS);
		const sums = { spent: nothingSpent(), beforeRub, unknownBefore, totals };
		// Somebody may have corrected the input of the others.
		const charged = Object.entries(stored?.keys ?? {}).filter(([, { isCharged }]) => isCharged);
		const tasks = (stored?.tasks ?? []).map((task) => omit(task, 'costRub'));
		const now: Stored = { executionId, ...sums, keys: Object.fromEntries(charged), tasks };
		this.flowStore[KEY] = now;
		return now;
	}
}

/** Identifies a task in the budgets of its execution and its account. */
export function budgetKey({
	account,
	key,
}: {
	account?: string | undefined;
	key?: string | undefined;
}): string | undefined {
	return key === undefined ? undefined : `${account} ${key}`;
}
