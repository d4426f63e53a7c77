export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
	[key: string]: Json | undefined;
}

/** The most levels of a value. n8n cannot store one that has a few thousand. */
const MAX_LEVELS = 1_000;

/** Parses `text`; `undefined` when it is not JSON, or has more than 1,000 levels. Never throws. */
export function parseJson(text: string): Json | undefined {
	try {
		return outsideValue(JSON.parse(text) as Json);
	} catch {
		return undefined;
	}
}

/**
 * A value from outside, without its fields named `__proto__`: assigning one changes a prototype. All other names, such as
 * `constructor`, are ordinary ones. `undefined` for a value of more than 1,000 levels. Does not change `value`.
 */
export function outsideValue<T extends Json | undefined>(value: T): T | undefined {
	const isNested = (child: unknown): child is object => typeof child === 'object' && child !== null;
	let hasProto = false;
	// Level by level: recursion overflows.
	let level: object[] = isNested(value) ? [value] : [];
	for (let depth = 0; level.length > 0; depth += 1) {
		if (depth === MAX_LEVELS) return undefined;
		const children: object[] = [];
		for (const parent of level) {
			hasProto ||= Object.hasOwn(parent, '__proto__');
			for (const child of Object.values(parent)) if (isNested(child)) children.push(child);
		}
		level = children;
	}
	if (!hasProto) return value;
	const withoutProto = (name: string, child: unknown) => (name === '__proto__' ? undefined : child);
	return JSON.parse(JSON.stringify(value), withoutProto) as T;
}

/** An object's own field: `constructor` is not one of each object. */
export function fieldOf<T>(object: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
	return object && Object.hasOwn(object, name) ? (Reflect.get(object, name) as T) : undefined;
}

/** Sets a field, whatever its name. Returns the value. */
export function setField<T, V extends T>(object: Record<string, T>, name: string, value: V): V {
	Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
	return value;
}

/** JSON text for servers. Half of an emoji, which strict ones refuse, becomes the sign for an unknown character. */
export function wireText(value: JsonObject): string {
	const half = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;
	return JSON.stringify(value).replace(half, '$1\uFFFD');
}

/** `value` when it is a JSON object (not an array, not null), otherwise `undefined`. */
export function asObject(value: unknown): JsonObject | undefined {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
		? (value as JsonObject)
		: undefined;
}

/** `value` as a JSON object, also from its JSON text; otherwise `undefined`. */
export function objectIn(value: unknown): JsonObject | undefined {
	return asObject(typeof value === 'string' ? parseJson(value) : value);
}

export function asArray(value: unknown): Json[] {
	return Array.isArray(value) ? (value as Json[]) : [];
}

export function asObjects(value: unknown): JsonObject[] {
	return asArray(value)
		.map(asObject)
		.filter((element) => element !== undefined);
}

/** `value` when it is a non-empty string, otherwise `undefined`. */
export function asText(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

export function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** The texts that objects have in a field, joined. */
export function joinedTexts(objects: readonly JsonObject[], field: string): string {
	return objects.map((object) => textOf(fieldOf(object, field))).join('');
}

/** `value` as a finite number, also from a decimal string; otherwise `undefined`. */
export function asNumber(value: unknown): number | undefined {
	if (typeof value === 'string' && value.trim() === '') return undefined;
	const number = typeof value === 'string' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Whether a value is true or false, also as tables have it: `TRUE`, `0`; otherwise `undefined`. */
export function asBoolean(value: unknown): boolean | undefined {
	const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
	if (word === 'true' || word === '1') return true;
	return word === 'false' || word === '0' ? false : undefined;
}

/** A whole number in JSON text that JavaScript cannot keep, such as 9007199254740993. */
export function roundedInteger(text: string): string | undefined {
	if (!/\d{16}/.test(text)) return undefined;
	const withoutTexts = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"?/gs, '');
	const integers = withoutTexts.match(/(?<![\w.+-])-?\d{16,}(?![\w.])/g) ?? [];
	return integers.find((digits) => String(Number(digits)) !== digits);
}

/** An identifier as a string; servers send strings or numbers. */
export function asId(value: unknown): string | undefined {
	return typeof value === 'number' ? String(value) : asText(value);
}

export function compact<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

export function omit<T extends object>(object: T, ...names: string[]): T {
	return Object.fromEntries(Object.entries(object).filter(([key]) => !names.includes(key))) as T;
}

/** JSON with sorted keys, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
	return JSON.stringify(value ?? null, (_, child: unknown) => {
		const fields = Object.entries(asObject(child) ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
		return asObject(child) ? Object.fromEntries(fields) : child;
	});
}

/** Whether a text in a value, at any depth, fits a pattern. */
export function someText(value: unknown, pattern: RegExp): boolean {
	if (typeof value === 'string') return pattern.test(value);
	const children = typeof value === 'object' && value !== null ? Object.values(value) : [];
	return children.some((child) => someText(child, pattern));
}

/** `base` with the fields of `more`: objects are merged, null removes a field of `base`, everything else is set. */
export function deepMerge(base: JsonObject, more: JsonObject): JsonObject {
	const merged = new Map(Object.entries(base));
	for (const [name, value] of Object.entries(more)) {
		const [before, after] = [asObject(merged.get(name)), asObject(value)];
		if (value === null && merged.has(name)) merged.delete(name);
		else merged.set(name, before && after ? deepMerge(before, after) : value);
	}
	return Object.fromEntries(merged);
}

/** The value of a key in a map, which is made if it is not there. */
export function at<K, T>(values: Map<K, T>, key: NoInfer<K>, make: () => NoInfer<T>): T {
	const value = values.get(key) ?? make();
	values.set(key, value);
	return value;
}

/** A place in a list: a whole number from 0 on; otherwise `undefined`. */
export function asIndex(value: unknown): number | undefined {
	const index = asNumber(value) ?? NaN;
	return Number.isSafeInteger(index) && index >= 0 ? index : undefined;
}
