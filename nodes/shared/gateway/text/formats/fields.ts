import { asObject, type Json, type JsonObject } from '../../util/json';

/** What a field of a request body holds. */
export type WireKind = 'integer' | 'number' | 'boolean' | 'text' | 'texts' | 'choice' | 'object' | 'list';

/** How one option of the node reaches the body of a format. */
export interface WireField {
	/** Names from the top of the request body downwards. */
	path: readonly string[];
	kind: WireKind;
	/** Range of the specification, inclusive. */
	min?: number;
	max?: number;
	/** The values of a `choice`. */
	choices?: readonly string[];
}

/** The options that a format has, by the option's name in the node. */
export type WireFields = Readonly<Record<string, WireField>>;

/**
 * A field of the request body.
 *
 * @param path its name, with a dot before each level further down
 */
export function field(path: string, kind: WireKind, bounds: { min?: number; max?: number } = {}): WireField {
	return { path: path.split('.'), kind, ...bounds };
}

/** A field that takes one of some words. */
export function choice(path: string, choices: readonly string[]): WireField {
	return { path: path.split('.'), kind: 'choice', choices };
}

/** §4.1: the efforts of reasoning. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** The body fields of the options that are set, where the format has them. */
export function wireOptions(fields: WireFields, options: JsonObject): JsonObject {
	return Object.entries(fields).reduce<JsonObject>((body, [option, { path }]) => {
		const value = options[option];
		return value === undefined ? body : deepMerge(body, nested(path, value));
	}, {});
}

function nested(path: readonly string[], value: Json): JsonObject {
	const [name = '', ...rest] = path;
	return { [name]: rest.length === 0 ? value : nested(rest, value) };
}

/** `base` with what `more` knows: a later event that does not know a value leaves what an earlier one said. */
export function mergeKnown(base: JsonObject, more: JsonObject): JsonObject {
	const known = Object.entries(more).filter(([name, value]) => value !== null || base[name] === undefined);
	const merged = known.map(([name, value]) => {
		const before = asObject(base[name]);
		const after = asObject(value);
		return [name, before && after ? mergeKnown(before, after) : value];
	});
	return { ...base, ...Object.fromEntries(merged) };
}

/** `base` with the fields of `more`; objects are merged, everything else is replaced. Changes neither. */
export function deepMerge(base: JsonObject, more: JsonObject): JsonObject {
	const merged = { ...base };
	for (const [name, value] of Object.entries(more)) {
		const before = asObject(merged[name]);
		const after = asObject(value);
		// `defineProperty` would be needed for __proto__, which no field of the API is called.
		if (name !== '__proto__') merged[name] = before && after ? deepMerge(before, after) : value;
	}
	return merged;
}
