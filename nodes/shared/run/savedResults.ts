import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ApiErrorDetails } from '../gateway/errors/errors';
import { asObject } from '../gateway/util/json';

/** Key in the node's context, which lives in the execution's data and is the same in each try. */
const KEY = 'aiGatewaySucceeded';

/** n8n's own bounds for *Max. Tries*. */
const MIN_TRIES = 2;
const MAX_TRIES = 5;
const DEFAULT_TRIES = 3;

/** The outputs of an item, or the error of one that may have been charged. */
export type SavedResult = { outputs: INodeExecutionData[] } | { refused: ApiErrorDetails };

interface SavedRun {
	executionId: string;
	run: string;
	tries: number;
	items: Record<string, SavedResult>;
}

/**
 * The results of earlier tries of a node, which *Retry On Fail* runs again as a whole: these items are not sent,
 * and so not charged, again. Stored only between tries, and only with *Retry On Fail*.
 */
export class SavedResults {
	private readonly store: Record<string, unknown>;
	private readonly maxTries: number;
	private readonly saved: SavedRun;

	constructor(
		context: Pick<IExecuteFunctions, 'getContext' | 'getNode'>,
		{ executionId, run }: { executionId: string; run: string },
	) {
		const { retryOnFail, maxTries } = context.getNode();
		this.store = context.getContext('node');
		this.maxTries = retryOnFail ? Math.min(MAX_TRIES, Math.max(MIN_TRIES, maxTries || DEFAULT_TRIES)) : 1;
		const stored: unknown = this.store[KEY];
		const earlier = isSavedRun(stored) ? stored : undefined;
		const isSameRun = earlier?.executionId === executionId && earlier.run === run;
		this.saved = isSameRun
			? { ...earlier, tries: earlier.tries + 1 }
			: { executionId, run, tries: 1, items: {} };
	}

	/** Whether n8n runs the node again when this try fails. */
	get hasNextTry(): boolean {
		return this.saved.tries < this.maxTries;
	}

	/** Whether this is a further try of the same run. */
	get isRetry(): boolean {
		return this.saved.tries > 1;
	}

	/** The item's result in an earlier try. */
	get(itemIndex: number): SavedResult | undefined {
		return this.saved.items[String(itemIndex)];
	}

	/** Stores results for the next try; clears the store when there is none. */
	save(items: ReadonlyMap<number, SavedResult>): void {
		if (!this.hasNextTry) return this.clear();
		const added = Object.fromEntries(items);
		this.store[KEY] = { ...this.saved, items: { ...this.saved.items, ...added } } satisfies SavedRun;
	}

	/** Clears the store. */
	clear(): void {
		delete this.store[KEY];
	}
}

/** Another version of the package may have stored something else. */
function isSavedRun(value: unknown): value is SavedRun {
	const saved = asObject(value);
	return (
		typeof saved?.executionId === 'string' &&
		typeof saved.run === 'string' &&
		typeof saved.tries === 'number' &&
		asObject(saved.items) !== undefined
	);
}
