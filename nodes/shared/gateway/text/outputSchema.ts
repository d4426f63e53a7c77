import { branches, referred } from '../media/jsonSchema';
import { asArray, asObject, asObjects, canonicalJson, type Json, type JsonObject } from '../util/json';

const TYPES: Readonly<Record<string, string>> = {
	string: 'text',
	number: 'a number',
	integer: 'a whole number',
	boolean: 'true or false',
	array: 'a list',
	object: 'an object',
	null: 'null',
};

/** The depth to which a value is checked: a schema may refer to itself. */
const MAX_DEPTH = 50;

function typeOf(value: Json): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'array' : typeof value;
}

/** Types, required fields and choices. A field that is not required may be null: so models write what they do not know. */
export function* misfits(
	value: Json,
	schema: Json | undefined,
	root: JsonObject,
	at = 'output',
	depth = 0,
): Generator<string> {
	const rules = asObject(schema);
	if (!rules || depth > MAX_DEPTH) return;
	// As OpenAPI writes it.
	if (value === null && rules.nullable === true) return;
	const within = (part: Json, of: Json | undefined, place = at) => misfits(part, of, root, place, depth + 1);
	const types = [rules.type].flat().map(String);
	const [type, isWhole] = [typeOf(value), Number.isInteger(value)];
	if (rules.type !== undefined && !types.includes(type) && !(isWhole && types.includes('integer')))
		yield `${at} is ${TYPES[type]}, not ${types.map((name) => TYPES[name] ?? name).join(' or ')}`;
	const choices = rules.const === undefined ? rules.enum : [rules.const];
	if (Array.isArray(choices) && !choices.some((choice) => canonicalJson(choice) === canonicalJson(value)))
		yield `${at} is ${JSON.stringify(value)}, not ${choices.map((choice) => JSON.stringify(choice)).join(' or ')}`;
	const union = branches(rules);
	if (union.length > 0 && !union.some((branch) => within(value, branch).next().done))
		yield `${at} is none of what the schema allows`;
	const target = typeof rules.$ref === 'string' ? referred(rules.$ref, root) : undefined;
	for (const part of [target, ...asObjects(rules.allOf)]) yield* within(value, part);
	for (const [index, element] of asArray(value).entries())
		yield* within(element, rules.items, `${at}[${index}]`);
	const fields = new Map(Object.entries(asObject(value) ?? {}));
	const required = asObject(value) ? asArray(rules.required) : [];
	for (const name of required) if (!fields.has(String(name))) yield `${at}.${String(name)} is missing`;
	for (const [name, field] of Object.entries(asObject(rules.properties) ?? {})) {
		const given = fields.get(name);
		const isUnknown = given === null && !required.includes(name);
		if (given !== undefined && !isUnknown) yield* within(given, field, `${at}.${name}`);
	}
}

/**
 * The schema of what all examples show: a field that one of them lacks or has as null is not required,
 * numbers may have decimals, dates are text, and null, an empty list or several types stand for anything.
 */
export function schemaOf(examples: readonly Json[]): JsonObject {
	const [type = 'null', ...others] = new Set(examples.map(typeOf));
	if (type === 'null' || others.length > 0) return {};
	if (type === 'array') return { type, items: schemaOf(examples.flatMap(asArray)) };
	const objects = asObjects(examples);
	const names = [...new Set(objects.flatMap((object) => Object.keys(object)))];
	if (names.length === 0) return { type };
	const valuesOf = (name: string) =>
		objects.map((object) => object[name] ?? null).filter((value) => value !== null);
	return {
		type,
		properties: Object.fromEntries(names.map((name) => [name, schemaOf(valuesOf(name))])),
		required: names.filter((name) => valuesOf(name).length === objects.length),
		additionalProperties: false,
	};
}

const SCHEMA_WORDS = ['type', 'properties', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'];

/** Whether an object is a schema, and no sample data, which may have a field `type` or `properties` as well. */
export function isSchema(value: JsonObject): boolean {
	const { type = 'object', properties = {} } = value;
	const fields = Object.values(asObject(properties) ?? { properties });
	return (
		SCHEMA_WORDS.some((word) => word in value) &&
		[type].flat().every((name) => typeof name === 'string' && name in TYPES) &&
		fields.every((field) => asObject(field) !== undefined)
	);
}
