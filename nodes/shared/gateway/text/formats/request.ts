import { InvalidInputError } from '../../errors/errors';
import { extensionOf, standardType } from '../../util/fileType';
import { compact, deepMerge, type JsonObject } from '../../util/json';

export const ATTACHMENT_KINDS = ['image', 'audio', 'video', 'file'] as const;
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

export interface InlineFile {
	/** The bytes, or a placeholder that the bytes replace when the body is sent. */
	base64: string;
	mimeType: string;
	fileName: string;
}

export interface Attachment {
	kind: AttachmentKind;
	/** A URL that the model's provider can read, or the file itself. */
	source: { url: string } | InlineFile;
}

export type Role = 'user' | 'assistant' | 'system' | 'developer';

export interface ChatMessage {
	role: Role;
	text: string;
	attachments?: Attachment[];
	/** Whether the provider is to cache the conversation up to the text of this message. */
	isCachePoint?: boolean;
	toolCalls?: PriorToolCall[];
	/** The reasoning of the assistant before these tool calls, as the format sent it. */
	reasoning?: JsonObject[];
}

export interface PriorToolCall {
	id: string;
	name: string;
	arguments: string;
}

export interface ToolMessage {
	role: 'tool';
	callId: string;
	text: string;
}

export type Message = ChatMessage | ToolMessage;

/** The input of the model: messages that the format converts, or messages in the format's own shape. */
export type Conversation =
	| { kind: 'messages'; messages: Message[] }
	| { kind: 'wire'; systemPrompt?: string; messages: JsonObject[] };

export interface ToolDefinition {
	name: string;
	description?: string | undefined;
	parameters: JsonObject;
	/** Whether arguments must match the schema exactly (§4.2). */
	strict?: boolean | undefined;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string };

export type OutputRequest =
	| { kind: 'text' }
	| { kind: 'jsonObject'; name: string }
	| { kind: 'jsonSchema'; name: string; schema: JsonObject; strict?: boolean | undefined };

export interface TextRequest {
	/** Id from the catalogue, used verbatim. */
	model: string;
	conversation: Conversation;
	tools: ToolDefinition[];
	/** `undefined`: the gateway decides. */
	toolChoice?: ToolChoice | undefined;
	output: OutputRequest;
	/** Fields of the body that options set, in the terms of the format. */
	fields: JsonObject;
	stream: boolean;
	/** Whether the provider is to cache what later requests probably repeat: instructions and the conversation. */
	cachesPrompt?: boolean | undefined;
	/** Whether the reasoning of the completion will be sent back with the results of its tool calls. */
	keepsReasoning?: boolean;
}

/** The body of a request: what the format makes of it (`own`), and the fields of options, which do not replace that. */
export function wireBody({ model, stream, fields }: TextRequest, own: JsonObject): JsonObject {
	return deepMerge(fields, compact({ model, stream: stream || undefined, ...own }));
}

export function urlOf(source: Attachment['source']): string {
	return 'url' in source ? source.url : `data:${source.mimeType};base64,${source.base64}`;
}

/** @throws {InvalidInputError} for a text that is not in UTF-8: models read nothing else */
export function checkUtf8(bytes: Buffer, fileName: string): void {
	if (Buffer.from(bytes.toString()).equals(bytes)) return;
	throw new InvalidInputError(
		`The file "${fileName}" is not in UTF-8`,
		"Save it in UTF-8. Or get its text with n8n's Extract from File node, where you choose the encoding, and put it into the prompt.",
	);
}

/** The part for sound (§4.2), with its format from the MIME type: `audio/mpeg` is `mp3`. */
export function inputAudio({ base64, mimeType }: Pick<InlineFile, 'base64' | 'mimeType'>): JsonObject {
	const type = standardType(mimeType);
	const format = extensionOf(type) ?? type.replace(/^[^/]*\/?/, '');
	return { type: 'input_audio', input_audio: { data: base64, format } };
}

const JSON_LINE = 'Respond with a JSON object.';

/** Messages with the word "json", if the output is an object: vendors answer 400 where none has it. */
export function withJsonWord(messages: Message[], { kind }: OutputRequest): Message[] {
	const hasWord = messages.some(({ text }) => /json/i.test(text));
	if (kind !== 'jsonObject' || hasWord) return messages;
	// At the end of the prompt: some models take no second message of the same role.
	const last = messages.map(({ role }) => role).lastIndexOf('user');
	if (last === -1) return [...messages, { role: 'user', text: JSON_LINE }];
	return messages.map((message, index) =>
		index === last ? { ...message, text: `${message.text}\n\n${JSON_LINE}`.trim() } : message,
	);
}
