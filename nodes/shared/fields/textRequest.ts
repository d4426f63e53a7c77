import { InvalidInputError } from '../gateway/errors/errors';
import { textFormats } from '../gateway/text/formats';
import type { TextFormat } from '../gateway/text/formats/format';
import type { TextRequest, ToolChoice } from '../gateway/text/formats/request';
import { asArray, asObjects, asText, textOf, type JsonObject } from '../gateway/util/json';
import { choice, flag, jsonObject, shownFor, text, texts } from '../params/kinds';
import type { Values } from '../params/parameter';
import { modelParameter } from './models';
import { formatsWhere, WEB_SEARCH } from './textOptions';

export const format = choice({
	displayName: 'API Format',
	options: textFormats
		.map(({ label, name, description }) => ({ name: label, value: name, description }))
		.sort((a, b) => (a.name < b.name ? -1 : 1)),
	default: textFormats[0].name,
	description:
		'The API of the gateway to use. Keep Chat Completions unless you need an option of another one. Messages does not report the cost: the node computes it.',
});

export const textModel = modelParameter(
	'searchTextModels',
	'vendor/model-name',
	'The model to use. The list shows its context window in tokens, and your price for a million input / output tokens.',
);

export const fallbackModels = texts({
	displayName: 'Fallback Models',
	default: [],
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Model' },
	placeholder: 'e.g. vendor/model-name',
	description:
		'IDs of models to try, in this order, when a call is rejected before it is charged, e.g. because of the rate limit, a long input or an unavailable model',
	traits: { changesRequest: false },
}).optional();

export const cachePrompt = flag({
	displayName: 'Cache Prompt',
	default: true,
	description:
		'Whether the provider caches instructions and conversations, if the model supports it. Requests with the same beginning then cost less; the first may cost more.',
})
	.shownIf(formatsWhere(({ hasCachePoints }) => hasCachePoints))
	.optional();

export const stream = flag({
	displayName: 'Stream',
	default: true,
	description:
		'Whether to receive the response while it is generated, which may take 15 minutes instead of 5. Without this option, the node streams when the workflow does.',
	traits: { changesRequest: false },
}).optional();

export const extraBody = jsonObject({
	displayName: 'Extra Body (JSON)',
	rows: 4,
	default: '{}',
	example: '{ "name": "value" }',
	description:
		'Fields of the API without an option here. They override other parameters; objects are merged; null leaves a field out: { "messages": null, "prompt": "…" }. To stream, use Stream.',
}).optional();

/** The model that a call asks: *Extra Body (JSON)* may name another one than the list. */
export function askedModel(model: string, extraBody: JsonObject): string {
	return asText(extraBody.model) ?? model;
}

// Not `required`: n8n would ask for it wherever the choice is an expression.
const toolChoiceName = text({
	displayName: 'Tool to Call',
	placeholder: 'e.g. get_weather',
	description: 'The name of the tool that the model must call',
});

/** §4.1, 4.2. */
export const toolChoiceParameters = {
	toolChoice: text({
		displayName: 'Tool Choice',
		default: 'auto',
		description: 'Whether the model may, must or must not call one of the tools',
	}).with({
		type: 'options',
		options: [
			{ name: 'Model Decides', value: 'auto' },
			{ name: 'Must Call a Tool', value: 'required' },
			{ name: 'Must Call This Tool', value: 'function', description: "The one named in 'Tool to Call'" },
			{ name: 'No Tools', value: 'none' },
		],
	}),
	...shownFor({ toolChoice: ['function'] }, { toolChoiceName }),
};

/** Names that the tools of the user cannot have: vendors refuse two tools of one name. */
export function takenToolNames(
	{ hasJsonTool }: TextFormat,
	{ fields, output }: Pick<TextRequest, 'fields' | 'output'>,
): string[] {
	const builtIn = asObjects(fields.tools).map(({ type }) => textOf(type));
	const searches =
		fields.web_search_options !== undefined || builtIn.some((type) => type.startsWith(WEB_SEARCH));
	return [
		...builtIn,
		...(searches ? [WEB_SEARCH] : []),
		...(hasJsonTool && output.kind !== 'text' ? [output.name] : []),
	];
}

type WithTools = Pick<TextRequest, 'tools' | 'fields'> & { extraBody: JsonObject };

export function hasTools({ tools, fields, extraBody }: WithTools): boolean {
	return tools.length + asArray(extraBody.tools ?? fields.tools).length > 0;
}

/** The choice of tools; `undefined` if the gateway decides. Whether the tool is there, the gateway checks. */
export function readToolChoice(
	params: Values<typeof toolChoiceParameters>,
	request: WithTools,
): ToolChoice | undefined {
	const choice = params.toolChoice;
	if (choice === 'auto') return undefined;
	if (!hasTools(request)) {
		if (choice === 'none') return undefined;
		throw new InvalidInputError(
			"'Tool Choice' needs a tool, and there are no tools",
			"Add the tool under 'Tools', or remove the option 'Tool Choice'.",
			'toolChoice',
		);
	}
	if (choice === 'none') return choice;
	// An expression may return the name of a tool, and the word of another format.
	if (choice === 'required' || choice === 'any') return 'required';
	const { toolChoiceName = '' } = params;
	const name = choice === 'function' ? toolChoiceName.trim() : choice;
	if (name === '')
		throw new InvalidInputError("'Tool to Call' is empty", 'Enter the name of the tool.', 'toolChoiceName');
	return { name };
}
