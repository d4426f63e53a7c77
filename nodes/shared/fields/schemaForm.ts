import type { FieldType, ResourceMapperField } from 'n8n-workflow';

import {
	exampleOf,
	inputForm,
	mayTakeUrls,
	takesUrls,
	type FieldKind,
	type InputField,
	type InputForm,
} from '../gateway/media/inputSchema';
import { promptField } from '../gateway/media/promptField';
import {
	asNumber,
	asObject,
	asObjects,
	asText,
	omit,
	type Json,
	type JsonObject,
} from '../gateway/util/json';

/** The longest labels, in characters: longer ones are cut off in a narrow panel. */
const MAX_LABEL = 34;
const MAX_REQUIRED_LABEL = 24;

/** Larger bounds are those of a data type and are not shown. */
const MANY = 1_000_000;

/** What the editor shows for each kind; `array` and `object` are JSON editors there. */
const WIDGETS: Readonly<Record<FieldKind, FieldType>> = {
	text: 'string',
	integer: 'number',
	number: 'number',
	boolean: 'boolean',
	list: 'array',
	object: 'object',
	json: 'string',
};

/**
 * A model's `input_schema` (§2.2) as the fields of n8n's resource mapper: the required ones first. The user adds
 * optional ones. The prompt has a parameter of its own.
 */
export function formFields(inputSchema: JsonObject): ResourceMapperField[] {
	const form = inputForm(inputSchema);
	const prompt = promptField(form);
	const fields = form.fields.map((field) => (field === prompt ? hidden(formField(field)) : formField(field)));
	const first = fields.filter((field) => field.removed !== true);
	return [...first, ...fields.filter((field) => !first.includes(field))];
}

/** A field that is stored, but not shown. Without a default, which the editor would store as its value. */
function hidden(field: ResourceMapperField): ResourceMapperField {
	return { ...omit(field, 'defaultValue'), display: false, required: false };
}

function formField(field: InputField): ResourceMapperField {
	const { name, required, kind, choices } = field;
	// n8n does not run a node without a required field, also when *Input Files* provides it.
	const mayComeAsFile = required && mayTakeUrls(field);
	const defaultValue = shownDefault(field);
	return {
		id: name,
		displayName: label(field, mayComeAsFile),
		defaultMatch: false,
		canBeUsedToMatch: false,
		required: required && !mayComeAsFile,
		display: true,
		type: choices.length > 0 ? 'options' : WIDGETS[kind],
		...(choices.length > 0 ? { options: choices.map((value) => ({ name: String(value), value })) } : {}),
		...(defaultValue === undefined ? {} : { defaultValue }),
		...(required ? {} : { removed: true }),
	};
}

/**
 * "Tags (up to 8) – Style words". The mapper shows no descriptions: the label has one if it is short enough,
 * else only title and limits.
 */
function label(field: InputField, mayComeAsFile: boolean): string {
	const { title, description = '', required } = field;
	const needed = mayComeAsFile ? `required${takesUrls(field) ? ' or file' : ''}` : '';
	const notes = [needed, limits(field)].filter((note) => note !== '');
	const text = description.replace(/\s+/g, ' ').trim();
	const heading = notes.length > 0 ? `${title} (${notes.join('; ')})` : title;
	const full = text === '' || text === title ? heading : `${heading} – ${text}`;
	// A long label pushes the mark of a missing value out of the panel.
	const room = required && !mayComeAsFile ? MAX_REQUIRED_LABEL : MAX_LABEL;
	return full.length <= room ? full : shortened(heading, Math.max(title.length, room));
}

function shortened(text: string, room: number): string {
	return text.length > room ? `${text.slice(0, room).replace(/[\s–(;,]+$/, '')}…` : text;
}

function limits({ kind, schema, choices }: InputField): string {
	if (choices.length > 0) return '';
	if (kind === 'integer' || kind === 'number') return range(schema.minimum, schema.maximum);
	return kind === 'list' ? range(schema.minItems, schema.maxItems) : '';
}

function range(low: Json | undefined, high: Json | undefined): string {
	const [min, max] = [asNumber(low), asNumber(high)];
	if (max !== undefined && max <= MANY) return min === undefined ? `up to ${max}` : `${min} to ${max}`;
	return min === undefined || min === 0 ? '' : `at least ${min}`;
}

/** A default as the mapper takes it: lists and objects as JSON text. They have an example, as there are no placeholders. */
function shownDefault(field: InputField): string | number | boolean | undefined {
	const { default: value, choices, kind } = field;
	const isJson = choices.length === 0 && (kind === 'list' || kind === 'object');
	const shown = value ?? (isJson ? exampleOf(field) : undefined);
	if (typeof shown === 'object') return JSON.stringify(shown);
	return shown !== undefined && choices.length > 0 && !choices.includes(shown) ? undefined : shown;
}

/**
 * The form in a workflow's stored fields, for when the catalogue cannot be read. Their types have the names of JSON
 * Schema's; formats are not stored.
 *
 * @param stored the mapper's `schema`
 */
export function formOfStored(stored: unknown): InputForm {
	const fields = asObjects(stored).filter(({ id }) => asText(id) !== undefined);
	const properties = Object.fromEntries(fields.map((field) => [String(field.id), storedSchema(field)]));
	const required = fields.filter((field) => field.required === true).map(({ id }) => String(id));
	const promptName = asText(fields.find(({ display }) => display === false)?.id);
	return { ...inputForm({ type: 'object', properties, required }), promptName };
}

function storedSchema({ type, options, displayName }: JsonObject): JsonObject {
	const title = asText(displayName) ?? null;
	const values = asObjects(options).map(({ value }) => value ?? null);
	if (type === 'options') return { title, enum: values };
	return { title, type: type ?? null };
}

/** The values of a mapper, as the workflow stores it, without lists and objects that are as the form showed them. */
export function mapperValues(mapper: JsonObject | undefined): JsonObject {
	const shown = asObjects(mapper?.schema).filter(({ type }) => type === 'array' || type === 'object');
	const values = asObject(mapper?.value) ?? {};
	const untouched = shown.filter(({ id, defaultValue }) => values[String(id)] === (defaultValue ?? null));
	return untouched.reduce((rest, { id }) => omit(rest, String(id)), values);
}
