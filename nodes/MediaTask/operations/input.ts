import { modelParameter } from '../../shared/fields/models';
import { asObject } from '../../shared/gateway/util/json';
import { choice, jsonObject, mapper, shownFor, text } from '../../shared/params/kinds';
import type { Parameter, Values } from '../../shared/params/parameter';
import type { EnteredInput } from './task/taskInput';

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

/** What the panel says of the input. */
export function enteredInput(
	params: Values<typeof inputParameters> & { readonly model: string; readonly prompt?: string | undefined },
): EnteredInput {
	const { model: id, input: form, inputJson, prompt } = params;
	const values = inputJson ?? asObject(form?.value) ?? {};
	const given = prompt?.trim() === '' ? undefined : prompt;
	return { model: id, isForm: inputJson === undefined, values, prompt: given };
}
