import type { FieldType, INodePropertyOptions, ResourceMapperField } from 'n8n-workflow';

import {
	inputForm,
	takesUrls,
	type FieldKind,
	type InputField,
	type InputForm,
} from '../gateway/media/inputSchema';
import { asNumber, asObject, asObjects, asText, type Json, type JsonObject } from '../gateway/util/json';

/** The longest labels, in characters. */
const MAX_LABEL = 110;
const MAX_REQUIRED_LABEL = 24;
const MAX_NAMES = 60;

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
 * A model's `input_schema` (§2.2) as the fields of n8n's resource mapper.
 *
 * @param mayBeIncomplete whether nothing is required, e.g. for *Get Price*
 */
export function formFields(inputSchema: JsonObject, mayBeIncomplete = false): ResourceMapperField[] {
	return inputForm(inputSchema).fields.map((field) => formField(field, mayBeIncomplete));
}

function formField(field: InputField, mayBeIncomplete: boolean): ResourceMapperField {
	const { name, required, kind, choices } = field;
	// n8n does not run a node without a required field, also when *Input Files* provides it.
	const mayComeAsFile = required && takesUrls(field);
	const defaultValue = shownDefault(field);
	return {
		id: name,
		displayName: label(field, mayComeAsFile),
		defaultMatch: false,
		canBeUsedToMatch: false,
		required: required && !mayComeAsFile && !mayBeIncomplete,
		display: true,
		type: choices.length > 0 ? 'options' : WIDGETS[kind],
		...(choices.length > 0 ? { options: choices.map(toOption) } : {}),
		...(defaultValue === undefined ? {} : { defaultValue }),
		// A switch always has a value, so the user adds one that is optional.
		...(kind === 'boolean' && choices.length === 0 && defaultValue === undefined && !required
			? { removed: true }
			: {}),
	};
}

/**
 * "Number of Images (1 to 4) – All of them are included in the price". The mapper shows descriptions in the label
 * only, and narrow panels cut it off: title and limits come first.
 */
function label(field: InputField, mayComeAsFile: boolean): string {
	const { title, description = '', required } = field;
	const notes = [mayComeAsFile ? 'required or file' : '', limits(field)].filter((note) => note !== '');
	const text = description.replace(/\s+/g, ' ').trim();
	const heading = notes.length > 0 ? `${title} (${notes.join('; ')})` : title;
	const full = text === '' || text === title ? heading : `${heading} – ${text}`;
	if (!required || mayComeAsFile) return shortened(full, Math.max(title.length, MAX_LABEL));
	// A long label pushes the mark of a missing value out of the panel.
	const short = full.length > MAX_REQUIRED_LABEL ? heading : full;
	return shortened(short, Math.max(title.length, MAX_REQUIRED_LABEL));
}

function shortened(text: string, room: number): string {
	return text.length > room ? `${text.slice(0, room).replace(/[\s–(;,]+$/, '')}…` : text;
}

function limits({ kind, schema, choices }: InputField): string {
	if (choices.length > 0) return '';
	if (kind === 'integer' || kind === 'number') return range(schema.minimum, schema.maximum);
	if (kind === 'list') return range(schema.minItems, schema.maxItems);
	return kind === 'object'
		? shortened(Object.keys(asObject(schema.properties) ?? {}).join(', '), MAX_NAMES)
		: '';
}

function range(low: Json | undefined, high: Json | undefined): string {
	const [min, max] = [asNumber(low), asNumber(high)];
	if (max !== undefined && max <= MANY) return min === undefined ? `up to ${max}` : `${min} to ${max}`;
	return min === undefined || min === 0 ? '' : `at least ${min}`;
}

function toOption({ value, label: name, description }: InputField['choices'][number]): INodePropertyOptions {
	return { name, value, ...(description ? { description } : {}) };
}

/** A default as the mapper takes it: lists and objects as JSON text, `[]` and `{}` for none. */
function shownDefault({ default: value, choices, kind }: InputField): string | number | boolean | undefined {
	if (value === undefined || value === null) return choices.length === 0 ? EMPTY[kind] : undefined;
	if (typeof value === 'object') return JSON.stringify(value);
	return choices.length > 0 && !choices.some((choice) => choice.value === value) ? undefined : value;
}

/** The editor marks an empty JSON field as an error. */
const EMPTY: Partial<Record<FieldKind, string>> = { list: '[]', object: '{}' };

/** JSON Schema types by type of the mapper; other types take any value. */
const SCHEMA_TYPES: Readonly<Record<string, string>> = {
	number: 'number',
	boolean: 'boolean',
	array: 'array',
	object: 'object',
	string: 'string',
};

/**
 * The form in a workflow's stored fields, for when the catalogue cannot be read. Rules such as ranges and formats are
 * not stored.
 *
 * @param stored the mapper's `schema`
 */
export function formOfStored(stored: unknown): InputForm {
	const fields = asObjects(stored).filter(({ id }) => asText(id) !== undefined);
	const properties = Object.fromEntries(fields.map((field) => [String(field.id), storedSchema(field)]));
	const required = fields.filter((field) => field.required === true).map(({ id }) => String(id));
	return { ...inputForm({ type: 'object', properties, required }), isPartial: true };
}

function storedSchema({ type, options, displayName }: JsonObject): JsonObject {
	const title = asText(displayName) ?? null;
	const values = asObjects(options).map(({ value }) => value ?? null);
	if (type === 'options') return { title, enum: values };
	return { title, type: SCHEMA_TYPES[asText(type) ?? ''] ?? null };
}

/** The values of a mapper, as the workflow stores it. */
export function mapperValues(mapper: JsonObject | undefined): JsonObject {
	return asObject(mapper?.value) ?? {};
}
