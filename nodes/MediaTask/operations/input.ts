import { modelParameter } from '../../shared/fields/models';
import { formOfStored, mapperValues } from '../../shared/fields/schemaForm';
import { inputForm, type InputForm } from '../../shared/gateway/media/inputSchema';
import { typedInput } from '../../shared/gateway/media/inputValues';
import type { MediaModel } from '../../shared/gateway/media/mediaModel';
import type { JsonObject } from '../../shared/gateway/util/json';
import { REFRESHED_FORM } from '../../shared/n8n/features';
import { choice, jsonObject, mapper, shownFor } from '../../shared/params/kinds';
import type { Values } from '../../shared/params/parameter';
import type { ItemContext } from '../../shared/run/operation';
import { hasText, withPrompt, withPromptLabel } from './prompt';

/** The media model. */
export const model = modelParameter(
	'searchMediaModels',
	'vendor/image-model',
	'The model to use. The list shows the media type and your price for a task with the model’s defaults. Search for image, video, music or audio to see only such models.',
);

/** The parameters for a model's input, as a form or as JSON. */
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
	...shownFor(
		{ inputMode: ['form'] },
		{
			input: mapper({
				displayName: 'Model Fields',
				noDataExpression: true,
				required: true,
				description: 'The fields of the chosen model. Add optional ones as needed.',
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
						...REFRESHED_FORM,
					},
				},
			}),
		},
	),
	...shownFor(
		{ inputMode: ['json'] },
		{
			inputJson: jsonObject({
				displayName: 'Input (JSON)',
				rows: 6,
				default: '{}',
				example: '{ "prompt": "A lighthouse at dusk" }',
				required: true,
				description:
					'The fields of the model as a JSON object. Insert text from other nodes with JSON.stringify(…), without quotes around it.',
			}),
		},
	),
};

type InputParams = Values<typeof inputParameters> & {
	readonly model: string;
	/** `undefined` where the panel does not show it. */
	readonly prompt?: string | undefined;
};

/** An item's input. */
export interface TaskInput {
	values: JsonObject;
	/** Checks the input; `undefined` for JSON, which only the gateway checks. */
	form: InputForm | undefined;
}

/**
 * Reads an item's input. Values of a form get the types of the model's schema.
 *
 * @param needsModel whether the catalogue must have the model
 * @throws {InvalidInputError} for an invalid input; for a form, also when the catalogue does not have the model
 * @throws {ApiError} for a prompt whose field is not known, when the catalogue cannot be read: under another name, the
 *   same input would be another task, which is charged again
 */
export async function readInput(
	{ params, run, client }: ItemContext<InputParams>,
	needsModel = false,
): Promise<TaskInput> {
	const { prompt, model: id } = params;
	if (params.inputMode === 'json') {
		// Only the gateway checks JSON: without a prompt, the model's fields are not needed.
		const fields = hasText(prompt) ? formOf(await run.mediaModel(client, id, true)) : undefined;
		return { values: withPrompt(params.inputJson, prompt, fields), form: undefined };
	}
	const stored = formOfStored(params.input?.schema);
	const needsName = hasText(prompt) && stored.promptName === undefined;
	const found = await run.mediaModel(client, id, needsName || needsModel);
	const form = formOf(found) ?? stored;
	const values = typedInput(withPrompt(mapperValues(params.input), prompt, form), form);
	return { values, form: prompt === undefined ? form : withPromptLabel(form) };
}

/** The input form of a model. */
export function formOf(found: MediaModel | undefined): InputForm | undefined {
	return found && inputForm(found.inputSchema);
}
