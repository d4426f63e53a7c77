import type { INodeProperties } from 'n8n-workflow';

import { extraBodyField } from '../../../shared/fields/textRequest';

/** What shape the answer is to have. */
export const outputFields: INodeProperties[] = [
	{
		displayName: 'Output Format',
		name: 'outputFormat',
		type: 'options',
		options: [
			{
				name: 'JSON by Schema',
				value: 'jsonSchema',
				description: 'JSON with exactly the fields of a schema',
			},
			{ name: 'JSON Object', value: 'jsonObject', description: 'Any JSON; say in the prompt which fields' },
			{ name: 'Text', value: 'text' },
		],
		default: 'text',
		description: 'What the answer is to be. JSON is put out parsed, besides the text.',
	},
	{
		displayName: 'Schema Name',
		name: 'schemaName',
		type: 'string',
		default: 'answer',
		placeholder: 'e.g. invoice',
		description: 'What the answer is called; the model sees it. Letters, digits, underscores and dashes.',
		displayOptions: { show: { outputFormat: ['jsonSchema'] } },
	},
	{
		displayName: 'JSON Schema',
		name: 'jsonSchema',
		type: 'json',
		typeOptions: { rows: 8 },
		default:
			'{\n  "type": "object",\n  "properties": {\n    "title": { "type": "string" }\n  },\n  "required": ["title"],\n  "additionalProperties": false\n}',
		required: true,
		description: 'The fields of the answer, as a JSON Schema',
		displayOptions: { show: { outputFormat: ['jsonSchema'] } },
	},
];

/** Functions that the model may ask to be called. */
export const toolFields: INodeProperties[] = [
	{
		displayName: 'Tools',
		name: 'tools',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Tool' },
		placeholder: 'Add Tool',
		default: {},
		description:
			"Functions that the model may ask for. Its calls are in the output field 'toolCalls'; to carry them out is up to the nodes that follow.",
		options: [
			{
				displayName: 'Function',
				name: 'function',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						required: true,
						placeholder: 'e.g. get_weather',
					},
					{
						displayName: 'Description',
						name: 'description',
						type: 'string',
						default: '',
						placeholder: 'e.g. Gives the weather of a city',
						description: 'When the model is to call it, and what it gives',
					},
					{
						displayName: 'Parameters (JSON Schema)',
						name: 'parameters',
						type: 'json',
						typeOptions: { rows: 5 },
						default:
							'{\n  "type": "object",\n  "properties": {\n    "city": { "type": "string" }\n  },\n  "required": ["city"]\n}',
						description: 'The arguments of the function, as a JSON Schema',
					},
					{
						displayName: 'Strict',
						name: 'strict',
						type: 'boolean',
						default: false,
						description: 'Whether the arguments must fit the schema exactly, where the model can',
						displayOptions: { show: { '/format': ['chat'] } },
					},
				],
			},
		],
	},
	{
		displayName: 'Tool Choice',
		name: 'toolChoice',
		type: 'options',
		options: [
			{ name: 'Model Decides', value: 'auto' },
			{ name: 'Must Call a Tool', value: 'required' },
			{ name: 'Must Call This Tool', value: 'function', description: "The one named in 'Tool to Call'" },
			{ name: 'No Tools', value: 'none' },
		],
		default: 'auto',
		description: 'Whether the model may, must or must not call a tool',
	},
	{
		displayName: 'Tool to Call',
		name: 'toolChoiceName',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. get_weather',
		description: 'The name of the tool that the model must call',
		displayOptions: { show: { toolChoice: ['function'] } },
	},
];

/** Options that depend on what the answer is to be, and on how it comes. */
export const generateOptions: INodeProperties[] = [
	extraBodyField,
	{
		displayName: 'Schema Description',
		name: 'schemaDescription',
		type: 'string',
		default: '',
		placeholder: 'e.g. The data of an invoice',
		description: 'What the answer is for; the model sees it',
		displayOptions: { show: { '/outputFormat': ['jsonSchema'] } },
	},
	{
		displayName: 'Schema Strict',
		name: 'schemaStrict',
		type: 'boolean',
		default: true,
		description:
			'Whether the answer must fit the schema exactly, where the model can. The schema must then require all fields, and have additionalProperties false.',
		displayOptions: { show: { '/outputFormat': ['jsonSchema'], '/format': ['chat', 'responses'] } },
	},
	{
		displayName: 'Stream',
		name: 'stream',
		type: 'boolean',
		default: true,
		description:
			'Whether to receive the answer while it is written, which may take 15 minutes instead of 5. Without this option, the node streams when the workflow does.',
	},
];
