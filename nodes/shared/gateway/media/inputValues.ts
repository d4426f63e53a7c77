import { excerpt } from '../util/excerpt';
import { InvalidInputError } from '../errors/errors';
import { inputField, takesUrls, type InputField, type InputForm } from './inputSchema';
import { asNumber, objectIn, parseJson, type Json, type JsonObject } from '../util/json';
import { branches, resolvedSchema, typesOf } from './jsonSchema';
import { violation } from './schemaRules';

/** Characters of a value that an error shows. */
const MAX_SHOWN = 80;

/**
 * Converts the values of a form to the types of the model's schema: "5" becomes 5 in an integer field and stays text
 * in a text field, JSON text becomes a list or an object. Leaves out unset values: null, empty text, and an empty
 * list or object unless the field has a default.
 *
 * @throws {InvalidInputError} for a value that cannot be converted and for an unknown field, naming the field
 */
export function typedInput(values: JsonObject, form: InputForm): JsonObject {
	const typed: JsonObject = {};
	for (const [name, value] of Object.entries(values)) {
		if (isUnset(value)) continue;
		const field = form.fields.find((candidate) => candidate.name === name);
		if (!field && form.closed) throw unknownField(name);
		const converted = field ? typedValue(value, field, form.root) : value;
		if (!field || !isEmpty(converted) || field.default !== undefined) typed[name] = converted;
	}
	return typed;
}

/** The form shows an unset list or object as an empty one. */
function isEmpty(value: Json): boolean {
	return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/**
 * Checks an input against the model's schema before it is sent.
 *
 * @throws {InvalidInputError} for a missing required field and for a value that breaks a rule (choices, range,
 *   length), naming field and rule
 */
export function checkInput(input: JsonObject, form: InputForm): void {
	for (const field of form.fields) {
		const value = input[field.name];
		if (value === undefined) {
			if (field.required) throw missingField(field);
			continue;
		}
		const broken = violation(value, field.schema, form.root);
		if (broken) throw invalidField(field, broken.path, broken.rule, valueText(value));
	}
}

function isUnset(value: Json | undefined): value is null | undefined | '' {
	return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function typedValue(value: Json, field: InputField, root: JsonObject): Json {
	const chosen = field.choices.find((choice) => choice.value === value) ?? choiceLike(value, field);
	if (chosen) return chosen.value;
	switch (field.kind) {
		case 'text':
			return toText(value, field);
		case 'integer':
		case 'number':
			return toNumber(value, field);
		case 'boolean':
			return toBoolean(value, field);
		case 'list':
			return toList(value, field, root);
		case 'object':
			return toObject(value, field);
		case 'json':
			return toJson(value, field.schema, root);
	}
}

/** The choice with the same text: an expression may return a number as text, or text as a number. */
function choiceLike(value: Json, { choices }: InputField) {
	return typeof value === 'object'
		? undefined
		: choices.find((choice) => String(choice.value) === String(value));
}

function toText(value: Json, field: InputField): string {
	if (typeof value === 'object') {
		throw invalidField(field, '', 'takes text', valueText(value));
	}
	return String(value);
}

function toNumber(value: Json, field: InputField): number {
	const number = asNumber(value);
	if (number === undefined) {
		const rule = field.kind === 'integer' ? 'takes a whole number' : 'takes a number';
		throw invalidField(field, '', rule, valueText(value));
	}
	return number;
}

function toBoolean(value: Json, field: InputField): boolean {
	const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
	if (word === 'true' || word === '1') return true;
	if (word === 'false' || word === '0') return false;
	throw invalidField(field, '', 'takes true or false', valueText(value));
}

function toList(value: Json, field: InputField, root: JsonObject): Json[] {
	const element = inputField(field.name, field.items, root);
	return elements(value, element).map((part) =>
		isForeign(part, element, root) ? typedValue(part, { ...element, title: field.title }, root) : part,
	);
}

/** Whether to convert an element: lists, objects and elements that fit their schema stay. */
function isForeign(value: Json, element: InputField, root: JsonObject): boolean {
	return typeof value !== 'object' && violation(value, element.schema, root) !== undefined;
}

/** The elements of a list, of JSON text, or of text with one element per line or between commas. */
function elements(value: Json, element: InputField): Json[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	const parsed = parseJson(value);
	if (Array.isArray(parsed)) return parsed;
	const isUrl = /:\/\/|^\s*data:/.test(value);
	const separator = /[\r\n]/.test(value) || isUrl || element.kind === 'object' ? /[\r\n]/ : /,/;
	return value
		.split(separator)
		.map((part) => part.trim())
		.filter((part) => part !== '');
}

function toObject(value: Json, field: InputField): JsonObject {
	const object = objectIn(value);
	if (!object) throw invalidField(field, '', 'takes a JSON object', valueText(value));
	return object;
}

/** Parses text if it is JSON of a type that the schema allows; returns any other value unchanged. */
function toJson(value: Json, schema: JsonObject, root: JsonObject): Json {
	if (typeof value !== 'string') return value;
	const parsed = parseJson(value);
	if (parsed === undefined || parsed === null) return value;
	const types = typesOf(schema);
	const isStructure = typeof parsed === 'object';
	// Text that looks like a number or a boolean stays text where text is allowed.
	if (!isStructure && (types.length === 0 || types.includes('string'))) return value;
	const fits = [schema, ...branches(schema)].some(
		(part) => violation(parsed, resolvedSchema(part, root), root) === undefined,
	);
	return fits ? parsed : value;
}

function invalidField(field: InputField, path: string, rule: string, shown: string): InvalidInputError {
	const place = path === '' ? '' : ` (${field.name}${path})`;
	return new InvalidInputError(
		`'${field.title}'${place} ${rule}`,
		`The value is ${shown}, which the model does not accept. Correct the field.`,
		`input.${field.name}`,
	);
}

function missingField(field: InputField): InvalidInputError {
	return new InvalidInputError(
		`'${field.title}' is missing`,
		`The model needs it. Fill the field${takesUrls(field) ? ", or add a file to 'Input Files'" : ''}${field.kind === 'list' || field.kind === 'text' ? ', or check the expression that fills it' : ''}.`,
		`input.${field.name}`,
	);
}

function unknownField(name: string): InvalidInputError {
	return new InvalidInputError(
		`The model has no field '${name}'`,
		"The form was made for another model, or the model has changed: select the three dots next to 'Model Fields', then 'Refresh Field List'.",
		`input.${name}`,
	);
}

function valueText(value: Json): string {
	return excerpt(JSON.stringify(value), MAX_SHOWN);
}
