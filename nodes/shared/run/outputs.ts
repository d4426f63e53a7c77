import type { IBinaryKeyData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { misfitHint } from '../gateway/text/formats/jsonOutput';
import { givenName } from '../gateway/util/fileName';
import { asObject, asText } from '../gateway/util/json';
import { toErrorJson } from './nodeError';
import type { Operation, OperationOutput } from './operation';

/** What the items of a run give, as n8n gets it: their outputs, and the errors of those that failed. */
export class ItemOutputs {
	private readonly done = new Map<number, INodeExecutionData[]>();
	readonly failed = new Map<number, INodeExecutionData[]>();
	/** The names that items give to their files. */
	private readonly fileNames = new Map<number, string>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly options: Operation['options'],
		private readonly isTool: boolean,
	) {}

	isOpen(index: number): boolean {
		return !this.done.has(index) && !this.failed.has(index);
	}

	readFileName(index: number, options: unknown): void {
		const fileName = asText(asObject(options)?.fileName);
		if (fileName !== undefined && fileName !== '') this.fileNames.set(index, fileName);
	}

	/** @param note a field for an agent */
	add(index: number, outputs: OperationOutput[], note?: string): INodeExecutionData[] {
		const items = outputs.map((output) => {
			const named = withFileName(output, this.fileNames.get(index));
			return note === undefined ? named : { ...named, json: { ...named.json, note } };
		});
		return this.addAsIs(index, items);
	}

	addAsIs(index: number, outputs: OperationOutput[]): INodeExecutionData[] {
		const items = paired(index, outputs);
		this.done.set(index, items);
		return items;
	}

	/** Without `item.error`: n8n would replace the details by the message alone. */
	fail(index: number, error: unknown): void {
		const errorJson = toErrorJson(error);
		const { message, description } = errorJson;
		// A model reads text; from an error that is thrown, an agent of version 2 has none.
		const said = this.isTool ? [message, description].filter(Boolean).join('. ') : errorJson;
		this.failed.set(index, paired(index, [{ json: { error: said }, ...this.filesOfFailed(index) }]));
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

	hints(): string[] {
		const codes = [...this.failed.values()].map(([item]) => asObject(item?.json.error)?.code);
		const files = [...this.fileNames.keys()].flatMap((index) => this.done.get(index) ?? []);
		return [equalNameHint(files), misfitHint(codes)].filter((hint) => hint !== undefined);
	}
}

function paired(index: number, outputs: OperationOutput[]): INodeExecutionData[] {
	return outputs.map((output) => ({ ...output, pairedItem: { item: index } }));
}

/** An output whose files have a name, as the option *File Name* gives it; several are numbered. */
function withFileName(output: OperationOutput, name: string | undefined): OperationOutput {
	const files = Object.entries(output.binary ?? {});
	if (name === undefined || files.length === 0) return output;
	const json = { ...output.json };
	const named = files.map(([field, file], index) => {
		const suffix = files.length > 1 ? `_${index + 1}` : '';
		const given = givenName(name, file.mimeType, suffix) ?? file.fileName;
		if (json.fileName !== undefined && json.fileName === file.fileName) json.fileName = given;
		return [field, { ...file, fileName: given }] as const;
	});
	return { ...output, json, binary: Object.fromEntries(named) as IBinaryKeyData };
}

function equalNameHint(items: readonly INodeExecutionData[]): string | undefined {
	const names = items.flatMap(({ binary = {} }) =>
		Object.values(binary).map(({ fileName = '' }) => fileName),
	);
	const seen = new Set<string>();
	const equal = names.find((name) => seen.size === seen.add(name).size);
	if (equal === undefined) return undefined;
	return `Several items have a file of the name ${equal}: take a value for 'File Name' that differs, such as an ID.`;
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
