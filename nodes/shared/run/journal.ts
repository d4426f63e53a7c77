import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, type ApiErrorDetails } from '../gateway/errors/errors';
import { asObject, omit, type JsonObject } from '../gateway/util/json';
import { storedContext } from '../n8n/features';
import { itemError, mayBeCharged } from './nodeError';

/** Key in the node's context, which lives in the execution's data and is the same in each try. */
const KEY = 'aiGatewayJournal';

/** What is known of an item that has been sent. An item without an entry was not sent, or was rejected. */
export type Entry =
	/** Sent. It may be charged: its outcome is not known yet, or never will be. */
	| { state: 'requested'; key?: string | undefined; mayBeCharged?: boolean; error?: ApiErrorDetails }
	/** The task exists and is paid for. */
	| { state: 'created'; key?: string | undefined; taskId: string; response: JsonObject }
	| { state: 'finished'; outputs: INodeExecutionData[]; taskId?: string | undefined };

/** The journal of one item, for its operation. */
export interface ItemJournal {
	/** The idempotency key (§4.6) of the creation that an earlier try has sent for the item. */
	readonly sentKey: string | undefined;
	/** The task of the item, and the response to its creation. */
	readonly task: { taskId: string; response: JsonObject } | undefined;
	/**
	 * Is called before a call that costs money is sent.
	 *
	 * @param key its idempotency key; a call without one cannot be repeated safely
	 */
	requested(key?: string): void;
	/** Registers the user's key for the content of a request; false if it stands for another item's content. */
	claimKey(key: string, content: string): boolean;
	/** Is called when a task exists and is paid for. */
	created(taskId: string, response: JsonObject): void;
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

	/** @param identity.run identifies the run of the node within the execution; several may be open in an agent */
	constructor(
		context: IExecuteFunctions,
		private readonly identity: { executionId: string; run: string },
	) {
		this.store = storedContext(context, 'node') ?? {};
		const earlier = storedRun(this.runs[identity.run]);
		const { executionId } = identity;
		this.stored = earlier?.executionId === executionId ? earlier : { executionId, entries: {} };
		this.isRetried = context.getNode().retryOnFail === true;
		if (this.isRetried) this.save();
	}

	/**
	 * The outputs of an item that has finished, also in an earlier try.
	 *
	 * @throws {ApiError} that of a call that may be charged and cannot be repeated
	 */
	outputs(index: number): INodeExecutionData[] | undefined {
		const entry = this.entries[index];
		if (entry?.state === 'requested' && entry.key === undefined && entry.error) {
			throw new ApiError(entry.error);
		}
		return entry?.state === 'finished' ? entry.outputs : undefined;
	}

	item(index: number): ItemJournal {
		const entry = this.entries[index];
		const task = entry?.state === 'created' ? entry : undefined;
		const earlier = entry?.state === 'requested' ? entry : undefined;
		return {
			sentKey: (task ?? earlier)?.key,
			task,
			// An earlier try may have been charged: that is kept.
			requested: (key) => void (this.entries[index] = { ...earlier, state: 'requested', key }),
			claimKey: (key, content) => this.claimKey(index, key, content),
			created: (taskId, response) => {
				const known = this.entries[index];
				const key = known?.state === 'requested' ? known.key : undefined;
				this.entries[index] = { state: 'created', key, taskId, response };
			},
		};
	}

	/** Records the outputs of an item that has finished. */
	finished(index: number, outputs: INodeExecutionData[]): void {
		const entry = this.entries[index];
		const taskId = entry && 'taskId' in entry ? entry.taskId : undefined;
		this.entries[index] = { state: 'finished', outputs, taskId };
	}

	/**
	 * Records the error of an item.
	 *
	 * @returns the error as the user gets it, with the task's ID and whether the item is, or may be, charged
	 */
	failed(index: number, error: unknown): unknown {
		const entry = this.entries[index];
		if (entry?.state === 'created') return itemError(error, { outcome: 'charged', taskId: entry.taskId });
		// An equal call of an agent's tool, at the same time, may have removed the entry of one that may be charged.
		if (entry?.state !== 'requested' && !(error instanceof ApiError && mayBeCharged(error))) return error;
		const known = entry?.state === 'requested' ? entry : { state: 'requested' as const };
		if (!known.mayBeCharged && !mayBeCharged(error)) {
			delete this.entries[index];
			return error;
		}
		const kind = known.key === undefined ? 'charge' : 'keyed';
		const complete = itemError(error, { outcome: 'unknown', kind });
		const details = complete instanceof ApiError ? complete.details : known.error;
		this.entries[index] = { ...known, mayBeCharged: true, ...(details ? { error: details } : {}) };
		return complete;
	}

	/**
	 * Names what is, or may be, paid for, and is missing from the output of a node that ends early.
	 *
	 * @param failed the item whose error ends the node, and says this of itself
	 */
	paidNote(failed?: number): string {
		let text = '';
		const others = Object.entries(this.entries).filter(([index]) => Number(index) !== failed);
		const unknown = others.flatMap(([index, { state }]) => (state === 'requested' ? [index] : []));
		if (unknown.length > 0) {
			const [noun, pronoun] = unknown.length === 1 ? ['item', 'it'] : ['items', 'they'];
			text += ` The outcome of ${noun} ${unknown.join(', ')} is unknown: ${pronoun} may have been charged.`;
		}
		const tasks = others.flatMap(([, entry]) => ('taskId' in entry && entry.taskId) || []);
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
		for (const entry of Object.values(this.entries)) {
			// Copies: n8n changes what a node returns.
			if (entry.state === 'finished') entry.outputs = entry.outputs.map((item) => ({ ...item }));
		}
		this.save();
	}

	/** Removes the run from the node's context. */
	clear(): void {
		const others = omit(this.runs, this.identity.run);
		if (Object.keys(others).length > 0) this.store[KEY] = others;
		else delete this.store[KEY];
	}

	private save(): void {
		this.store[KEY] = { ...this.runs, [this.identity.run]: this.stored };
	}

	private get runs(): JsonObject {
		return asObject(this.store[KEY]) ?? {};
	}

	private claimKey(index: number, key: string, content: string): boolean {
		const keys = (this.stored.keys ??= {});
		const known = keys[key] ?? { index, content };
		if (known.index !== index && known.content !== content) return false;
		keys[key] = { index: known.index, content };
		return true;
	}

	private get entries(): StoredRun['entries'] {
		return this.stored.entries;
	}
}

/** Another version of the package may have stored something else. */
function storedRun(value: unknown): StoredRun | undefined {
	const { executionId, entries } = asObject(value) ?? {};
	if (typeof executionId !== 'string' || !asObject(entries)) return undefined;
	return value as StoredRun;
}
