import { branches, referred, schemaObject, schemaObjects } from '../media/jsonSchema';
import {
	asArray,
	asObject,
	asObjects,
	at,
	canonicalJson,
	fieldOf,
	type Json,
	type JsonObject,
} from '../util/json';
import { excerpt } from '../util/text';

const JSON_TYPES: ReadonlyMap<string, string> = new Map([
	['string', 'text'],
	['number', 'a number'],
	['integer', 'a whole number'],
	['boolean', 'true or false'],
	['array', 'a list'],
	['object', 'an object'],
	['null', 'null'],
]);

export const TYPE_NAMES = [...JSON_TYPES.keys()];

/** The depth to which a value is checked: a schema may refer to itself. */
const MAX_VALUE_DEPTH = 50;

/** How many rules are checked: with branches that refer to the schema itself, their number doubles with each level of a value. */
const MAX_CHECKS = 100_000;

/** The choices of a schema as JSON, for each value of a list the same. */
const choiceTexts = new WeakMap<object, ReadonlySet<string>>();

function isChoice(value: Json, choices: readonly Json[]): boolean {
	const texts = choiceTexts.get(choices) ?? new Set(choices.map(canonicalJson));
	choiceTexts.set(choices, texts);
	return texts.has(canonicalJson(value));
}

function jsonTypeOf(value: Json): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * Types, required fields and choices, as the panel says, and no other keywords. A field that is not required may be null: so
 * models write what they do not know.
 */
export function* misfits(
	value: Json,
	schema: Json | undefined,
	root: JsonObject,
	at = 'output',
	depth = 0,
	checks = { left: MAX_CHECKS },
): Generator<string> {
	const rules = schemaObject(schema);
	checks.left -= 1;
	if (!rules || depth > MAX_VALUE_DEPTH || checks.left < 0) return;
	// As OpenAPI writes it.
	if (value === null && rules.nullable === true) return;
	const within = (part: Json, of: Json | undefined, place = at) =>
		misfits(part, of, root, place, depth + 1, checks);
	const types = [rules.type].flat().map(String);
	const [type, isWhole] = [jsonTypeOf(value), Number.isInteger(value)];
	if (rules.type !== undefined && !types.includes(type) && !(isWhole && types.includes('integer')))
		yield `${at} is ${JSON_TYPES.get(type)}, not ${types.map((name) => JSON_TYPES.get(name) ?? name).join(' or ')}`;
	const choices = rules.const === undefined ? rules.enum : [rules.const];
	if (Array.isArray(choices) && !isChoice(value, choices))
		yield choices.length === 0
			? `${at} is not allowed`
			: `${at} is ${excerpt(JSON.stringify(value))}, not ${choices.map((choice) => JSON.stringify(choice)).join(' or ')}`;
	const union = branches(rules);
	if (union.length > 0 && !union.some((branch) => within(value, branch).next().done))
		yield `${at} is none of what the schema allows`;
	const target = typeof rules.$ref === 'string' ? referred(rules.$ref, root) : undefined;
	for (const part of [target, ...schemaObjects(rules.allOf)]) yield* within(value, part);
	// As in draft 7, `items` may be the list of the first ones.
	const [first, rest] = Array.isArray(rules.items)
		? [rules.items, rules.additionalItems]
		: [asArray(rules.prefixItems), rules.items];
	for (const [index, element] of asArray(value).entries())
		yield* within(element, index < first.length ? first[index] : rest, `${at}[${index}]`);
	const required = new Set(asObject(value) ? asArray(rules.required) : []);
	for (const name of required)
		if (!Object.hasOwn(asObject(value) ?? {}, String(name))) yield `${at}.${String(name)} is missing`;
	for (const [name, field] of Object.entries(asObject(rules.properties) ?? {})) {
		const given = fieldOf(asObject(value), name);
		const isUnknown = given === null && !required.has(name);
		if (given !== undefined && !isUnknown) yield* within(given, field, `${at}.${name}`);
	}
}

/**
 * The schema of what all examples show: a field that one of them lacks or has as null is not required,
 * numbers may have decimals, dates are text, and null, an empty list or several types stand for anything.
 */
export function schemaOf(examples: readonly Json[]): JsonObject {
	const [type = 'null', ...others] = new Set(examples.map(jsonTypeOf));
	if (type === 'null' || others.length > 0) return {};
	if (type === 'array') return { type, items: schemaOf(examples.flatMap(asArray)) };
	const objects = asObjects(examples);
	const values = new Map<string, Json[]>();
	for (const [name, value = null] of objects.flatMap((object) => Object.entries(object))) {
		const known = at(values, name, () => []);
		if (value !== null) known.push(value);
	}
	if (values.size === 0) return { type };
	return {
		type,
		properties: Object.fromEntries([...values].map(([name, known]) => [name, schemaOf(known)])),
		required: [...values].flatMap(([name, known]) => (known.length === objects.length ? name : [])),
		additionalProperties: false,
	};
}

/**
 * The schema of {@link schemaOf} as strict models take it: objects are closed and have all their fields, optional ones are
 * null. `undefined` if it has an object without fields, which would always be empty.
 */
export function strictSchema(schema: JsonObject): JsonObject | undefined {
	const { type, items, properties, required } = schema;
	// Anything is not strict: no list and no object.
	if (type === undefined) return { ...schema, type: ['string', 'number', 'boolean', 'null'] };
	if (type === 'array') {
		const element = strictSchema(asObject(items) ?? {});
		return element && { ...schema, items: element };
	}
	if (type !== 'object') return schema;
	const isRequired = new Set(asArray(required));
	const fields = Object.entries(asObject(properties) ?? {}).map(([name, value]) => {
		const field = strictSchema(asObject(value) ?? {});
		const isOptional = !isRequired.has(name);
		return [name, field && isOptional ? orNull(field) : field] as const;
	});
	if (fields.length === 0 || fields.some(([, field]) => field === undefined)) return undefined;
	return { ...schema, properties: Object.fromEntries(fields), required: fields.map(([name]) => name) };
}

function orNull(schema: JsonObject): JsonObject {
	return { ...schema, type: [...new Set([schema.type ?? [], 'null'].flat())] };
}

/** Keywords that hold a schema or a list of them, and those that hold schemas by name. */
const INNER = [
	'items',
	'prefixItems',
	'additionalItems',
	'contains',
	'additionalProperties',
	'propertyNames',
	'not',
	'allOf',
	'anyOf',
	'oneOf',
	'if',
	'then',
	'else',
];
const NAMED = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/** A type in a schema, or in one inside, that JSON Schema does not have. */
export function unknownType(schema: Json | undefined): Json | undefined {
	const rules = asObject(schema);
	if (!rules) return undefined;
	const own = [rules.type ?? []].flat().find((type) => !TYPE_NAMES.includes(String(type)));
	if (own !== undefined) return own;
	const inner = [
		...INNER.flatMap((word) => fieldOf(rules, word) ?? []),
		...NAMED.flatMap((word) => Object.values(asObject(fieldOf(rules, word)) ?? {})),
	];
	return inner.map(unknownType).find((type) => type !== undefined);
}

const SCHEMA_WORDS = ['type', 'properties', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'];

/** Whether an object is a schema, and no sample data, which may have a field `type` or `properties` as well. */
export function isSchema(value: JsonObject): boolean {
	const { type = 'object', properties = {} } = value;
	const fields = Object.values(asObject(properties) ?? { properties });
	return (
		SCHEMA_WORDS.some((word) => Object.hasOwn(value, word)) &&
		[type].flat().every((name) => typeof name === 'string' && JSON_TYPES.has(name)) &&
		fields.every((field) => schemaObject(field) !== undefined)
	);
}
