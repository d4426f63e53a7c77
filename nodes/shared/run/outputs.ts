import type { IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';

import { givenName } from '../gateway/util/fileName';
import { omit } from '../gateway/util/json';
import type { OperationOutput } from './operation';

/** An output whose files have a name, as the option *File Name* gives it; several are numbered. */
export function withFileName(output: OperationOutput, name: string | undefined): OperationOutput {
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

/** A name that files of several items have. */
export function equalFileName(items: readonly INodeExecutionData[]): string | undefined {
	const names = items.flatMap(({ binary = {} }) =>
		Object.values(binary).map(({ fileName = '' }) => fileName),
	);
	const seen = new Set<string>();
	return names.find((name) => seen.size === seen.add(name).size);
}

/** The fields and files of the input beside those of an output, as *Include Input Fields* wants them. */
export function withInput(
	output: INodeExecutionData,
	{ json, binary }: INodeExecutionData,
): INodeExecutionData {
	// Of a result, n8n takes a field `error` for a failure.
	const isTaken = (name: string) => name === 'error' || Object.hasOwn(output.json, name);
	const taken = Object.keys(json).filter(isTaken);
	const inside = taken.length > 0 && Object.hasOwn(json, 'input') ? [...taken, 'input'] : taken;
	const input = Object.fromEntries(inside.map((name) => [name, json[name]]));
	return {
		...output,
		json: { ...output.json, ...omit(json, ...inside), ...(inside.length > 0 ? { input } : {}) },
		...(binary && { binary: { ...binary, ...output.binary } }),
	};
}
