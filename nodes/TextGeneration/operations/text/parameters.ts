import { readOutput } from '../../../shared/fields/outputFormat';
import { readTextOptions } from '../../../shared/fields/textOptions';
import { askedModel, checkExtraBody } from '../../../shared/fields/textRequest';
import { readToolChoice } from '../../../shared/fields/toolChoice';
import { textFormat } from '../../../shared/gateway/text/formats';
import type { TextFormat } from '../../../shared/gateway/text/formats/format';
import type { TextRequest, ToolDefinition } from '../../../shared/gateway/text/formats/request';
import type { JsonObject } from '../../../shared/gateway/util/json';
import type { Values } from '../../../shared/params/parameter';
import type { ItemContext } from '../../../shared/run/operation';
import { readConversation, type AttachmentRow } from './conversation';
import type { generateOptions, generateParameters } from './fields';

/** The values of text: generate. */
export type Params = Values<typeof generateParameters> & { readonly options: Values<typeof generateOptions> };

/** The prepared request of an item, with its attachments not yet read. */
export interface PreparedText {
	format: TextFormat;
	request: TextRequest;
	attachments: AttachmentRow[];
	/** Merged into the body last. */
	extraBody: JsonObject;
	simplify: boolean;
	/** The most that the execution may cost, as decimal text in rubles. */
	maxCostRub: string | undefined;
	/** Whether it is checked and not sent. */
	isDryRun: boolean;
	/** Tried in this order when the model rejects the call. */
	fallbackModels: string[] | undefined;
}

/** What to do instead of setting `stream` in *Extra Body*. */
export const STREAM_HINT = "Use the option 'Stream' instead.";

/**
 * Reads the parameters of an item.
 *
 * @throws {InvalidInputError} for what cannot be sent, with the name of the parameter
 */
export function prepareText({ params, run }: ItemContext<Params>): PreparedText {
	const format = textFormat(params.format);
	const { conversation, attachments } = readConversation(params);
	const tools = readTools(params.tools);
	const options = readTextOptions(params.options, format);
	const extraBody = checkExtraBody(params.options.extraBody, STREAM_HINT);
	return {
		format,
		request: {
			model: askedModel(params.model, extraBody),
			conversation,
			tools,
			toolChoice: readToolChoice(params, { tools, options, extraBody }),
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
		isDryRun: params.options.dryRun === true,
		fallbackModels: params.options.fallbackModels,
	};
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
