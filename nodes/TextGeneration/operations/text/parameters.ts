import { readTextOptions } from '../../../shared/fields/textOptions';
import { checkExtraBody } from '../../../shared/fields/textRequest';
import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import { textFormat } from '../../../shared/gateway/text/formats';
import type { TextFormat } from '../../../shared/gateway/text/formats/format';
import type {
	OutputRequest,
	TextRequest,
	ToolChoice,
	ToolDefinition,
} from '../../../shared/gateway/text/formats/request';
import { asArray, asObject, asText, type Json, type JsonObject } from '../../../shared/gateway/util/json';
import type { Values } from '../../../shared/params/parameter';
import type { ItemContext } from '../../../shared/run/operation';
import { readConversation, type AttachmentRow } from './conversation';
import type { generateOptions, generateParameters, outputParameters } from './fields';

/** The values of text: generate. */
export type Params = Values<typeof generateParameters> & { readonly options: Values<typeof generateOptions> };

/** The request of an item, with its attachments not yet read. */
export interface GenerateParameters {
	format: TextFormat;
	request: TextRequest;
	attachments: AttachmentRow[];
	/** Merged into the body last. */
	extraBody: JsonObject;
	simplify: boolean;
	/** The most that the execution may cost, as decimal text in rubles. */
	maxCostRub: string | undefined;
	/** Asked in this order when the model rejects the call. */
	fallbackModels: string[] | undefined;
}

/** What to do instead of setting `stream` in *Extra Body*. */
export const STREAM_HINT = "Use the option 'Stream' instead.";

/** The default name of a JSON response; a format may require one. */
const JSON_OBJECT_NAME = 'answer';

/**
 * Reads the request of an item.
 *
 * @throws {InvalidInputError} for what cannot be sent, with the name of the parameter
 */
export function readParameters({ params, run }: ItemContext<Params>): GenerateParameters {
	const format = textFormat(params.format);
	const { conversation, attachments } = readConversation(params);
	const tools = readTools(params.tools);
	const options = readTextOptions(params.options, format);
	const extraBody = checkExtraBody(params.options.extraBody, STREAM_HINT);
	return {
		format,
		request: {
			model: params.model,
			conversation,
			tools,
			toolChoice: readToolChoice(params, sentTools({ tools, options, extraBody }), extraBody),
			output: readOutput(params),
			options,
			// Streams by default when the workflow does. An agent's tool has no chunk writer.
			stream: params.options.stream ?? run.chunkWriter !== undefined,
			cachesPrompt: format.hasCachePoints && params.options.cachePrompt === true,
		},
		attachments,
		extraBody,
		simplify: params.simplify,
		maxCostRub: params.options.maxCostRub,
		fallbackModels: params.options.fallbackModels,
	};
}

/** The parameters of the form of a response, and of its schema. */
type OutputParams = Values<typeof outputParameters> & {
	readonly options: Pick<Params['options'], 'schemaDescription' | 'schemaStrict'>;
};

/** The form of the response. */
export function readOutput(params: OutputParams): OutputRequest {
	const kind = params.outputFormat;
	if (kind === 'text') return { kind };
	if (kind === 'jsonObject') return { kind, name: JSON_OBJECT_NAME };
	const { schemaDescription: description, schemaStrict: strict } = params.options;
	return { kind, name: params.schemaName, schema: params.jsonSchema, description, strict };
}

function readTools(rows: Params['tools']): ToolDefinition[] {
	const names = new Set<string>();
	return rows.map(({ values: { name, description, parameters, strict }, at }) => {
		if (names.has(name)) {
			throw at.error(`there already is a tool called "${name}"`, 'Give each tool a name of its own.');
		}
		names.add(name);
		return {
			name,
			description: description || undefined,
			parameters: parameters ?? { type: 'object', properties: {} },
			strict: strict || undefined,
		};
	});
}

/** The names of all tools of the request; empty for one without a name. Those of *Extra Body* replace the others. */
function sentTools({
	tools,
	options,
	extraBody,
}: Pick<TextRequest, 'tools' | 'options'> & { extraBody: JsonObject }): string[] {
	if (extraBody.tools !== undefined) return wireNames(extraBody.tools);
	return [...tools.map(({ name }) => name), ...wireNames(options.builtInTools)];
}

/** The formats have a tool's name in the tool, or in its `function`. */
function wireNames(tools: Json | undefined): string[] {
	return asArray(tools).map((tool) => {
		const { name, function: called } = asObject(tool) ?? {};
		return asText(name) ?? asText(asObject(called)?.name) ?? '';
	});
}

/** @param tools the names of the tools of the request */
function readToolChoice(
	params: Params,
	tools: readonly string[],
	{ tool_choice: added }: JsonObject,
): ToolChoice | undefined {
	const choice = params.toolChoice;
	// *Extra Body* adds fields to an object, and replaces anything else.
	const isReplaced = added !== undefined && !asObject(added);
	if (choice === 'auto' || isReplaced) return undefined;
	if (tools.length === 0 && (choice === 'none' || choice === '')) return undefined;
	if (choice === 'none') return choice;
	if (choice === 'required') {
		if (tools.length === 0) throw noTools();
		return choice;
	}
	// An expression may return the name of a tool.
	const name = choice === 'function' ? params.toolChoiceName.trim() : choice;
	const names = tools.filter((tool) => tool !== '');
	if (names.includes(name)) return { name };
	throw new InvalidInputError(
		name === '' ? "'Tool to Call' is empty" : `There is no tool called "${name}"`,
		`Choose one of the tools of this node: ${names.join(', ') || 'there are none'}. Nothing was sent.`,
		choice === 'function' ? 'toolChoiceName' : 'toolChoice',
	);
}

function noTools(): InvalidInputError {
	return new InvalidInputError(
		"'Tool Choice' is 'Must Call a Tool', but there are no tools",
		"Add a tool, or set 'Tool Choice' to 'Model Decides'. Nothing was sent.",
		'toolChoice',
	);
}
