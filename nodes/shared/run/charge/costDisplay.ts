import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { rubles } from '../../gateway/util/money';
import { duration } from '../../gateway/util/text';
import { storedContext } from '../../n8n/context';
import { executionLimit } from './limits';
import type { Sum } from './sums';

/** Key in the context that all nodes of an execution share. */
const TOTALS = 'aiGatewayTotals';

/** A wait for a limit is shown if it lasts longer, in milliseconds. */
const LONG_WAIT_MS = 5_000;

/** n8n does not declare `getContext` for sub-nodes, but they have it. */
export type DisplayContext = Pick<IExecuteFunctions, 'addExecutionHints' | 'getWorkflowDataProxy'> &
	Partial<Pick<IExecuteFunctions, 'getContext'>>;

/** The sums of a ledger, as users see them. */
export interface ShownSums {
	own: Sum;
	spent: Sum;
	before: Sum;
}

/**
 * Shows what an execution costs: in a hint at each node that sends calls, in custom data, and in the contexts of the nodes: since
 * n8n evaluates expressions in a sandbox, they no longer read custom data. Nothing of this is read again.
 */
export class CostDisplay {
	private hint: NodeExecutionHint | undefined;
	private longestWaitMs = LONG_WAIT_MS;
	private waitHint: NodeExecutionHint | undefined;
	private customData: { setAll(values: Record<string, string | number>): void } | undefined;

	constructor(
		private readonly context: DisplayContext,
		private readonly flowStore: Record<string, unknown>,
		private readonly countsCalls: boolean,
	) {}

	/** What expressions read: `$('any node of this package').context.gateway.costRub`. In a *Retry*, it begins anew. */
	storeTotals({ rub, calls, unknownCalls, inputTokens, outputTokens }: Sum): object {
		return Object.assign((this.flowStore[TOTALS] ??= {}) as object, {
			costRub: Number(rub),
			calls: calls + unknownCalls,
			callsWithoutCost: unknownCalls,
			inputTokens,
			outputTokens,
		});
	}

	update(spent: Sum): void {
		// The same object for each node, which n8n also stores as one: so it is current at every node.
		const nodeStore = storedContext(this.context, 'node');
		if (nodeStore) nodeStore.gateway = this.storeTotals(spent);
		this.customData ??= this.context.getWorkflowDataProxy(0).$execution.customData;
		// n8n keeps ten keys; without room it drops these.
		this.customData?.setAll({
			gatewayCostRub: spent.rub,
			gatewayCalls: spent.calls + spent.unknownCalls,
			gatewayCallsWithoutCost: spent.unknownCalls,
		});
	}

	/** Only if something is, or may be, charged. */
	showHint({ own, spent, before }: ShownSums): void {
		const shown = [spent, before].filter((sum) => sum.rub !== '0' || sum.unknownCalls > 0);
		if (shown.length === 0 && !this.hint) return;
		this.hint ??= this.addHint();
		const calls = own.calls + own.unknownCalls;
		const ofCalls = this.countsCalls && calls > 1 ? ` of ${calls} calls` : '';
		this.hint.message = `Cost${ofCalls}: ${rubles(own.rub)} (${costParts(spent, before).join('; ')})`;
	}

	/** Shows the longest wait of calls for the limit, in milliseconds, if it is long. */
	showWait(milliseconds: number): void {
		if (milliseconds < this.longestWaitMs) return;
		this.longestWaitMs = milliseconds;
		this.waitHint ??= this.addHint();
		this.waitHint.message = `Calls waited up to ${duration(milliseconds)} for other calls, because of '${executionLimit.label}'.`;
	}

	/** n8n keeps the object, so its text may still change. */
	private addHint(): NodeExecutionHint {
		const hint: NodeExecutionHint = { message: '', location: 'outputPane' };
		this.context.addExecutionHints(hint);
		return hint;
	}
}

function costParts(spent: Sum, before: Sum): string[] {
	const parts = [`execution so far: ${rubles(spent.rub)}`];
	if (spent.unknownCalls > 0) parts.push(`calls of unknown cost: ${spent.unknownCalls}`);
	const more = before.unknownCalls > 0 ? ` and calls of unknown cost: ${before.unknownCalls}` : '';
	if (before.rub !== '0' || more) parts.push(`before this retry: ${rubles(before.rub)}${more}`);
	return parts;
}
