import { readOutput, type outputParameters } from '../../../shared/fields/outputFormat';
import { optionFields } from '../../../shared/fields/textOptions';
import { askedModel, readToolChoice, takenToolNames } from '../../../shared/fields/textRequest';
import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import { textFormat } from '../../../shared/gateway/text/formats';
import type { TextFormat } from '../../../shared/gateway/text/formats/format';
import type {
	ChatMessage,
	Conversation,
	Message,
	PriorToolCall,
	TextRequest,
	ToolDefinition,
} from '../../../shared/gateway/text/formats/request';
import {
	asArray,
	asId,
	asObject,
	asObjects,
	asText,
	type Json,
	type JsonObject,
} from '../../../shared/gateway/util/json';
import { EMPTY_HINT } from '../../../shared/params/kinds';
import type { ValueOf, Values } from '../../../shared/params/parameter';
import type { ItemInput } from '../../../shared/run/operation';
import { findAttachment, type AttachmentRow, type FoundAttachment } from './attachments';
import type { messages, sourceFields } from './conversationFields';
import { type generateOptions, type generateParameters, type sharedOptions } from './fields';

type MessageRow = ValueOf<typeof messages>[number];
type Params = Values<typeof generateParameters> & { readonly options: Values<typeof generateOptions> };

type SharedParams = Pick<Params, 'model' | 'simplify' | keyof typeof outputParameters> & {
	readonly options: Values<typeof sharedOptions>;
};

export interface PreparedText {
	format: TextFormat;
	request: TextRequest;
	attachments: FoundAttachment[];
	extraBody: JsonObject;
	fallbackModels: readonly string[];
	maxCostRub: string | undefined;
	isDryRun: boolean;
	simplify: boolean;
	/** Unless files are to be opened for it. */
	body?: JsonObject;
}

export async function prepareText(item: ItemInput<Params>): Promise<PreparedText> {
	const { params } = item;
	const format = textFormat(params.format);
	const { conversation, attachments } = readConversation(params);
	const prepared = await prepare(item, format, conversation, attachments);
	const { request, extraBody } = prepared;
	const tools = readTools(params.tools, takenToolNames(format, request));
	const toolChoice = readToolChoice(params.options, { tools, fields: request.fields, extraBody });
	const cachesPrompt = format.hasCachePoints && params.options.cachePrompt === true;
	return { ...prepared, request: { ...request, tools, toolChoice, cachesPrompt } };
}

export async function prepare(
	item: ItemInput<SharedParams>,
	format: TextFormat,
	conversation: Conversation,
	attachments: AttachmentRow[],
): Promise<PreparedText> {
	const { params, run } = item;
	const { options } = params;
	const { extraBody = {} } = options;
	const request: TextRequest = {
		model: askedModel(params.model, extraBody),
		conversation,
		tools: [],
		output: readOutput(params),
		fields: optionFields(options, format),
		// Streams by default when the workflow does. An agent's tool has no chunk writer.
		stream: options.stream ?? run.chunkWriter !== undefined,
	};
	const found: FoundAttachment[] = [];
	for (const row of attachments) found.push(await findAttachment(item, row, format));
	return {
		format,
		request,
		attachments: found,
		extraBody,
		fallbackModels: options.fallbackModels ?? [],
		maxCostRub: options.maxCostRub,
		isDryRun: options.dryRun === true,
		simplify: params.simplify,
	};
}

function readTools(rows: Params['tools'], taken: readonly string[]): ToolDefinition[] {
	return rows.map(({ values: { name, description, parameters, strict }, at }) => {
		if (taken.includes(name))
			throw at.error(
				`"${name}" is the name of another tool of the request`,
				'It is built in, or gives the JSON of the response. Enter another name.',
			);
		return { name, description, parameters: parameters ?? { type: 'object', properties: {} }, strict };
	});
}

function readConversation(params: Params): { conversation: Conversation; attachments: AttachmentRow[] } {
	const { messages: rows, messagesJson, systemPrompt = '', prompt = '', attachments: files = [] } = params;
	if (rows) {
		const messages = rows.map(readMessage);
		return { conversation: { kind: 'messages', messages }, attachments: filesOf(rows) };
	}
	if (messagesJson !== undefined) {
		const messages = readMessagesJson(messagesJson);
		return { conversation: { kind: 'wire', messages, systemPrompt }, attachments: [] };
	}
	const system: ChatMessage[] = systemPrompt ? [{ role: 'system', text: systemPrompt }] : [];
	const attachments = files.flatMap(({ values, at }) =>
		sourcesOf(values).map((source) => ({ kind: values.type, message: system.length, source, at })),
	);
	const messages: ChatMessage[] = [...system, { role: 'user', text: prompt }];
	return { conversation: { kind: 'messages', messages }, attachments };
}

function filesOf(rows: MessageRow[]): AttachmentRow[] {
	return rows.flatMap(({ values, at }, message) => {
		const { attachment: kind = 'none' } = values;
		return kind === 'none' ? [] : sourcesOf(values).map((source) => ({ kind, message, source, at }));
	});
}

/** The panel shows the field of one source. */
function sourcesOf(values: Values<Omit<typeof sourceFields, 'source'>>): Array<AttachmentRow['source']> {
	return values.url ?? values.binaryPropertyName ?? [];
}

function readMessage({ values, at }: MessageRow): Message {
	const { role, content: text, toolCallId = '', toolCallsJson = [], attachment = 'none', cache } = values;
	if (role === 'tool') return { role, callId: toolCallId.trim(), text };
	const toolCalls = readToolCalls(toolCallsJson);
	const hasFile = attachment !== 'none';
	if (text.trim() === '' && toolCalls.length === 0 && !hasFile)
		throw at.error("'Content' is empty", EMPTY_HINT);
	return { role, text, toolCalls, isCachePoint: cache === true };
}

function readToolCalls(list: Json[]): PriorToolCall[] {
	return list.map((element) => {
		const { id, name, arguments: args = {} } = asObject(element) ?? {};
		const text = typeof args === 'string' ? args : JSON.stringify(args);
		return { id: asId(id) ?? '', name: asText(name) ?? '', arguments: text };
	});
}

function readMessagesJson(value: Json): JsonObject[] {
	if (typeof value === 'string' && value.trim() !== '') return [{ role: 'user', content: value }];
	const messages = asObjects(value);
	const isList = messages.length === asArray(value).length;
	if (isList && messages.some(({ content }) => content !== '')) return messages;
	throw new InvalidInputError(
		"'Messages (JSON)' is not a list of messages with content",
		'It looks like [{ "role": "user", "content": "Hello" }], with the prompt as the content of a message.',
		'messagesJson',
	);
}
