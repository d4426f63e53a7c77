import type { INodeProperties } from 'n8n-workflow';

import type { OptionReader } from '../params/optionReader';

// What every node that gives the result of a media task asks about its files.

/** Whether the files are fetched. */
export const downloadField: INodeProperties = {
	displayName: 'Download Results',
	name: 'downloadResults',
	type: 'boolean',
	default: true,
	description: 'Whether to fetch the generated files into binary fields, besides giving their URLs',
};

/** Where the files go. */
export const binaryPropertyOption: INodeProperties = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	placeholder: 'e.g. data',
	description:
		"The name of the output binary field to put the file in. Further files get _1, _2 … appended. Defaults to 'data'.",
};

const DEFAULT_BINARY_FIELD = 'data';

/** The name of the binary field that the first file goes to. */
export function readBinaryField(options: OptionReader): string {
	return options.optionalText('binaryPropertyName', 'Put Output File in Field') ?? DEFAULT_BINARY_FIELD;
}
