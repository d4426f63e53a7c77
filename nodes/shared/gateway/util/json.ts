/** A JSON value as it comes from the wire. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
	[key: string]: Json | undefined;
}

/** Parses `text`; `undefined` when it is not JSON. Never throws. */
export function parseJson(text: string): Json | undefined {
	try {
		return JSON.parse(text) as Json;
	} catch {
		return undefined;
	}
}

/** `value` when it is a JSON object (not an array, not null), otherwise `undefined`. */
export function asObject(value: unknown): JsonObject | undefined {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
		? (value as JsonObject)
		: undefined;
}

/** The JSON object that `value` is, or that its JSON text stands for; otherwise `undefined`. */
export function objectIn(value: unknown): JsonObject | undefined {
	return asObject(typeof value === 'string' ? parseJson(value) : value);
}

/** `value` when it is an array, otherwise an empty one. */
export function asArray(value: unknown): Json[] {
	return Array.isArray(value) ? (value as Json[]) : [];
}

/** The objects among the elements of `value`; an empty list when it is no array. */
export function asObjects(value: unknown): JsonObject[] {
	// Asked for at each delta of a stream, where there mostly is nothing.
	if (!Array.isArray(value)) return [];
	return asArray(value)
		.map(asObject)
		.filter((element) => element !== undefined);
}

/** `value` when it is a non-empty string, otherwise `undefined`. */
export function asText(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A finite number given as a number or as a decimal string, otherwise `undefined`. */
export function asNumber(value: unknown): number | undefined {
	if (typeof value === 'string' && value.trim() === '') return undefined;
	const number = typeof value === 'string' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** An identifier, which servers give as a string or a number, as a string. */
export function asId(value: unknown): string | undefined {
	return typeof value === 'number' ? String(value) : asText(value);
}

/**
 * JSON with the keys of every object sorted, so that equal values give equal text.
 * Used where a text stands for a value: idempotency keys.
 */
export function canonicalJson(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map((element) => canonicalJson(element ?? null)).join(',')}]`;
	const object = asObject(value);
	if (!object) return JSON.stringify(value ?? null);
	const fields = Object.keys(object)
		.filter((key) => object[key] !== undefined)
		.sort()
		.map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key])}`);
	return `{${fields.join(',')}}`;
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
