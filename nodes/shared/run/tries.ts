import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { isTool, isToolExecution } from '../n8n/features';

// All that depends on how n8n runs a node again with Retry On Fail, with the same node context in each try.

/** n8n's own bounds for *Max. Tries*. */
const MIN_TRIES = 2;
const MAX_TRIES = 5;
const DEFAULT_TRIES = 3;

/** What is stored of the tries of a run. */
export interface StoredTries {
	tries: number;
	/** Whether the last try ended with an error item, as with *On Error: Continue*. */
	hasErrorItem?: boolean;
}

/** A try of a node. */
export class Tries {
	private readonly max: number;
	private readonly followsErrorItem: boolean;

	/** @param stored of the tries before; this one is added */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly stored: StoredTries,
	) {
		this.max = maxTries(context.getNode());
		this.followsErrorItem = stored.hasErrorItem === true;
		Object.assign(stored, { tries: stored.tries + 1, hasErrorItem: false });
	}

	/** Whether *Retry On Fail* is on. */
	get isRetried(): boolean {
		return this.max > 1;
	}

	/** This try throws. After one that ended with an error item, n8n does not count it. */
	throws(): void {
		if (this.followsErrorItem) this.stored.tries -= 1;
	}

	/** Whether n8n may run the node again after this try throws: sometimes once more than *Max. Tries* says. */
	get mayFollowError(): boolean {
		// An agent may call its tool again on purpose.
		return this.isRetried && (!isTool(this.context) || this.hasNext);
	}

	/** Whether n8n runs the node again after this output: when its first item is an error. */
	runsAgainAfter([first]: readonly INodeExecutionData[]): boolean {
		const error: unknown = first?.json.error;
		const isError = error !== undefined && error !== null && error !== false;
		this.stored.hasErrorItem = isError && this.hasNext && !isToolExecution(this.context);
		return this.stored.hasErrorItem;
	}

	/** n8n counts from 1 again when it runs the node after a pause of the execution. */
	restart(): void {
		this.stored.tries = 0;
	}

	private get hasNext(): boolean {
		return this.stored.tries < this.max;
	}
}

function maxTries({ retryOnFail, maxTries: max }: INode): number {
	return retryOnFail ? Math.min(MAX_TRIES, Math.max(MIN_TRIES, max || DEFAULT_TRIES)) : 1;
}
