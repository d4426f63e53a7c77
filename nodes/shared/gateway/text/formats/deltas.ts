import { asObject, fieldOf, setField, textOf, type JsonObject } from '../../util/json';
import { isEmptyValue } from './merge';

/**
 * Adds a delta to an object: texts of the fields that are `chunked` are joined, lists go on, and objects are
 * merged. Null and an empty text change nothing, and no list or object replaces a text. Lists and objects are the object's own: copying them for
 * each delta takes minutes.
 */
export function addDelta(object: JsonObject, delta: JsonObject, chunked: ReadonlySet<string>): void {
	for (const [name, value] of Object.entries(delta)) {
		if (value === undefined || value === null || value === '') continue;
		const known = fieldOf(object, name);
		if (typeof known === 'string' && known !== '' && typeof value === 'object') continue;
		if (Array.isArray(value)) {
			const list = Array.isArray(known) ? known : setField(object, name, []);
			for (const element of value) list.push(element);
		} else if (typeof value === 'object')
			addDelta(asObject(known) ?? setField(object, name, {}), value, chunked);
		else setField(object, name, chunked.has(name) ? textOf(known) + textOf(value) : value);
	}
}

/** Adds the fields of a later event to an object: objects are merged, and an empty value or 0 replaces nothing. */
export function addFields(object: JsonObject, fields: JsonObject): void {
	for (const [name, value] of Object.entries(fields)) {
		const known = fieldOf(object, name);
		if (known !== undefined && (isEmptyValue(value) || value === 0)) continue;
		const [before, after] = [asObject(known), asObject(value)];
		if (before && after) addFields(before, after);
		else setField(object, name, value);
	}
}

/** Adds the fields that an object has no value for: the first events of some providers have empty ones. */
export function addMissing(object: JsonObject, fields: JsonObject): void {
	for (const [name, value] of Object.entries(fields))
		if (!fieldOf(object, name)) setField(object, name, value);
}

export function byIndex<T>(values: ReadonlyMap<number, T>): T[] {
	return [...values].sort(([a], [b]) => a - b).map(([, value]) => value);
}
