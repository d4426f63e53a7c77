import { InvalidInputError } from '../gateway/errors/errors';
import type { TextRequest, ToolChoice } from '../gateway/text/formats/request';
import { asArray, asObject, type JsonObject } from '../gateway/util/json';
import { shownFor, text } from '../params/kinds';
import type { Values } from '../params/parameter';

// Whether the model may, must or must not call a tool (§4.1, 4.2).

export const toolChoiceParameters = {
	toolChoice: text({
		displayName: 'Tool Choice',
		default: 'auto',
		description: 'Whether the model may, must or must not call one of the tools, if there are any',
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
			// Not `required`: n8n would ask for it wherever the choice is an expression.
			toolChoiceName: text({
				displayName: 'Tool to Call',
				placeholder: 'e.g. get_weather',
				description: 'The name of the tool that the model must call, or the type of a built-in tool',
			}),
		},
	),
};

export type ToolChoiceValues = Values<typeof toolChoiceParameters>;

/** The choice of tools; `undefined` if the gateway decides. Whether the request has the tool, the gateway checks. */
export function readToolChoice(
	params: ToolChoiceValues,
	{ tools, options, extraBody }: Pick<TextRequest, 'tools' | 'options'> & { extraBody: JsonObject },
): ToolChoice | undefined {
	const choice = params.toolChoice;
	const added = extraBody.tool_choice;
	// *Extra Body* adds fields to an object, and replaces anything else.
	if (choice === 'auto' || (added !== undefined && !asObject(added))) return undefined;
	const wireTools = asArray(extraBody.tools ?? options.builtInTools);
	const hasTools = wireTools.length > 0 || (extraBody.tools === undefined && tools.length > 0);
	if (choice === 'none') return hasTools ? choice : undefined;
	// An expression may return the name of a tool, and the word of another format.
	if (choice === 'required' || choice === 'any') return 'required';
	const name = choice === 'function' ? params.toolChoiceName.trim() : choice;
	if (name === '')
		throw new InvalidInputError("'Tool to Call' is empty", 'Enter the name of the tool.', 'toolChoiceName');
	// A built-in tool has no name, only a type.
	const isBuiltIn = wireTools.map(asObject).some((tool) => tool?.type === name && name !== 'function');
	return isBuiltIn ? { builtIn: name } : { name };
}
