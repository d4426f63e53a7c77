/** The fields of a request in the responses format (§4.1). */
import {
	boolean,
	byType,
	choice,
	filledText,
	foreign,
	integer,
	list,
	number,
	object,
	text,
	textOrList,
	wordOr,
} from '../../fields';
import type { JsonSchema } from '../../jsonSchema';
import { allPartTypes, partOf } from '../parts';

const content = textOrList(partOf('responses'));

const message = object({ role: choice('user', 'assistant', 'system', 'developer'), content }, 'role');

/** §4.1 shows messages; the official client knows items of other types, such as calls and their outputs. */
const item: JsonSchema = {
	if: { required: ['type'] },
	then: byType({ message, function_call_output: object({ output: content }) }, foreign(...allPartTypes)),
	else: message,
};

const format = byType(
	{
		json_schema: object(
			{ name: text, schema: object(), description: text, strict: boolean },
			'name',
			'schema',
		),
	},
	choice('text', 'json_object', 'json_schema'),
);

const tool = byType(
	{ function: object({ name: filledText, description: text, parameters: object() }, 'name') },
	choice(
		'function',
		'custom',
		'file_search',
		'code_interpreter',
		'web_search',
		'web_search_2025_08_26',
		'web_search_preview',
		'x_search',
		'computer_use_preview',
		'mcp',
		'image_generation',
		'local_shell',
		'tool_search',
	),
);

export const responsesFields = object(
	{
		model: filledText,
		input: { ...textOrList(item), minLength: 1, minItems: 1 },
		stream: boolean,
		instructions: text,
		max_output_tokens: integer,
		max_tool_calls: integer,
		temperature: number,
		top_p: number,
		top_logprobs: integer,
		truncation: choice('auto', 'disabled'),
		service_tier: choice('auto', 'default', 'flex', 'priority'),
		metadata: object(),
		store: boolean,
		background: boolean,
		conversation: object(),
		previous_response_id: text,
		stream_options: object(),
		text: object({ format, verbosity: text }),
		tools: list(tool),
		tool_choice: wordOr(
			['none', 'auto', 'required', 'any'],
			// The chat format has the name in `function`.
			{ ...object({ type: foreign('tool') }), not: { required: ['function'] } },
		),
		parallel_tool_calls: boolean,
		reasoning: object({
			effort: choice('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
			summary: text,
			max_tokens: integer,
		}),
		include: list(text),
	},
	'model',
	'input',
);
