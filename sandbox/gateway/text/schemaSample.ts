/** Makes a value that fits a JSON Schema, for structured output and tool arguments. */
import { isObject, type JsonObject, type JsonSchema } from '../jsonSchema';

const maxDepth = 12;

/** A value for the schema; free strings contain the hint (the user's prompt). */
export function sampleFor(schema: JsonSchema, hint: string): unknown {
	return sample(schema, { root: schema, hint, name: '', depth: 0 });
}

interface Place {
	root: JsonSchema;
	hint: string;
	/** Name of the property. */
	name: string;
	depth: number;
}

function sample(raw: JsonSchema, place: Place): unknown {
	const schema = resolve(raw, place.root);
	if (schema.const !== undefined) return schema.const;
	if (schema.enum) return schema.enum[0];
	if (schema.default !== undefined && schema.default !== null) return schema.default;
	if (schema.examples?.length) return schema.examples[0];
	const [branch] = schema.anyOf ?? schema.oneOf ?? [];
	if (branch) return sample({ ...without(schema), ...resolve(branch, place.root) }, place);
	switch (typeOf(schema)) {
		case 'object':
			return sampleObject(schema, place);
		case 'array':
			return sampleArray(schema, place);
		case 'integer':
		case 'number':
			return sampleNumber(schema);
		case 'boolean':
			return true;
		case 'null':
			return null;
		default:
			return sampleString(schema, place);
	}
}

function without(schema: JsonSchema): JsonSchema {
	const rest = { ...schema };
	delete rest.anyOf;
	delete rest.oneOf;
	return rest;
}

/** Follows `$ref` within the document and folds `allOf` in. */
function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
	let resolved = schema;
	for (let hops = 0; resolved.$ref && hops < maxDepth; hops += 1) {
		resolved = lookUp(resolved.$ref, root);
	}
	if (!resolved.allOf) return resolved;
	const { allOf, ...own } = resolved;
	return allOf.map((part) => resolve(part, root)).reduce(fold, own);
}

function fold(into: JsonSchema, part: JsonSchema): JsonSchema {
	return {
		...into,
		...part,
		properties: { ...into.properties, ...part.properties },
		required: [...(into.required ?? []), ...(part.required ?? [])],
	};
}

function lookUp(reference: string, root: JsonSchema): JsonSchema {
	let at: unknown = root;
	for (const key of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
		at = isObject(at) ? at[key] : undefined;
	}
	return isObject(at) ? at : {};
}

function typeOf(schema: JsonSchema): string {
	const type = Array.isArray(schema.type) ? (schema.type.find((t) => t !== 'null') ?? 'null') : schema.type;
	if (type) return type;
	if (schema.properties) return 'object';
	return schema.items ? 'array' : 'string';
}

function sampleObject(schema: JsonSchema, place: Place): JsonObject {
	const required = new Set(schema.required ?? []);
	const entries = Object.entries(schema.properties ?? {})
		// At depth only required properties, so that recursive schemas end.
		.filter(([name]) => required.has(name) || place.depth < 4)
		.map(([name, property]) => [name, sample(property, { ...place, name, depth: place.depth + 1 })]);
	return Object.fromEntries(entries) as JsonObject;
}

function sampleArray(schema: JsonSchema, place: Place): unknown[] {
	if (schema.prefixItems) return schema.prefixItems.map((item) => sample(item, place));
	const deep = place.depth >= maxDepth;
	const length = Math.min(Math.max(schema.minItems ?? 0, deep ? 0 : 2), schema.maxItems ?? Infinity);
	const items = schema.items ?? {};
	const values = Array.from({ length }, (_, index) => {
		const value = sample(items, { ...place, depth: place.depth + 1 });
		return schema.uniqueItems && typeof value === 'string' ? `${value} ${index + 1}` : value;
	});
	return items.enum && schema.uniqueItems ? items.enum.slice(0, length) : values;
}

function sampleNumber(schema: JsonSchema): number {
	const step = schema.multipleOf ?? (typeOf(schema) === 'integer' ? 1 : 0.5);
	const low =
		schema.minimum ?? (schema.exclusiveMinimum !== undefined ? schema.exclusiveMinimum + step : undefined);
	const high =
		schema.maximum ?? (schema.exclusiveMaximum !== undefined ? schema.exclusiveMaximum - step : undefined);
	const value = Math.min(Math.max(step, low ?? step), high ?? Infinity);
	if (schema.multipleOf === undefined && typeOf(schema) !== 'integer') return value;
	return Math.ceil(value / step) * step;
}

const formats: Record<string, string> = {
	date: '2025-01-31',
	'date-time': '2025-01-31T12:00:00Z',
	time: '12:00:00Z',
	email: 'user@example.com',
	uri: 'https://example.com/',
	url: 'https://example.com/',
	uuid: '00000000-0000-4000-8000-000000000000',
	ipv4: '127.0.0.1',
	hostname: 'example.com',
};

function sampleString(schema: JsonSchema, place: Place): string {
	const fixed = schema.format ? formats[schema.format] : undefined;
	if (fixed) return fixed;
	const long = /prompt|query|text|input|question|message|description|summary|answer|content/i.test(
		place.name,
	);
	const base = long || place.name === '' ? place.hint : place.name;
	const text = base === '' ? 'text' : base;
	return text.padEnd(schema.minLength ?? 0, '.').slice(0, schema.maxLength ?? 400);
}
