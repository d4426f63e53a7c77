import { readOutput, type outputParameters } from '../../../shared/fields/outputFormat';
import { readTextOptions } from '../../../shared/fields/textOptions';
import { askedModel, checkExtraBody } from '../../../shared/fields/textRequest';
import { readToolChoice } from '../../../shared/fields/toolChoice';
import { textFormat } from '../../../shared/gateway/text/formats';
import type { TextFormat } from '../../../shared/gateway/text/formats/format';
import type { Conversation, TextRequest, ToolDefinition } from '../../../shared/gateway/text/formats/request';
import type { JsonObject } from '../../../shared/gateway/util/json';
import type { Values } from '../../../shared/params/parameter';
import type { ItemInput } from '../../../shared/run/operation';
import { findAttachments, type FoundAttachment } from './attachments';
import { readConversation, type AttachmentRow } from './conversation';
import type { generateOptions, generateParameters, sharedOptions } from './fields';

type Params = Values<typeof generateParameters> & { readonly options: Values<typeof generateOptions> };

/** The values that all operations with a text model have. */
type SharedParams = Pick<Params, 'model' | 'simplify' | keyof typeof outputParameters> & {
	readonly options: Values<typeof sharedOptions>;
};

/** The prepared request of an item, with its attachments not yet read. */
export interface PreparedText {
	format: TextFormat;
	request: TextRequest;
	attachments: FoundAttachment[];
	extraBody: JsonObject;
	simplify: boolean;
	options: SharedParams['options'];
}

export function prepareText(item: ItemInput<Params>): PreparedText {
	const { params } = item;
	const format = textFormat(params.format);
	const { conversation, attachments } = readConversation(params);
	const prepared = prepare(item, format, conversation, attachments);
	const tools = readTools(params.tools);
	const { request, extraBody } = prepared;
	const toolChoice = readToolChoice(params.options, { tools, options: request.options, extraBody });
	const cachesPrompt = format.hasCachePoints && params.options.cachePrompt === true;
	return { ...prepared, request: { ...request, tools, toolChoice, cachesPrompt } };
}

/** Reads the parameters that all operations have. */
export function prepare(
	item: ItemInput<SharedParams>,
	format: TextFormat,
	conversation: Conversation,
	attachments: AttachmentRow[],
): PreparedText {
	const { params, run } = item;
	const { options } = params;
	const extraBody = checkExtraBody(options.extraBody, "Use the option 'Stream' instead.");
	return {
		format,
		request: {
			model: askedModel(params.model, extraBody),
			conversation,
			tools: [],
			output: readOutput(params),
			options: readTextOptions(options, format),
			// Streams by default when the workflow does. An agent's tool has no chunk writer.
			stream: options.stream ?? run.chunkWriter !== undefined,
		},
		attachments: findAttachments(item, attachments, format),
		extraBody,
		simplify: params.simplify,
		options,
	};
}

function readTools(rows: Params['tools']): ToolDefinition[] {
	return rows.map(({ values: { name, description, parameters, strict } }) => {
		return { name, description, parameters: parameters ?? { type: 'object', properties: {} }, strict };
	});
}
