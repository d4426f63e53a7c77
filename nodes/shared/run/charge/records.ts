import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { GatewayClient } from '../../gateway/client/client';
import { Limiter } from '../../gateway/client/limits';
import { isFailedTask } from '../../gateway/endpoints/tasks';
import { ApiError, StoppedError } from '../../gateway/errors/errors';
import { fieldOf, setField, type Json, type JsonObject } from '../../gateway/util/json';
import { storedContext, workflowSettings } from '../../n8n/context';
import type { Declarations } from '../../params/parameter';
import { ItemKeys } from './itemKeys';
import { digest, executionRoot, writtenDigest } from './keys';
import { isOwnKeyName, openKey, ownKeyName, sealKey } from './ownKeys';
import type { Ledger } from './ledger';
import { itemError } from '../nodeError';
import type { ItemRecord } from './record';
import { mayBeCharged } from './words';

/** The idempotency key (§4.6) of a task. */
export interface TaskKey {
	/** The header's value. */
	sent: string;
	/** As n8n stores it with the item, see `ownKeyName`. */
	stored: string;
	/** As the ledger has it: a part of its digest; that of a user is for one account. */
	ledger: string;
	/** That of a user, see `sealKey`. */
	sealed?: string;
}

/** Keys end in a digest. */
const inLedger = (key: string) => key.slice(-32);

interface StoredRun {
	executionId: string;
	/** See {@link writtenDigest}. */
	written: string;
	/** The size of all outputs, in characters of JSON. */
	size: number;
	/** By the index of the item. */
	items: Record<string, ItemRecord>;
}

/** What this process has of a run: outputs that are too large to be stored, and the turn of equal creations of a tool. */
const inProcess = new WeakMap<
	StoredRun,
	{ outputs: WeakMap<ItemRecord, INodeExecutionData[]>; creations: Limiter }
>();

/** The most that the outputs of a node may add to what n8n stores, in characters: much more takes its memory. */
const MAX_OUTPUTS = 16 * 1024 * 1024;

/**
 * What a run of the node has sent, item by item, written before the act. It is kept in the node's context, which n8n stores with
 * the execution and copies into its *Retry*: the node may run again with *Retry On Fail*, after a pause of the execution, and
 * in a retry.
 */
export class Records {
	readonly keys: ItemKeys;
	private readonly store: Record<string, unknown>;
	private readonly name: string;
	private readonly stored: StoredRun;
	/** n8n does not redact what is stored beside the items. */
	private readonly keepsOutputs: boolean;
	private readonly notKept = new Set<number>();

	/**
	 * @param run identifies the run of the node within the execution; several may be open in an agent
	 * @param ownStore where the records are instead, whatever the execution
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		declared: Declarations,
		run: string,
		private readonly ledger: Ledger,
		ownStore?: Record<string, unknown>,
	) {
		const { name, parameters } = context.getNode();
		const written = writtenDigest(parameters, declared);
		const execution = ownStore ? undefined : context.getWorkflowDataProxy(0).$execution;
		const executionId = (ownStore ? undefined : context.getExecutionId()) ?? '';
		this.store = ownStore ?? storedContext(context, 'node') ?? {};
		this.name = `aiGatewayItems ${run}`;
		this.keepsOutputs = (workflowSettings(context).redactionPolicy ?? 'none') === 'none';
		const node = [executionRoot(execution, this.store), name];
		this.keys = new ItemKeys(this.store, node, [written, run], (key) =>
			ledger.hasFailedBefore(inLedger(key)),
		);
		// Nothing else writes to the name.
		const stored = fieldOf(this.store, this.name) as StoredRun | undefined;
		// Somebody may have edited the node: the ledger knows the tasks that it asks for again.
		if (stored?.written === written) this.stored = stored;
		else this.stored = setField(this.store, this.name, { executionId, written, size: 0, items: {} });
		if (this.stored.executionId !== executionId) this.beginRetry(executionId);
	}

	/** One after the other: at once, a call that is refused would remove the record of an equal one that is lost. */
	get creations(): Limiter {
		return this.inProcess.creations;
	}

	private get inProcess() {
		const known = inProcess.get(this.stored) ?? { outputs: new WeakMap(), creations: new Limiter(1) };
		inProcess.set(this.stored, known);
		return known;
	}

	/** What earlier tries, or this one, have sent for an item. */
	get(index: number): ItemRecord | undefined {
		return this.stored.items[index];
	}

	put(index: number, news: Partial<ItemRecord> & Pick<ItemRecord, 'state'>): ItemRecord {
		return (this.stored.items[index] = Object.assign(this.get(index) ?? {}, news));
	}

	/** Notes that the gateway has returned the task of an item. */
	found(index: number): void {
		Object.assign(this.get(index) ?? {}, { isFound: true });
	}

	/** Adds a hint about an item that is sent. */
	addHint(index: number, text: string): void {
		const record = this.get(index);
		if (record) record.hints = [...(record.hints ?? []), text];
	}

	/** The hints about all items: one that several have says how many. */
	get hints(): string[] {
		const counts = new Map<string, number>();
		for (const text of this.others().flatMap(([, { hints = [] }]) => [...new Set(hints)]))
			counts.set(text, (counts.get(text) ?? 0) + 1);
		return [...counts].map(([text, count]) => (count > 1 ? `${text} (${count} items)` : text));
	}

	/** No later attempt takes the outputs of an item. */
	keepNothing(index: number): void {
		this.notKept.add(index);
	}

	/** Notes a call that costs money, before it is sent. */
	sent(index: number, account: string, taskKey?: TaskKey): ItemRecord {
		// Equal texts of an agent at the same time are charged one by one.
		if (!taskKey) return (this.stored.items[index] = { state: 'sent', account });
		// A task that may exist already still may when this request is refused.
		const isUnknown = this.get(index)?.state === 'unknown';
		const { stored: key, sealed: sealedKey } = taskKey;
		const state = isUnknown ? 'unknown' : 'sent';
		const record = this.put(index, { state, account, key, ...(sealedKey !== undefined && { sealedKey }) });
		// From here on, this execution pays.
		delete record.isBefore;
		return record;
	}

	/** Notes the task of an item, which from then on is known by its ID. */
	created(index: number, taskKey: TaskKey, taskId: string, response: JsonObject): void {
		const record = this.put(index, { state: 'charged', taskId, response });
		delete record.sealedKey;
		this.ledger.created(taskKey.ledger, taskId);
	}

	/** An item was not charged. */
	remove(index: number): void {
		delete this.stored.items[index];
	}

	/** Makes the key of an item, and finds the task that an earlier run has made with it. Is called in the order of the items, before the first request. */
	assignKey(index: number, request: Json): void {
		this.keys.assign(index, request);
		if (this.get(index)) return;
		const key = this.keys.key(index);
		const call = this.ledger.find(inLedger(key));
		if (!call) return;
		const { account, taskId } = call;
		const task = taskId === undefined ? { state: 'unknown' as const } : { state: 'charged' as const, taskId };
		this.stored.items[index] = { ...task, account, key, isBefore: this.ledger.isBefore(call) };
	}

	/** The key of an item: the same in each attempt, also if that of the user (`own`) changes, as with `$now`. */
	taskKey(index: number, own: string | undefined, { account, settings }: GatewayClient): TaskKey {
		const { key, sealedKey } = this.get(index) ?? {};
		const stored = key ?? (own === undefined ? this.keys.key(index) : ownKeyName(own));
		if (own === undefined || !isOwnKeyName(stored)) return { sent: stored, stored, ledger: inLedger(stored) };
		const [secret = ''] = settings.secrets;
		const sent = stored === ownKeyName(own) ? own : (openKey(sealedKey, secret) ?? own);
		return { sent, stored, ledger: inLedger(digest([stored, account])), sealed: sealKey(sent, secret) };
	}

	/** Notes that an item has its outputs, if nothing is noted yet. */
	done(index: number, outputs: INodeExecutionData[]): void {
		if (this.notKept.has(index) || this.get(index)?.outputs !== undefined) return;
		// With the bytes of files that n8n keeps in memory.
		const size = this.keepsOutputs ? JSON.stringify(outputs).length : Infinity;
		const record = this.put(index, { state: 'done' });
		if (this.stored.size + size > MAX_OUTPUTS) this.inProcess.outputs.set(record, outputs);
		else {
			this.stored.size += size;
			record.outputs = outputs;
		}
	}

	/** What an item gave, if its files are still there, also those that the gateway keeps until `expiresAt` (§2.7). */
	async outputs(index: number): Promise<INodeExecutionData[] | undefined> {
		const record = this.get(index);
		const outputs = record?.outputs ?? (record && this.inProcess.outputs.get(record));
		if (!outputs || !record?.isBefore) return outputs;
		const files = outputs.flatMap(({ binary = {} }) => Object.values(binary));
		const hasExpired = outputs.some(({ json }) => Date.parse(String(json.expiresAt)) < Date.now());
		try {
			for (const { id } of files) if (id !== undefined) await this.context.helpers.getBinaryMetadata(id);
			if (!hasExpired) return outputs;
		} catch {
			// It is gone.
		}
		delete record.outputs;
		return undefined;
	}

	/** Adds to the error of an item what the user is to know: its task's ID, and whether it is, or may be, charged. */
	failed(index: number, error: unknown): unknown {
		const record = this.get(index);
		const { taskId, key } = record ?? {};
		// Without a record, an equal call of an agent's tool, at the same time, may have removed it.
		const isSent = record !== undefined || error instanceof ApiError;
		const wasUnknown = record?.error !== undefined || record?.state === 'unknown';
		const isUnknown = wasUnknown || (isSent && mayBeCharged(error));
		if (taskId === undefined && !isUnknown) {
			this.remove(index);
			return error;
		}
		const kind = key === undefined ? 'charge' : 'keyed';
		const complete = itemError(error, taskId ? { outcome: 'charged', taskId } : { outcome: 'unknown', kind });
		const state = complete.details.outcome === 'charged' ? 'charged' : 'unknown';
		const { extra, ...details } = complete.details;
		const kept = this.keepsOutputs ? extra : { state: extra?.state };
		this.put(index, { state, error: { ...details, extra: kept } });
		return error instanceof StoppedError || isFailedTask(error) ? error : complete;
	}

	others(failed?: number): Array<[index: string, record: ItemRecord]> {
		return Object.entries(this.stored.items).filter(([index]) => Number(index) !== failed);
	}

	/** Ends the run of a tool, whose call an agent may repeat: its tasks are kept, and what may be charged. */
	endTool(): void {
		for (const [index, record] of this.others()) {
			delete record.outputs;
			this.inProcess.outputs.delete(record);
			if (record.taskId === undefined && record.state === 'done') this.remove(Number(index));
		}
	}

	/** Removes the run from the node's context: no try can follow. */
	clear(): void {
		delete this.store[this.name];
	}

	/** In a manual retry, texts without a result are sent again: the error said that they may have been charged. */
	private beginRetry(executionId: string): void {
		this.stored.executionId = executionId;
		for (const [index, record] of this.others()) {
			const { key, taskId, error, outputs } = record;
			const hasFailed = error?.extra?.state === 'fail';
			delete record.costRub;
			record.isBefore = true;
			// n8n has stopped while it was sent.
			if (record.state === 'sent') record.state = 'unknown';
			if (hasFailed || (!outputs && (key ?? taskId) === undefined)) this.remove(Number(index));
		}
	}
}
