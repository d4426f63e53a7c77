import { InvalidInputError } from '../shared/gateway/errors/errors';
import {
	ATTACHMENT_KINDS,
	type Attachment,
	type AttachmentKind,
	type ChatMessage,
	type PriorToolCall,
	type Role,
	type ToolMessage,
} from '../shared/gateway/text/formats/request';
import { readBase64 } from '../shared/gateway/util/base64';
import { fileNameFor, nameInUrl, standardType, typeByName } from '../shared/gateway/util/fileName';
import { asObject, asObjects, asText, type JsonObject } from '../shared/gateway/util/json';
import { keptReasoning } from './reasoning';

export interface LangChainMessage {
	/** `human`, `ai`, `system`, `tool`, or another one. */
	type: string;
	/** Text, or a list of parts. */
	content: unknown;
	tool_calls?: unknown;
	/** Of a result: the ID of its tool call. */
	tool_call_id?: unknown;
	/** Fields of the model's provider, which agents keep. */
	additional_kwargs?: unknown;
}

const ROLES = new Map<string, Role | 'tool'>([
	['ai', 'assistant'],
	['system', 'system'],
	['tool', 'tool'],
]);

/**
 * Converts the messages of an agent or chain for the formats. n8n's agent makes a message of each tool call: those of
 * one completion are joined, because they belong together, before all results. Reasoning goes back to its model with
 * the results of tool calls, so only that since the user's last message.
 *
 * @param source the API format and the model that may read reasoning; `undefined` leaves reasoning out
 */
export function toChatMessages(
	messages: readonly LangChainMessage[],
	source: string | undefined,
): Array<ChatMessage | ToolMessage> {
	const roles = messages.map(({ type }) => ROLES.get(type) ?? 'user');
	const lastUser = roles.lastIndexOf('user');
	const completions = new Map<string, PriorToolCall[]>();
	return messages.flatMap<ChatMessage | ToolMessage>((message, index) => {
		const role = roles[index] ?? 'user';
		if (role === 'tool') {
			const callId = asText(message.tool_call_id) ?? '';
			return [{ role, callId, text: resultText(message.content) }];
		}
		const kept = keptReasoning(message.additional_kwargs);
		const toolCalls = toolCallsOf(message);
		const earlier = completions.get(kept?.id ?? '');
		if (earlier) {
			earlier.push(...toolCalls);
			return [];
		}
		if (kept) completions.set(kept.id, toolCalls);
		const parts = partsOf(message.content);
		// A streamed message of the model may still be in chunks.
		const text = parts.flatMap(textIn).join(role === 'assistant' ? '' : '\n') || (kept?.text ?? '');
		const reasoning = kept && kept.source === source && index > lastUser ? kept.parts : [];
		return [{ role, text, attachments: parts.flatMap(toAttachment), toolCalls, reasoning }];
	});
}

function toolCallsOf({ tool_calls: calls }: LangChainMessage): PriorToolCall[] {
	return asObjects(calls).map(({ id, name, args }) => ({
		id: asText(id) ?? '',
		name: asText(name) ?? '',
		arguments: JSON.stringify(args ?? {}),
	}));
}

function partsOf(content: unknown): JsonObject[] {
	const parts: unknown[] = Array.isArray(content) ? content : [content];
	return asObjects(parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)));
}

/** The text of a part; a file may be one, too. */
function textIn({ type, text }: JsonObject): string[] {
	const said = type === 'text' || KINDS.has(type) ? asText(text) : undefined;
	return said === undefined ? [] : [said];
}

/** The kinds of files, by the types of LangChain's and OpenAI's parts. */
const KINDS: ReadonlyMap<unknown, AttachmentKind> = new Map([
	['image', 'image'],
	['image_url', 'image'],
	['input_image', 'image'],
	['audio', 'audio'],
	['input_audio', 'audio'],
	['video', 'video'],
	['file', 'file'],
	['input_file', 'file'],
	['text-plain', 'file'],
	// Anthropic's, which is refused: without its document, the model would respond to something else.
	['document', 'file'],
]);

/** The file in a part of LangChain's current or former shape, or of OpenAI's. */
function toAttachment(part: JsonObject): Attachment[] {
	const partKind = KINDS.get(part.type);
	if (partKind === undefined || asText(part.text) !== undefined) return [];
	// OpenAI's Chat Completions have the fields in an object.
	const inner = asObject(part.image_url) ?? asObject(part.input_audio) ?? asObject(part.file);
	const fields = { ...part, ...inner };
	const { url, image_url: image, file_url: fileUrl, file_data: fileData, data } = fields;
	const content = [url, image, fileUrl, fileData, data].map(asText).find((text) => text !== undefined) ?? '';
	const isLink = /^(?!data:)[a-z][\w+.-]*:/i.test(content);
	const file = isLink ? undefined : readBase64(content);
	if (!isLink && !file?.base64) throw new InvalidInputError(UNREADABLE_FILE, UNREADABLE_FILE_HINT);
	const name = asText(fields.filename) ?? asText(asObject(part.metadata)?.filename);
	const type = file?.mimeType ?? typeOf(fields) ?? typeByName(name ?? nameInUrl(content) ?? '');
	const typed = ATTACHMENT_KINDS.find((candidate) => type?.startsWith(`${candidate}/`));
	const kind = partKind === 'file' ? (typed ?? partKind) : partKind;
	if (!file) return [{ kind, source: { url: content } }];
	const mimeType = standardType(type ?? (kind === 'file' ? 'application/octet-stream' : `${kind}/*`));
	const fileName = name ?? fileNameFor('file', mimeType);
	return [{ kind, source: { base64: file.base64, mimeType, fileName } }];
}

function typeOf({ mimeType, mime_type: former, format }: JsonObject): string | undefined {
	const extension = asText(format);
	const ofAudio = extension && (typeByName(`.${extension}`) ?? `audio/${extension}`);
	return asText(mimeType) ?? asText(former) ?? ofAudio;
}

const UNREADABLE_FILE = 'A message to the Gateway Chat Model contains a file that it cannot read';
const UNREADABLE_FILE_HINT =
	'Give its URL, or its content as base64 text or a data URL such as data:image/png;base64,…, in a part of LangChain or OpenAI. An ID of a file at another provider cannot be used.';

/** The result of a tool as text: formats take no other results. Other parts become JSON. */
function resultText(content: unknown): string {
	return partsOf(content)
		.map((part) => (part.type === 'text' ? (asText(part.text) ?? '') : JSON.stringify(part, withoutFiles)))
		.filter((text) => text !== '')
		.join('\n');
}

/** Base64 text of at least this length, in characters, counts as a file. */
const SHORTEST_FILE = 1_000;

/** A file as text costs many tokens, and no model can read it. */
function withoutFiles(_: string, value: unknown): unknown {
	if (typeof value !== 'string' || value.length < SHORTEST_FILE) return value;
	return /^(data:[^,]*,)?[\w+/=-]+$/.test(value) ? '(a file, left out)' : value;
}
