import {
	asArray,
	asObject,
	asObjects,
	asText,
	fieldOf,
	omit,
	type Json,
	type JsonObject,
} from '../util/json';

const UNIONS = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'];

/** The depth to which nested references are resolved; below it, a schema allows anything. */
const MAX_REFERENCE_DEPTH = 5;

/** How much of a schema is read, in values: a few references may stand for billions. */
export interface SchemaBudget {
	left: number;
}

/** The budget of a schema. */
export const MAX_VALUES = 200_000;

/** Takes schemas from the budget. Returns whether they are within it. */
function isWithin(budget: SchemaBudget, values: readonly unknown[]): boolean {
	for (const value of values) {
		budget.left -= 1;
		if (typeof value === 'object' && value !== null) isWithin(budget, Object.values(value));
		if (budget.left < 0) return false;
	}
	return true;
}

/**
 * Simplifies a JSON Schema and those of its elements and branches: resolves references into the document `root`, merges
 * `allOf`, removes a `null` that only means "optional" (`anyOf: [X, null]`, `type: [X, 'null']`), and turns constants
 * and unions of choices into `enum`. Keywords next to a reference override it. Never throws: what cannot be resolved, and
 * what is beyond the budget, allows anything.
 */
export function resolvedSchema(
	schema: Json | undefined,
	root: JsonObject,
	budget: SchemaBudget,
	depth = 0,
): JsonObject {
	const own = asObject(schema);
	if (!own || depth > MAX_REFERENCE_DEPTH || !isWithin(budget, [own])) return {};
	const resolved = (part: Json | undefined) => resolvedSchema(part, root, budget, depth + 1);
	const { $ref, allOf, items, ...siblings } = own;
	if (items !== undefined) siblings.items = resolved(items);
	// A pointer may have thousands of steps.
	budget.left -= typeof $ref === 'string' ? $ref.length : 0;
	const parts = [...(typeof $ref === 'string' ? [referred($ref, root)] : []), ...asObjects(allOf)];
	const whole = merged([...parts.map(resolved), siblings], budget);
	return simplified(whole, resolved, budget);
}

/** Removes a `null` that means "optional", and turns a constant, or a union of choices, into `enum`. */
function simplified(
	schema: JsonObject,
	resolved: (branch: JsonObject) => JsonObject,
	budget: SchemaBudget,
): JsonObject {
	const union = branches(schema).map(resolved);
	const real = union.filter((branch) => branch.type !== 'null' && branch.const !== null);
	const [only = {}] = real;
	const siblings = union.length > 0 ? withoutUnion(schema) : schema;
	const whole = real.length === 1 ? merged([only, siblings], budget) : { ...siblings, anyOf: real };
	const result: JsonObject = union.length > 0 ? { ...whole } : { ...schema };
	if (Array.isArray(result.enum)) result.enum = result.enum.filter((value) => value !== null);
	if (Array.isArray(result.type)) {
		const types = result.type.filter((type) => type !== 'null');
		result.type = types.length === 1 ? (types[0] ?? null) : types;
	}
	const options = branches(result);
	if (result.const !== undefined) result.enum = [result.const];
	else if (options.length > 0 && options.every((option) => Array.isArray(option.enum)))
		result.enum = [...new Set(options.flatMap((option) => asArray(option.enum)))];
	return result;
}

/** A schema as an object: `true` allows anything, and `false` nothing. `undefined` for what is no schema. */
export function schemaObject(schema: Json | undefined): JsonObject | undefined {
	if (typeof schema !== 'boolean') return asObject(schema);
	return schema ? {} : { enum: [] };
}

/** The schemas of a list, as objects. */
export function schemaObjects(schemas: Json | undefined): JsonObject[] {
	return asArray(schemas)
		.map(schemaObject)
		.filter((schema) => schema !== undefined);
}

/** Resolves a reference such as `#/$defs/Size`; `undefined` for one into another document. */
export function referred(pointer: string, root: JsonObject): Json | undefined {
	if (pointer !== '#' && !pointer.startsWith('#/')) return undefined;
	const [, ...steps] = pointer.split('/');
	return steps.reduce<Json | undefined>((found, step) => fieldOf(asObject(found), step), root);
}

/**
 * What schemas allow together; later ones override. Of several unions, any branch: all fields stay, and a form requires fewer
 * of them.
 */
export function merged(schemas: readonly JsonObject[], budget: SchemaBudget): JsonObject {
	const [single, ...others] = schemas;
	if (single && others.length === 0) return single;
	if (!isWithin(budget, schemas)) return {};
	const fields = schemas.flatMap(({ properties }) => Object.entries(asObject(properties) ?? {}));
	const required = new Set(schemas.flatMap((schema) => asArray(schema.required)));
	const union = schemas.flatMap(branches);
	return {
		...Object.fromEntries(schemas.flatMap((schema) => Object.entries(withoutUnion(schema)))),
		...(union.length > 0 ? { anyOf: union } : {}),
		...(fields.length > 0 ? { properties: Object.fromEntries(fields) } : {}),
		...(required.size > 0 ? { required: [...required] } : {}),
	};
}

/**
 * The branches of a union; empty if the schema is not a union. A condition is a union of its two outcomes, and so is a
 * field on which others depend.
 */
export function branches(schema: JsonObject): JsonObject[] {
	const { anyOf, oneOf, dependentSchemas, dependencies } = schema;
	const outcomes = schema.if === undefined ? [] : [schema.then ?? {}, schema.else ?? {}];
	const dependent = asObjects(
		[dependentSchemas, dependencies].flatMap((byName) => Object.values(asObject(byName) ?? {})),
	);
	const noneOr = dependent.length > 0 ? [{}, ...dependent] : [];
	return [...schemaObjects([anyOf, oneOf, outcomes].flatMap(asArray)), ...noneOr];
}

export function withoutUnion(schema: JsonObject): JsonObject {
	return omit(schema, ...UNIONS);
}

/** The types that a resolved schema allows; empty if it names none. */
export function typesOf(schema: JsonObject): string[] {
	const own = (Array.isArray(schema.type) ? schema.type : [schema.type]).flatMap(
		(type) => asText(type) ?? [],
	);
	if (own.length > 0) return own;
	const inner = branches(schema).map(typesOf);
	if (inner.length > 0 && inner.every((types) => types.length > 0)) return [...new Set(inner.flat())];
	if (schema.properties !== undefined) return ['object'];
	return schema.items === undefined ? [] : ['array'];
}
