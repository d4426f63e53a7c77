import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ErrorJson } from './nodeError';
import type { Operation, OperationOutput } from './operation';

/** What the items of a run give, as n8n gets it: their outputs, and the errors of those that failed. */
export class ItemOutputs {
	private readonly done = new Map<number, INodeExecutionData[]>();
	readonly failed = new Map<number, INodeExecutionData[]>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly options: Operation['options'],
		private readonly isTool: boolean,
	) {}

	isOpen(index: number): boolean {
		return !this.done.has(index) && !this.failed.has(index);
	}

	add(index: number, outputs: OperationOutput[]): INodeExecutionData[] {
		const items = paired(index, outputs);
		this.done.set(index, items);
		return items;
	}

	/** Without `item.error`: n8n would replace the details by the message alone. */
	fail(index: number, error: ErrorJson | string): void {
		this.failed.set(index, paired(index, [{ json: { error }, ...this.filesOfFailed(index) }]));
	}

	/** The input files of an item, for a second try. On the main output, they would look like results. */
	private filesOfFailed(index: number): Pick<INodeExecutionData, 'binary'> {
		const { binary } = this.context.getInputData()[index] ?? {};
		return binary && this.hasErrorOutput ? { binary } : {};
	}

	private get hasErrorOutput(): boolean {
		return this.context.getNode().onError === 'continueErrorOutput';
	}

	/**
	 * The outputs of all items, in their order. They are copies: n8n changes what a node returns, and the records may be kept.
	 *
	 * @param unfinished outputs of items that have none yet
	 */
	all(unfinished?: ReadonlyMap<number, OperationOutput>): INodeExecutionData[] {
		const isJoined = this.includesInput;
		return this.context.getInputData().flatMap((input, index) => {
			const done = this.failed.get(index) ?? this.done.get(index);
			const items = done ?? paired(index, [unfinished?.get(index) ?? []].flat());
			// n8n joins the items of the error output with their input, and knows them by having nothing but `error`.
			const joinsInput = isJoined && !(this.failed.has(index) && this.hasErrorOutput);
			return items.map((item) => (joinsInput ? withInput(item, input) : { ...item }));
		});
	}

	private get includesInput(): boolean {
		if (this.options?.includeInput === undefined || this.isTool) return false;
		return this.context.getNodeParameter('options.includeInput', 0, false) === true;
	}

	/** Those of all items, without their input. */
	get own(): INodeExecutionData[] {
		return [...this.done.values(), ...this.failed.values()].flat();
	}
}

function paired(index: number, outputs: OperationOutput[]): INodeExecutionData[] {
	return outputs.map((output) => ({ ...output, pairedItem: { item: index } }));
}

/** The fields and files of the input beside those of an output, as *Include Input Fields* wants them. */
function withInput(output: INodeExecutionData, { json, binary }: INodeExecutionData): INodeExecutionData {
	// Of a result, n8n takes a field `error` for a failure.
	const fields = Object.entries(json);
	const taken = new Set(
		fields.map(([name]) => name).filter((name) => name === 'error' || Object.hasOwn(output.json, name)),
	);
	if (taken.size > 0 && Object.hasOwn(json, 'input')) taken.add('input');
	const input = Object.fromEntries(fields.filter(([name]) => taken.has(name)));
	const others = Object.fromEntries(fields.filter(([name]) => !taken.has(name)));
	return {
		...output,
		json: { ...output.json, ...others, ...(taken.size > 0 ? { input } : {}) },
		...(binary && { binary: { ...binary, ...output.binary } }),
	};
}
