/** Compares values with JSON Schemas: which field does not fit, and why. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isObject, type JsonSchema } from './jsonSchema';

export interface Misfit {
	/** Names and indexes that lead to the field; empty for the value itself. */
	path: string[];
	reason: string;
}

const ajv = new Ajv({
	strict: false,
	useDefaults: true,
	formats: { uri: (text: string) => URL.canParse(text) },
});
const validators = new WeakMap<JsonSchema, ValidateFunction>();

/** The first field that does not fit, or null. Fills in the defaults of the schema. */
export function misfitOf(schema: JsonSchema, value: unknown): Misfit | null {
	const validate = validators.get(schema) ?? ajv.compile(schema);
	validators.set(schema, validate);
	return validate(value) ? null : describe(validate.errors?.[0]);
}

function describe(error: ErrorObject | undefined): Misfit {
	if (!error) return { path: [], reason: 'is invalid' };
	const path = error.instancePath.split('/').filter(Boolean);
	const params = error.params as Record<string, unknown>;
	const named = params.missingProperty ?? params.additionalProperty;
	if (typeof named === 'string') path.push(named);
	return { path, reason: reasonOf(error, params) };
}

function reasonOf({ keyword, message = 'is invalid' }: ErrorObject, params: Record<string, unknown>): string {
	switch (keyword) {
		case 'required':
			return 'is required';
		case 'minLength':
		case 'minItems':
			return params.limit === 1 ? 'is required' : message;
		case 'additionalProperties':
			return 'is not known';
		case 'type':
			return message.replace(',', ' or ');
		case 'not':
			return 'belongs to another API format';
		default:
			return Array.isArray(params.allowedValues) ? `${message}: ${params.allowedValues.join(', ')}` : message;
	}
}

/** The value without fields that are null, which count as absent. */
export function withoutNulls(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutNulls);
	if (!isObject(value)) return value;
	const fields = Object.entries(value).filter(([, field]) => field !== null);
	return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}
