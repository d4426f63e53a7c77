import type { InputForm } from './inputSchema';
import type { JsonObject } from '../util/json';
import { typesOf } from './jsonSchema';

/**
 * Adds the URL of a file to an input, as the value of its field. Where the schema has a list, or the field a value
 * already, it becomes an element. The gateway checks whether the field takes a list (422).
 */
export function withFile(input: JsonObject, field: string, url: string, { fields }: InputForm): JsonObject {
	const { schema = {} } = fields.find(({ name }) => name === field) ?? {};
	// A map: `__proto__` is a name like any other.
	const filled = new Map(Object.entries(input));
	const present = filled.get(field) ?? '';
	const isList = present !== '' || typesOf(schema).includes('array');
	return Object.fromEntries(
		filled.set(field, isList ? [...(present === '' ? [] : [present].flat()), url] : url),
	);
}
