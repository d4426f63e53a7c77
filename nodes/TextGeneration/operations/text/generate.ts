import type { INodeProperties } from 'n8n-workflow';

import type { ItemContext, Operation, OperationOutput } from '../../../shared/execution/operation';
import { compact, simplifyField } from '../../../shared/fields/common';
import { modelLocator } from '../../../shared/fields/models';
import { readTextOptions, textOptions } from '../../../shared/fields/textOptions';
import { InvalidInput } from '../../../shared/gateway/failure';
import { textFormat, textFormats } from '../../../shared/gateway/formats';
import type { TextFormat, TextRequest } from '../../../shared/gateway/formats/format';

const properties: INodeProperties[] = [
	{
		displayName: 'Format',
		name: 'format',
		type: 'options',
		options: textFormats.map(({ label, name, description }) => ({
			name: label,
			value: name,
			description,
		})),
		default: 'chat',
		description:
			'The wire format in which the gateway is asked. Every text model can be used with each of them.',
	},
	modelLocator(
		'searchTextModels',
		'vendor/model-name',
		'The model to ask. The list shows its context window in tokens and your price for a million input / output tokens.',
	),
	{
		displayName: 'System Prompt',
		name: 'systemPrompt',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. You write short, friendly product texts.',
		description: 'What the model is to be and how it is to answer, for every prompt alike',
	},
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 5 },
		default: '',
		required: true,
		placeholder: 'e.g. Describe this product in three sentences: {{ $json.name }}',
		description: 'What you ask the model',
	},
	simplifyField,
];

/** Generates text from a prompt (§4.1 to 4.3). */
export const generate: Operation = {
	displayName: 'Generate',
	action: 'Generate text',
	description: 'Ask a model and get its answer, the tokens used and the cost',
	properties,
	options: textOptions,
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const { format, request, simplify } = readParameters(item);
		const body = await item.client.json({
			group: format.group,
			method: 'POST',
			path: format.path,
			headers: format.headers,
			json: format.toBody(request),
			charged: true,
		});
		const result = format.readResponse(body);
		return [{ json: simplify ? compact(result) : body }];
	},
};

interface Parameters {
	format: TextFormat;
	request: TextRequest;
	simplify: boolean;
}

function readParameters({ parameters }: ItemContext): Parameters {
	const names = textFormats.map(({ name }) => name);
	const format = textFormat(parameters.choice('format', names));
	if (!format)
		throw new InvalidInput('The format is unknown', `It is one of: ${names.join(', ')}.`, 'format');
	return {
		format,
		request: {
			model: parameters
				.requiredText('model', 'Model', 'Choose a model from the list, or enter its ID.')
				.trim(),
			systemPrompt: parameters.text('systemPrompt'),
			prompt: parameters.requiredText(
				'prompt',
				'Prompt',
				'Enter what the model is asked. If an expression fills it, the field it refers to is empty for this item.',
			),
			options: readTextOptions(parameters.options, format),
		},
		simplify: parameters.flag('simplify'),
	};
}
