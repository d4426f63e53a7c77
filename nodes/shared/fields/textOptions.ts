import type { INodeProperties } from 'n8n-workflow';

import { textFormats } from '../gateway/text/formats';
import type { TextFormat } from '../gateway/text/formats/format';
import { optionGroups, textOptions, type TextOption } from '../gateway/text/formats/options';
import {
	asArray,
	asObject,
	fieldOf,
	setField,
	textOf,
	type Json,
	type JsonObject,
} from '../gateway/util/json';
import { collection } from '../params/groups';
import { choice, flag, integer, jsonList, jsonObject, number, text, texts } from '../params/kinds';
import { Location, type Parameter } from '../params/parameter';

type Range = readonly [min?: number, max?: number];

function parameterOf(option: TextOption, range: Range = []): Parameter<Json | undefined> {
	const { kind, label, help, initial, placeholder, choices = [], row } = option;
	const [min = option.min, max] = range;
	const spec = { displayName: label, description: help, ...(placeholder ? { placeholder } : {}) };
	switch (kind) {
		case 'integer':
			return integer({ ...spec, min, max, default: Number(initial) });
		case 'number':
			return number({ ...spec, min, max, decimals: 2, default: Number(initial) });
		case 'boolean':
			return flag({ ...spec, default: initial === true });
		case 'choice':
			return choice({ ...spec, options: choices, default: String(initial) });
		case 'texts':
			return texts({ ...spec, default: [initial].flat().map(String) }).with(
				row === undefined
					? { type: 'multiOptions', options: [...choices] }
					: { typeOptions: { multipleValues: true, multipleValueButtonText: `Add ${row}` } },
			);
		case 'object':
			return jsonObject({ ...spec, default: String(initial), example: '{ "name": "value" }' });
		case 'list':
			return jsonList({ ...spec, rows: 3, default: String(initial), example: '[{ "type": "…" }]' });
		case 'text':
			return text({ ...spec, default: String(initial) });
	}
}

export function shownForFormats(
	fits: (format: TextFormat) => boolean | undefined,
): Pick<INodeProperties, 'displayOptions'> {
	const formats = textFormats.filter(fits).map(({ name }) => name);
	return formats.length === textFormats.length ? {} : { displayOptions: { show: { '/format': formats } } };
}

const declared = Object.entries<TextOption>(textOptions).map(([name, option]) => {
	const shown = shownForFormats(({ options }) => Object.hasOwn(options, name));
	const { group, range = {}, wire } = option;
	// The panel has the range of all formats that have the option.
	const [inAll] = Object.keys(wire).every((format) => Object.hasOwn(range, format))
		? Object.values(range)
		: [];
	return { name, group, parameter: parameterOf(option, inAll).with(shown).optional() };
});

/** The text options whose names fit, in their groups, each shown for the formats that have it. */
export function textOptionsWhere(fits: (name: string, group?: string) => boolean) {
	const optionsIn = (group?: string) => {
		const own = declared.filter((option) => option.group === group && fits(option.name, group));
		return Object.fromEntries(own.map(({ name, parameter }) => [name, parameter]));
	};
	const groups = Object.entries(optionGroups).flatMap(([name, label]) => {
		const options = optionsIn(name);
		const names = Object.keys(options);
		const shown = shownForFormats((format) => names.some((option) => Object.hasOwn(format.options, option)));
		return names.length > 0 ? [[name, collection(options, { displayName: label }).with(shown)] as const] : [];
	});
	return { ...optionsIn(), ...Object.fromEntries(groups) };
}

export const textOptionParameters = textOptionsWhere(() => true);

export function readTextOptions(options: Readonly<Record<string, unknown>>, format: TextFormat): JsonObject {
	const values: JsonObject = {};
	for (const [name, option] of Object.entries<TextOption>(textOptions)) {
		if (!Object.hasOwn(format.options, name)) continue;
		const { group, none, label } = option;
		// Not `fieldOf`: options are read on their first access.
		const source: unknown = group === undefined ? options : Reflect.get(options, group);
		const value = source === undefined ? undefined : (Reflect.get(Object(source), name) as Json | undefined);
		const range = fieldOf(option.range, format.name);
		if (value !== undefined && range)
			parameterOf(option, range).read(value, new Location(name, `The option '${label}'`));
		if (value !== undefined && value !== none && JSON.stringify(value) !== none)
			setField(values, name, value);
	}
	return withSearchTool(values, format);
}

/** The built-in tool; its other versions begin so. */
export const WEB_SEARCH = 'web_search';

/** In a format with built-in tools, web search is one of them (§4.1). */
function withSearchTool(values: JsonObject, { options }: TextFormat): JsonObject {
	const { webSearch, builtInTools, ...others } = values;
	if (webSearch === undefined || !('builtInTools' in options)) return values;
	const tools = asArray(builtInTools);
	const searches = tools.some((tool) => textOf(asObject(tool)?.type).startsWith(WEB_SEARCH));
	return { ...others, builtInTools: searches ? tools : [...tools, { type: WEB_SEARCH }] };
}
