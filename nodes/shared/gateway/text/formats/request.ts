import type { JsonObject } from '../../util/json';

/** What an attachment is; the formats have a part for each kind, or none. */
export const ATTACHMENT_KINDS = ['image', 'audio', 'video', 'file'] as const;
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

/** A file that is sent inside the request. */
export interface InlineFile {
	/** The bytes, or a placeholder that they are put in place of when the body is sent. */
	base64: string;
	mimeType: string;
	fileName: string;
}

/** Something that the model is to look at or listen to, besides the prompt. */
export interface Attachment {
	kind: AttachmentKind;
	/** An address that the model's provider can read, or the file itself. */
	source: { url: string } | InlineFile;
}

export type Role = 'user' | 'assistant' | 'system' | 'developer';

/** One message of a conversation. */
export interface ChatMessage {
	role: Role;
	text: string;
	attachments?: Attachment[];
	/** The tools that the assistant called in this turn. */
	toolCalls?: PriorToolCall[];
}

/** A call of a tool earlier in the conversation. */
export interface PriorToolCall {
	id: string;
	name: string;
	/** JSON text. */
	arguments: string;
}

/** What a tool gave for a call. */
export interface ToolMessage {
	role: 'tool';
	/** The id of the call. */
	callId: string;
	text: string;
}

/** What the model is to answer: turns that the format converts, or messages in the format's own shape. */
export type Conversation =
	| { kind: 'messages'; messages: Array<ChatMessage | ToolMessage> }
	| { kind: 'wire'; systemPrompt?: string; messages: JsonObject[] | string };

/** A function that the model may ask to be called. */
export interface ToolDefinition {
	name: string;
	description?: string | undefined;
	/** JSON Schema of the arguments. */
	parameters: JsonObject;
	/** Whether arguments must fit the schema exactly (§4.2). */
	strict?: boolean | undefined;
}

/** Whether and which tool the model is to call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { name: string };

/** The shape of the answer that is asked for. */
export type OutputRequest =
	| { kind: 'text' }
	| { kind: 'jsonObject'; name: string }
	| {
			kind: 'jsonSchema';
			name: string;
			schema: JsonObject;
			description?: string | undefined;
			strict?: boolean | undefined;
	  };

/** What is asked of a model, before it has the shape of a wire format. */
export interface TextRequest {
	/** Id from the catalogue, used verbatim. */
	model: string;
	conversation: Conversation;
	tools: ToolDefinition[];
	/** Undefined leaves it to the gateway. */
	toolChoice?: ToolChoice | undefined;
	output: OutputRequest;
	/** Values of the options that this format has, by option name. */
	options: JsonObject;
	/** Whether the answer is to come as a stream (§6). */
	stream: boolean;
}

/** The system instructions of a conversation, in one text, and the turns without them. */
export function splitSystem<T extends ChatMessage | ToolMessage>(
	messages: T[],
): { system: string; rest: T[] } {
	const isSystem = ({ role }: T) => role === 'system' || role === 'developer';
	return {
		system: messages
			.filter(isSystem)
			.map(({ text }) => text)
			.join('\n\n'),
		rest: messages.filter((message) => !isSystem(message)),
	};
}

/** A data URL of a file (§4.2). */
export function dataUrl({ mimeType, base64 }: InlineFile): string {
	return `data:${mimeType};base64,${base64}`;
}

/** The words that audio formats go by in requests, where they differ from the MIME subtype. */
const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
	['mpeg', 'mp3'],
	['x-wav', 'wav'],
	['wave', 'wav'],
	['vnd.wave', 'wav'],
	['mp4', 'm4a'],
	['x-m4a', 'm4a'],
	['x-flac', 'flac'],
]);

/** The `format` of an `input_audio` part (§4.2), from a MIME type: `audio/mpeg` is `mp3`. */
export function audioFormat(mimeType: string): string {
	const subtype = mimeType.split(';')[0]?.split('/')[1]?.trim().toLowerCase() ?? '';
	return AUDIO_FORMATS.get(subtype) ?? subtype;
}
