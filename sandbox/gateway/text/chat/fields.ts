/** The fields of a chat completion request (§4.2). */
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
	range,
	text,
	textOrList,
	wordOr,
} from '../../fields';
import { partOf } from '../parts';

const called = object({ name: text, arguments: text }, 'name', 'arguments');

const message = object(
	{
		role: choice('user', 'assistant', 'system', 'developer', 'tool'),
		content: textOrList(partOf('chat')),
		// §2.4
		tool_calls: list(object({ id: text, type: choice('function'), function: called }, 'id', 'function')),
		tool_call_id: text,
	},
	'role',
);

const definition = object(
	{ name: filledText, description: text, parameters: object(), strict: boolean },
	'name',
);

export const chatFields = object(
	{
		model: filledText,
		messages: list(message),
		prompt: text,
		max_tokens: integer,
		max_completion_tokens: integer,
		temperature: range(0, 2),
		top_p: range(0, 1),
		top_k: integer,
		frequency_penalty: range(-2, 2),
		presence_penalty: range(-2, 2),
		stop: textOrList(text),
		seed: integer,
		n: integer,
		stream: boolean,
		logprobs: boolean,
		top_logprobs: integer,
		logit_bias: { type: 'object', additionalProperties: number },
		// §4.2 shows no values of `effort` here.
		reasoning: object({
			effort: text,
			summary: text,
			enabled: boolean,
			max_tokens: integer,
			exclude: boolean,
		}),
		tools: list(object({ type: choice('function'), function: definition }, 'type', 'function')),
		tool_choice: wordOr(
			['none', 'auto', 'required'],
			byType(
				{ function: object({ function: object({ name: text }, 'name') }, 'function') },
				foreign('tool', 'any'),
			),
		),
		parallel_tool_calls: boolean,
		response_format: byType(
			{ json_schema: object({ json_schema: object({ name: text }, 'name') }, 'json_schema') },
			choice('text', 'json_object', 'json_schema', 'grammar'),
		),
		web_search_options: object({ search_context_size: text }),
		provider: object({
			allow_fallbacks: boolean,
			order: list(text),
			only: list(text),
			ignore: list(text),
			sort: text,
			max_price: object({
				prompt: number,
				completion: number,
				image: number,
				audio: number,
				request: number,
			}),
		}),
		plugins: list(),
		modalities: list(choice('text', 'image', 'audio')),
		audio: object(),
		image_config: object(),
		user: text,
	},
	'model',
);
