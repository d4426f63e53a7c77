/** The fields of a request in the messages format (§4.3). */
import {
	boolean,
	filledList,
	filledText,
	foreign,
	integer,
	list,
	number,
	object,
	text,
	textOrList,
} from '../../fields';
import type { JsonSchema } from '../../jsonSchema';
import { partOf } from '../parts';

const content = textOrList(partOf('messages'));
const part = partOf('messages');

const block: JsonSchema = {
	...part,
	allOf: [
		...(part.allOf ?? []),
		{ if: object({ type: { const: 'tool_result' } }), then: object({ content }) },
	],
};

/** §4.3 shows no roles: these are those of the other formats. */
const message = object({ role: foreign('developer', 'tool'), content: textOrList(block) }, 'role', 'content');

/** The other formats have the type `function`; the vendor's own tools have types of their own. */
const tool: JsonSchema = {
	...object({ type: foreign('function'), name: text, description: text, input_schema: object() }),
	if: { required: ['type'] },
	else: object({}, 'name'),
};

export const messagesFields = object(
	{
		model: filledText,
		messages: filledList(message),
		max_tokens: integer,
		stream: boolean,
		temperature: number,
		top_p: number,
		top_k: integer,
		stop_sequences: list(text),
		system: content,
		thinking: object({ type: text }),
		tools: list(tool),
		tool_choice: object({ type: foreign('function'), name: text }),
	},
	'model',
	'messages',
	'max_tokens',
);
