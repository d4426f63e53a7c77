import { asArray, asObject, asText, type Json, type JsonObject } from '../util/json';
import { branches, resolvedSchema, typesOf } from './jsonSchema';

/** The type of a field. `json` is all that the others do not cover: unions and schemas without a type. */
export type FieldKind = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'object' | 'json';

/** A value of an `enum`. */
export interface EnumChoice {
	value: string | number | boolean;
	label: string;
	description?: string | undefined;
}

/** A field of a model's `input`, as its `input_schema` describes it (§2.2). */
export interface InputField {
	name: string;
	/** The label of the field. */
	title: string;
	description?: string | undefined;
	required: boolean;
	kind: FieldKind;
	/** The values that it allows; empty if it has no `enum`. */
	choices: EnumChoice[];
	default?: Json | undefined;
	/** The resolved schema. */
	schema: JsonObject;
	/** The resolved schema of its elements; empty if there is none. */
	items: JsonObject;
}

/** The fields of an `input_schema`, in its order. */
export interface InputForm {
	fields: InputField[];
	/** Whether the schema allows no other fields. */
	closed: boolean;
	/** The document that references point into. */
	root: JsonObject;
	/** Whether fields may have more to their schema, such as a format; default: false. */
	isPartial?: boolean;
	/** The name of the field that takes the prompt, where the form says so. */
	promptName?: string | undefined;
}

const KINDS: Readonly<Record<string, FieldKind>> = {
	string: 'text',
	integer: 'integer',
	number: 'number',
	boolean: 'boolean',
	array: 'list',
	object: 'object',
};

/**
 * Reads a model's `input_schema`. Returns every field: one whose schema is not understood has the kind `json`. For a
 * union of objects, returns the fields of all of them.
 */
export function inputForm(inputSchema: JsonObject): InputForm {
	const root = resolvedSchema(inputSchema, inputSchema);
	const union = branches(root);
	const all = [...union, root].map((schema) => asObject(schema.properties) ?? {});
	const properties: JsonObject = Object.assign({}, ...all);
	return {
		fields: fieldsOf(properties, asArray(root.required), inputSchema),
		closed: root.additionalProperties === false && union.length === 0,
		root: inputSchema,
	};
}

/**
 * The fields of each alternative of an `input_schema`, which has several if it is a union of objects. Fields that all
 * share come first.
 */
export function alternatives(inputSchema: JsonObject): InputField[][] {
	const shared = resolvedSchema(inputSchema, inputSchema);
	const union = branches(shared);
	return (union.length > 0 ? union : [{}]).map((branch) => {
		const required = [...asArray(shared.required), ...asArray(branch.required)];
		return [shared, branch].flatMap(({ properties }) =>
			fieldsOf(asObject(properties) ?? {}, required, inputSchema),
		);
	});
}

function fieldsOf(properties: JsonObject, required: readonly Json[], root: JsonObject): InputField[] {
	return Object.entries(properties).map(([name, schema]) =>
		inputField(name, resolvedSchema(schema, root), root, required.includes(name)),
	);
}

/**
 * Reads a field from its resolved schema.
 *
 * @param root the document that references point into
 */
export function inputField(name: string, schema: JsonObject, root: JsonObject, required = false): InputField {
	const choices = choicesOf(schema);
	return {
		name,
		title: asText(schema.title) ?? titleOf(name),
		description: asText(schema.description),
		required,
		kind: kindOf(schema, choices),
		choices,
		default: schema.default ?? undefined,
		schema,
		items: resolvedSchema(schema.items, root),
	};
}

function kindOf(schema: JsonObject, choices: EnumChoice[]): FieldKind {
	const types = typesOf(schema);
	const [type, ...others] = types;
	if (type !== undefined && others.length === 0) return KINDS[type] ?? 'json';
	// An `enum` may come without a type.
	const kinds = new Set(choices.map(({ value }) => typeof value));
	if (types.length > 0 || kinds.size !== 1) return 'json';
	return kinds.has('string') ? 'text' : kinds.has('number') ? 'number' : 'boolean';
}

/** The values of `enum`; none if a list cannot show one of them (an object, a list, null). */
function choicesOf(schema: JsonObject): EnumChoice[] {
	const options = branches(schema);
	const choices = asArray(schema.enum).map((value, index) => toChoice(value, options[index]));
	return choices.every((choice) => choice !== undefined) ? choices : [];
}

function toChoice(value: Json, option: JsonObject | undefined): EnumChoice | undefined {
	if (typeof value === 'object') return undefined;
	// §2.2 shows no labels for values; a union of constants may have titles.
	const constant = option?.const === value ? option : undefined;
	return {
		value,
		label: asText(constant?.title) ?? String(value),
		description: asText(constant?.description),
	};
}

/** `num_images`, `numImages` → "Num Images". */
function titleOf(name: string): string {
	const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_\-\s]+/g, ' ');
	return words.trim().replace(/(^|\s)\p{Ll}/gu, (letter) => letter.toUpperCase()) || name;
}

/** Words in a title or description that mean a file. */
const FILE_WORDS =
	/\b(ur[il]s?|links?|files?|images?|pictures?|photos?|videos?|clips?|audios?|sounds?|recordings?|songs?|tracks?|uploads?|base64)\b/i;

const FILELESS_KINDS: ReadonlySet<FieldKind> = new Set(['integer', 'number', 'boolean', 'object']);

/**
 * Whether the field surely takes no file: fixed choices, a number, a switch, an object, text that nothing calls a file or
 * a URL, and lists of these.
 */
export function takesNoFile(field: InputField): boolean {
	if (takesUrls(field)) return false;
	const { name, items, title, description = '' } = field;
	const { kind, choices } = field.kind === 'list' ? inputField(name, items, {}) : field;
	if (choices.length > 0 || FILELESS_KINDS.has(kind)) return true;
	return kind === 'text' && !FILE_WORDS.test(`${title} ${description}`);
}

/** Whether the field can hold a file's URL, alone or in a list. */
export function takesUrls({ kind, schema, items, choices, name }: InputField): boolean {
	if (choices.length > 0) return false;
	const inner = kind === 'list' ? items : schema;
	const formats = [inner, ...branches(inner)].map((part) => asText(part.format) ?? '');
	if (formats.some((format) => /^(uri|url|iri|binary)/.test(format))) return true;
	const words = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
	const mayBeText = kind === 'list' || kind === 'json' || kind === 'text';
	return mayBeText && /(^|_)(urls?|uris?|images?|videos?|audios?|files?|masks?|frames?)(_|$)/.test(words);
}
