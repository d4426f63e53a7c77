import type { INodeProperties } from 'n8n-workflow';

import type { OptionReader } from '../../params/optionReader';
import { textFormats } from '../../gateway/text/formats';
import type { WireField } from '../../gateway/text/formats/fields';
import type { TextFormat } from '../../gateway/text/formats/format';
import type { Json, JsonObject } from '../../gateway/util/json';
import { output } from './output';
import { reasoning } from './reasoning';
import { routing } from './routing';
import { sampling } from './sampling';
import { state } from './state';

/** The text options, each once; a format lists those that it has, by name. */
const definitions: INodeProperties[] = [...sampling, ...reasoning, ...output, ...routing, ...state];

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
 * @throws {InvalidInputError} for a value out of the range, or of another kind than the specification shows
 */
export function readTextOptions(options: OptionReader, format: TextFormat): JsonObject {
	const values: JsonObject = {};
	for (const { name, displayName } of definitions) {
		const field = format.fields[name];
		const value = field && readOption(options, name, displayName, field);
		if (value !== undefined) values[name] = value;
	}
	return values;
}

function readOption(options: OptionReader, name: string, label: string, field: WireField): Json | undefined {
	switch (field.kind) {
		case 'integer':
			return options.number(name, label, { min: field.min, max: field.max, integer: true });
		case 'number':
			return options.number(name, label, { min: field.min, max: field.max });
		case 'choice':
			return options.optionalChoice(name, label, field.choices ?? []);
		case 'text':
			return options.optionalText(name, label);
		default:
			return options[field.kind](name, label);
	}
}
