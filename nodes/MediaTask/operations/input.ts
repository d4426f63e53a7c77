import { modelParameter } from '../../shared/fields/models';
import { formOfStored, mapperValues } from '../../shared/fields/schemaForm';
import { inputForm, type InputForm } from '../../shared/gateway/media/inputSchema';
import { typedInput } from '../../shared/gateway/media/inputValues';
import type { MediaModel } from '../../shared/gateway/media/mediaModel';
import type { JsonObject } from '../../shared/gateway/util/json';
import { choice, jsonObject, mapper, shownFor } from '../../shared/params/kinds';
import type { Values } from '../../shared/params/parameter';
import type { ItemContext } from '../../shared/run/operation';

/** The model that a task is for. */
export const model = modelParameter(
	'searchMediaModels',
	'vendor/image-model',
	'The model that does the work. The list shows what it makes and your price for a task; search for image, video, music or audio to see only such models.',
);

/**
 * The parameters that say what a model is to make: as a form of the model's fields, or as JSON.
 *
 * @param mapperMethod gives the fields of the form
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
							refreshStaleSchemaOnOpen: true,
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
	/** What the input is checked against; `undefined` for JSON, which the gateway checks itself. */
	form: InputForm | undefined;
}

/**
 * Reads an item's input in the mode that the node is in; values of a form get the types of the model's schema.
 *
 * @throws {InvalidInputError} for what is not an input; and for a model that the catalogue does not have, where a form
 *   needs it
 */
export async function readInput({ params, run, client }: ItemContext<InputParams>): Promise<TaskInput> {
	if (params.inputMode === 'json') return { values: params.inputJson, form: undefined };
	const stored = params.input;
	const form = formOf(await run.findMediaModel(client, params.model)) ?? formOfStored(stored?.schema);
	return { values: typedInput(mapperValues(stored), form), form };
}

/** The form of a model of the catalogue. */
export function formOf(found: MediaModel | undefined): InputForm | undefined {
	return found && inputForm(found.inputSchema);
}
