import type { InputField, InputForm } from './inputSchema';
import {
	asBoolean,
	asNumber,
	objectIn,
	parseJson,
	roundedInteger,
	type Json,
	type JsonObject,
} from '../util/json';
import { BETWEEN_URLS } from '../util/text';
import { typesOf } from './jsonSchema';

/**
 * Converts the values of a form to the types of the model's schema: "5" becomes 5 in an integer field and stays text
 * in a text field, JSON text becomes a list or an object. Leaves out unset values: null, empty text, and an empty
 * list or object unless the field has a default. The gateway checks the rest (422), also what cannot be converted.
 */
export function typedInput(values: JsonObject, form: InputForm): JsonObject {
	const typed = Object.entries(values).flatMap(([name, value]) => {
		const field = form.fields.find((candidate) => candidate.name === name);
		// A default that the user has emptied.
		const isEmptied = value === '' && field?.kind === 'text' && field.choices.length === 0;
		if (isEmptied && field.default !== undefined) return [[name, value] as const];
		if (isBlank(value)) return [];
		const converted = field ? typedValue(value, field) : value;
		// The form shows an unset list or object as an empty one.
		const isEmpty = typeof converted === 'object' && Object.keys(converted ?? {}).length === 0;
		return field && isEmpty && field.default === undefined ? [] : [[name, converted] as const];
	});
	return Object.fromEntries(typed);
}

function isBlank(value: Json | undefined): value is null | undefined | '' {
	return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function typedValue(value: Json, field: InputField): Json {
	if (typeof value !== 'object') {
		const { choices } = field;
		// An expression may return a number as text, or text as a number.
		const like = (choice: Json) => String(choice) === String(value);
		const chosen = choices.find((choice) => choice === value) ?? choices.find(like);
		if (chosen !== undefined) return chosen;
	}
	switch (field.kind) {
		case 'text':
			return typeof value === 'object' ? value : String(value);
		case 'integer':
		case 'number':
			// Not as another number.
			if (typeof value === 'string' && roundedInteger(value) !== undefined) return value;
			return asNumber(value) ?? value;
		case 'boolean':
			return asBoolean(value) ?? value;
		case 'list':
			return toList(value, field);
		case 'object':
			return objectIn(value) ?? value;
		case 'json':
			return toJson(value, typesOf(field.schema));
	}
}

/** Lists and objects among the elements stay, and all elements of a list of several types. */
function toList(value: Json, { element }: InputField): Json[] {
	return elements(value, element).map((part) => {
		// Without it, the others would have other indexes; the gateway refuses it at no cost.
		if (isBlank(part)) return null;
		return !element || typeof part === 'object' || element.kind === 'json' ? part : typedValue(part, element);
	});
}

/** The elements of a list, of JSON text, or of text with one element per line or between commas. */
function elements(value: Json, element: InputField | undefined): Json[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	const parsed = parseJson(value);
	if (Array.isArray(parsed)) return parsed;
	const isUrl = /:\/\/|^\s*data:[^\s,]+,/.test(value);
	const isByLine = /[\r\n]/.test(value) || element?.kind === 'object';
	const separator = isUrl ? BETWEEN_URLS : isByLine ? /[\r\n]/ : /,/;
	return value
		.split(separator)
		.map((part) => part.trim())
		.filter((part) => part !== '');
}

/** Parses text if it is JSON of one of the types; any other value stays. Without types, only a list or an object is. */
function toJson(value: Json, types: readonly string[]): Json {
	const parsed = typeof value === 'string' ? parseJson(value) : undefined;
	if (parsed === undefined || parsed === null) return value;
	const type = Array.isArray(parsed) ? 'array' : typeof parsed;
	const isScalar = typeof parsed !== 'object';
	// Text that looks like a number or a boolean stays text where text is allowed.
	if (isScalar && types.includes('string')) return value;
	const allowed = types.length === 0 ? ['array', 'object'] : types;
	return allowed.some((one) => (one === 'integer' ? 'number' : one) === type) ? parsed : value;
}

/** Where the schema has a list, or the field a value already, the URL becomes an element. The gateway checks it (422). */
export function withFile(input: JsonObject, field: string, url: string, { fields }: InputForm): JsonObject {
	const { schema = {} } = fields.find(({ name }) => name === field) ?? {};
	// A map: `__proto__` is a name like any other.
	const values = new Map(Object.entries(input));
	const present = values.get(field) ?? '';
	const isList = present !== '' || typesOf(schema).includes('array');
	return Object.fromEntries(
		values.set(field, isList ? [...(present === '' ? [] : [present].flat()), url] : url),
	);
}
