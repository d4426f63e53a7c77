import type {
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperFields,
	FieldType,
	ResourceMapperField,
} from 'n8n-workflow';

import { listMediaModels } from '../gateway/endpoints/models';
import type { MediaModel } from '../gateway/media/price';
import {
	inputForm,
	takesUrls,
	mayTakeUrls,
	promptField,
	type FieldKind,
	type InputField,
} from '../gateway/media/inputSchema';
import { editorLabel, editorValue } from './editorText';
import { inHtml } from '../gateway/util/text';
import { inEditor } from './models';
import { compact, type JsonObject } from '../gateway/util/json';

/** Resource mapping: the form of the chosen model's input, without the prompt. */
export async function mapMediaFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const model = await chosenModel(this);
	if (model === undefined) return { fields: [], emptyFieldsNotice: 'Choose a model to see its fields' };
	if (typeof model === 'string') {
		return {
			fields: [],
			emptyFieldsNotice: `The gateway has no media model "${model}". Choose one from the list, or set 'Input Mode' to 'JSON' if an expression chooses the model.`,
		};
	}
	const fields = formFields(model.inputSchema);
	if (fields.length > 0) return { fields };
	return {
		fields,
		emptyFieldsNotice: "The catalogue names no fields for this model. Set 'Input Mode' to 'JSON'.",
	};
}

/** Load options: the input fields of the chosen model for the URL of a file. An expression can name another one. */
export async function loadFileFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const model = await chosenModel(this);
	if (model === undefined || typeof model === 'string') return [];
	const offered = inputForm(model.inputSchema).fields.filter(takesUrls);
	return offered.map(({ name, title, description }) => ({
		name: editorLabel(title === name ? name : `${title} (${name})`),
		value: editorValue(name),
		...(description ? { description: inHtml(editorLabel(description)) } : {}),
	}));
}

/** The model that the parameters name: its ID when the catalogue does not have it, `undefined` when none is chosen. */
async function chosenModel(context: ILoadOptionsFunctions): Promise<MediaModel | string | undefined> {
	const chosen: unknown = context.getCurrentNodeParameter('model', { extractValue: true });
	const id = typeof chosen === 'string' ? chosen.trim() : '';
	if (id === '') return undefined;
	const models = await inEditor(context, listMediaModels);
	return models.find((model) => model.id === id) ?? id;
}

/** The longest label, in characters: n8n cuts longer ones off when the pointer is over the field. */
const MAX_LABEL = 28;

/** What the editor shows for each kind; `array` and `object` are JSON editors there, and n8n refuses other text in them. */
const WIDGETS: Readonly<Record<FieldKind, FieldType>> = {
	text: 'string',
	integer: 'number',
	number: 'number',
	boolean: 'boolean',
	list: 'array',
	object: 'object',
	json: 'string',
};

/** The fields of an `input_schema` (§2.2), the required ones first. The prompt has a parameter of its own. */
export function formFields(inputSchema: JsonObject): ResourceMapperField[] {
	const form = inputForm(inputSchema);
	const prompt = promptField(form);
	// n8n evaluates field IDs, and an ID cannot be an expression.
	const fields = form.fields.filter((field) => field !== prompt && !field.name.startsWith('='));
	return fields.sort((a, b) => Number(b.required) - Number(a.required)).map(formField);
}

function formField(field: InputField): ResourceMapperField {
	const { name, required, kind, choices, element } = field;
	// n8n does not run a node without a required field, also when *Input Files* provides it.
	const mayComeAsFile = required && mayTakeUrls(field);
	const defaultValue = shownDefault(field);
	// People write a list of words or numbers as text.
	const isListOfScalars = kind === 'list' && !['list', 'object', 'json'].includes(element?.kind ?? 'json');
	const widget = choices.length > 0 ? 'options' : isListOfScalars ? 'string' : WIDGETS[kind];
	return {
		id: name,
		displayName: editorLabel(label(field, mayComeAsFile, widget)),
		defaultMatch: false,
		canBeUsedToMatch: false,
		required: required && !mayComeAsFile,
		display: true,
		type: widget,
		...(choices.length > 0 ? { options: choices.map(choiceOption) } : {}),
		...compact({ defaultValue, removed: required ? undefined : true }),
	};
}

/** "Tags – Style words", "Logo (URL or file)": the mapper shows no descriptions. One that has no room is left out. */
function label(field: InputField, mayComeAsFile: boolean, widget: FieldType): string {
	const { title, description = '' } = field;
	const isJson = widget === 'object' || widget === 'array';
	const optional = takesUrls(field) ? 'URL or file' : isJson ? 'JSON' : '';
	const note = mayComeAsFile ? `required${takesUrls(field) ? ' or file' : ''}` : optional;
	const name = note === '' ? title : `${title} (${note})`;
	const text = description.replace(/\s+/g, ' ').trim();
	const full = `${name} – ${text}`;
	return text === '' || text === title || full.length > MAX_LABEL ? name : full;
}

function choiceOption(value: InputField['choices'][number]) {
	return { name: editorLabel(String(value)), value: editorValue(value) };
}

/** A default as the mapper takes it: lists and objects as JSON text. */
function shownDefault({ default: value, choices }: InputField): string | number | boolean | undefined {
	if (typeof value === 'object') return JSON.stringify(value);
	const isChoice = value === undefined || choices.length === 0 || choices.includes(value);
	return isChoice ? editorValue(value) : undefined;
}
