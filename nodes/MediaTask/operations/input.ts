import { modelParameter } from '../../shared/fields/models';
import { ApiError, asError, InvalidInputError } from '../../shared/gateway/errors/errors';
import { inputForm, promptField } from '../../shared/gateway/media/inputSchema';
import { typedInput } from '../../shared/gateway/media/inputValues';
import { asObject, fieldOf, type JsonObject } from '../../shared/gateway/util/json';
import { choice, jsonObject, mapper, shownFor, text } from '../../shared/params/kinds';
import { isUnset, type Parameter, type Values } from '../../shared/params/parameter';
import type { ItemContext } from '../../shared/run/operation';

export const model = modelParameter(
	'searchMediaModels',
	'vendor/image-model',
	'The model to use. The list shows the price with the initial settings, the lowest, and the media type. Search for image, video, music or audio to see only such models.',
);

/** The prompt, beside the form: that has one line for a text, and is emptied when the model changes. */
export function promptParameter(what: string, example: string): Parameter<string | undefined> {
	return text({
		displayName: 'Prompt',
		rows: 4,
		placeholder: `e.g. ${example}`,
		description: `${what}. A prompt in 'Input (JSON)' overrides it.`,
	}).requiredIfAdded();
}

const input = mapper({
	displayName: 'Model Fields',
	noDataExpression: true,
	required: true,
	description: 'The fields of the model. Add optional ones. A list is text such as one, two, or JSON.',
	typeOptions: {
		loadOptionsDependsOn: ['model.value'],
		resourceMapper: {
			resourceMapperMethod: 'mapMediaFields',
			mode: 'add',
			valuesLabel: 'Model Fields',
			fieldWords: { singular: 'field', plural: 'fields' },
			addAllFields: true,
			multiKeyMatch: false,
			supportAutoMap: false,
			// From n8n 2.33 on: loads the fields again when the node is opened.
			refreshStaleSchemaOnOpen: true,
		},
	},
});

const inputJson = jsonObject({
	displayName: 'Input (JSON)',
	rows: 6,
	default: '{}',
	example: '{ "prompt": "A lighthouse at dusk" }',
	required: true,
	description:
		'The fields of the model as a JSON object. Insert text from other nodes with JSON.stringify(…), without quotes around it.',
});

export const inputParameters = {
	inputMode: choice({
		displayName: 'Input Mode',
		noDataExpression: true,
		options: [
			{ name: 'Form', value: 'form', description: 'One field for each setting of the model' },
			{ name: 'JSON', value: 'json', description: 'All settings as one JSON object' },
		],
		default: 'form',
		description: 'How to enter the settings of the model',
	}),
	...shownFor({ inputMode: ['form'] }, { input }),
	...shownFor({ inputMode: ['json'] }, { inputJson }),
};

export interface EnteredInput {
	model: string;
	isForm: boolean;
	values: JsonObject;
	/** `undefined` where the panel does not show it, or where it is empty. */
	prompt: string | undefined;
}

export function enteredInput(
	params: Values<typeof inputParameters> & { readonly model: string; readonly prompt?: string | undefined },
): EnteredInput {
	const { model: id, input: form, inputJson, prompt } = params;
	const values = inputJson ?? asObject(form?.value) ?? {};
	const given = prompt?.trim() === '' ? undefined : prompt;
	return { model: id, isForm: inputJson === undefined, values, prompt: given };
}

/** The input of a task. The catalogue says which types the values of a form have, and which field takes the prompt. */
export async function completeInput(
	{ run, client }: ItemContext,
	{ model: id, isForm, values: entered, prompt }: EnteredInput,
): Promise<JsonObject> {
	// Only the gateway checks JSON: without a prompt, the model's fields are not needed.
	if (!isForm && prompt === undefined) return entered;
	const form = inputForm((await run.mediaModel(client, id)).inputSchema);
	if (isForm && form.fields.some(({ name }) => name.startsWith('=')))
		run.hints.add(
			"The form leaves out fields of the model whose names begin with an equals sign. To set them, set 'Input Mode' to 'JSON'.",
		);
	const values = isForm ? typedInput(entered, form) : entered;
	const field = promptField(form);
	const promptName = field?.name ?? 'prompt';
	if (run.isTool && prompt === undefined && field?.required && isUnset(fieldOf(values, promptName)))
		throw new InvalidInputError(
			'This tool has no prompt, so it makes nothing',
			"Tell the user to open the tool in n8n, and to click the sparkle button beside 'Prompt': the agent then fills it in.",
			'prompt',
		);
	if (prompt === undefined) return values;
	return isUnset(fieldOf(values, promptName)) ? { ...values, [promptName]: prompt } : values;
}

/** The gateway's words about a field of the form (§7.4), with the label of the field in front. */
export async function withFieldLabel(
	{ run, client }: ItemContext,
	{ model: id, isForm, values }: EnteredInput,
	error: unknown,
	sent: JsonObject,
): Promise<Error> {
	const isRefused = error instanceof ApiError && error.details.status === 422;
	if (!isRefused || !isForm) return asError(error);
	const form = inputForm((await run.mediaModels.known(client, id))?.inputSchema ?? {});
	const { message, description } = error.details;
	const words = message.split(/[^\p{L}\d_]+/u);
	const named = words.find((word) => form.fields.some(({ name }) => name === word));
	const field = form.fields.find(({ name }) => name === named);
	if (!field) return error;
	const isPrompt = field === promptField(form);
	const isShown = isPrompt || Object.hasOwn({ ...values, ...sent }, field.name);
	return error.with({
		message: `'${isPrompt ? 'Prompt' : field.title}': ${message}`,
		description: isShown ? description : `${description} To enter it, use 'Add field to send'.`,
	});
}
