import type { JsonObject } from '../util/json';

/** Keywords that say what a value is. */
const STRUCTURE: ReadonlySet<string> = new Set(
	'type properties required additionalProperties patternProperties items prefixItems enum const $ref $defs definitions anyOf oneOf allOf not if'.split(
		' ',
	),
);

/**
 * Why an object is no JSON Schema but, for example, a response in its place, with which a model may respond for money;
 * `undefined` if it can be one. The gateway checks the rest, free of charge.
 */
export function schemaProblem(schema: JsonObject): string | undefined {
	const keys = Object.keys(schema);
	if (keys.length === 0 || keys.some((key) => STRUCTURE.has(key))) return undefined;
	return `it has neither "type" nor "properties", but ${keys.map((key) => `"${key}"`).join(', ')}`;
}
