import type { INodeExecutionData } from 'n8n-workflow';

import { ApiError } from '../gateway/errors/errors';
import { toErrorJson } from './nodeError';
import type { OperationOutput } from './operation';
import type { SavedResult } from './savedResults';

/** What became of an item. */
type Settled = { outputs: INodeExecutionData[] } | { error: unknown };

/** What became of the items of a run, in their order. */
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
	 * The output of the node.
	 *
	 * @param asleep what stands for items whose work goes on while the execution sleeps
	 */
	outputs(asleep: ReadonlyMap<number, INodeExecutionData[]>): INodeExecutionData[] {
		return Array.from(
			{ length: this.count },
			(_, index) => asleep.get(index) ?? this.outputsOf(index),
		).flat();
	}

	private outputsOf(index: number): INodeExecutionData[] {
		const settled = this.settled.get(index);
		if (!settled) return [];
		if ('outputs' in settled) return settled.outputs;
		// Without `item.error`: n8n would replace the details by the message alone.
		return [{ json: { error: toErrorJson(settled.error) }, pairedItem: { item: index } }];
	}

	/** What the next try must not send again: what succeeded, and what may have been charged. */
	toSave(): Map<number, SavedResult> {
		const kept = new Map<number, SavedResult>();
		for (const [index, settled] of this.settled) {
			// Copies: n8n empties and changes the arrays that a node returns.
			if ('outputs' in settled) kept.set(index, { outputs: settled.outputs.map((item) => ({ ...item })) });
			else if (settled.error instanceof ApiError) {
				const { details } = settled.error;
				if (details.mayBeCharged && !details.idempotent) kept.set(index, { refused: details });
			}
		}
		return kept;
	}
}

/**
 * The output of an item that an earlier try has dealt with.
 *
 * @throws {ApiError} the refusal of what may have been charged then
 */
export function restoreResult(mergedIds: SavedResult): INodeExecutionData[] {
	if ('outputs' in mergedIds) return mergedIds.outputs.map((item) => ({ ...item }));
	throw new ApiError(mergedIds.refused);
}

/** Outputs, linked to the item that they come from. */
export function pairWithItem(index: number, outputs: OperationOutput[]): INodeExecutionData[] {
	return outputs.map((output) => ({ ...output, pairedItem: { item: index } }));
}

/** Whether n8n takes the item for an error. */
export function isErrorItem(item: INodeExecutionData | undefined): boolean {
	const error: unknown = item?.json.error;
	return error !== undefined && error !== null && error !== false;
}
