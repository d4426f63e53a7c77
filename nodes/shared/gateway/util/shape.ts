import { asId, asNumber, asObject, asObjects, asText, type Json, type JsonObject } from './json';

// Tolerant readers of wire shapes: what is missing or of another type is undefined or an empty list.

export type Reader<T> = (value: unknown) => T;

export type Shape<R extends Reader<unknown>> = ReturnType<R>;

type Fields = Readonly<Record<string, Reader<unknown>>>;

type ObjectShape<F extends Fields> = { readonly [Name in keyof F]: ReturnType<F[Name]> };

/** A non-empty string. */
export const text: Reader<string | undefined> = asText;

/** A finite number, also as a decimal string. */
export const number: Reader<number | undefined> = asNumber;

/** An identifier as a string; servers send strings or numbers. */
export const id: Reader<string | undefined> = asId;

/** A decimal as a string; the server sends numbers or strings. */
export const decimal: Reader<string | undefined> = (value) =>
	asNumber(value) === undefined ? undefined : asId(value)?.trim();

export const json: Reader<Json | undefined> = (value) => value as Json | undefined;

export const record: Reader<JsonObject | undefined> = asObject;

export const records: Reader<JsonObject[]> = asObjects;

/** An object with these fields. A value of another type is read as an object without fields. */
export function object<F extends Fields>(fields: F): Reader<ObjectShape<F>> {
	const entries = Object.entries(fields);
	return (value) => {
		const source = asObject(value) ?? {};
		const read: Record<string, unknown> = {};
		for (const [name, reader] of entries) read[name] = reader(source[name]);
		return read as ObjectShape<F>;
	};
}

/** As {@link object}; `undefined` for a value of another type. */
export function optionalObject<F extends Fields>(fields: F): Reader<ObjectShape<F> | undefined> {
	const reader = object(fields);
	return (value) => (asObject(value) ? reader(value) : undefined);
}

/** A list of objects with these fields; elements of another type are left out. */
export function objects<F extends Fields>(fields: F): Reader<Array<ObjectShape<F>>> {
	const reader = object(fields);
	return (value) => asObjects(value).map(reader);
}
