import type { INodeProperties } from 'n8n-workflow';

import { textFormats } from '../gateway/text/formats';
import type { TextFormat } from '../gateway/text/formats/format';
import { textOptions, type TextOption } from '../gateway/text/formats/options';
import { InvalidInputError } from '../gateway/errors/errors';
import { asArray, asObject, asText, type Json, type JsonObject } from '../gateway/util/json';
import { choice, flag, integer, jsonList, jsonObject, number, optional, text, texts } from '../params/kinds';
import type { Declarations, Parameter } from '../params/parameter';

/** Makes n8n's parameter from a row of the table of text options. */
function parameterOf(option: TextOption): Parameter<Json | undefined> {
	const { kind, label, help, initial, placeholder, min, max, choices = [], row } = option;
	const spec = { displayName: label, description: help, ...(placeholder ? { placeholder } : {}) };
	const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
	switch (kind) {
		case 'integer':
			return integer({ ...spec, ...bounds, default: Number(initial) });
		case 'number':
			return number({ ...spec, ...bounds, decimals: 2, default: Number(initial) });
		case 'boolean':
			return flag({ ...spec, default: initial === true });
		case 'choice':
			return choice({ ...spec, options: choices, default: String(initial) });
		case 'word':
			return text({ ...spec, default: String(initial) }).with({ type: 'options', options: [...choices] });
		case 'texts':
			return texts({ ...spec, ...listOf(row, choices), default: [initial].flat().map(String) });
		case 'object':
			return jsonObject({ ...spec, default: String(initial), example: '{ "name": "value" }' });
		case 'list':
			return jsonList({ ...spec, rows: 3, default: String(initial), example: '[{ "type": "…" }]' });
		case 'text':
			return text({ ...spec, default: String(initial) });
	}
}

function listOf(row: string | undefined, options: NonNullable<TextOption['choices']>) {
	if (row === undefined) return { options };
	return { typeOptions: { multipleValues: true, multipleValueButtonText: `Add ${row}` } };
}

/** Shows a parameter for the formats that fit. */
export function shownForFormats(
	fits: (format: TextFormat) => boolean,
): Pick<INodeProperties, 'displayOptions'> {
	const formats = textFormats.filter(fits).map(({ name }) => name);
	return formats.length === textFormats.length ? {} : { displayOptions: { show: { '/format': formats } } };
}

/** The text options as parameters, each shown for the formats that have it. */
export const textOptionParameters: Readonly<Record<string, Parameter<Json | undefined>>> = Object.fromEntries(
	Object.entries<TextOption>(textOptions).map(([name, option]) => {
		const parameter = parameterOf(option);
		return [name, optional(parameter.with(shownForFormats(({ options }) => name in options)))];
	}),
);

/** Options of several responses, of probabilities, and of responses other than text. */
const NOT_OF_ONE_TEXT = [
	'n',
	'logprobs',
	'topLogprobs',
	'modalities',
	'audioVoice',
	'audioFormat',
	'imageConfigQuality',
	'imageConfigSize',
];

/**
 * The text options of what makes one text.
 *
 * @param without further options that are left out
 */
export function optionsOfOneText(...without: string[]): typeof textOptionParameters {
	const names = new Set([...NOT_OF_ONE_TEXT, ...without]);
	return Object.fromEntries(Object.entries(textOptionParameters).filter(([name]) => !names.has(name)));
}

/**
 * The parameters that a format has, for operations that always use it: without the condition on the format.
 */
export function parametersOfFormat<D extends Declarations>(declarations: D, { name }: TextFormat): D {
	const kept = Object.entries(declarations).flatMap(([key, parameter]) => {
		const { show = {}, ...rest } = parameter.description.displayOptions ?? {};
		const { '/format': formats, ...others } = show;
		if (formats && !formats.includes(name)) return [];
		return [[key, formats ? parameter.with({ displayOptions: { ...rest, show: others } }) : parameter]];
	});
	return Object.fromEntries(kept) as D;
}

/**
 * The values of the options that `format` has and the user has set.
 *
 * @throws {InvalidInputError} for a value out of the range, or of another kind
 */
export function readTextOptions(
	options: Readonly<Record<string, Json | undefined>>,
	format: TextFormat,
): JsonObject {
	const values: JsonObject = {};
	for (const name of Object.keys(format.options)) {
		const value = options[name];
		if (value !== undefined) values[name] = value;
	}
	checkBuiltInTools(values.builtInTools);
	return values;
}

/** Tools that are called by a name. */
const NAMED: ReadonlySet<string> = new Set(['function', 'custom']);

/** @throws {InvalidInputError} for a tool without a type, or without the name that its type needs */
function checkBuiltInTools(list: Json | undefined): void {
	for (const [index, tool] of asArray(list).entries()) {
		const { type, name } = asObject(tool) ?? {};
		const kind = asText(type)?.trim() ?? '';
		const isNamed = (asText(name)?.trim() ?? '') !== '';
		if (kind !== '' && (isNamed || !NAMED.has(kind))) continue;
		throw new InvalidInputError(
			`'${textOptions.builtInTools.label}': tool ${index + 1} has no ${kind === '' ? 'type' : 'name'}`,
			kind === ''
				? 'Each is an object such as { "type": "web_search" }.'
				: `A tool of the type "${kind}" is called by its "name".`,
			'builtInTools',
		);
	}
}
