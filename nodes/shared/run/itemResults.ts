import type { INodeExecutionData } from 'n8n-workflow';

import { ApiError } from '../gateway/errors/errors';
import { toErrorJson } from './nodeError';
import type { OperationOutput } from './operation';
import type { SavedResult } from './savedResults';

/** The result of an item. */
type Settled = { outputs: INodeExecutionData[] } | { error: unknown };

/** The results of a run's items. */
export class ItemResults {
	private readonly settled = new Map<number, Settled>();

	/** @param count the number of input items */
	constructor(private readonly count: number) {}

	succeed(index: number, outputs: INodeExecutionData[]): void {
		this.settled.set(index, { outputs });
	}

	fail(index: number, error: unknown): void {
		this.settled.set(index, { error });
	}

	/**
	 * The output of the node, in the order of the items.
	 *
	 * @param suspended by item, the outputs of items that the execution is suspended for
	 */
	outputs(suspended: ReadonlyMap<number, INodeExecutionData[]>): INodeExecutionData[] {
		return Array.from(
			{ length: this.count },
			(_, index) => suspended.get(index) ?? this.outputsOf(index),
		).flat();
	}

	private outputsOf(index: number): INodeExecutionData[] {
		const settled = this.settled.get(index);
		if (!settled) return [];
		if ('outputs' in settled) return settled.outputs;
		// Without `item.error`: n8n would replace the details by the message alone.
		return [{ json: { error: toErrorJson(settled.error) }, pairedItem: { item: index } }];
	}

	/** The items that the next try must not send again: those that succeeded, and those that may have been charged. */
	toSave(): Map<number, SavedResult> {
		const saved = new Map<number, SavedResult>();
		for (const [index, settled] of this.settled) {
			// Copies: n8n empties and changes the arrays that a node returns.
			if ('outputs' in settled) saved.set(index, { outputs: settled.outputs.map((item) => ({ ...item })) });
			else if (settled.error instanceof ApiError) {
				const { details } = settled.error;
				if (details.mayBeCharged && !details.idempotent) saved.set(index, { refused: details });
			}
		}
		return saved;
	}
}

/**
 * Returns the outputs of an item from an earlier try.
 *
 * @throws {ApiError} the error of that try, when the item may have been charged
 */
export function restoreResult(saved: SavedResult): INodeExecutionData[] {
	if ('outputs' in saved) return saved.outputs.map((item) => ({ ...item }));
	throw new ApiError(saved.refused);
}

/** Links outputs to the item that they come from. */
export function pairWithItem(index: number, outputs: OperationOutput[]): INodeExecutionData[] {
	return outputs.map((output) => ({ ...output, pairedItem: { item: index } }));
}

/** Whether n8n treats the item as an error. */
export function isErrorItem(item: INodeExecutionData | undefined): boolean {
	const error: unknown = item?.json.error;
	return error !== undefined && error !== null && error !== false;
}
