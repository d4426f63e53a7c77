import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, type ApiErrorDetails } from '../gateway/errors/errors';
import { asObject, omit, type JsonObject } from '../gateway/util/json';
import { storedContext } from '../n8n/features';
import { itemError, mayBeCharged } from './nodeError';

/** Key in the node's context, which lives in the execution's data and is the same in each try. */
const KEY = 'aiGatewayJournal';

/** What is known of an item that has been sent. One without an entry was not sent, or was rejected. */
export interface Entry {
	/** The idempotency key (§4.6) of its creation; a call without one cannot be repeated safely. */
	key?: string | undefined;
	/** The task, which exists and is paid for, and the response to its creation. */
	task?: { taskId: string; response: JsonObject } | undefined;
	/** Whether it has ended without a known outcome, and the error. */
	mayBeCharged?: boolean | undefined;
	error?: ApiErrorDetails | undefined;
	/** Its outputs, when it has finished. */
	outputs?: INodeExecutionData[];
}

interface StoredRun {
	executionId: string;
	/** By the index of the item. */
	entries: Record<string, Entry>;
	/** What each key of the user stands for, and the item that used it first. */
	keys?: Record<string, { index: number; content: string }>;
}

/**
 * What a run of the node is doing, item by item, written before the act. It is kept in the node's context while n8n may
 * run the node again, with *Retry On Fail* or after a pause of the execution.
 */
export class RunJournal {
	private readonly store: Record<string, unknown>;
	private readonly stored: StoredRun;
	private readonly isRetried: boolean;
	private readonly run: string;

	/** @param identity.run identifies the run of the node within the execution; several may be open in an agent */
	constructor(context: IExecuteFunctions, { executionId, run }: { executionId: string; run: string }) {
		this.run = run;
		this.store = storedContext(context, 'node') ?? {};
		const earlier = this.runs[run] as StoredRun | undefined;
		this.stored = earlier?.executionId === executionId ? earlier : { executionId, entries: {} };
		this.isRetried = context.getNode().retryOnFail === true;
		this.store[KEY] = { ...this.runs, [run]: this.stored };
	}

	/** What earlier tries, or this one, have sent for an item. */
	entry(index: number): Entry | undefined {
		return this.stored.entries[String(index)];
	}

	/** Is called before a call that costs money is sent. */
	requested(index: number, key?: string): void {
		// An earlier try may have been charged: that is kept.
		const { mayBeCharged: isUnknown, error } = this.entry(index) ?? {};
		this.write(index, { key, mayBeCharged: isUnknown, error });
	}

	/** Is called when a task exists and is paid for. */
	created(index: number, taskId: string, response: JsonObject): void {
		this.write(index, { key: this.entry(index)?.key, task: { taskId, response } });
	}

	/** Is called when an item has finished. */
	finished(index: number, outputs: INodeExecutionData[]): void {
		this.write(index, { task: this.entry(index)?.task, outputs });
	}

	/**
	 * Is called with the error of an item.
	 *
	 * @returns the error as the user gets it, with the task's ID and whether the item is, or may be, charged
	 */
	failed(index: number, error: unknown): unknown {
		const { task, outputs, ...known } = this.entry(index) ?? {};
		// An equal call of an agent's tool, at the same time, may have finished, or removed the entry.
		const isSent = this.entry(index) !== undefined && !outputs;
		if (task && !outputs) return itemError(error, { outcome: 'charged', taskId: task.taskId });
		if (!isSent && !(error instanceof ApiError && mayBeCharged(error))) return error;
		if (!known.mayBeCharged && !mayBeCharged(error)) {
			delete this.stored.entries[String(index)];
			return error;
		}
		const kind = known.key === undefined ? 'charge' : 'keyed';
		const complete = itemError(error, { outcome: 'unknown', kind });
		const details = complete instanceof ApiError ? complete.details : known.error;
		this.write(index, { ...known, mayBeCharged: true, error: details });
		return complete;
	}

	/** Registers the user's key for the content of a request; false if it stands for another item's content. */
	claimKey(index: number, key: string, content: string): boolean {
		const keys = (this.stored.keys ??= {});
		const known = keys[key] ?? { index, content };
		if (known.index !== index && known.content !== content) return false;
		keys[key] = { index: known.index, content };
		return true;
	}

	/**
	 * Names what is, or may be, paid for, and is missing from the output of a node that ends early.
	 *
	 * @param failed the item whose error ends the node, and says this of itself
	 */
	paidNote(failed?: number): string {
		let text = '';
		const others = Object.entries(this.stored.entries).filter(([index]) => Number(index) !== failed);
		const unknown = others.flatMap(([index, { task, outputs }]) => (task || outputs ? [] : [index]));
		if (unknown.length > 0) {
			const [noun, pronoun] = unknown.length === 1 ? ['item', 'it'] : ['items', 'they'];
			text += ` The outcome of ${noun} ${unknown.join(', ')} is unknown: ${pronoun} may have been charged.`;
		}
		const tasks = others.flatMap(([, { task }]) => task?.taskId ?? []);
		if (tasks.length > 0) {
			text += ` Media tasks of this run, whose results you can still fetch by ID: ${tasks.join(', ')}.`;
		}
		return text;
	}

	/** Ends a try: the journal is kept if *Retry On Fail* may run the node again. */
	endTry(hasFailed: boolean): void {
		if (hasFailed && this.isRetried) this.keep();
		else this.clear();
	}

	/** Keeps the journal for the next run of the node. */
	keep(): void {
		for (const entry of Object.values(this.stored.entries)) {
			// Copies: n8n changes what a node returns.
			if (entry.outputs) entry.outputs = entry.outputs.map((item) => ({ ...item }));
		}
	}

	/** Removes the run from the node's context. */
	clear(): void {
		const others = omit(this.runs, this.run);
		if (Object.keys(others).length > 0) this.store[KEY] = others;
		else delete this.store[KEY];
	}

	private get runs(): Record<string, unknown> {
		return asObject(this.store[KEY]) ?? {};
	}

	private write(index: number, entry: Entry): void {
		this.stored.entries[String(index)] = entry;
	}
}
