import { asObject, type Json, type JsonObject } from '../util/json';

/** Keywords that say what a value is. */
const STRUCTURE: ReadonlySet<string> = new Set(
	'type properties required additionalProperties patternProperties items prefixItems enum const $ref $defs definitions anyOf oneOf allOf not if'.split(
		' ',
	),
);

/** Keywords that a schema may consist of, although they say nothing about the value. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
	'$schema $id $comment title description default examples'.split(' '),
);

const TYPES: ReadonlySet<unknown> = new Set('string number integer boolean object array null'.split(' '));

/**
 * Why an object is no JSON Schema, such as an example of the response in its place; `undefined` if it can be one. What
 * a format or a model supports of JSON Schema is for the gateway to say.
 */
export function schemaProblem(schema: JsonObject): string | undefined {
	const keys = Object.keys(schema);
	const isUnknown = keys.some((key) => !ANNOTATIONS.has(key)) && !keys.some((key) => STRUCTURE.has(key));
	if (isUnknown)
		return `it has neither "type" nor "properties", but ${keys.map((key) => `"${key}"`).join(', ')}`;
	return problemAt('', schema);
}

/** @param path of the schema in the whole one */
function problemAt(path: string, schema: Json | undefined): string | undefined {
	// `true` and `false` are schemas, too.
	if (typeof schema === 'boolean' || schema === undefined) return undefined;
	const own = asObject(schema);
	if (!own) return `"${path}" is not an object`;
	const at = (key: string) => (path === '' ? key : `${path}.${key}`);
	const type = [own.type].flat().find((word) => word !== undefined && !TYPES.has(word));
	if (type !== undefined) return `"${at('type')}" is ${JSON.stringify(type)}, which is not a type`;
	const { required, properties, enum: values } = own;
	if (required !== undefined && !isList(required, (name) => typeof name === 'string'))
		return `"${at('required')}" is not a list of names`;
	if (values !== undefined && !Array.isArray(values)) return `"${at('enum')}" is not a list`;
	if (properties !== undefined && !asObject(properties)) return `"${at('properties')}" is not an object`;
	const inner: Array<[string, Json | undefined]> = [
		...Object.entries(asObject(properties) ?? {}).map<[string, Json | undefined]>(([name, value]) => [
			at(`properties.${name}`),
			value,
		]),
		// Older drafts have a list of schemas here.
		...[own.items].flat().map<[string, Json | undefined]>((value) => [at('items'), value]),
		...['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
			[own[key]].flat().map<[string, Json | undefined]>((value) => [at(key), value]),
		),
	];
	return inner.map(([place, value]) => problemAt(place, value)).find((problem) => problem !== undefined);
}

function isList(value: Json, fits: (element: Json) => boolean): boolean {
	return Array.isArray(value) && value.every(fits);
}
