import type { INodeExecutionData } from 'n8n-workflow';

import { toErrorJson } from './nodeError';
import type { OperationOutput } from './operation';

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

	/** The outputs of all items that have ended, error items among them. */
	all(): Map<number, INodeExecutionData[]> {
		return new Map([...this.settled.keys()].map((index) => [index, this.outputsOf(index)]));
	}

	/** The outputs of the items that succeeded. */
	succeeded(): Map<number, INodeExecutionData[]> {
		const outputs = [...this.settled].flatMap(([index, settled]) =>
			'outputs' in settled ? [[index, settled.outputs] as const] : [],
		);
		return new Map(outputs);
	}
}

/** Links outputs to the item that they come from. */
export function pairWithItem(index: number, outputs: OperationOutput[]): INodeExecutionData[] {
	return outputs.map((output) => ({ ...output, pairedItem: { item: index } }));
}
