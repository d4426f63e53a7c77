import { randomUUID } from 'node:crypto';
import type { INode } from 'n8n-workflow';

import type { RunSignal } from '../../gateway/client/limits';
import { fieldOf, setField } from '../../gateway/util/json';
import { addToTotal, isMore } from '../../gateway/util/money';
import { storedContext } from '../../n8n/context';
import { CostDisplay, type DisplayContext } from './costDisplay';
import { InFlight, type EqualCalls } from './inFlight';
import { sharedKey } from './ownKeys';
import { tooExpensive, unknownCosts } from './limits';
import {
	addCharge,
	addSum,
	NO_CALLS,
	totalOf,
	type Charge,
	type CallCost,
	type Sum,
	type Tokens,
} from './sums';

/** Key in the context that all nodes of an execution share. With another shape of {@link Stored}, use another key. */
const LEDGER_KEY = 'aiGatewayLedger';

/** A call that costs money. One with a key (§4.6) replaces an equal one; without one, it is always a new one. */
export interface Call {
	/** Its model, as it is sent. */
	model: string;
	/** The account that pays, see `accountOf`. */
	account: string;
	/** The most that it may cost, as decimal text in rubles; `undefined` for any amount. */
	maxRub?: string | undefined;
	/** Identifies a task, without telling a user's key: see `TaskKey`. */
	key?: string | undefined;
}

/** Where the cost of a call counts. */
interface Place {
	execution: string;
	node: string;
	model: string;
}

/** A call in flight. */
export interface Entry extends Call, Place, EqualCalls {}

/** What a user's key stands for. */
export interface KeyUse {
	/** Where it is in the workflow: the item that used it last, which may change the content between its attempts. */
	usedAt: string;
	/** A digest of the request. */
	content: string;
	execution: string;
}

interface StoredSum extends Place, Sum {
	/** The run of the node, until it ends. */
	run?: string | undefined;
}

/** A call with a key that was sent, and not rejected. */
export interface StoredCall extends Place {
	account: string;
	taskId?: string;
	/** What counts of it, in its execution. */
	charge?: Charge;
	/** The execution in which its task has failed. */
	failedIn?: string;
}

/** What n8n stores, as JSON, also for a *Retry* of the execution: its sums and calls then are those of another execution. */
interface Stored {
	sums: StoredSum[];
	/** By their keys, in the order in which they were sent. */
	calls: Record<string, StoredCall>;
	/** Those of users' keys. */
	uses: Record<string, KeyUse>;
}

export interface LedgerContext extends DisplayContext {
	getNode(): Pick<INode, 'name'>;
	getExecutionId(): string | undefined;
}

/** The calls in flight, by what n8n stores of their execution. */
const inFlightOf = new WeakMap<object, InFlight>();

/**
 * The one place for what the calls of an execution cost. All of its nodes share it, also sub-nodes and tools. Amounts are decimal
 * text in rubles.
 */
export class Ledger {
	private readonly stored: Stored;
	private readonly execution: string;
	private readonly node: string;
	/** None when it has ended. */
	private run: string | undefined;
	private readonly inFlight: InFlight;
	private readonly display: CostDisplay;

	/**
	 * @param run that of a node, the same in each attempt; a tool and a chat model have one for each object
	 * @param countsCalls whether the hint has the number of the node's own calls
	 */
	constructor(context: LedgerContext, run: string = randomUUID(), countsCalls = false) {
		const flowStore: Record<string, unknown> = storedContext(context, 'flow') ?? {};
		// Nothing else writes to the key.
		this.stored = (flowStore[LEDGER_KEY] ??= { sums: [], calls: {}, uses: {} }) as Stored;
		this.execution = context.getExecutionId() ?? '';
		this.node = context.getNode().name;
		this.run = run;
		this.inFlight = inFlightOf.get(this.stored) ?? new InFlight();
		inFlightOf.set(this.stored, this.inFlight);
		this.display = new CostDisplay(context, flowStore, countsCalls);
		// In a *Retry*, they are those of the execution before.
		if (this.stored.sums.length > 0) this.display.storeTotals(this.view().spent);
	}

	/**
	 * Begins a call. One with a limit that does not fit beside those in flight waits for them, and for all that wait before it.
	 *
	 * @param limit `maxCostRub`: the most that the execution may cost; without it, the call neither waits nor holds anything.
	 * `isRepeated`: whether its task may exist, beside what the ledger knows
	 * @throws {InvalidInputError} if the call does not fit beside what is spent
	 * @throws {StoppedError} when the run or the signal ends its wait
	 */
	async begin(
		call: Call,
		limit: {
			maxCostRub?: string | undefined;
			isRepeated?: boolean;
			run: RunSignal;
			signal?: AbortSignal | undefined;
		},
	): Promise<Entry> {
		const { maxCostRub, run, signal } = limit;
		const isRepeated = limit.isRepeated === true || this.find(call.key) !== undefined;
		const { execution, node } = this;
		const entry: Entry = { ...call, execution, node, calls: 1, isRepeated, heldRub: '0' };
		if (maxCostRub === undefined || isRepeated) this.noteSent(entry, maxCostRub !== undefined);
		else {
			const take = () => {
				if (!this.fits(entry, maxCostRub)) return false;
				this.noteSent(entry, true);
				return true;
			};
			const waitedMs = await this.inFlight.inTurn(take, run, signal);
			if (waitedMs > 0) this.display.showWait(waitedMs);
		}
		return entry;
	}

	/** Notes a call as sent, before it is. */
	private noteSent(entry: Entry, isLimited: boolean): void {
		const { key, maxRub = '0' } = entry;
		// One that this execution has sent is counted, or held, already.
		if (isLimited && this.find(key)?.execution !== this.execution) entry.heldRub = maxRub;
		if (key !== undefined) this.storedCall(key, entry);
		this.inFlight.begin(entry, key);
	}

	/** Ends a call. Of equal ones, the one whose cost is known counts. */
	end(entry: Entry, outcome: CallCost, tokens?: Tokens): void {
		const last = this.inFlight.end(entry, entry.key);
		// A rejected repetition says nothing of the request before.
		if (outcome === 'free') {
			if (last && !last.isRepeated) this.forget(entry.key);
		} else if (entry.key === undefined) addCharge(this.sumAt(entry), outcome);
		else this.endKeyed(this.storedCall(entry.key, entry), entry, outcome);
		if (tokens) {
			const sum = this.sumAt(entry);
			sum.inputTokens += tokens.inputTokens ?? 0;
			sum.outputTokens += tokens.outputTokens ?? 0;
		}
		this.show();
	}

	private forget(key: string | undefined): void {
		const call = this.find(key);
		if (key === undefined || call?.charge || call?.taskId !== undefined) return;
		Reflect.deleteProperty(this.stored.calls, key);
	}

	private endKeyed(call: StoredCall, entry: Entry, charge: Charge): void {
		const counted = this.countedOf(call);
		if (counted && 'rub' in counted) return;
		// It counts where its cost is shown.
		this.count(call, charge, !counted || 'rub' in charge ? entry : undefined);
	}

	/** Counts a charge of a call, in place of the one before; at another place, if there is one. */
	private count(call: StoredCall, charge: Charge, place?: Place): void {
		const before = this.countedOf(call);
		if (before) addCharge(this.sumAt(call), before, -1);
		if (place) Object.assign(call, { execution: place.execution, node: place.node, model: place.model });
		addCharge(this.sumAt(call), charge);
		call.charge = charge;
	}

	/** Notes the task of a call, which may have failed before its cost is known. */
	created(key: string, taskId: string): void {
		const call = this.find(key);
		if (call) call.taskId = taskId;
	}

	/** §2.6 does not say what a task that has failed costs: its price is the most. One of no call here changes nothing. */
	taskFailed(taskId: string | undefined): void {
		const call = Object.values(this.stored.calls).find((one) => one.taskId === taskId);
		if (!call || taskId === undefined) return;
		call.failedIn = this.execution;
		const counted = this.countedOf(call);
		if (!counted || !('rub' in counted)) return;
		this.count(call, { maxRub: counted.rub });
		this.show();
	}

	/** The call with a key that was sent, also by an execution that this one is a retry of. */
	find(key: string | undefined): StoredCall | undefined {
		return key === undefined ? undefined : fieldOf(this.stored.calls, key);
	}

	/** Whether a call was sent by an execution that this one is a retry of. */
	isBefore({ execution }: StoredCall): boolean {
		return execution !== this.execution;
	}

	/** Whether the task with a key has failed before a person retried the execution. */
	hasFailedBefore(key: string): boolean {
		const { failedIn } = this.find(key) ?? {};
		return failedIn !== undefined && failedIn !== this.execution;
	}

	/**
	 * Notes what a user's key stands for: in an execution one content, in all nodes and rounds of a loop. For the same item of a
	 * node, the content may change between attempts, as with `$now`.
	 *
	 * @throws {InvalidInputError} if it stands for another request
	 */
	useKey(key: string, use: Omit<KeyUse, 'execution'>): void {
		const { uses } = this.stored;
		const known = fieldOf(uses, key);
		// Somebody may have corrected the input of one that a former execution has not sent.
		const isKept = known && (this.find(key) !== undefined || known.execution === this.execution);
		if (isKept && known.usedAt !== use.usedAt && known.content !== use.content) throw sharedKey();
		if (!isKept || known.usedAt === use.usedAt) setField(uses, key, { ...use, execution: this.execution });
	}

	/** The IDs of the tasks that this execution, and those that it is a retry of, have made with an account. */
	tasksOf(account: string): string[] {
		const calls = Object.values(this.stored.calls);
		return calls.flatMap((call) => (call.account === account ? (call.taskId ?? []) : []));
	}

	/** What this run has cost, the execution, and those that it is a retry of. */
	view(): { own: Sum; spent: Sum; before: Sum } {
		const { sums } = this.stored;
		const spent = sums.filter(({ execution }) => execution === this.execution);
		const own = spent.filter(({ node, run }) => node === this.node && run === this.run);
		const before = sums.filter(({ execution }) => execution !== this.execution);
		return { own: totalOf(own), spent: totalOf(spent), before: totalOf(before) };
	}

	/** Shows the sums at the node. */
	show(): void {
		const sums = this.view();
		this.display.update(sums.spent);
		if (this.run !== undefined) this.display.showHint(sums);
	}

	/** Ends the run: its sums become those of the node, so that the rounds of a loop do not add to what n8n stores. */
	close(): void {
		const { sums } = this.stored;
		const isOwn = (sum: StoredSum) =>
			sum.execution === this.execution && sum.node === this.node && sum.run === this.run;
		const own = sums.filter(isOwn);
		this.stored.sums = sums.filter((sum) => !isOwn(sum));
		this.run = undefined;
		for (const sum of own) addSum(this.sumAt(sum), sum);
	}

	/** Whether a call fits beside those in flight. Throws if it does not fit beside what is spent. */
	private fits(entry: Entry, limitRub: string): boolean {
		// An equal call that was sent meanwhile is charged for both.
		if (this.find(entry.key)) return true;
		const { maxRub = '0' } = entry;
		const { spent } = this.view();
		if (spent.unlimited > 0) throw unknownCosts(spent.unlimited);
		const leftRub = addToTotal(addToTotal(limitRub, spent.rub, -1), spent.unknownRub, -1);
		if (isMore(maxRub, leftRub)) throw tooExpensive(maxRub, limitRub, spent);
		return !isMore(addToTotal(this.inFlight.heldRub, maxRub), leftRub);
	}

	/** What counts of a call in this execution. */
	private countedOf(call: StoredCall | undefined): Charge | undefined {
		return call?.execution === this.execution ? call.charge : undefined;
	}

	/** The sum of a place: for this node that of its run, for another one that of all runs that have ended. */
	private sumAt({ execution, node, model }: Place): Sum {
		const { sums } = this.stored;
		const run = node === this.node ? this.run : undefined;
		const known = sums.find(
			(sum) => sum.execution === execution && sum.node === node && sum.model === model && sum.run === run,
		);
		if (known) return known;
		const sum = { execution, node, run, model, ...NO_CALLS };
		sums.push(sum);
		return sum;
	}

	private storedCall(key: string, { execution, node, model, account }: Entry): StoredCall {
		return this.find(key) ?? setField(this.stored.calls, key, { execution, node, model, account });
	}
}
