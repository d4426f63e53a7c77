/** Short forms of JSON Schemas, for the tables of fields (§4). Fields that a table lacks may have any value. */
import type { JsonSchema } from './jsonSchema';

export const text: JsonSchema = { type: 'string' };
/** An empty text counts as missing. */
export const filledText: JsonSchema = { type: 'string', minLength: 1 };
export const integer: JsonSchema = { type: 'integer' };
export const number: JsonSchema = { type: 'number' };
export const boolean: JsonSchema = { type: 'boolean' };

export function choice(...values: string[]): JsonSchema {
	return { enum: values };
}

export function range(minimum: number, maximum: number): JsonSchema {
	return { type: 'number', minimum, maximum };
}

export function list(items: JsonSchema = {}): JsonSchema {
	return { type: 'array', items };
}

/** An empty list counts as missing. */
export function filledList(items: JsonSchema): JsonSchema {
	return { ...list(items), minItems: 1 };
}

export function textOrList(items: JsonSchema): JsonSchema {
	return { type: ['string', 'array'], items };
}

export function object(properties: Record<string, JsonSchema> = {}, ...required: string[]): JsonSchema {
	return { type: 'object', properties, required };
}

/** One of some words, or an object. */
export function wordOr(words: string[], other: JsonSchema): JsonSchema {
	return { type: ['string', 'object'], if: text, then: choice(...words), else: other };
}

/** An object whose fields depend on its `type`; of a type that is not in the table, it may have any. */
export function byType(types: Record<string, JsonSchema>, type: JsonSchema = text): JsonSchema {
	return {
		...object({ type }, 'type'),
		allOf: Object.entries(types).map(([name, then]) => ({
			if: object({ type: { const: name } }, 'type'),
			then,
		})),
	};
}

/** Any text but these, which belong to another format. */
export function foreign(...words: string[]): JsonSchema {
	return { type: 'string', not: choice(...words) };
}
