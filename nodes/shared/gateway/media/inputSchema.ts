import { asArray, asObject, asText, type Json, type JsonObject } from '../util/json';
import { branches, resolvedSchema, typesOf } from './jsonSchema';

/** What a field takes. `json` is anything that the other kinds do not cover: unions, and schemas that say nothing. */
export type FieldKind = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'object' | 'json';

/** One of the values that a field is limited to. */
export interface EnumChoice {
	value: string | number | boolean;
	label: string;
	description?: string | undefined;
}

/** A field of a model's `input`, as its `input_schema` describes it (§2.2). */
export interface InputField {
	name: string;
	/** For people. */
	title: string;
	description?: string | undefined;
	required: boolean;
	kind: FieldKind;
	/** The only values it takes; an empty list where it is free. */
	choices: EnumChoice[];
	default?: Json | undefined;
	/** Its schema, resolved. */
	schema: JsonObject;
	/** The schema of its elements, resolved; empty where there is none. */
	items: JsonObject;
}

/** The fields of an `input_schema`, in its order. */
export interface InputForm {
	fields: InputField[];
	/** Whether fields that it does not name are refused. */
	closed: boolean;
	/** What references point into. */
	root: JsonObject;
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
 * Reads a model's `input_schema`. No field is ever left out: one whose schema is not understood takes JSON. Of an
 * input that is a union of objects, all their fields are there, none of them required.
 */
export function inputForm(inputSchema: JsonObject): InputForm {
	const root = resolvedSchema(inputSchema, inputSchema);
	const alternatives = branches(root).map((branch) => asObject(branch.properties) ?? {});
	const properties: JsonObject = Object.assign({}, ...[...alternatives, asObject(root.properties) ?? {}]);
	const required = asArray(root.required);
	return {
		fields: Object.entries(properties).map(([name, schema]) =>
			inputField(name, resolvedSchema(schema, inputSchema), inputSchema, required.includes(name)),
		),
		closed: root.additionalProperties === false && alternatives.length === 0,
		root: inputSchema,
	};
}

/**
 * A field by its resolved schema.
 *
 * @param root what references point into
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
	// An enum need not say its type.
	const kinds = new Set(choices.map(({ value }) => typeof value));
	if (types.length > 0 || kinds.size !== 1) return 'json';
	return kinds.has('string') ? 'text' : kinds.has('number') ? 'number' : 'boolean';
}

/** The values of `enum`, unless there are some that no list can show. */
function choicesOf(schema: JsonObject): EnumChoice[] {
	const options = branches(schema);
	const choices = asArray(schema.enum).map((value, index) => toChoice(value, options[index]));
	return choices.every((choice) => choice !== undefined) ? choices : [];
}

function toChoice(value: Json, option: JsonObject | undefined): EnumChoice | undefined {
	if (typeof value === 'object') return undefined;
	// §2.2 shows no words for values; a union of constants may carry some.
	const said = option?.const === value ? option : undefined;
	return { value, label: asText(said?.title) ?? String(value), description: asText(said?.description) };
}

/** `num_images`, `numImages` → "Num Images". */
function titleOf(name: string): string {
	const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_\-\s]+/g, ' ');
	return words.trim().replace(/(^|\s)\p{Ll}/gu, (letter) => letter.toUpperCase()) || name;
}

/** Whether a file's URL can stand in the field, alone or in a list. */
export function takesUrls({ kind, schema, items, choices, name }: InputField): boolean {
	if (choices.length > 0) return false;
	const inner = kind === 'list' ? items : schema;
	const formats = [inner, ...branches(inner)].map((part) => asText(part.format) ?? '');
	if (formats.some((format) => /^(uri|url|iri|binary)/.test(format))) return true;
	const words = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
	const mayBeText = kind === 'list' || kind === 'json' || kind === 'text';
	return mayBeText && /(^|_)(urls?|uris?|images?|videos?|audios?|files?|masks?|frames?)(_|$)/.test(words);
}
