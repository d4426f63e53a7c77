import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { Limiter } from '../../gateway/client/limits';
import { isFailedTask } from '../../gateway/endpoints/tasks';
import { ApiError, StoppedError } from '../../gateway/errors/errors';
import { fieldOf, setField, type Json, type JsonObject } from '../../gateway/util/json';
import { storedContext, workflowSettings } from '../../n8n/context';
import type { Declarations } from '../../params/parameter';
import { ItemKeys } from './itemKeys';
import { executionRoot, isOwnKeyName, openKey, ownKeyName, writtenDigest } from './keys';
import type { Ledger } from './ledger';
import { itemError } from '../nodeError';
import type { ItemRecord } from './record';
import { mayBeCharged } from './words';

interface StoredRun {
	executionId: string;
	/** See {@link writtenDigest}. */
	call: string;
	/** The size of all outputs, in characters of JSON. */
	size: number;
	/** By the index of the item. */
	items: Record<string, ItemRecord>;
}

/** Outputs that are not stored, for the tries of an execution. */
const unstored = new WeakMap<ItemRecord, INodeExecutionData[]>();

/** The creations of equal calls of a tool, in this process. */
const creations = new WeakMap<StoredRun, Limiter>();

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
		const call = writtenDigest(parameters, declared);
		const execution = ownStore ? undefined : context.getWorkflowDataProxy(0).$execution;
		const executionId = (ownStore ? undefined : context.getExecutionId()) ?? '';
		this.store = ownStore ?? storedContext(context, 'node') ?? {};
		this.name = `aiGatewayItems ${run}`;
		this.keepsOutputs = (workflowSettings(context).redactionPolicy ?? 'none') === 'none';
		const node = [executionRoot(execution, this.store), name];
		this.keys = new ItemKeys(this.store, node, [call, run], (key) => ledger.hasFailedBefore(key));
		// Nothing else writes to the name.
		const stored = fieldOf(this.store, this.name) as StoredRun | undefined;
		// Somebody may have edited the node: the ledger knows the tasks that it asks for again.
		if (stored?.call === call) this.stored = stored;
		else this.stored = setField(this.store, this.name, { executionId, call, size: 0, items: {} });
		if (this.stored.executionId !== executionId) this.beginRetry(executionId);
	}

	/** One after the other: at once, a call that is refused would remove the record of an equal one that is lost. */
	get creations(): Limiter {
		const limiter = creations.get(this.stored) ?? new Limiter(1);
		creations.set(this.stored, limiter);
		return limiter;
	}

	/** What earlier tries, or this one, have sent for an item. */
	get(index: number): ItemRecord | undefined {
		return this.stored.items[index];
	}

	put(index: number, news: Partial<ItemRecord> & Pick<ItemRecord, 'state'>): ItemRecord {
		return (this.stored.items[index] = Object.assign(this.get(index) ?? {}, news));
	}

	/** Notes what is found out of an item that is sent: hints say it also where a later try takes its output. */
	note(index: number, news: Pick<ItemRecord, 'hint' | 'isFallback' | 'isFound'>): void {
		Object.assign(this.get(index) ?? {}, news);
	}

	/**
	 * Notes a call that costs money, before it is sent.
	 *
	 * @param key that of a task, as it is stored
	 * @param sealedKey see `sealKey`
	 */
	sent(index: number, account: string, key?: string, sealedKey?: string): ItemRecord {
		// Equal texts of an agent at the same time are charged one by one.
		if (key === undefined) return (this.stored.items[index] = { state: 'sent', account });
		// A task that may exist already still may when this request is refused.
		const isUnknown = this.get(index)?.state === 'unknown';
		const record = this.put(index, {
			state: isUnknown ? 'unknown' : 'sent',
			account,
			key,
			...(sealedKey !== undefined && { sealedKey }),
		});
		delete record.isBefore;
		return record;
	}

	/** Notes the task of an item, which from then on is known by its ID. */
	created(index: number, taskId: string, response: JsonObject): void {
		const record = this.put(index, { state: 'charged', taskId, response });
		delete record.sealedKey;
	}

	/** An item was not charged. */
	remove(index: number): void {
		delete this.stored.items[index];
	}

	/** Is called in the order of the items, before the first request. A task of the same request is found again. */
	planned(index: number, request: Json): void {
		this.keys.plan(index, request);
		if (this.get(index)) return;
		const key = this.keys.key(index);
		const call = this.ledger.find(key);
		if (!call) return;
		const { account, taskId } = call;
		const task = taskId === undefined ? { state: 'unknown' as const } : { state: 'charged' as const, taskId };
		this.stored.items[index] = { ...task, account, key, isBefore: this.ledger.isBefore(call) };
	}

	/**
	 * The idempotency key (§4.6) of an item: the same in each attempt, also if that of the user (`own`) changes, as with `$now`.
	 *
	 * @param secret the API key of the account
	 */
	key(index: number, own?: string, secret = ''): string {
		const { key, sealedKey } = this.get(index) ?? {};
		if (key === undefined) return own ?? this.keys.key(index);
		if (own === undefined || !isOwnKeyName(key)) return key;
		return key === ownKeyName(own) ? own : (openKey(sealedKey, secret) ?? own);
	}

	done(index: number, outputs: INodeExecutionData[]): void {
		// With the bytes of files that n8n keeps in memory.
		const size = this.keepsOutputs ? JSON.stringify(outputs).length : Infinity;
		const record = this.put(index, { state: 'done' });
		if (this.stored.size + size > MAX_OUTPUTS) unstored.set(record, outputs);
		else {
			this.stored.size += size;
			record.outputs = outputs;
		}
	}

	/** What an item gave, if its files are still there, also those that the gateway keeps until `expiresAt` (§2.7). */
	async outputs(index: number): Promise<INodeExecutionData[] | undefined> {
		const record = this.get(index);
		const outputs = record?.outputs ?? (record && unstored.get(record));
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
			unstored.delete(record);
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
			if (hasFailed || (!outputs && (key ?? taskId) === undefined)) this.remove(Number(index));
		}
	}
}
