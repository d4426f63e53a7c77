import { asArray, asNumber, asObject, asText, canonicalJson, type Json, type JsonObject } from '../util/json';
import { branches, resolvedSchema, typesOf } from './jsonSchema';

/** A rule of a schema that a value breaks. */
export interface Violation {
	/** Path below the checked value: `.opacity`, `[2]`; empty for the value itself. */
	path: string;
	/** "must be …" */
	rule: string;
}

/**
 * The first rule of `schema` that `value` breaks: type, `enum`, range, length, required fields of objects, and the
 * same for elements and fields. The gateway checks formats, patterns and all other rules (422).
 *
 * @param root the document that references point into
 */
export function violation(value: Json, schema: JsonObject, root: JsonObject): Violation | undefined {
	// A resolved schema does not show whether it allows null: the gateway checks that.
	if (value === null) return undefined;
	const rule =
		brokenType(value, schema) ??
		brokenChoice(value, schema) ??
		brokenUnion(value, schema, root) ??
		(typeof value === 'number' ? brokenRange(value, schema) : undefined) ??
		(typeof value === 'string'
			? brokenLength([...value].length, schema, 'Length', 'characters')
			: undefined) ??
		(Array.isArray(value) ? brokenLength(value.length, schema, 'Items', 'elements') : undefined);
	if (rule !== undefined) return { path: '', rule };
	return Array.isArray(value) ? inElements(value, schema, root) : inFields(value, schema, root);
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
	string: 'text',
	integer: 'a whole number',
	number: 'a number',
	boolean: 'true or false',
	array: 'a list',
	object: 'an object',
};

function brokenType(value: Json, schema: JsonObject): string | undefined {
	const types = typesOf(schema).filter((type) => Object.hasOwn(TYPE_NAMES, type));
	if (types.length === 0 || types.some((type) => hasType(value, type))) return undefined;
	return `must be ${types.map((type) => TYPE_NAMES[type] ?? type).join(' or ')}`;
}

function hasType(value: Json, type: string): boolean {
	if (type === 'array') return Array.isArray(value);
	if (type === 'object') return asObject(value) !== undefined;
	return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function brokenChoice(value: Json, schema: JsonObject): string | undefined {
	if (!Array.isArray(schema.enum)) return undefined;
	const wanted = canonicalJson(value);
	if (schema.enum.some((choice) => canonicalJson(choice) === wanted)) return undefined;
	return `must be one of: ${schema.enum.map((choice) => asText(choice) ?? JSON.stringify(choice)).join(', ')}`;
}

function brokenUnion(value: Json, schema: JsonObject, root: JsonObject): string | undefined {
	const broken = branches(schema).map((branch) => violation(value, resolvedSchema(branch, root), root));
	const [first] = broken;
	if (first === undefined || broken.includes(undefined)) return undefined;
	return broken.length === 1 ? first.rule : 'must have one of the forms that the model accepts';
}

function brokenRange(value: number, schema: JsonObject): string | undefined {
	const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
	if (value < (asNumber(minimum) ?? -Infinity)) return `must be at least ${minimum}`;
	if (value > (asNumber(maximum) ?? Infinity)) return `must be at most ${maximum}`;
	if (value <= (asNumber(exclusiveMinimum) ?? -Infinity)) return `must be more than ${exclusiveMinimum}`;
	return value >= (asNumber(exclusiveMaximum) ?? Infinity)
		? `must be less than ${exclusiveMaximum}`
		: undefined;
}

function brokenLength(
	length: number,
	schema: JsonObject,
	what: 'Length' | 'Items',
	unit: string,
): string | undefined {
	const min = asNumber(schema[`min${what}`]) ?? 0;
	const max = asNumber(schema[`max${what}`]) ?? Infinity;
	if (length < min) return `must have at least ${min} ${unit} (it has ${length})`;
	return length > max ? `must have at most ${max} ${unit} (it has ${length})` : undefined;
}

function inElements(values: Json[], schema: JsonObject, root: JsonObject): Violation | undefined {
	const items = resolvedSchema(schema.items, root);
	for (const [index, element] of values.entries()) {
		const broken = violation(element, items, root);
		if (broken) return { ...broken, path: `[${index}]${broken.path}` };
	}
	return undefined;
}

function inFields(value: Json, schema: JsonObject, root: JsonObject): Violation | undefined {
	const object = asObject(value);
	if (!object) return undefined;
	const properties = asObject(schema.properties) ?? {};
	const required = asArray(schema.required).flatMap((name) => asText(name) ?? []);
	const missing = required.find((name) => object[name] === undefined);
	if (missing !== undefined) return { path: `.${missing}`, rule: 'must be there' };
	for (const [name, field] of Object.entries(object)) {
		const isUnknown = !Object.hasOwn(properties, name);
		if (isUnknown && schema.additionalProperties === false) return { path: `.${name}`, rule: 'is not known' };
		if (field === undefined) continue;
		const broken = violation(field, resolvedSchema(properties[name], root), root);
		if (broken) return { ...broken, path: `.${name}${broken.path}` };
	}
	return undefined;
}
