import { typeByName } from '../shared/gateway/util/fileName';
import { asObject, asText, objectIn, type Json, type JsonObject } from '../shared/gateway/util/json';

/**
 * Converts a part of a LangChain message for n8n's SDK, which reads LangChain's current file parts only and
 * silently drops all others, among them the images of n8n's own nodes.
 *
 * @param part in LangChain's current or former shape, or in OpenAI's or Anthropic's; others are returned
 *   unchanged
 */
function normalizePart(part: JsonObject): JsonObject {
	switch (part.type) {
		case 'image_url':
		case 'input_image':
			return imageAt(asText(asObject(part.image_url)?.url) ?? asText(part.image_url));
		case 'input_audio':
			return sound(asObject(part.input_audio) ?? {});
		case 'input_file':
			return namedFile(part);
		case 'document':
			return sourced(part);
		case 'tool_use':
			return { type: 'tool_call', id: part.id, name: part.name, args: objectIn(part.input) ?? {} };
		case 'image':
		case 'audio':
		case 'video':
		case 'file':
		case 'text-plain':
			return normalizeFile(part, part.type);
		default:
			return part;
	}
}

/**
 * Returns a copy of the message with its parts in the shape that n8n's SDK reads, or the message itself when no
 * part changes.
 */
export function normalizeMessage<M extends object>(message: M): M {
	const content: unknown = Reflect.get(message, 'content');
	if (!Array.isArray(content) || content.length === 0) return message;
	const given: unknown[] = content;
	const normalized = 'tool_call_id' in message ? resultText(given) : given.map(normalizeElement);
	if (typeof normalized !== 'string' && normalized.every((part, index) => part === given[index]))
		return message;
	return withContent(message, normalized);
}

/** A copy of a LangChain message with other content. */
export function withContent<M extends object>(message: M, content: unknown): M {
	const copy = Object.assign(Object.create(Object.getPrototypeOf(message) as object) as M, message);
	return Object.assign(copy, { content });
}

function normalizeElement(element: unknown): unknown {
	if (typeof element === 'string') return { type: 'text', text: element };
	const part = asObject(element);
	// The SDK throws for null.
	return part ? normalizePart(part) : (element ?? { type: 'text', text: '' });
}

function imageAt(url = ''): JsonObject {
	// For a URL, the SDK reads the kind of file from the type.
	return { type: 'image', mimeType: typeInUrl(url) ?? 'image/*', url };
}

function sound({ data, format }: JsonObject): JsonObject {
	const word = asText(format) ?? 'wav';
	return { type: 'audio', mimeType: typeByName(`.${word}`) ?? `audio/${word}`, data };
}

/** A file in OpenAI's formats; `file_data` usually is a data URL. */
function namedFile({ filename, file_data: data, file_url: address }: JsonObject): JsonObject {
	const content = asText(data);
	const type = typeInUrl(content ?? '');
	const isUrl = type !== undefined || content === undefined;
	return {
		type: 'file',
		...(type === undefined ? {} : { mimeType: type }),
		...(isUrl ? { url: content ?? address } : { data: content }),
		...(asText(filename) === undefined ? {} : { metadata: { filename } }),
	};
}

/** A file in Anthropic's format. */
function sourced(part: JsonObject): JsonObject {
	const { type, media_type: mimeType, data, url } = asObject(part.source) ?? {};
	if (type === 'text') return { type: 'text', text: data };
	const metadata = asText(part.title) === undefined ? {} : { metadata: { filename: part.title } };
	if (type === 'url' && part.type === 'image') return imageAt(asText(url));
	// The only documents that this format takes by URL.
	if (type === 'url') return { type: 'file', mimeType: 'application/pdf', url, ...metadata };
	return { type: 'file', mimeType, data, ...metadata };
}

/** A file in LangChain's current or former shape, or in another one of the same name. */
function normalizeFile(part: JsonObject, kind: string): JsonObject {
	if (asObject(part.source)) return sourced(part);
	const file = asObject(part.file);
	if (file) return namedFile(file);
	if (asText(part.text) !== undefined) return { type: 'text', text: part.text };
	const mimeType = asText(part.mimeType) ?? asText(part.mime_type);
	if (mimeType !== undefined) return mimeType === part.mimeType ? part : { ...part, mimeType };
	if (kind === 'file' || kind === 'text-plain') return part;
	return { ...part, mimeType: typeInUrl(asText(part.url) ?? '') ?? typeOf(part.data, kind) ?? `${kind}/*` };
}

function typeInUrl(url: string): string | undefined {
	return /^data:([^;,]+)/i.exec(url)?.[1];
}

/** The first characters of files in base64. WebP and WAV begin alike. */
const SIGNATURES: ReadonlyArray<[string, string]> = [
	['iVBORw', 'image/png'],
	['/9j/', 'image/jpeg'],
	['R0lGOD', 'image/gif'],
	['UklGR', 'image/webp'],
	['UklGR', 'audio/wav'],
];

function typeOf(data: Json | undefined, kind: string): string | undefined {
	const ofKind = SIGNATURES.filter(([, type]) => type.startsWith(kind));
	return ofKind.find(([beginning]) => asText(data)?.startsWith(beginning))?.[1];
}

/** The result of a tool in parts, as text: formats take no other results. Other parts become JSON. */
function resultText(parts: unknown[]): string {
	return parts
		.map((element) => {
			const part = asObject(element);
			if (part?.type === 'text') return asText(part.text) ?? '';
			return part ? JSON.stringify(part, withoutFiles) : (asText(element) ?? '');
		})
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
