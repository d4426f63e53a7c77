import type { IBinaryKeyData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { givenName } from '../gateway/util/fileName';
import { asObject } from '../gateway/util/json';
import { text } from '../params/kinds';
import type { OperationOutput } from '../run/operation';

/** An operation with this option spreads {@link fileNames}, too. */
export const fileName = text({
	displayName: 'File Name',
	placeholder: 'e.g. {{ $json.product }}',
	description:
		'The name of the file. The extension of its type is added. Several files of an item get _1, _2 … at the end.',
	traits: { changesRequest: false },
}).notForTools();

/** The part of an operation that gives files the name of the option. */
export const fileNames = {
	present: (outputs: OperationOutput[], options: { readonly fileName: string | undefined }) =>
		outputs.map((output) => withName(output, options.fileName ?? '')),
	hintsOf: equalNames,
};

/** Several files of an output are numbered. */
function withName(output: OperationOutput, name: string): OperationOutput {
	const files = Object.entries(output.binary ?? {});
	if (name === '' || files.length === 0) return output;
	const json = { ...output.json };
	const named = files.map(([field, file], index) => {
		const suffix = files.length > 1 ? `_${index + 1}` : '';
		const given = givenName(name, file.mimeType, suffix) ?? file.fileName;
		if (json.fileName !== undefined && json.fileName === file.fileName) json.fileName = given;
		return [field, { ...file, fileName: given }] as const;
	});
	return { ...output, json, binary: Object.fromEntries(named) as IBinaryKeyData };
}

/** A hint if the option gives several files one name. */
export function equalNames(
	outputs: readonly INodeExecutionData[],
	context: Pick<IExecuteFunctions, 'getNode'>,
): string[] {
	if (!asObject(context.getNode().parameters.options)?.fileName) return [];
	const results = outputs.filter(({ json }) => json.error === undefined);
	const files = results.flatMap(({ binary = {} }) => Object.values(binary));
	const seen = new Set<string>();
	const equal = files.find(({ fileName: name = '' }) => seen.size === seen.add(name).size);
	if (!equal) return [];
	return [
		`Several items have a file of the name ${equal.fileName ?? ''}: take a value for 'File Name' that differs, such as an ID.`,
	];
}
