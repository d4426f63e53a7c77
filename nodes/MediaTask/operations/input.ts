import type { INodeProperties } from 'n8n-workflow';

import type { ItemContext } from '../../shared/run/operation';
import { modelLocator } from '../../shared/fields/models';
import { formOfStored, mapperValues } from '../../shared/fields/schemaForm';
import type { MediaModel } from '../../shared/gateway/endpoints/models';
import { inputForm, type InputForm } from '../../shared/gateway/media/inputSchema';
import { typedInput } from '../../shared/gateway/media/inputValues';
import { asArray, type JsonObject } from '../../shared/gateway/util/json';

/** The model that a task is for. */
export const modelField = modelLocator(
	'searchMediaModels',
	'vendor/image-model',
	'The model that does the work. The list shows what it makes and your price for a task; search for image, video, music or audio to see only such models.',
);

const inputModeField: INodeProperties = {
	displayName: 'Input Mode',
	name: 'inputMode',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Form', value: 'form', description: 'One field for each thing that the model takes' },
		{ name: 'JSON', value: 'json', description: 'All of it as one JSON object' },
	],
	default: 'form',
	description: 'How to say what the model is to make',
};

const inputJsonField: INodeProperties = {
	displayName: 'Input (JSON)',
	name: 'inputJson',
	type: 'json',
	typeOptions: { rows: 6 },
	default: '{\n  "prompt": ""\n}',
	required: true,
	displayOptions: { show: { inputMode: ['json'] } },
	description:
		'What the model is to make, as a JSON object with the fields of the model. A text from another node goes in through JSON.stringify(…), without quotes around it.',
};

/** Keeps the JSON of a workflow that was made before there was a form, where nothing is filled in there. */
const keptJsonField: INodeProperties = {
	displayName: 'Input (JSON)',
	name: 'inputJson',
	type: 'hidden',
	default: '',
	displayOptions: { show: { inputMode: ['form'] } },
};

const INPUT_EXAMPLE = '{ "prompt": "A lighthouse at dusk" }';

/** The parameters that say what a model is to make: as a form of the model's fields, or as JSON. */
export function inputProperties(mapperMethod: string): INodeProperties[] {
	return [
		inputModeField,
		{
			displayName: 'Input',
			name: 'input',
			type: 'resourceMapper',
			noDataExpression: true,
			default: { mappingMode: 'defineBelow', value: null },
			required: true,
			displayOptions: { show: { inputMode: ['form'] } },
			description: 'What the model is to make. The fields are those of the chosen model.',
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
		},
		inputJsonField,
		keptJsonField,
	];
}

/** An item's input. */
export interface TaskInput {
	values: JsonObject;
	/** What the input is checked against; `undefined` for JSON, which the gateway checks itself. */
	form: InputForm | undefined;
}

/**
 * Reads an item's input in the mode that the node is in; values of a form get the types of the model's schema.
 *
 * @throws {InvalidInputError} for what is no input; and for a model that the catalogue does not have, where a form needs it
 */
export async function readInput(item: ItemContext, modelId: string): Promise<TaskInput> {
	const { parameters } = item;
	const isForm = parameters.choice('inputMode', 'Input Mode', ['form', 'json']) === 'form';
	const mapper = isForm ? parameters.compound('input') : undefined;
	if (!isForm || isOldJson(item, mapper)) {
		return { values: parameters.jsonObject('inputJson', 'Input (JSON)', INPUT_EXAMPLE), form: undefined };
	}
	const model = await item.run.findMediaModel(item.client, modelId);
	const form = formOf(model) ?? formOfStored(mapper?.schema);
	return { values: typedInput(mapperValues(mapper), form), form };
}

/** The form of a model of the catalogue. */
export function formOf(model: MediaModel | undefined): InputForm | undefined {
	return model && inputForm(model.inputSchema);
}

/** Whether the form was never touched and there is JSON: the workflow was made before there was a form. */
function isOldJson({ parameters }: ItemContext, mapper: JsonObject | undefined): boolean {
	const { schema } = mapper ?? {};
	const untouched = asArray(schema).length === 0 && Object.keys(mapperValues(mapper)).length === 0;
	// An expression may give the JSON as an object.
	return (
		untouched &&
		(parameters.compound('inputJson') !== undefined || parameters.text('inputJson', 'Input (JSON)') !== '')
	);
}
