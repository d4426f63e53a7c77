import { InvalidInputError } from '../errors/errors';
import type { InputField, InputForm } from './inputSchema';
import type { Json, JsonObject } from '../util/json';
import { typesOf } from './jsonSchema';

/** The URL of a file, or what stands for it, and the input field that it belongs to. */
export interface InputFileUrl {
	field: string;
	value: string;
}

/**
 * An input with files put in: appended where the schema wants a list or a list is there already, else as the
 * field's value. Several files for a field whose schema is not known make a list.
 *
 * @param form `undefined` where the catalogue does not know the model
 * @throws {InvalidInputError} when a field that takes one value would get a second one, or is not the model's
 */
export function withFiles(
	input: JsonObject,
	files: readonly InputFileUrl[],
	form: InputForm | undefined,
): JsonObject {
	const filled = { ...input };
	for (const { field, value } of files) {
		const known = form?.fields.find(({ name }) => name === field);
		if (form?.closed && !known) throw noSuchField(field, form);
		const isList = known ? takesList(known) : files.filter((file) => file.field === field).length > 1;
		filled[field] = joined(filled[field], value, { field, isList });
	}
	return filled;
}

function takesList({ schema }: InputField): boolean {
	return typesOf(schema).includes('array');
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
		"Choose another field in 'Input Files', or empty this one in the input. Nothing was sent.",
		'inputFiles',
	);
}

function noSuchField(field: string, { fields }: InputForm): InvalidInputError {
	return new InvalidInputError(
		`The model has no input field '${field}' for a file`,
		`Choose one of its fields in 'Input Files': ${fields.map(({ name }) => name).join(', ')}. Nothing was sent.`,
		'inputFiles',
	);
}
