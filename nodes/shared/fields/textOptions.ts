import type { INodeProperties } from 'n8n-workflow';

import type { OptionReader } from '../execution/parameters';
import { textFormats } from '../gateway/formats';
import type { TextFormat } from '../gateway/formats/format';
import type { JsonObject } from '../gateway/json';

/** The text options, each once; a format lists those that it has, by name. */
const definitions: INodeProperties[] = [
	{
		displayName: 'Max Tokens',
		name: 'maxTokens',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1024,
		description: 'The longest answer, in tokens. Also bounds what a call can cost.',
	},
	{
		displayName: 'Temperature',
		name: 'temperature',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
		default: 1,
		description: 'How freely the model chooses its words: low for facts, high for ideas',
	},
	{
		displayName: 'Top P',
		name: 'topP',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
		default: 1,
		description: 'Only the most likely words that together have this probability are considered',
	},
];

/** The options, shown for the formats that have them. */
export const textOptions: INodeProperties[] = definitions.map((definition) => {
	const formats = textFormats.filter(({ fields }) => definition.name in fields).map(({ name }) => name);
	return formats.length === textFormats.length
		? definition
		: { ...definition, displayOptions: { show: { '/format': formats } } };
});

/**
 * The values of the options that `format` has and the user has set.
 *
 * @throws {InvalidInput} for a value out of the range of the specification
 */
export function readTextOptions(options: OptionReader, format: TextFormat): JsonObject {
	const values: JsonObject = {};
	for (const { name, displayName } of definitions) {
		const field = format.fields[name];
		if (field) values[name] = options.number(name, displayName, field);
	}
	return values;
}
