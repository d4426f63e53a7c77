import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isFailedTask } from '../gateway/endpoints/tasks';
import { ApiError, StoppedError, type ApiErrorDetails } from '../gateway/errors/errors';
import { mayBeCharged } from '../gateway/errors/outcome';
import type { JsonObject } from '../gateway/util/json';
import { storedContext } from '../n8n/features';
import { itemError } from './nodeError';

/** What is known of an item that has been sent. One without an entry was not sent, or was rejected. */
export interface Entry {
	/** The idempotency key (§4.6) of its creation; a call without one cannot be repeated safely. */
	key?: string;
	/** The task, which exists and is paid for, and the response to its creation. */
	task?: { taskId: string; response: JsonObject };
	/** The error after which it may be charged. */
	error?: ApiErrorDetails;
	/** Its outputs, when it has finished. */
	outputs?: INodeExecutionData[];
}

interface StoredRun {
	executionId: string;
	/** By the index of the item. */
	entries: Record<string, Entry>;
	/** What each key of the user stands for, and the item that used it first. */
	keys: Record<string, { index: number; content: string }>;
}

/**
 * What a run of the node is doing, item by item, written before the act. It is kept in the node's context, which n8n
 * stores with the execution, while n8n may run the node again: with *Retry On Fail* or after a pause of the execution.
 */
export class RunJournal {
	private readonly store: Record<string, unknown>;
	private readonly stored: StoredRun;
	private readonly isRetried: boolean;
	private readonly key: string;

	/** @param run identifies the run of the node within the execution; several may be open in an agent */
	constructor(context: IExecuteFunctions, run: string) {
		const executionId = context.getExecutionId() ?? '';
		this.key = `aiGatewayJournal ${run}`;
		this.store = storedContext(context, 'node') ?? {};
		// Nothing else writes to the key.
		const earlier = this.store[this.key] as StoredRun | undefined;
		this.stored = earlier?.executionId === executionId ? earlier : { executionId, entries: {}, keys: {} };
		this.store[this.key] = this.stored;
		this.isRetried = context.getNode().retryOnFail === true;
	}

	/** What earlier tries, or this one, have sent for an item. */
	entry(index: number): Entry | undefined {
		return this.stored.entries[index];
	}

	/** Adds to what is known of an item; for a call that costs money, before it is sent. */
	note(index: number, news: Entry): void {
		this.stored.entries[index] = { ...this.entry(index), ...news };
	}

	/** Adds to the error of an item what the user is to know: its task's ID, and whether it is, or may be, charged. */
	failed(index: number, error: unknown): unknown {
		const entry = this.entry(index);
		const { task, key } = entry ?? {};
		// Without an entry, an equal call of an agent's tool, at the same time, may have removed it.
		const isSent = entry !== undefined || error instanceof ApiError;
		const isUnknown = entry?.error !== undefined || (isSent && mayBeCharged(error));
		if (!task && !isUnknown) {
			delete this.stored.entries[index];
			return error;
		}
		const complete = task
			? itemError(error, { outcome: 'charged', taskId: task.taskId })
			: itemError(error, { outcome: 'unknown', kind: key === undefined ? 'charge' : 'keyed' });
		if (!task) this.note(index, { error: complete.details });
		return error instanceof StoppedError || isFailedTask(error) ? error : complete;
	}

	/** Registers the user's key for the content of a request; false if it stands for another item's content. */
	claimKey(index: number, key: string, content: string): boolean {
		const known = (this.stored.keys[key] ??= { index, content });
		if (known.index === index) known.content = content;
		return known.content === content;
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
		if (!hasFailed || !this.isRetried) this.clear();
	}

	/** Removes the run from the node's context. */
	clear(): void {
		delete this.store[this.key];
	}
}
