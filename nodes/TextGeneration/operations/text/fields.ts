import { simplify } from '../../../shared/fields/simplify';
import { shownForFormats, textOptionParameters } from '../../../shared/fields/textOptions';
import {
	cachePrompt,
	extraBody,
	fallbackModels,
	format,
	textModel,
} from '../../../shared/fields/textRequest';
import { rows } from '../../../shared/params/groups';
import { choice, flag, id, json, jsonObject, optional, shownFor, text } from '../../../shared/params/kinds';
import { maxCostRub, textTimeout } from '../../../shared/run/settings';
import { attachments, messages } from './conversationFields';

const inputMode = choice({
	displayName: 'Input Mode',
	options: [
		{ name: 'Messages', value: 'messages', description: 'A conversation, message by message' },
		{
			name: 'Messages (JSON)',
			value: 'json',
			description: 'A conversation in the shape of the chosen API format, for everything that it can do',
		},
		{ name: 'Prompt', value: 'simple', description: 'One prompt, with an optional system prompt and files' },
	],
	default: 'simple',
	description: 'How to enter what the model is asked',
});

const systemPrompt = text({
	displayName: 'System Prompt',
	rows: 3,
	placeholder: 'e.g. You write short, friendly product texts.',
	description: 'Instructions for the model, the same for every prompt',
});

const prompt = text({
	displayName: 'Prompt',
	rows: 5,
	required: true,
	placeholder: 'e.g. Describe this product in three sentences: {{ $json.name }}',
	description: 'What you ask the model',
	whenEmpty:
		'Enter what the model is asked. If an expression fills it, the field it refers to is empty for this item.',
});

const messagesJson = json({
	displayName: 'Messages (JSON)',
	rows: 6,
	default: '[\n  { "role": "user", "content": "" }\n]',
	example: '[{ "role": "user", "content": "Hello" }]',
	required: true,
	description:
		'The messages as the chosen API format writes them, as a list. For a text from another node use JSON.stringify(…), without quotes around it.',
});

const outputFormat = choice({
	displayName: 'Output Format',
	options: [
		{ name: 'JSON by Schema', value: 'jsonSchema', description: 'JSON with exactly the fields of a schema' },
		{
			name: 'JSON Object',
			value: 'jsonObject',
			description: 'Any JSON; describe the fields in the prompt',
		},
		{ name: 'Text', value: 'text' },
	],
	default: 'text',
	description: 'What the model responds with. JSON is parsed into the output, besides the text.',
});

const schemaParameters = shownFor(
	{ outputFormat: ['jsonSchema'] },
	{
		schemaName: id({
			displayName: 'Schema Name',
			default: 'answer',
			placeholder: 'e.g. invoice',
			description: 'What the response is called; the model sees it. Letters, digits, underscores and dashes.',
			whenEmpty: 'Enter a name for the response, such as invoice.',
		}),
		jsonSchema: jsonObject({
			displayName: 'JSON Schema',
			rows: 8,
			default:
				'{\n  "type": "object",\n  "properties": {\n    "title": { "type": "string" }\n  },\n  "required": ["title"],\n  "additionalProperties": false\n}',
			example: '{ "type": "object", "properties": { "title": { "type": "string" } } }',
			required: true,
			description: 'The fields of the response, as a JSON Schema',
		}),
	},
);

/** The form of the response. */
export const outputParameters = { outputFormat, ...schemaParameters };

const tools = rows({
	displayName: 'Tools',
	typeOptions: { multipleValueButtonText: 'Add Tool' },
	placeholder: 'Add Tool',
	description:
		"Functions that the model may call. Its calls are in the output field 'toolCalls'; the nodes that follow carry them out.",
	group: 'function',
	groupLabel: 'Function',
	fields: {
		name: id({
			displayName: 'Name',
			required: true,
			placeholder: 'e.g. get_weather',
			whenEmpty: 'Enter the name of the tool, such as get_weather.',
		}),
		description: text({
			displayName: 'Description',
			placeholder: 'e.g. Returns the weather of a city',
			description: 'When the model should call it, and what it returns',
		}),
		parameters: optional(
			jsonObject({
				displayName: 'Parameters (JSON Schema)',
				rows: 5,
				default:
					'{\n  "type": "object",\n  "properties": {\n    "city": { "type": "string" }\n  },\n  "required": ["city"]\n}',
				example: '{ "type": "object", "properties": { "city": { "type": "string" } } }',
				description: 'The arguments of the function, as a JSON Schema',
			}),
		),
		strict: flag({
			displayName: 'Strict',
			default: false,
			description: 'Whether the arguments must match the schema exactly, where the model can',
			...shownForFormats(({ hasStrictTools }) => hasStrictTools),
		}),
	},
});

const toolChoiceParameters = {
	toolChoice: text({
		displayName: 'Tool Choice',
		default: 'auto',
		description: 'Whether the model may, must or must not call a tool',
	}).with({
		type: 'options',
		options: [
			{ name: 'Model Decides', value: 'auto' },
			{ name: 'Must Call a Tool', value: 'required' },
			{ name: 'Must Call This Tool', value: 'function', description: "The one named in 'Tool to Call'" },
			{ name: 'No Tools', value: 'none' },
		],
	}),
	...shownFor(
		{ toolChoice: ['function'] },
		{
			toolChoiceName: text({
				displayName: 'Tool to Call',
				required: true,
				placeholder: 'e.g. get_weather',
				description: 'The name of the tool that the model must call',
			}),
		},
	),
};

/** The parameters of text: generate, in the order of the panel. */
export const generateParameters = {
	model: textModel,
	...shownFor({ inputMode: ['simple'] }, { prompt }),
	...shownFor({ inputMode: ['messages'] }, { messages }),
	...shownFor({ inputMode: ['json'] }, { messagesJson }),
	...shownFor({ inputMode: ['simple', 'json'] }, { systemPrompt }),
	...shownFor({ inputMode: ['simple'] }, { attachments }),
	...outputParameters,
	tools,
	...toolChoiceParameters,
	inputMode,
	format,
	simplify,
};

/** Options of a call that are not in the table of the formats' options. */
export const callOptions = {
	cachePrompt,
	extraBody,
	fallbackModels,
	maxCostRub,
	timeout: textTimeout,
	schemaDescription: optional(
		text({
			displayName: 'Schema Description',
			placeholder: 'e.g. The data of an invoice',
			description: 'What the response is for; the model sees it',
			displayOptions: { show: { '/outputFormat': ['jsonSchema'] } },
		}),
	),
	schemaStrict: optional(
		flag({
			displayName: 'Schema Strict',
			default: true,
			description:
				'Whether the response must match the schema exactly, where the model can. The schema must then require all fields, and have additionalProperties false.',
			displayOptions: {
				show: {
					'/outputFormat': ['jsonSchema'],
					...shownForFormats(({ hasStrictSchema }) => hasStrictSchema).displayOptions?.show,
				},
			},
		}),
	),
	stream: optional(
		flag({
			displayName: 'Stream',
			default: true,
			description:
				'Whether to receive the response while it is generated, which may take 15 minutes instead of 5. Without this option, the node streams when the workflow does.',
		}),
	),
};

/** The options of text: generate. */
export const generateOptions = { ...textOptionParameters, ...callOptions };
