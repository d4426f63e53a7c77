/** Validates a task's input against the model's `input_schema`; errors name the field (§4.6). */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { MediaModel } from '../catalogue/mediaModels';
import { ApiError } from '../errors';
import { isObject, type JsonObject } from '../jsonSchema';

const ajv = new Ajv({
	strict: false,
	useDefaults: true,
	formats: { uri: (text: string) => URL.canParse(text) },
});
const validators = new Map<string, ValidateFunction>();

/** The input with the schema's defaults filled in; throws 422 with the field's name in the message. */
export function validInput(model: MediaModel, input: unknown): JsonObject {
	if (!isObject(input)) throw new ApiError('invalid_input', 'input: must be an object');
	const completed = structuredClone(input);
	const validate = validators.get(model.id) ?? ajv.compile(model.inputSchema);
	validators.set(model.id, validate);
	if (validate(completed)) return completed;
	throw new ApiError('invalid_input', describe(validate.errors?.[0]));
}

function describe(error: ErrorObject | undefined): string {
	if (!error) return 'input: invalid';
	const path = error.instancePath.split('/').filter(Boolean);
	const params = error.params as Record<string, unknown>;
	const missing = params.missingProperty ?? params.additionalProperty;
	if (typeof missing === 'string') path.push(missing);
	const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : '';
	const reason =
		error.keyword === 'required'
			? 'is required'
			: error.keyword === 'additionalProperties'
				? 'is not known'
				: `${error.message ?? 'is invalid'}${allowed}`;
	return `${['input', ...path].join('.')}: ${reason}`;
}
