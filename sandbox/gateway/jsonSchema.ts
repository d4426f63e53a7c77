/** The keywords of JSON Schema that the sandbox reads; ajv reads the others. */
export interface JsonSchema {
	type?: string | string[];
	title?: string;
	description?: string;
	properties?: Record<string, JsonSchema>;
	required?: string[];
	additionalProperties?: boolean | JsonSchema;
	items?: JsonSchema;
	enum?: unknown[];
	const?: unknown;
	default?: unknown;
	examples?: unknown[];
	anyOf?: JsonSchema[];
	oneOf?: JsonSchema[];
	allOf?: JsonSchema[];
	if?: JsonSchema;
	then?: JsonSchema;
	else?: JsonSchema;
	not?: JsonSchema;
	$ref?: string;
	$defs?: Record<string, JsonSchema>;
	definitions?: Record<string, JsonSchema>;
	format?: string;
	minLength?: number;
	maxLength?: number;
	minimum?: number;
	maximum?: number;
	exclusiveMinimum?: number;
	multipleOf?: number;
	minItems?: number;
	maxItems?: number;
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
