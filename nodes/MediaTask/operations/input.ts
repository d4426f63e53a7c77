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

/** The media model. */
export const model = modelParameter(
	'searchMediaModels',
	'vendor/image-model',
	'The model that does the work. The list shows what it makes and your price for a task; search for image, video, music or audio to see only such models.',
);

/**
 * The parameters for a model's input, as a form or as JSON.
 *
 * @param mapperMethod the node's method that returns the fields of the form
 */
export function inputParameters(mapperMethod: string) {
	return {
		inputMode: choice({
			displayName: 'Input Mode',
			noDataExpression: true,
			options: [
				{ name: 'Form', value: 'form', description: 'One field for each thing that the model takes' },
				{ name: 'JSON', value: 'json', description: 'All of it as one JSON object' },
			],
			default: 'form',
			description: 'How to enter what the model makes',
		}),
		...shownFor(
			{ inputMode: ['form'] },
			{
				input: mapper({
					displayName: 'Input',
					noDataExpression: true,
					required: true,
					description: 'What the model makes. The fields are those of the chosen model.',
					typeOptions: {
						loadOptionsDependsOn: ['model.value'],
						resourceMapper: {
							resourceMapperMethod: mapperMethod,
							mode: 'add',
							valuesLabel: 'Input',
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
					default: '{\n  "prompt": ""\n}',
					example: '{ "prompt": "A lighthouse at dusk" }',
					required: true,
					description:
						'What the model makes, as a JSON object with the fields of the model. For a text from another node use JSON.stringify(…), without quotes around it.',
				}),
			},
		),
	};
}

type InputParams = Values<ReturnType<typeof inputParameters>> & { readonly model: string };

/** An item's input. */
export interface TaskInput {
	values: JsonObject;
	/** Checks the input; `undefined` for JSON, which only the gateway checks. */
	form: InputForm | undefined;
}

/**
 * Reads an item's input. Values of a form get the types of the model's schema.
 *
 * @throws {InvalidInputError} for an invalid input; for a form, also when the catalogue does not have the model
 */
export async function readInput({ params, run, client }: ItemContext<InputParams>): Promise<TaskInput> {
	if (params.inputMode === 'json') return { values: params.inputJson, form: undefined };
	const stored = params.input;
	const form = formOf(await run.findMediaModel(client, params.model)) ?? formOfStored(stored?.schema);
	return { values: typedInput(mapperValues(stored), form), form };
}

/** The input form of a model. */
export function formOf(found: MediaModel | undefined): InputForm | undefined {
	return found && inputForm(found.inputSchema);
}
