import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ApiErrorDetails } from '../gateway/errors/errors';
import { asObject } from '../gateway/util/json';

/** Key in the node's context, which lives in the execution's data and is the same in each try. */
const KEY = 'aiGatewaySucceeded';

/** n8n's own bounds for *Max. Tries*. */
const MIN_TRIES = 2;
const MAX_TRIES = 5;
const DEFAULT_TRIES = 3;

/** What one item gave; or, for one whose charge is unknown, the error that it keeps. */
export type SavedResult = { outputs: INodeExecutionData[] } | { refused: ApiErrorDetails };

interface Memory {
	executionId: string;
	run: string;
	tries: number;
	items: Record<string, SavedResult>;
}

/**
 * What succeeded in the earlier tries of a node whose *Retry On Fail* re-runs it whole: those items are answered
 * from here instead of being sent, and so charged, again. Kept only between tries, only with *Retry On Fail* on.
 */
export class SavedResults {
	private readonly store: Record<string, unknown>;
	private readonly maxTries: number;
	private readonly memory: Memory;

	constructor(
		context: Pick<IExecuteFunctions, 'getContext' | 'getNode'>,
		place: { executionId: string; run: string },
	) {
		const { retryOnFail, maxTries } = context.getNode();
		this.store = context.getContext('node');
		this.maxTries = retryOnFail ? Math.min(MAX_TRIES, Math.max(MIN_TRIES, maxTries || DEFAULT_TRIES)) : 1;
		const stored: unknown = this.store[KEY];
		const kept = isMemory(stored) ? stored : undefined;
		const sameRun = kept?.executionId === place.executionId && kept.run === place.run;
		this.memory = sameRun
			? { ...kept, tries: kept.tries + 1 }
			: { executionId: place.executionId, run: place.run, tries: 1, items: {} };
	}

	/** Whether n8n runs the node again when this try fails. */
	get hasNextTry(): boolean {
		return this.memory.tries < this.maxTries;
	}

	/** Whether this is a further try of the same run. */
	get isRetry(): boolean {
		return this.memory.tries > 1;
	}

	/** What the item gave in an earlier try. */
	get(itemIndex: number): SavedResult | undefined {
		return this.memory.items[String(itemIndex)];
	}

	/** Keeps what the items gave for the next try, where there will be one; otherwise forgets everything. */
	save(items: ReadonlyMap<number, SavedResult>): void {
		if (!this.hasNextTry) return this.clear();
		const kept = Object.fromEntries([...items].map(([index, mergedIds]) => [String(index), mergedIds]));
		this.store[KEY] = { ...this.memory, items: { ...this.memory.items, ...kept } } satisfies Memory;
	}

	/** Forgets everything: the node ended well. */
	clear(): void {
		delete this.store[KEY];
	}
}

/** Whether it is what this class keeps: the context may come from an older version of the package. */
function isMemory(value: unknown): value is Memory {
	const memory = asObject(value);
	return (
		typeof memory?.executionId === 'string' &&
		typeof memory.run === 'string' &&
		typeof memory.tries === 'number' &&
		asObject(memory.items) !== undefined
	);
}
