import { InvalidInputError } from '../errors/errors';
import type { InputForm } from './inputSchema';
import type { Json, JsonObject } from '../util/json';
import { typesOf } from './jsonSchema';

/** The URL of a file, or a placeholder for it, and its input field. */
export interface InputFileUrl {
	field: string;
	value: string;
}

/**
 * Adds files to an input: appended if the schema or the present value is a list, else as the field's value. Several
 * files for a field without a known schema become a list.
 * @throws {InvalidInputError} if a field for one value gets a second one
 */
export function withFiles(
	input: JsonObject,
	files: readonly InputFileUrl[],
	{ fields }: InputForm,
): JsonObject {
	const filled = new Map(Object.entries(input));
	for (const { field, value } of files) {
		const known = fields.find(({ name }) => name === field);
		const isList = known
			? typesOf(known.schema).includes('array')
			: files.filter((file) => file.field === field).length > 1;
		filled.set(field, joined(filled.get(field), value, { field, isList }));
	}
	return Object.fromEntries(filled);
}

function joined(
	present: Json | undefined,
	value: string,
	{ field, isList }: { field: string; isList: boolean },
): Json {
	if (Array.isArray(present)) return [...present, value];
	if (present === undefined || present === null || present === '') return isList ? [value] : value;
	throw new InvalidInputError(
		`The input field '${field}' takes one file, and has a value already`,
		"Choose another field in 'Input Files', or leave this one empty in the input.",
		'inputFiles',
	);
}
