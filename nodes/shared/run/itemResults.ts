import type { INodeExecutionData } from 'n8n-workflow';

import { toErrorJson } from './nodeError';
import type { OperationOutput } from './operation';

/** The results of a run's items. */
export class ItemResults {
	private readonly ended = new Map<number, { outputs: INodeExecutionData[]; hasFailed: boolean }>();

	/** @param count the number of input items */
	constructor(private readonly count: number) {}

	succeed(index: number, outputs: INodeExecutionData[]): void {
		this.ended.set(index, { outputs, hasFailed: false });
	}

	fail(index: number, error: unknown): void {
		// Without `item.error`: n8n would replace the details by the message alone.
		const outputs = [{ json: { error: toErrorJson(error) }, pairedItem: { item: index } }];
		this.ended.set(index, { outputs, hasFailed: true });
	}

	/**
	 * The output of the node, in the order of the items.
	 *
	 * @param unfinished by item, the outputs of items whose work is not finished
	 */
	outputs(unfinished: ReadonlyMap<number, INodeExecutionData[]>): INodeExecutionData[] {
		const all = Array.from({ length: this.count }, (_, index) => {
			return unfinished.get(index) ?? this.ended.get(index)?.outputs ?? [];
		});
		return all.flat();
	}

	/** The outputs of all items that have ended, error items among them. */
	all(): Map<number, INodeExecutionData[]> {
		return new Map([...this.ended].map(([index, { outputs }]) => [index, outputs]));
	}

	/** The outputs of the items that succeeded. */
	succeeded(): Map<number, INodeExecutionData[]> {
		const succeeded = [...this.ended].filter(([, { hasFailed }]) => !hasFailed);
		return new Map(succeeded.map(([index, { outputs }]) => [index, outputs]));
	}
}

/** Links outputs to the item that they come from. */
export function pairWithItem(index: number, outputs: OperationOutput[]): INodeExecutionData[] {
	return outputs.map((output) => ({ ...output, pairedItem: { item: index } }));
}
