import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isFailedTask } from '../../gateway/endpoints/tasks';
import { ApiError, StoppedError } from '../../gateway/errors/errors';
import { fieldOf, omit, setField, type Json } from '../../gateway/util/json';
import { addToTotal } from '../../gateway/util/money';
import { storedContext, workflowSettings } from '../../n8n/context';
import { digest, executionRoot, idempotencyKey, writtenDigest } from './keys';
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

/** Key in the node's context, where it has tasks. */
const REQUESTS = 'aiGatewayRequests';
const DIGEST_LENGTH = 16;

/** How often each request, by a part of its digest, stands among the items of a run, and of all runs before it. */
interface Requests {
	run: string;
	now: Record<string, number>;
	before: Record<string, number>;
}

/** Key in the node's context: idempotency keys whose task has failed. */
const USED_UP = 'aiGatewayUsedKeys';

/** The most that the outputs of a node may add to what n8n stores, in characters: much more takes its memory. */
const MAX_OUTPUTS = 16 * 1024 * 1024;

/**
 * What a run of the node has sent, item by item, written before the act. It is kept in the node's context, which n8n stores with
 * the execution and copies into its *Retry*: the node may run again with *Retry On Fail*, after a pause of the execution, and
 * in a retry.
 */
export class Records {
	private readonly store: Record<string, unknown>;
	private stored: StoredRun;
	/** The tasks of the node before somebody edited it, also those that may exist, by their keys. */
	private readonly former = new Map<string, ItemRecord>();
	private readonly name: string;
	/** The beginning of what all keys of the node are made of. */
	private readonly origin: readonly string[];
	/** What identifies the run in the execution. */
	private readonly position: readonly string[];
	private readonly keys = new Map<number, string>();
	private readonly usedUp: Record<string, true>;
	private requests: Requests | undefined;
	/** n8n does not redact what is stored beside the items. */
	private readonly keepsOutputs: boolean;

	/**
	 * @param run identifies the run of the node within the execution; several may be open in an agent
	 * @param ownStore where the records are instead, whatever the execution
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly run: string,
		ownStore?: Record<string, unknown>,
	) {
		const { name } = context.getNode();
		this.store = ownStore ?? storedContext(context, 'node') ?? {};
		this.name = `aiGatewayItems ${run}`;
		const call = writtenDigest(context.getNode());
		const execution = ownStore ? undefined : context.getWorkflowDataProxy(0).$execution;
		this.origin = [executionRoot(execution, this.store), name];
		this.position = [...this.origin, call, run];
		this.usedUp = (this.store[USED_UP] ??= {}) as typeof this.usedUp;
		const executionId = (ownStore ? undefined : context.getExecutionId()) ?? '';
		// Nothing else writes to the name.
		const now: StoredRun = { executionId, call, size: 0, items: {} };
		this.stored = (fieldOf(this.store, this.name) ?? setField(this.store, this.name, now)) as StoredRun;
		this.keepsOutputs = (workflowSettings(context).redactionPolicy ?? 'none') === 'none';
		if (this.stored.executionId !== executionId) this.beginRetry(executionId);
		if (this.stored.call === call) return;
		// Somebody has edited the node: what it asks for again is in the tasks of the others.
		for (const { state, ...record } of Object.values(this.stored.items)) {
			if (record.key === undefined) continue;
			const isCharged = record.taskId !== undefined;
			this.former.set(record.key, { ...omit(record, 'outputs'), state: isCharged ? 'charged' : state });
		}
		this.stored = setField(this.store, this.name, now);
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

	/** Notes a call that costs money, before it is sent. */
	sent(index: number, account: string, key: string | undefined): ItemRecord {
		// Equal texts of an agent at the same time are charged one by one.
		if (key === undefined) return (this.stored.items[index] = { state: 'sent', account });
		const record = this.put(index, { state: 'sent', account, key });
		delete record.isBefore;
		return record;
	}

	/** An item was not charged. */
	remove(index: number): void {
		delete this.stored.items[index];
	}

	/** Is called in the order of the items, before the first request: equal requests of the execution have a key each. */
	planned(index: number, request: Json): void {
		const content = digest(request);
		const short = content.slice(0, DIGEST_LENGTH);
		const { now, before } = (this.requests ??= this.countAnew());
		const count = fieldOf(now, short) ?? 0;
		setField(now, short, count + 1);
		this.keys.set(index, idempotencyKey([...this.origin, content, (fieldOf(before, short) ?? 0) + count]));
		const former = this.former.get(this.key(index));
		if (former) this.stored.items[index] ??= former;
	}

	/** Begins to count the requests of the run, also if a try has counted them. */
	private countAnew(): Requests {
		const { run } = this;
		const stored = (this.store[REQUESTS] ??= { run, now: {}, before: {} }) as Requests;
		if (stored.run !== run) {
			for (const [short, count] of Object.entries(stored.now))
				setField(stored.before, short, (fieldOf(stored.before, short) ?? 0) + count);
		}
		return Object.assign(stored, { run, now: {} });
	}

	/** The idempotency key (§4.6): the same in each try, also if that of the user (`own`) changes, as with `$now`. */
	key(index: number, own?: string): string {
		const known = this.get(index)?.key ?? own;
		if (known !== undefined) return known;
		let key = this.keys.get(index) ?? this.positionOf(index);
		while (fieldOf(this.usedUp, key)) key = idempotencyKey([key]);
		return key;
	}

	/** The task of an item has failed: the next creation has another key. */
	private useUp(index: number): void {
		const { key } = this.get(index) ?? {};
		if (key !== undefined) setField(this.usedUp, key, true);
		this.remove(index);
	}

	/** Where an item is in the workflow, as it is written. */
	positionOf(index: number): string {
		return idempotencyKey([...this.position, index]);
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
		const isUnknown = record?.error !== undefined || (isSent && mayBeCharged(error));
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

	get costRub(): string {
		return Object.values(this.stored.items).reduce((sum, { costRub = '0' }) => addToTotal(sum, costRub), '0');
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

	/** A person has retried the execution, and has read what may be charged: texts without a result are sent again. */
	private beginRetry(executionId: string): void {
		this.stored.executionId = executionId;
		for (const [index, record] of this.others()) {
			const { key, taskId, error, outputs } = record;
			const hasFailed = error?.extra?.state === 'fail';
			delete record.costRub;
			record.isBefore = true;
			if (hasFailed) this.useUp(Number(index));
			else if (!outputs && (key ?? taskId) === undefined) this.remove(Number(index));
		}
	}
}
