import { InvalidInputError } from '../gateway/errors/errors';
import type { TextRequest, ToolChoice } from '../gateway/text/formats/request';
import { asArray, asObject, asText, type Json, type JsonObject } from '../gateway/util/json';
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
			toolChoiceName: text({
				displayName: 'Tool to Call',
				required: true,
				placeholder: 'e.g. get_weather',
				description: 'The name of the tool that the model must call, or the type of a built-in tool',
			}),
		},
	),
};

/** The values of {@link toolChoiceParameters}. */
export type ToolChoiceValues = Values<typeof toolChoiceParameters>;

/** The tools of a request. */
export interface RequestTools extends Pick<TextRequest, 'tools' | 'options'> {
	extraBody: JsonObject;
}

/** A tool that can be chosen: by its name, or a built-in one by its type. */
interface Choosable {
	id: string;
	isBuiltIn: boolean;
}

/** The tools of a request. Those of *Extra Body* replace the others. */
function choosable({ tools, options, extraBody }: RequestTools): Choosable[] {
	if (extraBody.tools !== undefined) return wireTools(extraBody.tools);
	const own = tools.map(({ name }) => ({ id: name, isBuiltIn: false }));
	return [...own, ...wireTools(options.builtInTools)];
}

/** The formats have a tool's name in the tool, or in its `function`; a built-in tool only has a type. */
function wireTools(list: Json | undefined): Choosable[] {
	return asArray(list).map((tool) => {
		const { type, name, function: called } = asObject(tool) ?? {};
		const own = asText(name) ?? asText(asObject(called)?.name);
		return { id: own ?? asText(type) ?? '', isBuiltIn: own === undefined };
	});
}

/**
 * Reads the choice of tools.
 *
 * @returns `undefined` if the gateway decides
 * @throws {InvalidInputError} for a tool that the request does not have
 */
export function readToolChoice(params: ToolChoiceValues, request: RequestTools): ToolChoice | undefined {
	const choice = params.toolChoice;
	const added = request.extraBody.tool_choice;
	// *Extra Body* adds fields to an object, and replaces anything else.
	const isReplaced = added !== undefined && !asObject(added);
	if (choice === 'auto' || isReplaced) return undefined;
	const tools = choosable(request);
	if (tools.length === 0 && (choice === 'none' || choice === '')) return undefined;
	if (choice === 'none') return choice;
	if (choice === 'required') {
		if (tools.length > 0) return choice;
		throw new InvalidInputError(
			"'Tool Choice' is 'Must Call a Tool', but there are no tools",
			"Add a tool, or set 'Tool Choice' to 'Model Decides'.",
			'toolChoice',
		);
	}
	// An expression may return the name of a tool.
	const name = choice === 'function' ? params.toolChoiceName.trim() : choice;
	const known = tools.filter(({ id }) => id !== '');
	const found = known.find(({ id }) => id === name);
	if (found) return found.isBuiltIn ? { builtIn: name } : { name };
	throw new InvalidInputError(
		name === '' ? "'Tool to Call' is empty" : `There is no tool called "${name}"`,
		`Choose one of these tools: ${known.map(({ id }) => id).join(', ') || 'there are none'}.`,
		choice === 'function' ? 'toolChoiceName' : 'toolChoice',
	);
}
