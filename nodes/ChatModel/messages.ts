import { randomUUID } from 'node:crypto';

import { InvalidInputError } from '../shared/gateway/errors/errors';
import { contentOf, fileKind, isLink } from '../shared/gateway/text/fileTokens';
import type { Completion } from '../shared/gateway/text/formats/completion';
import {
	ATTACHMENT_KINDS,
	checkUtf8,
	type Attachment,
	type Message,
	type PriorToolCall,
	type Role,
} from '../shared/gateway/text/formats/request';
import { readBase64 } from '../shared/gateway/util/base64';
import { fileNameFor, nameInUrl } from '../shared/gateway/util/fileName';
import {
	audioType,
	fileType,
	FIRST_BYTES,
	kindOfType,
	typeByName,
	UNKNOWN_TYPE,
} from '../shared/gateway/util/fileType';
import {
	asArray,
	asId,
	asObject,
	asObjects,
	asText,
	fieldOf,
	objectIn,
	parseJson,
	textOf,
	type Json,
	type JsonObject,
} from '../shared/gateway/util/json';
import { isWebAddress } from '../shared/gateway/util/text';

export interface LangChainMessage {
	type: string;
	content: unknown;
	tool_calls?: unknown;
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
 * Converts the messages of an agent or chain for the formats. n8n's agent makes a message of each tool call:
 * those of one completion are joined, because they belong together, before all results. Reasoning goes back
 * to its model with the results of tool calls, so only that since the user's last message.
 *
 * @param source the API format and the model that may read reasoning; `undefined` leaves reasoning out
 */
export function toChatMessages(messages: readonly LangChainMessage[], source: string | undefined): Message[] {
	const roles = messages.map(({ type }) => ROLES.get(type) ?? 'user');
	const lastUser = roles.lastIndexOf('user');
	const completions = new Map<string, PriorToolCall[]>();
	return messages.flatMap<Message>((message, index) => {
		const role = roles[index] ?? 'user';
		if (role === 'tool') {
			const callId = asText(message.tool_call_id) ?? '';
			return [{ role, callId, text: resultText(message.content) }];
		}
		const kept = keptReasoning(message.additional_kwargs);
		const toolCalls = toolCallsOf(message);
		const earlier = completions.get(kept?.id ?? '');
		if (earlier) {
			for (const call of toolCalls) earlier.push(call);
			return [];
		}
		if (kept) completions.set(kept.id, toolCalls);
		const parts = contentParts(message.content);
		// A streamed message of the model may still be in chunks.
		const text = parts.flatMap(partText).join(role === 'assistant' ? '' : '\n') || (kept?.text ?? '');
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

function contentParts(content: unknown): JsonObject[] {
	const parts: unknown[] = Array.isArray(content) ? content : [content];
	return asObjects(parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)));
}

function partText({ type, text }: JsonObject): string | [] {
	return (type === 'text' || fileKind(type) ? asText(text) : undefined) ?? [];
}

/** The file in a part of LangChain's current or former shape, or of OpenAI's. */
function toAttachment(part: JsonObject): Attachment[] {
	const partKind = fileKind(part.type);
	if (partKind === undefined || asText(part.text) !== undefined) return [];
	// OpenAI's Chat Completions have the fields in an object.
	const fields = { ...part, ...asObject(fieldOf(part, String(part.type))) };
	const content = contentOf(fields);
	const file = isLink(content) ? undefined : readBase64(content);
	// Such as Anthropic's document: without it, the model would respond to something else.
	if (!isLink(content) && !file?.base64)
		throw new InvalidInputError(
			'A message to the Gateway Chat Model contains a file that it cannot read',
			'Give its URL, or its content as base64 text or a data URL such as data:image/png;base64,…, in a part of LangChain or OpenAI. An ID of a file at another provider cannot be used.',
		);
	const name = asText(fields.filename) ?? asText(asObject(part.metadata)?.filename);
	const beginning = file && Buffer.from(file.base64.slice(0, 2 * FIRST_BYTES), 'base64');
	const type = fileType(file?.mimeType ?? mimeTypeOf(fields), name ?? nameInUrl(content), beginning);
	const known = kindOfType(type);
	const kind = partKind === 'file' ? (ATTACHMENT_KINDS.find((one) => one === known) ?? partKind) : partKind;
	if (!file) return [{ kind, source: { url: content } }];
	const mimeType = type ?? (kind === 'file' ? UNKNOWN_TYPE : `${kind}/*`);
	const fileName = name ?? fileNameFor('file', mimeType);
	if (kind === 'file' && known === 'text') checkUtf8(Buffer.from(file.base64, 'base64'), fileName);
	return [{ kind, source: { base64: file.base64, mimeType, fileName } }];
}

function mimeTypeOf({ mimeType, mime_type: former, format }: JsonObject): string | undefined {
	const audioFormat = asText(format);
	return asText(mimeType) ?? asText(former) ?? (audioFormat && audioType(audioFormat));
}

/** The result of a tool as text: formats take no other results. Other parts become JSON. */
function resultText(content: unknown): string {
	return contentParts(content)
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

// Models that reason want their reasoning back with the results of tool calls. n8n's agent stores a tool call with
// its execution and makes a message of each: of our message it keeps only the text `reasoning_content`.

interface KeptReasoning {
	/** The API format and the model: no other model can read the reasoning. */
	source: string;
	/** The same in all messages that are made of one completion. */
	id: string;
	text: string;
	parts: JsonObject[];
}

/** The field of our text, which tells it from the `reasoning_content` of other models. */
const REASONING_FIELD = 'aiGatewayReasoning';

export function reasoningToKeep(completion: Completion, source: string): string | undefined {
	const { text, reasoningParts: parts, toolCalls } = completion;
	if (parts.length === 0 || toolCalls.length === 0) return undefined;
	const kept: KeptReasoning = { source, id: randomUUID(), text, parts };
	return JSON.stringify({ [REASONING_FIELD]: kept });
}

/** What an agent has kept of a completion, in the `additional_kwargs` of a message that is made of it. */
export function keptReasoning(stored: unknown): KeptReasoning | undefined {
	const kept = asObject(objectIn(asObject(stored)?.reasoning_content)?.[REASONING_FIELD]);
	const [source, id] = [asText(kept?.source), asText(kept?.id)];
	if (source === undefined || id === undefined) return undefined;
	return { source, id, text: textOf(kept?.text), parts: asObjects(kept?.parts) };
}

const MAX_IMAGES = 10;

/** Shows the model the images of media tools, each once, as the user's: few providers take them in a result. */
export function withToolMedia(messages: Message[]): Message[] {
	const known = new Set<string>();
	const images: Attachment[] = [];
	return messages.flatMap<Message>((message, index) => {
		if (message.role !== 'tool') return [message];
		for (const url of imagesIn(parseJson(message.text)).slice(0, MAX_IMAGES)) {
			if (!known.has(url)) images.push({ kind: 'image', source: { url } });
			known.add(url);
		}
		// The results of tools that were called together belong together.
		if (images.length === 0 || messages[index + 1]?.role === 'tool') return [message];
		const text = 'The images of the tool results above, in their order:';
		return [message, { role: 'user', text, attachments: images.splice(0) }];
	});
}

/** The URLs of images in the tasks of a result. Agents put them in a list, older ones in an object. */
function imagesIn(value: Json | undefined, levels = 4): string[] {
	const { taskId, resultUrls } = asObject(value) ?? {};
	const urls = asArray(resultUrls).flatMap((url) => asText(url) ?? []);
	if (asId(taskId) !== undefined && urls.length > 0) return urls.filter(isImage);
	const children = Array.isArray(value) ? value : Object.values(asObject(value) ?? {});
	return levels > 0 ? children.flatMap((child) => imagesIn(child, levels - 1)) : [];
}

/** Also a URL without an extension, as signed ones are: a model that rejects it gets the URLs alone. */
function isImage(url: string): boolean {
	const name = nameInUrl(url) ?? '';
	return isWebAddress(url) && (!name.includes('.') || kindOfType(typeByName(name)) === 'image');
}
