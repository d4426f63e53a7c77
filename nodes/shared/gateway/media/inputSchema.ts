import {
	asArray,
	asObject,
	asText,
	at,
	canonicalJson,
	textOf,
	type Json,
	type JsonObject,
} from '../util/json';
import {
	branches,
	MAX_VALUES,
	merged,
	resolvedSchema,
	typesOf,
	withoutUnion,
	type SchemaBudget,
} from './jsonSchema';

/** The type of a field. `json` is all that the others do not cover: unions and schemas without a type. */
export type FieldKind = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'object' | 'json';

/** A field of a model's `input`, as its `input_schema` describes it (§2.2). */
export interface InputField {
	name: string;
	title: string;
	description?: string | undefined;
	required: boolean;
	kind: FieldKind;
	/** The values that it allows; empty if it has no `enum`. */
	choices: Array<string | number | boolean>;
	default?: Json | undefined;
	/** The resolved schema. */
	schema: JsonObject;
	element?: InputField | undefined;
}

export interface InputForm {
	fields: InputField[];
	/** The defaults of each alternative that the schema has. */
	defaults: JsonObject[];
	/** Whether all of the schema was read: otherwise, fields and defaults may be missing. */
	isWhole: boolean;
}

const FIELD_KINDS: ReadonlyMap<string, FieldKind> = new Map([
	['string', 'text'],
	['integer', 'integer'],
	['number', 'number'],
	['boolean', 'boolean'],
	['array', 'list'],
	['object', 'object'],
]);

/**
 * Reads a model's `input_schema`. Returns every field: one whose schema is not understood has the kind `json`. Of a
 * union of objects, a field takes what any of them takes, and is required if all require it.
 */
export function inputForm(inputSchema: JsonObject): InputForm {
	const known = forms.get(inputSchema);
	if (known) return known;
	const budget: SchemaBudget = { left: MAX_VALUES };
	const whole = resolvedSchema(inputSchema, inputSchema, budget);
	const alternatives = objectsOf(whole, budget).map(({ properties, required }) => {
		const fields = Object.entries(asObject(properties) ?? {}).map(
			([name, schema]) => [name, resolvedSchema(schema, inputSchema, budget)] as const,
		);
		return { fields: new Map(fields), required: new Set(asArray(required)) };
	});
	const schemas = new Map<string, JsonObject[]>();
	const requiredBy = new Map<Json, number>();
	for (const { fields, required } of alternatives) {
		for (const [name, schema] of fields) at(schemas, name, () => []).push(schema);
		for (const name of required) requiredBy.set(name, (requiredBy.get(name) ?? 0) + 1);
	}
	const fields = [...schemas].map(([name, own]) => {
		return inputField(name, anyOf(own, budget), requiredBy.get(name) === alternatives.length);
	});
	const defaults = alternatives.map(({ fields }) =>
		Object.fromEntries([...fields].map(([name, schema]) => [name, schema.default])),
	);
	const form = { fields, defaults, isWhole: budget.left >= 0 };
	forms.set(inputSchema, form);
	return form;
}

/** Many items have one model. */
const forms = new WeakMap<JsonObject, InputForm>();

/** The objects that a resolved schema allows, also in unions of unions, each with what is common to them. */
function objectsOf(schema: JsonObject, budget: SchemaBudget): JsonObject[] {
	const union = branches(schema);
	if (union.length === 0) return [schema];
	const common = withoutUnion(schema);
	return union.flatMap((branch) =>
		budget.left > 0 ? objectsOf(merged([branch, common], budget), budget) : [],
	);
}

function anyOf(schemas: readonly JsonObject[], budget: SchemaBudget): JsonObject {
	const [first = {}, ...others] = new Map(schemas.map((schema) => [canonicalJson(schema), schema])).values();
	const { title, description } = first;
	return others.length === 0
		? first
		: resolvedSchema({ title, description, anyOf: [first, ...others] }, {}, budget);
}

function inputField(name: string, schema: JsonObject, required = false): InputField {
	// A list cannot show an object, a list and null.
	const values = asArray(schema.enum);
	const scalars = values.filter((value) => typeof value !== 'object');
	const choices = scalars.length < values.length ? [] : scalars;
	const kind = fieldKindOf(schema, choices);
	return {
		name,
		title: asText(schema.title) ?? titleOf(name),
		description: asText(schema.description),
		required,
		kind,
		choices,
		default: schema.default ?? undefined,
		schema,
		element: kind === 'list' ? inputField(name, asObject(schema.items) ?? {}) : undefined,
	};
}

function fieldKindOf(schema: JsonObject, choices: InputField['choices']): FieldKind {
	const types = typesOf(schema);
	const [type, ...others] = types;
	if (type !== undefined && others.length === 0) return FIELD_KINDS.get(type) ?? 'json';
	// An `enum` may come without a type.
	const kinds = new Set(choices.map((choice) => typeof choice));
	if (types.length > 0 || kinds.size !== 1) return 'json';
	return kinds.has('string') ? 'text' : kinds.has('number') ? 'number' : 'boolean';
}

/** `num_images`, `numImages` → "Num Images". */
function titleOf(name: string): string {
	const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_\-\s]+/g, ' ');
	return words.trim().replace(/(^|\s)\p{Ll}/gu, (letter) => letter.toUpperCase()) || name;
}

/** The parts of a field's schema that allow any text, such as the URL of a file, or of its elements. */
function textSchemasOf(field: InputField): JsonObject[] {
	const { schema, choices } = field.element ?? field;
	const union = branches(schema);
	if (choices.length > 0) return [];
	return (union.length > 0 ? union : [schema]).filter((part) => {
		const types = typesOf(part);
		return part.enum === undefined && (types.length === 0 || types.includes('string'));
	});
}

/** Whether the schema of a field allows the URL of a file, or a list of them. */
export function mayTakeUrls(field: InputField): boolean {
	return textSchemasOf(field).length > 0;
}

/** Names of fields for files end so. */
const FILE_NAME =
	/(^|_)(urls?|uris?|images?|imgs?|photos?|pictures?|videos?|audios?|files?|masks?|frames?)(_?\d+)?$/;

/** Whether the field is for the URL of a file, or a list of them: its schema says so, or its name ends in such a word. */
export function takesUrls(field: InputField): boolean {
	const texts = textSchemasOf(field);
	const isFile = ({ format, contentMediaType, contentEncoding }: JsonObject) =>
		/^(uri|url|iri|binary|byte|base64|data-url)/.test(textOf(format)) ||
		(contentMediaType ?? contentEncoding) !== undefined;
	if (texts.some(isFile)) return true;
	const words = field.name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
	const isNamed = FILE_NAME.test(words);
	const isDescribed = /\b(urls?|uri|base64)\b/i.test(field.description ?? '');
	return texts.length > 0 && (isNamed || isDescribed);
}

/** Names of the field that says what a model makes, the most usual one first. */
const PROMPT_NAMES = ['prompt', 'text', 'input', 'script', 'description'];

/** The field of a model's input that takes the prompt; for speech, that is often `text`. */
export function promptField({ fields }: InputForm): InputField | undefined {
	const texts = fields.filter(
		(field) => field.kind === 'text' && field.choices.length === 0 && !takesUrls(field),
	);
	const [named] = PROMPT_NAMES.flatMap((name) => texts.filter((field) => field.name.toLowerCase() === name));
	const [required, ...others] = texts.filter((field) => field.required);
	return named ?? (others.length === 0 ? required : undefined);
}
