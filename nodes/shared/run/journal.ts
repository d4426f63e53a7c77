import { createHash } from 'node:crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, type ApiErrorDetails } from '../gateway/errors/errors';
import { asObject, canonicalJson, omit, type Json, type JsonObject } from '../gateway/util/json';
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
	| { state: 'finished'; outputs: INodeExecutionData[]; taskId?: string };

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
	/**
	 * Registers the user's key for this content; false if it stands for other content in this run. A rejected creation
	 * of the item itself does not count.
	 */
	claimKey(key: string, content: Json): boolean;
	/** Is called when a task exists and is paid for. */
	created(taskId: string, response: JsonObject): void;
}

interface StoredRun {
	executionId: string;
	tries: number;
	entries: Record<string, Entry>;
	/** What each idempotency key of the user stands for, and the item that used it first. */
	keys?: Record<string, { index: number; digest: string }>;
}

/**
 * What a run of the node is doing, item by item, written before the act. It is kept in the node's context while n8n may
 * run the node again, with *Retry On Fail* or after a pause of the execution.
 */
export class RunJournal {
	/** Within n8n's own bounds. */
	private readonly maxTries: number;
	private readonly store: Record<string, unknown>;
	private readonly stored: StoredRun;

	/** @param identity.run identifies the run of the node within the execution; several may be open in an agent */
	constructor(
		context: IExecuteFunctions,
		private readonly identity: { executionId: string; run: string },
	) {
		this.store = storedContext(context, 'node') ?? {};
		const earlier = storedRun(this.runs[identity.run]);
		const { executionId } = identity;
		this.stored = earlier?.executionId === executionId ? earlier : { executionId, tries: 0, entries: {} };
		const { retryOnFail, maxTries } = context.getNode();
		this.maxTries = retryOnFail ? Math.min(5, Math.max(2, maxTries || 3)) : 1;
		if (this.isRetried) this.save();
	}

	/** Whether *Retry On Fail* is on. */
	get isRetried(): boolean {
		return this.maxTries > 1;
	}

	/**
	 * Counts a try whose items have ended. One that could not begin does not count: n8n may not count it either.
	 *
	 * @returns whether *Retry On Fail* may run the node again
	 */
	endTry(): boolean {
		this.stored.tries += 1;
		return this.stored.tries < this.maxTries;
	}

	/** The outputs of an item that an earlier try has finished. */
	finishedOutputs(index: number): INodeExecutionData[] | undefined {
		const entry = this.entry(index);
		return entry?.state === 'finished' ? entry.outputs.map((item) => ({ ...item })) : undefined;
	}

	/** The error of an item whose call may be charged and cannot be repeated. */
	lastError(index: number): ApiError | undefined {
		const entry = this.entry(index);
		if (entry?.state !== 'requested' || entry.key !== undefined || !entry.error) return undefined;
		return new ApiError(entry.error);
	}

	item(index: number): ItemJournal {
		const entry = this.entry(index);
		const task = entry?.state === 'created' ? entry : undefined;
		const earlier = entry?.state === 'requested' ? entry : undefined;
		return {
			sentKey: (task ?? earlier)?.key,
			task,
			// An earlier try may have been charged: that is kept.
			requested: (key) => this.write(index, { ...earlier, state: 'requested', key }),
			claimKey: (key, content) => this.claimKey(index, key, content),
			created: (id, response) => {
				const known = this.entry(index);
				const key = known?.state === 'requested' ? known.key : undefined;
				this.write(index, { state: 'created', key, taskId: id, response });
			},
		};
	}

	/** Records that an item has succeeded. */
	succeeded(index: number): void {
		if (this.entry(index)?.state === 'requested') this.remove(index);
	}

	/** Keeps the journal for the next run of the node, with outputs of items that are not to be sent again. */
	keep(outputs: ReadonlyMap<number, readonly INodeExecutionData[]>): void {
		for (const [index, items] of outputs) {
			const entry = this.entry(index);
			const taskId = entry && 'taskId' in entry ? entry.taskId : undefined;
			this.write(index, {
				state: 'finished',
				// Copies: n8n changes the arrays that a node returns.
				outputs: items.map((item) => ({ ...item })),
				...(taskId === undefined ? {} : { taskId }),
			});
		}
		this.save();
	}

	/** Keeps the journal for the run after a pause, for which n8n counts the tries from 1 again. */
	pause(outputs: ReadonlyMap<number, readonly INodeExecutionData[]>): void {
		this.stored.tries = 0;
		this.keep(outputs);
	}

	/**
	 * Records the error of an item.
	 *
	 * @returns the error as the user gets it, with the task's ID and whether the item is, or may be, charged
	 */
	failed(index: number, error: unknown): unknown {
		const entry = this.entry(index);
		if (entry?.state === 'created') return itemError(error, { outcome: 'charged', taskId: entry.taskId });
		// An equal call of an agent's tool, at the same time, may have removed the entry of one that may be charged.
		if (entry?.state !== 'requested' && !(error instanceof ApiError && mayBeCharged(error))) return error;
		const known = entry?.state === 'requested' ? entry : { state: 'requested' as const };
		if (!known.mayBeCharged && !mayBeCharged(error)) {
			this.remove(index);
			return error;
		}
		const kind = known.key === undefined ? 'charge' : 'keyed';
		const complete = itemError(error, { outcome: 'unknown', kind });
		const details = complete instanceof ApiError ? complete.details : known.error;
		this.write(index, { ...known, mayBeCharged: true, ...(details ? { error: details } : {}) });
		return complete;
	}

	/** The tasks that exist and are paid for, by item. */
	get tasks(): ReadonlyMap<number, string> {
		const tasks = this.entries.flatMap(([index, entry]) =>
			'taskId' in entry && entry.taskId !== undefined ? [[index, entry.taskId] as const] : [],
		);
		return new Map(tasks);
	}

	/** The items whose outcome is unknown: they may be charged. */
	get unknown(): number[] {
		return this.entries.flatMap(([index, { state }]) => (state === 'requested' ? [index] : []));
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

	private get entries(): Array<[index: number, entry: Entry]> {
		return Object.entries(this.stored.entries).map(([index, entry]) => [Number(index), entry]);
	}

	private claimKey(index: number, key: string, content: Json): boolean {
		const digest = createHash('sha256').update(canonicalJson(content)).digest('hex');
		const keys = (this.stored.keys ??= {});
		const known = keys[key] ?? { index, digest };
		const isOwn = known.index === index && !this.entry(index);
		if (known.digest !== digest && !isOwn) return false;
		keys[key] = { index: known.index, digest };
		return true;
	}

	private entry(index: number): Entry | undefined {
		return this.stored.entries[String(index)];
	}

	private write(index: number, entry: Entry): void {
		this.stored.entries[String(index)] = entry;
	}

	private remove(index: number): void {
		delete this.stored.entries[String(index)];
	}
}

/** Another version of the package may have stored something else. */
function storedRun(value: unknown): StoredRun | undefined {
	const { executionId, tries, entries } = asObject(value) ?? {};
	if (typeof executionId !== 'string' || typeof tries !== 'number' || !asObject(entries)) return undefined;
	return value as StoredRun;
}
