/** The body of media requests (§4.6 to 4.12), and a task's input by the model's `input_schema`; errors name the field. */
import type { MediaModel } from '../catalogue/mediaModels';
import { ApiError, type ErrorCode } from '../errors';
import { boolean, filledText, object, text } from '../fields';
import { isObject, type JsonObject, type JsonSchema } from '../jsonSchema';
import { misfitOf, withoutNulls } from '../misfit';

export const taskFields = object(
	{ model: filledText, input: object(), sessionId: text, callBackUrl: text },
	'model',
	'input',
);
export const archiveFields = object({ archive: boolean });
export const lyricsFields = object({ audioId: filledText }, 'audioId');

/** The body without fields that are null; throws 400 or 422 (§7.4), with the first field that does not fit. */
export function checkedBody(
	fields: JsonSchema,
	body: unknown,
	code: ErrorCode = 'invalid_request',
): JsonObject {
	const given = withoutNulls(body);
	check(fields, given, code, []);
	return isObject(given) ? given : {};
}

/** The input with the schema's defaults filled in. */
export function validInput(model: MediaModel, input: unknown): JsonObject {
	const completed = structuredClone(input);
	check(model.inputSchema, completed, 'invalid_input', ['input']);
	return isObject(completed) ? completed : {};
}

function check(schema: JsonSchema, value: unknown, code: ErrorCode, place: string[]): void {
	const misfit = misfitOf(schema, value);
	if (!misfit) return;
	const path = [...place, ...misfit.path];
	throw new ApiError(code, `${path.join('.') || 'body'}: ${misfit.reason}`);
}
