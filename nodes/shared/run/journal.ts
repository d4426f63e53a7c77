import { createHash } from 'node:crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, type ApiErrorDetails } from '../gateway/errors/errors';
import { asNumber, asObject, canonicalJson, omit, type Json, type JsonObject } from '../gateway/util/json';
import { storedContext } from '../n8n/features';
import { itemError, mayBeCharged } from './itemError';

/** Key in the node's context, which lives in the execution's data and is the same in each try. */
const KEY = 'aiGatewayJournal';

/** n8n's own bounds for *Max. Tries*. */
const MIN_TRIES = 2;
const MAX_TRIES = 5;
const DEFAULT_TRIES = 3;

/** A creation as it is sent. Plain data: a further try sends it again as it is. */
export interface Creation {
	/** Its idempotency key (§4.6). */
	key: string;
	body: JsonObject;
	/** What the operation does with the task. */
	plan: JsonObject;
}

/** What is known of an item that has been sent. An item without an entry was not sent, or was rejected. */
export type Entry =
	/** Sent. It may be charged: its outcome is not known yet, or never will be. */
	| { state: 'requested'; creation?: Creation; mayBeCharged?: boolean; error?: ApiErrorDetails }
	/** The task exists and is paid for. */
	| { state: 'created'; creation?: Creation | undefined; taskId: string; response: JsonObject }
	| { state: 'finished'; outputs: INodeExecutionData[]; taskId?: string };

/** The journal of one item, for its operation. */
export interface ItemJournal {
	/** What an earlier try has sent for the item, which is to be repeated as it is. */
	readonly sent: Creation | undefined;
	/** The task of the item, and the response to its creation. */
	readonly task: { taskId: string; response: JsonObject } | undefined;
	/** Is called before a call that costs money is sent. A call without `creation` cannot be repeated safely. */
	requested(creation?: Creation): void;
	/** Is called when a task exists and is paid for. */
	created(taskId: string, response: JsonObject): void;
	/** Whether an idempotency key of the user is new in this run, or was used for the same content. */
	isKeyOf(key: string, content: Json): boolean;
}

interface StoredRun {
	executionId: string;
	tries: number;
	entries: Record<string, Entry>;
	/** The digest of the content that each idempotency key of the user was used for. */
	keys?: Array<[key: string, digest: string]>;
}

/**
 * What a run of the node is doing, item by item, written before the act. While another try of *Retry On Fail* may
 * follow, it is kept in the node's context.
 */
export class RunJournal {
	private readonly store: Record<string, unknown>;
	private readonly maxTries: number;
	private readonly stored: StoredRun;
	private readonly keys: Map<string, string>;

	/** @param identity.run identifies the run of the node within the execution; several may be open in an agent */
	constructor(
		context: Pick<IExecuteFunctions, 'getContext' | 'getNode'>,
		private readonly identity: { executionId: string; run: string },
	) {
		const { retryOnFail, maxTries } = context.getNode();
		this.store = storedContext(context, 'node') ?? {};
		this.maxTries = retryOnFail ? Math.min(MAX_TRIES, Math.max(MIN_TRIES, maxTries || DEFAULT_TRIES)) : 1;
		const earlier = storedRun(this.runs[identity.run]);
		const { executionId } = identity;
		this.stored =
			earlier?.executionId === executionId
				? { ...earlier, tries: earlier.tries + 1 }
				: { executionId, tries: 1, entries: {} };
		this.keys = new Map(this.stored.keys);
		if (this.maxTries > 1) this.save();
	}

	/** Whether n8n runs the node again when this try fails. */
	get hasNextTry(): boolean {
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
		if (entry?.state !== 'requested' || entry.creation || !entry.error) return undefined;
		return new ApiError(entry.error);
	}

	item(index: number): ItemJournal {
		const entry = this.entry(index);
		const task = entry?.state === 'created' ? entry : undefined;
		const earlier = entry?.state === 'requested' ? entry : undefined;
		return {
			sent: (task ?? earlier)?.creation,
			task,
			requested: (creation) => {
				// An earlier try may have been charged: that is kept.
				this.write(index, { ...earlier, state: 'requested', ...(creation ? { creation } : {}) });
			},
			isKeyOf: (key, content) => this.isKeyOf(key, content),
			created: (taskId, response) => {
				const known = this.entry(index);
				const creation = known?.state === 'requested' ? known.creation : undefined;
				this.write(index, { state: 'created', creation, taskId, response });
			},
		};
	}

	/** Records that an item has succeeded. */
	succeeded(index: number): void {
		if (this.entry(index)?.state === 'requested') this.remove(index);
	}

	/** Keeps the journal, and the outputs of items, which the next try must not send again. */
	keep(outputs: ReadonlyMap<number, readonly INodeExecutionData[]>): void {
		if (this.maxTries === 1) return;
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

	/** Records the tasks of a suspended execution that is resumed. */
	resumed(tasks: ReadonlyMap<number, string>): void {
		for (const [index, taskId] of tasks) {
			if (!this.entry(index)) this.item(index).created(taskId, {});
		}
	}

	/**
	 * Records the error of an item.
	 *
	 * @returns the error as the user gets it, with the task's ID and whether the item is, or may be, charged
	 */
	failed(index: number, error: unknown): unknown {
		const entry = this.entry(index) ?? chargedEntry(error);
		if (entry?.state !== 'requested') return itemError(error, entry?.state === 'created' ? entry : {});
		if (!entry.mayBeCharged && !mayBeCharged(error)) {
			this.remove(index);
			return error;
		}
		const told = itemError(error, { mayBeCharged: true });
		const details = told instanceof ApiError ? told.details : entry.error;
		this.write(index, { ...entry, mayBeCharged: true, ...(details ? { error: details } : {}) });
		return told;
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

	private isKeyOf(key: string, content: Json): boolean {
		const digest = createHash('sha256').update(canonicalJson(content)).digest('hex');
		const known = this.keys.get(key);
		if (known !== undefined) return known === digest;
		this.keys.set(key, digest);
		(this.stored.keys ??= []).push([key, digest]);
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

/** An equal call of an agent's tool, at the same time, may have removed the entry. */
function chargedEntry(error: unknown): Entry | undefined {
	return error instanceof ApiError && error.details.mayBeCharged ? { state: 'requested' } : undefined;
}

/** Another version of the package may have stored something else. */
function storedRun(value: unknown): StoredRun | undefined {
	const { executionId, tries, entries } = asObject(value) ?? {};
	const known = asObject(entries);
	if (typeof executionId !== 'string' || asNumber(tries) === undefined || !known) return undefined;
	return value as StoredRun;
}
