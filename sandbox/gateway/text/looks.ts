/** Gives a response the looks that a rule describes. */
import { isObject, type JsonObject } from '../jsonSchema';

/**
 * The response with the given fields. Objects are merged, and lists item by item: a list is as long as the given one, and
 * `{}` keeps an item. An object of another `type` takes the place of the one before. A field that is undefined is removed.
 */
export function looksLike(response: JsonObject, looks: JsonObject | undefined): JsonObject {
	const fields = new Map(Object.entries(response));
	for (const [name, look] of Object.entries(looks ?? {})) fields.set(name, merged(fields.get(name), look));
	return Object.fromEntries([...fields].filter(([, value]) => value !== undefined));
}

function merged(value: unknown, look: unknown): unknown {
	if (Array.isArray(look)) {
		const items: unknown[] = Array.isArray(value) ? value : [];
		return look.map((item, index) => merged(items[index], item));
	}
	if (!isObject(look)) return look;
	const isOther = !isObject(value) || (look.type !== undefined && look.type !== value.type);
	return looksLike(isOther ? {} : value, look);
}
