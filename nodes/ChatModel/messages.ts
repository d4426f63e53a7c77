import type { ContentFile, Message, MessageContent } from '@n8n/ai-node-sdk';

import { readBase64 } from '../shared/gateway/util/base64';
import { InvalidInputError } from '../shared/gateway/errors/errors';
import { fileNameFor, nameInUrl, typeByName } from '../shared/gateway/util/fileName';
import type { TextFormat } from '../shared/gateway/text/formats/format';
import {
	ATTACHMENT_KINDS,
	type Attachment,
	type AttachmentKind,
	type PriorToolCall,
	type ReasoningPart,
	type ToolMessage,
	type ChatMessage,
} from '../shared/gateway/text/formats/request';
import { asObject, asText } from '../shared/gateway/util/json';
import { joinCompletions, keptReasoning, reasoningFor, rejectsReasoning } from './reasoning';

/**
 * Converts the messages of an agent or chain for the formats. Reasoning goes back to its model with the results of
 * tool calls, so only that since the user's last message.
 *
 * @param model ID of the model that the messages are for; without it, reasoning is left out
 * @throws {InvalidInputError} for a file that the format does not support, that is empty, or that is not base64
 */
export function toChatMessages(
	messages: readonly Message[],
	format: TextFormat,
	model = '',
): Array<ChatMessage | ToolMessage> {
	const source = { format: format.name, model };
	const joined = joinCompletions(messages);
	const lastUser = joined.map(({ role }) => role).lastIndexOf('user');
	const sendsReasoning = !rejectsReasoning(joined, source);
	return joined.flatMap((message, index) => {
		const isCurrent = sendsReasoning && index > lastUser;
		return toChatMessage(message, format, isCurrent ? reasoningFor(message, source) : []);
	});
}

/** The IDs of the tool calls in a conversation. */
export function callIds(messages: ReadonlyArray<ChatMessage | ToolMessage>): Set<string> {
	return new Set(
		messages.flatMap((message) =>
			message.role === 'tool' ? [message.callId] : (message.toolCalls ?? []).map(({ id }) => id),
		),
	);
}

function toChatMessage(
	message: Message,
	format: TextFormat,
	reasoning: ReasoningPart[],
): Array<ChatMessage | ToolMessage> {
	const { role, content } = message;
	if (role === 'tool') return content.flatMap(toToolMessage);
	const attachments = content.filter(isFile).map((file) => toAttachment(file, format));
	const toolCalls = distinct(content.flatMap(toPriorToolCall));
	return [
		{
			role,
			// A streamed message of the model may still be in chunks.
			text: textOf(content, role === 'assistant' ? '' : '\n') || (keptReasoning(message)?.text ?? ''),
			...(attachments.length > 0 ? { attachments } : {}),
			...(toolCalls.length > 0 ? { toolCalls } : {}),
			...(reasoning.length > 0 ? { reasoning } : {}),
		},
	];
}

function toToolMessage(content: MessageContent): ToolMessage[] {
	if (content.type !== 'tool-result') return [];
	const result: unknown = content.result;
	const text = isTextList(result) ? textOf(result, '\n') : JSON.stringify(result);
	return [
		{ role: 'tool', callId: content.toolCallId, text: typeof result === 'string' ? result : (text ?? '') },
	];
}

/** A result may have parts, like a message. */
function isTextList(value: unknown): value is MessageContent[] {
	return Array.isArray(value) && value.length > 0 && value.every((part) => asObject(part)?.type === 'text');
}

function textOf(content: readonly MessageContent[], between: string): string {
	return content
		.map((part) => (part.type === 'text' ? (asText(part.text) ?? '') : ''))
		.filter((text) => text !== '')
		.join(between);
}

function toPriorToolCall(content: MessageContent): PriorToolCall[] {
	if (content.type !== 'tool-call') return [];
	return [{ id: content.toolCallId ?? '', name: content.toolName, arguments: content.input }];
}

/**
 * Messages of other models contain a tool call twice: as a part, perhaps without its input, and later in the list
 * of tool calls.
 */
function distinct(calls: PriorToolCall[]): PriorToolCall[] {
	return [...new Map(calls.map((call, index) => [call.id || index, call])).values()];
}

function isFile(content: MessageContent): content is ContentFile {
	return content.type === 'file';
}

function toAttachment(file: ContentFile, format: TextFormat): Attachment {
	const { url, filename } = file.providerMetadata ?? {};
	const address = asText(url);
	if (address === undefined && isEmpty(file)) throw new InvalidInputError(NO_CONTENT, NO_CONTENT_HINT);
	const name = asText(filename) ?? (address === undefined ? undefined : nameInUrl(address));
	const mimeType = file.mediaType ?? typeByName(name ?? '') ?? UNKNOWN_TYPE;
	const kind = ATTACHMENT_KINDS.find((candidate) => mimeType.startsWith(`${candidate}/`)) ?? 'file';
	const support = format.attachments[kind];
	if (support === undefined) throw notTaken(format, kind, 'Choose another API format, or leave it out.');
	if (address !== undefined && !/^data:/i.test(address)) {
		if (support === 'url or file') return { kind, source: { url: address } };
		throw notTaken(format, kind, 'The API format takes the file itself, not its URL.');
	}
	const { base64, mimeType: ownType } = bytesOf(file, address);
	const type = ownType ?? mimeType;
	return { kind, source: { base64, mimeType: type, fileName: name ?? fileNameFor('file', type) } };
}

const NO_CONTENT = 'A message to the Gateway Chat Model contains a file without content';
const NO_CONTENT_HINT =
	'It is empty, or refers to a file at another provider by an ID. Use the file itself, or its URL.';

const NOT_BASE64 = 'A message to the Gateway Chat Model contains a file that is not base64';
const NOT_BASE64_HINT = 'Give its content as base64 text, or as a data URL such as data:image/png;base64,….';

/** LangChain's parts may lack data, despite the SDK's type. */
function isEmpty({ data }: { data?: string | Uint8Array }): boolean {
	return data === undefined || data.length === 0;
}

const UNKNOWN_TYPE = 'application/octet-stream';

function bytesOf(
	{ data }: ContentFile,
	address: string | undefined,
): { base64: string; mimeType?: string | undefined } {
	if (data instanceof Uint8Array) return { base64: Buffer.from(data).toString('base64') };
	const file = readBase64(address ?? asText(data) ?? '');
	if (!file) throw new InvalidInputError(NOT_BASE64, NOT_BASE64_HINT);
	return file;
}

function notTaken(format: TextFormat, kind: AttachmentKind, hint: string): InvalidInputError {
	return new InvalidInputError(
		`The API format ${format.label} cannot take this ${kind}`,
		`A message to the Gateway Chat Model contains it. ${hint}`,
	);
}
