import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { asError } from '../gateway/errors/errors';
import {
	asArray,
	asNumber,
	asObject,
	objectIn,
	parseJson,
	type Json,
	type JsonObject,
} from '../gateway/util/json';
import { excerpt } from '../gateway/util/excerpt';
import { compareDecimals } from '../gateway/util/money';
import { Parameter, type Location } from './parameter';

// A value of `undefined` is a parameter that is not there: it takes its default. An expression that returns nothing
// is an empty value: the default must not be sent, and charged, in its place.

/** n8n's description of a parameter, and what the kind adds to it. */
type Spec<More> = Omit<INodeProperties, 'name' | 'type' | 'options' | 'default'> & More;

/** The longest value that an error shows, in characters. */
const MAX_SHOWN = 100;

/** Whether a value is missing or empty. */
export function isUnset(value: unknown): value is undefined | null | '' {
	return value === undefined || value === null || value === '';
}

/** Makes the value `undefined` when the user sets none; `default` is then only the panel's initial value. */
export function optional<T>(parameter: Parameter<T>): Parameter<T | undefined> {
	return new Parameter(parameter.description, (value, at) =>
		isUnset(value) ? undefined : parameter.reader(value, at),
	);
}

/** An option that is `undefined` unless added, and must not be empty then: leaving it out could cost money. */
export function filled<T>(parameter: Parameter<T>): Parameter<T | undefined> {
	const read = (value: unknown, at: Location) =>
		value === undefined ? undefined : parameter.reader(value, at);
	return new Parameter(parameter.description, read, true);
}

/** Hides a parameter in the tool of an AI Agent. */
export const notForTools = { displayOptions: { hide: { '@tool': [true] } } };

/** Adds display conditions to each parameter. */
export function shownFor<D extends Readonly<Record<string, Parameter<unknown>>>>(
	show: NonNullable<NonNullable<INodeProperties['displayOptions']>['show']>,
	declarations: D,
): D {
	const shown = Object.entries(declarations).map(([name, parameter]) => {
		const displayOptions = parameter.description.displayOptions;
		return [
			name,
			parameter.with({ displayOptions: { ...displayOptions, show: { ...displayOptions?.show, ...show } } }),
		];
	});
	return Object.fromEntries(shown) as D;
}

/**
 * Text, unchanged. A number or a boolean from an expression is converted to text.
 *
 * @param spec.rows height of the text field, in lines
 * @param spec.whenEmpty hint for an empty text, which is then an error; without it, an empty text is read as the
 *   default
 */
export function text(spec: Spec<{ default?: string; rows?: number; whenEmpty?: string }>): Parameter<string> {
	const { rows, whenEmpty, default: value = '', ...rest } = spec;
	return new Parameter(
		{ ...rest, type: 'string', default: value, ...(rows ? { typeOptions: { rows } } : {}) },
		(given, at) => {
			if (whenEmpty === undefined) return isUnset(given) ? value : readText(given, at);
			const read = given === undefined ? value : readText(given ?? '', at);
			if (read.trim() === '') throw at.error('is empty', whenEmpty);
			return read;
		},
	);
}

/** An ID or a name: text that must not be empty, without the white space around it. */
export function id(spec: Spec<{ default?: string; whenEmpty: string }>): Parameter<string> {
	const parameter = text(spec);
	return new Parameter(parameter.description, (value, at) => parameter.reader(value, at).trim());
}

function readText(value: unknown, at: Location): string {
	if (typeof value !== 'object' || value === null) return String(value);
	throw at.error(
		'is not text',
		'Its expression returns an object. Choose one of the object’s fields, or turn it into text with toJsonString().',
	);
}

interface NumberSpec {
	default: number;
	/** Bounds, inclusive. */
	min?: number;
	max?: number;
	/** Number of decimals that the panel accepts. */
	decimals?: number;
}

/** A number, or text that is one. */
export function number(spec: Spec<NumberSpec>): Parameter<number> {
	return numeric(spec, false);
}

/** A whole number. */
export function integer(spec: Spec<NumberSpec>): Parameter<number> {
	return numeric({ ...spec, decimals: 0 }, true);
}

function numeric(spec: Spec<NumberSpec>, whole: boolean): Parameter<number> {
	const { min, max, decimals, ...rest } = spec;
	const typeOptions = {
		...(min === undefined ? {} : { minValue: min }),
		...(max === undefined ? {} : { maxValue: max }),
		...(decimals === undefined ? {} : { numberPrecision: decimals }),
	};
	const hint = `Enter ${whole ? 'a whole number' : 'a number'}${rangeText(min, max)}.`;
	return new Parameter({ ...rest, type: 'number', typeOptions }, (value, at) => {
		if (value === undefined) return spec.default;
		const read = asNumber(value) ?? NaN;
		if (read >= (min ?? -Infinity) && read <= (max ?? Infinity) && (!whole || Number.isInteger(read)))
			return read;
		throw notAllowed(value, at, hint);
	});
}

function rangeText(min?: number, max?: number): string {
	if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
	if (min !== undefined) return ` of at least ${min}`;
	return max === undefined ? '' : ` of at most ${max}`;
}

/** An amount of at least 0, read as decimal text: money is not rounded. */
export function decimal(spec: Spec<{ default: number }>): Parameter<string> {
	const description = { ...spec, type: 'number' as const, typeOptions: { minValue: 0, numberPrecision: 2 } };
	return new Parameter(description, (given, at) => {
		const value = given === undefined ? String(spec.default) : readText(given ?? '', at).trim();
		if ((compareDecimals(value, '0') ?? -1) >= 0) return value;
		throw notAllowed(
			given,
			at,
			'Enter a number of at least 0, with a point before the decimals, e.g. 12.50.',
		);
	});
}

/** A switch. */
export function flag(spec: Spec<{ default: boolean }>): Parameter<boolean> {
	return new Parameter({ ...spec, type: 'boolean' }, (value, at) => {
		if (value === undefined) return spec.default;
		if (value === true || value === 'true') return true;
		if (value === false || value === 'false' || isUnset(value)) return false;
		throw notAllowed(value, at, 'It is true or false.');
	});
}

/** One entry of a list of choices. */
type ChoiceOption = INodePropertyOptions & { value: string };

/** One of a list of options. */
export function choice<const Options extends readonly ChoiceOption[]>(
	spec: Spec<{ options: Options; default: Options[number]['value'] }>,
): Parameter<Options[number]['value']> {
	const values: ReadonlyArray<Options[number]['value']> = spec.options.map(({ value }) => value);
	return new Parameter({ ...spec, type: 'options', options: [...spec.options] }, (given, at) => {
		const value = given === undefined ? spec.default : readText(given ?? '', at);
		const known = values.find((candidate) => candidate === value);
		if (known !== undefined) return known;
		throw notAllowed(value, at, `It takes one of: ${values.join(', ')}.`);
	});
}

/** Several texts: a list, JSON text of one, or a single text; `undefined` for none. */
export function texts(
	spec: Spec<{ default: string[]; options?: readonly ChoiceOption[] }>,
): Parameter<string[] | undefined> {
	const { options, ...rest } = spec;
	const description = options
		? { ...rest, type: 'multiOptions' as const, options: [...options] }
		: { ...rest, type: 'string' as const };
	return new Parameter(description, (value, at) => {
		const isJson = typeof value === 'string' && value.trimStart().startsWith('[');
		const parsed = isJson ? (parseJson(value) ?? value) : value;
		// An expression in a row may return a list: its elements count as rows.
		const list = [parsed].flat(2).flatMap((element) => {
			if (typeof element === 'object' && element !== null) throw notAllowed(element, at, 'It takes texts.');
			return isUnset(element) ? [] : [String(element)];
		});
		return list.length > 0 ? list : undefined;
	});
}

/**
 * A JSON object, as text or from an expression.
 *
 * @param spec.example a valid value, for the error
 */
export function jsonObject(
	spec: Spec<{ default: string; example: string; rows?: number }>,
): Parameter<JsonObject> {
	return jsonOf(spec, 'JSON object', objectIn);
}

/** A JSON list, as text or from an expression. */
export function jsonList(spec: Spec<{ default: string; example: string; rows?: number }>): Parameter<Json[]> {
	return jsonOf(spec, 'JSON list', (value) => {
		const list = typeof value === 'string' ? parseJson(value) : value;
		return Array.isArray(list) ? asArray(list) : undefined;
	});
}

/** Any JSON value but null, as text or from an expression. */
export function json(spec: Spec<{ default: string; example: string; rows?: number }>): Parameter<Json> {
	return jsonOf(
		spec,
		'JSON',
		(value) => (typeof value === 'string' ? parseJson(value) : (value as Json)) ?? undefined,
	);
}

function jsonOf<T>(
	spec: Spec<{ default: string; example: string; rows?: number }>,
	what: string,
	read: (value: unknown) => T | undefined,
): Parameter<T> {
	const { example, rows, ...rest } = spec;
	const description = { ...rest, type: 'json' as const, ...(rows ? { typeOptions: { rows } } : {}) };
	return new Parameter(description, (given, at) => {
		const value = read(given === undefined ? spec.default : given);
		if (value !== undefined) return value;
		throw at.error(
			`is not ${what === 'JSON' ? 'valid JSON' : `a ${what}`}: ${shown(given)}${problemIn(given)}`,
			`It looks like ${example}. Check quotes, commas and brackets; for a value from another node that may contain quotes or line breaks, use {{ JSON.stringify($json.text) }} without quotes around it.`,
		);
	});
}

/** An entry of a list that the editor loads, or its ID. */
export function locator(
	spec: Spec<{ modes: NonNullable<INodeProperties['modes']>; whenEmpty: string }>,
): Parameter<string> {
	const { whenEmpty, ...rest } = spec;
	const description = { ...rest, type: 'resourceLocator' as const, default: { mode: 'list', value: '' } };
	return new Parameter(description, (value, at) => {
		const read = readText(value ?? '', at).trim();
		if (read === '') throw at.error('is empty', whenEmpty);
		return read;
	});
}

/** A file of the input item, as its parameter names it. */
export interface FileReference {
	/** Name of a binary field, path of a binary inside the JSON, or a binary from an expression. */
	value: unknown;
	at: Location;
}

/** The name of a binary field of the input item. An empty one is no default: another file would be sent in its place. */
export function inputFile(spec: Spec<{ default: string }>): Parameter<FileReference> {
	return new Parameter({ ...spec, type: 'string' }, (value, at) => ({ value: value ?? '', at }));
}

/** Several values: a list from an expression, or text with separators. If there is none, an empty one is read. */
export function several<T>(parameter: Parameter<T>, separator: RegExp): Parameter<T[]> {
	return new Parameter(parameter.description, (value, at) => {
		const parts: unknown[] = typeof value === 'string' ? value.split(separator) : [value].flat();
		const filled = parts
			.map((part) => (typeof part === 'string' ? part.trim() : part))
			.filter((part) => !isUnset(part));
		return (filled.length > 0 ? filled : ['']).map((part) => parameter.reader(part, at));
	});
}

/** A form that the editor builds from a schema. The value is as workflows store it. */
export function mapper(spec: Spec<object>): Parameter<JsonObject | undefined> {
	const description = {
		...spec,
		type: 'resourceMapper' as const,
		default: { mappingMode: 'defineBelow', value: null },
	};
	return new Parameter(description, (value) => asObject(value));
}

/** A notice in the panel. It has no value. */
export function notice(displayName: string): Parameter<undefined> {
	return new Parameter({ displayName, type: 'notice', default: '' }, () => undefined);
}

/** What Node.js says of text that is not JSON; empty for another value, and for JSON of another type. */
function problemIn(value: unknown): string {
	if (typeof value !== 'string' || value.trim() === '') return '';
	try {
		JSON.parse(value);
		return '';
	} catch (error) {
		return ` (${asError(error).message})`;
	}
}

function notAllowed(value: unknown, at: Location, hint: string) {
	return at.error(`has a value that is not allowed: ${shown(value)}`, hint);
}

function shown(value: unknown): string {
	return excerpt(JSON.stringify(value) ?? String(value), MAX_SHOWN);
}
