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
	if (branch) return sample({ ...schema, anyOf: [], oneOf: [], ...resolve(branch, place.root) }, place);
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

/** Follows `$ref` within the document. */
function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
	let resolved = schema;
	for (let hops = 0; resolved.$ref && hops < maxDepth; hops += 1) resolved = lookUp(resolved.$ref, root);
	return resolved;
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
	const least = Math.max(schema.minItems ?? 0, place.depth >= maxDepth ? 0 : 2);
	return Array.from({ length: Math.min(least, schema.maxItems ?? Infinity) }, () =>
		sample(schema.items ?? {}, { ...place, depth: place.depth + 1 }),
	);
}

function sampleNumber(schema: JsonSchema): number {
	const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema;
	const step = schema.multipleOf ?? (typeOf(schema) === 'integer' ? 1 : 0.5);
	return Math.ceil(Math.min(Math.max(step, minimum, exclusiveMinimum + step), maximum) / step) * step;
}

const formats: Record<string, string> = {
	date: '2025-01-31',
	'date-time': '2025-01-31T12:00:00Z',
	time: '12:00:00Z',
	email: 'user@example.com',
	uri: 'https://example.com/',
	uuid: '00000000-0000-4000-8000-000000000000',
};

/** The first words of the hint. */
function titleOf(hint: string): string {
	const words = hint.split(/\s+/).slice(0, 6).join(' ') || 'title';
	return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function sampleString(schema: JsonSchema, place: Place): string {
	const fixed = schema.format ? formats[schema.format] : undefined;
	if (fixed) return fixed;
	const long = /prompt|query|text|input|question|message|description|summary|answer|content/i.test(
		place.name,
	);
	const base = long || place.name === '' ? place.hint : place.name;
	const text = /^(title|headline)$/i.test(place.name) ? titleOf(place.hint) : base || 'text';
	return text.padEnd(schema.minLength ?? 0, '.').slice(0, schema.maxLength ?? 400);
}
