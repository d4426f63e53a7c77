import { checkTypes, outputParameters, schemaOptions } from '../../../shared/fields/outputFormat';
import { fileName } from '../../../shared/fields/fileName';
import { includeInput, simplify } from '../../../shared/fields/results';
import { formatsWhere, textOptions } from '../../../shared/fields/textOptions';
import {
	cachePrompt,
	extraBody,
	fallbackModels,
	format,
	stream,
	textModel,
	toolChoiceParameters,
} from '../../../shared/fields/textRequest';
import { rows } from '../../../shared/params/groups';
import {
	choice,
	EMPTY_HINT,
	flag,
	json,
	jsonObject,
	shownFor,
	text,
	wireName,
} from '../../../shared/params/kinds';
import { dryRun } from '../../../shared/run/charge/dryRun';
import { maxCostRub } from '../../../shared/run/settings';
import { attachments, messages } from './conversationFields';

const inputMode = choice({
	displayName: 'Input Mode',
	options: [
		{ name: 'Messages', value: 'messages', description: 'A conversation, message by message' },
		{
			name: 'Messages (JSON)',
			value: 'json',
			description: 'A conversation as JSON of the chosen API format, for features that have no field here',
		},
		{ name: 'Prompt', value: 'simple', description: 'One prompt, with an optional system prompt and files' },
	],
	default: 'simple',
	description: 'How to enter the input of the model',
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
	description: 'The prompt to send to the model',
	whenEmpty: `Enter a prompt. ${EMPTY_HINT}`,
});

const messagesJson = json({
	displayName: 'Messages (JSON)',
	rows: 6,
	default: '[\n  { "role": "user", "content": "" }\n]',
	example: '[{ "role": "user", "content": "Hello" }]',
	required: true,
	description:
		'The messages as a JSON list, as the chosen API format expects them. Insert text from other nodes with JSON.stringify(…), without quotes around it.',
});

const tools = rows({
	displayName: 'Tools',
	typeOptions: { multipleValueButtonText: 'Add Tool' },
	placeholder: 'Add Tool',
	description:
		"Functions that the model may call. The calls are in the output field 'toolCalls', for the next nodes to run.",
	unique: 'name',
	group: 'function',
	groupLabel: 'Function',
	fields: {
		name: wireName({
			displayName: 'Name',
			required: true,
			placeholder: 'e.g. get_weather',
			description: 'Letters, digits, underscores and dashes',
		}),
		description: text({
			displayName: 'Description',
			placeholder: 'e.g. Returns the weather of a city',
			description: 'When the model should call it, and what it returns',
		}),
		parameters: jsonObject({
			displayName: 'Parameters (JSON Schema)',
			rows: 5,
			default:
				'{\n  "type": "object",\n  "properties": {\n    "city": { "type": "string" }\n  },\n  "required": ["city"]\n}',
			example: '{ "type": "object", "properties": { "city": { "type": "string" } } }',
			description: 'The arguments of the function, as a JSON Schema',
		})
			.map(checkTypes)
			.optional(),
		strict: flag({
			displayName: 'Strict',
			default: false,
			description: 'Whether the arguments must match the schema exactly, if the model supports it',
		}).shownIf(formatsWhere(({ hasStrictTools }) => hasStrictTools)),
	},
});

export const generateParameters = {
	model: textModel,
	...shownFor({ inputMode: ['simple'] }, { prompt }),
	...shownFor({ inputMode: ['messages'] }, { messages }),
	...shownFor({ inputMode: ['json'] }, { messagesJson }),
	...shownFor({ inputMode: ['simple', 'json'] }, { systemPrompt }),
	...shownFor({ inputMode: ['simple'] }, { attachments }),
	...outputParameters,
	tools,
	inputMode,
	format,
	simplify,
};

/** Options of every call, for all formats. */
export const sharedOptions = {
	dryRun,
	extraBody,
	fallbackModels,
	includeInput,
	maxCostRub,
	...schemaOptions,
	stream,
};

export const generateOptions = {
	fileName,
	...textOptions,
	...toolChoiceParameters,
	cachePrompt,
	...sharedOptions,
};
