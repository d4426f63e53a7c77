import { InvalidInputError } from '../errors/errors';
import { takesNoFile, takesUrls, type InputForm } from './inputSchema';
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
 *
 * @param form `undefined` if the catalogue does not have the model
 * @throws {InvalidInputError} if a field for one value gets a second one, if the model has no such field, or if the
 *   field surely takes no file
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
		if (form && known && !form.isPartial && takesNoFile(known)) throw noFileField(field, form);
		const isList = known
			? typesOf(known.schema).includes('array')
			: files.filter((file) => file.field === field).length > 1;
		filled[field] = joined(filled[field], value, { field, isList });
	}
	return filled;
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

function noSuchField(field: string, form: InputForm): InvalidInputError {
	return new InvalidInputError(
		`The model has no input field '${field}' for a file`,
		`${fileFields(form)}`,
		'inputFiles',
	);
}

function noFileField(field: string, form: InputForm): InvalidInputError {
	return new InvalidInputError(
		`The input field '${field}' takes no file`,
		`${fileFields(form)}`,
		'inputFiles',
	);
}

function fileFields({ fields }: InputForm): string {
	const names = fields.filter(takesUrls).map(({ name }) => name);
	if (names.length === 0)
		return "The catalogue shows no field of this model that takes one: remove the rows of 'Input Files'.";
	return `Choose a field that takes one in 'Input Files': ${names.join(', ')}.`;
}
