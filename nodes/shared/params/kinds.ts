import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { asError } from '../gateway/errors/errors';
import { excerpt } from '../gateway/util/text';
import {
	asBoolean,
	asNumber,
	asObject,
	compact,
	outsideValue,
	roundedInteger,
	type Json,
	type JsonObject,
} from '../gateway/util/json';
import { isUnset, Parameter, type Declarations, type Location, type Shown, type ValueOf } from './parameter';

export type Spec<More> = Omit<Shown, 'type' | 'options' | 'default'> & More;

/** The longest value that an error shows, in characters. */
export const MAX_SHOWN = 100;

/** An expression that returns nothing is an empty value: the default must not be sent, and charged, instead. */
function kind<T>(description: Shown, read: (value: unknown, at: Location) => T): Parameter<T> {
	return new Parameter(description, (value, at) =>
		read(value === undefined ? description.default : value, at),
	);
}

export function shownFor<D extends Declarations>(
	conditions: Parameters<Parameter<unknown>['shownIf']>[0],
	declarations: D,
) {
	const shown = Object.entries(declarations).map(([name, one]) => [name, one.shownIf(conditions)]);
	return Object.fromEntries(shown) as { [Name in keyof D]: Parameter<ValueOf<D[Name]> | undefined> };
}

/**
 * Text, unchanged; a number or a boolean from an expression becomes text. With `whenEmpty`, an empty text is an error, and
 * not read as the default. A text that is not `allowed` has the same hint.
 */
export function text(
	spec: Spec<{ default?: string; rows?: number; whenEmpty?: string; allowed?: RegExp }>,
): Parameter<string> {
	const { rows, whenEmpty, allowed, default: initial = '', ...rest } = spec;
	const typeOptions = rows ? { typeOptions: { rows } } : {};
	return kind({ ...rest, type: 'string', default: initial, ...typeOptions }, (value, at) => {
		const read = readText(value, at);
		if (whenEmpty !== undefined && read.trim() === '') throw at.error('is empty', whenEmpty);
		if (allowed?.test(read) === false) throw notAllowed(read, at, whenEmpty ?? '');
		return read || initial;
	});
}

/** An ID or a name: text that must not be empty, without the white space around it. */
export function id(spec: Spec<{ default?: string; whenEmpty: string; allowed?: RegExp }>): Parameter<string> {
	const parameter = text(spec);
	return parameter.reading((value, ...more) =>
		parameter.read(typeof value === 'string' ? value.trim() : value, ...more),
	);
}

/** What vendors take as the name of a tool or a schema. */
const WIRE_NAME = /^[\w-]{1,64}$/;

const NAME_HINT =
	'Enter a name of letters from A to Z, digits, underscores and dashes, at most 64 characters.';

export function wireName(spec: Spec<{ default?: string }>): Parameter<string> {
	return id({ ...spec, whenEmpty: NAME_HINT, allowed: WIRE_NAME });
}

export function locator(
	spec: Spec<{ modes: NonNullable<INodeProperties['modes']>; whenEmpty: string }>,
): Parameter<string> {
	return id(spec).with({ type: 'resourceLocator', default: { mode: 'list', value: '' } });
}

function readText(value: unknown, at: Location): string {
	if (typeof value !== 'object' || value === null) return String(value ?? '');
	// Dates, such as n8n's $now.
	const json = (value as { toJSON?: () => unknown }).toJSON?.();
	if (typeof json === 'string') return json;
	throw at.error('is not text', OBJECT_HINT);
}

export const EMPTY_HINT =
	'If an expression fills it, the field it refers to is empty for this item: leave such items out with n8n’s Filter node.';

export const OBJECT_HINT =
	'Its expression returns an object or a list. Choose one of its fields, or turn it into text: a list with join(), an object with toJsonString().';

interface NumberSpec {
	default: number;
	/** Bounds, inclusive. */
	min?: number | undefined;
	max?: number | undefined;
	/** Number of decimals that the panel accepts. With 0, only whole numbers are read. */
	decimals?: number;
}

export function number({ min, max, decimals, ...rest }: Spec<NumberSpec>): Parameter<number> {
	const typeOptions = compact({ minValue: min, maxValue: max, numberPrecision: decimals });
	const isWhole = decimals === 0;
	const point = decimals ? `, with a point before the decimals, e.g. ${max === undefined ? 12.5 : 0.5}` : '';
	const range = max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`;
	const digits = isWhole ? ', without spaces or commas' : point;
	const hint = `Enter a ${isWhole ? 'whole number' : 'number'}${min === undefined ? '' : range}${digits}.`;
	return kind({ ...rest, type: 'number', typeOptions }, (value, at) => {
		checkDigits(value, at);
		const read = asNumber(value) ?? NaN;
		if (read >= (min ?? -Infinity) && read <= (max ?? Infinity) && (!isWhole || Number.isInteger(read)))
			return read;
		throw notAllowed(value, at, hint);
	});
}

/** Refuses text with a whole number that would be sent as another one. */
function checkDigits(given: unknown, at: Location): void {
	const digits = typeof given === 'string' ? roundedInteger(given) : undefined;
	if (digits === undefined) return;
	throw at.error(
		`has a whole number of too many digits: ${digits}`,
		`It would be sent as ${Number(digits)}. Use a smaller one, or a text in quotes where the API takes text.`,
	);
}

export function integer(spec: Spec<NumberSpec>): Parameter<number> {
	return number({ ...spec, decimals: 0 });
}

/** An amount of at least 0, as decimal text. */
export function decimal(spec: Spec<{ default: number }>): Parameter<string> {
	return number({ ...spec, min: 0, decimals: 2 }).map(String);
}

/** A switch; an empty value is false, or an error if it is strict. */
export function flag(spec: Spec<{ default: boolean; isStrict?: true }>): Parameter<boolean> {
	const { isStrict, ...rest } = spec;
	return kind({ ...rest, type: 'boolean' }, (value, at) => {
		const read = isUnset(value) && !isStrict ? false : asBoolean(value);
		if (read !== undefined) return read;
		throw notAllowed(value, at, 'It is true or false.');
	});
}

export function choice<const Options extends ReadonlyArray<INodePropertyOptions & { value: string }>>(
	spec: Spec<{ options: Options; default: Options[number]['value'] }>,
): Parameter<Options[number]['value']> {
	const values: ReadonlyArray<Options[number]['value']> = spec.options.map(({ value }) => value);
	return kind({ ...spec, type: 'options', options: [...spec.options] }, (given, at) => {
		const value = readText(given, at);
		const known = values.find((candidate) => candidate === value);
		if (known !== undefined) return known;
		throw notAllowed(value, at, `It takes one of: ${values.join(', ')}.`);
	});
}

/** Several texts: a list, or a single text; `undefined` for none. */
export function texts(spec: Spec<{ default: string[] }>): Parameter<string[] | undefined> {
	return new Parameter({ ...spec, type: 'string' }, (value, at) => {
		// An expression in a row may return a list: its elements count as rows.
		const list = [value].flat(2).map((element) => readText(element, at));
		const given = list.filter((element) => element !== '');
		return given.length > 0 ? given : undefined;
	});
}

type JsonSpec = Spec<{ default: string; example: string; rows?: number }>;

export function jsonObject(spec: JsonSpec): Parameter<JsonObject> {
	return jsonOf(spec, 'a JSON object', asObject);
}

export function jsonList(spec: JsonSpec): Parameter<Json[]> {
	return jsonOf(spec, 'a JSON list', (value) => (Array.isArray(value) ? value : undefined));
}

/** Any JSON value but null, as text or from an expression. */
export function json(spec: JsonSpec): Parameter<Json> {
	return jsonOf(spec, 'valid JSON', (value) => value ?? undefined);
}

/** Where n8n keeps files on disk, $binary makes data URLs empty: models would charge for something without the file. */
function checkDataUrls(given: unknown, at: Location): void {
	const text = typeof given === 'string' ? given : (JSON.stringify(given) ?? '');
	const [url] = /"data:[^",\\]*;base64,\s*"/i.exec(text) ?? [];
	if (url === undefined) return;
	throw at.error(
		`has a data URL without content: ${url}`,
		'An expression with $binary gives no bytes. For a file of the item, use a binary field: Input Files, Attachments, or Binary Field as the source.',
	);
}

function jsonOf<T>(
	{ example, rows, ...rest }: JsonSpec,
	what: string,
	narrow: (value: Json) => T | undefined,
): Parameter<T> {
	const typeOptions = rows ? { typeOptions: { rows } } : {};
	return kind({ ...rest, type: 'json', ...typeOptions }, (given, at) => {
		let problem = '';
		checkDataUrls(given, at);
		checkDigits(given, at);
		try {
			const value = narrow(
				outsideValue((typeof given === 'string' ? JSON.parse(given) : given) as Json) ?? null,
			);
			if (value !== undefined) return value;
		} catch (error) {
			problem = ` (${asError(error).message})`;
		}
		throw at.error(
			`is not ${what}: ${shown(given)}${problem}`,
			`It looks like ${example}. Check quotes, commas and brackets; for a value from another node that may contain quotes or line breaks, use {{ JSON.stringify($json.text) }} without quotes around it.`,
		);
	});
}

export interface FileReference {
	/** Name of a binary field, path of a binary inside the JSON, or a binary from an expression. */
	value: unknown;
	at: Location;
}

/** The name of a binary field of the input item. An empty one is no default: another file would be sent. */
export function inputFile(spec: Spec<{ default: string }>): Parameter<FileReference> {
	return kind({ ...spec, type: 'string' }, (value, at) => ({ value: value ?? '', at }));
}

/** Several values: a list from an expression, also an empty one, or text with separators, of which none is one empty value. */
export function several<T>(parameter: Parameter<T>, separator: RegExp): Parameter<T[]> {
	return parameter.reading((value, ...more) => {
		const parts: unknown[] = typeof value === 'string' ? value.split(separator) : [value].flat();
		const given = parts.filter((part) => String(part ?? '').trim() !== '');
		const isEmptyList = Array.isArray(value) && value.length === 0;
		return (given.length > 0 || isEmptyList ? given : ['']).map((part) => parameter.read(part, ...more));
	});
}

/** A form that the editor builds from a schema. The value is as workflows store it. */
export function mapper(spec: Spec<object>): Parameter<JsonObject | undefined> {
	const initial = { mappingMode: 'defineBelow', value: null };
	return kind({ ...spec, type: 'resourceMapper', default: initial }, (value, at) => {
		checkDataUrls(value, at);
		return asObject(outsideValue(value as Json));
	});
}

export function notice(displayName: string): Parameter<undefined> {
	return new Parameter({ displayName, type: 'notice', default: '' }, () => undefined);
}

function notAllowed(value: unknown, at: Location, hint: string) {
	return at.error(`has a value that is not allowed: ${shown(value)}`, hint);
}

function shown(value: unknown): string {
	return excerpt(JSON.stringify(value) ?? String(value), MAX_SHOWN);
}
