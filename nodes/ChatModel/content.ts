import { typeByName } from '../shared/gateway/util/fileName';
import { asObject, asText, objectIn, type Json, type JsonObject } from '../shared/gateway/util/json';

/**
 * A part of a LangChain message in the shape that n8n's SDK reads. It knows LangChain's present shapes of files and
 * drops all others without a word, among them the pictures that n8n's own nodes put into messages.
 *
 * @param part of LangChain's present or former shape, or of OpenAI's or Anthropic's; what is none of them comes back as
 *   it is
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
			return { type: 'tool_call', id: part.id, name: part.name, args: inputOf(part.input) };
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

/** The message with its parts in the shape that n8n's SDK reads; the message itself stays as it is. */
export function normalizeMessage<M extends object>(message: M): M {
	const content: unknown = Reflect.get(message, 'content');
	if (!Array.isArray(content) || content.length === 0) return message;
	const given: unknown[] = content;
	const standard = 'tool_call_id' in message ? resultText(given) : given.map(normalizeElement);
	if (typeof standard !== 'string' && standard.every((part, index) => part === given[index])) return message;
	const copy = Object.assign(Object.create(Object.getPrototypeOf(message) as object) as M, message);
	return Object.assign(copy, { content: standard });
}

function normalizeElement(element: unknown): unknown {
	if (typeof element === 'string') return { type: 'text', text: element };
	const part = asObject(element);
	// The SDK stumbles over null.
	return part ? normalizePart(part) : (element ?? { type: 'text', text: '' });
}

function imageAt(url = ''): JsonObject {
	// Told by the type alone where there is only an address.
	return { type: 'image', mimeType: typeInUrl(url) ?? 'image/*', url };
}

function sound({ data, format }: JsonObject): JsonObject {
	const word = asText(format) ?? 'wav';
	return { type: 'audio', mimeType: typeByName(`.${word}`) ?? `audio/${word}`, data };
}

/** A file as OpenAI's formats have it; `file_data` is a data URL as a rule. */
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

/** A file as Anthropic's format has it. */
function sourced(part: JsonObject): JsonObject {
	const { type, media_type: mimeType, data, url } = asObject(part.source) ?? {};
	if (type === 'text') return { type: 'text', text: data };
	const metadata = asText(part.title) === undefined ? {} : { metadata: { filename: part.title } };
	if (type === 'url' && part.type === 'image') return imageAt(asText(url));
	// The only documents that this format takes by their address.
	if (type === 'url') return { type: 'file', mimeType: 'application/pdf', url, ...metadata };
	return { type: 'file', mimeType, data, ...metadata };
}

/** A file in LangChain's shape, present or former, or in another one that goes by the same name. */
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

/** How the base64 of files begins. WebP and WAV begin alike. */
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

function inputOf(input: Json | undefined): JsonObject {
	return objectIn(input) ?? {};
}

/** What a tool gave in parts. Formats take text from tools: what is none is told as JSON. */
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

/** A text of this length, all of it base64, is a file. */
const SHORTEST_FILE = 1_000;

/** As text, a file would cost a multitude of tokens, and no model can read it. */
function withoutFiles(_: string, value: unknown): unknown {
	if (typeof value !== 'string' || value.length < SHORTEST_FILE) return value;
	return /^(data:[^,]*,)?[\w+/=-]+$/.test(value) ? '(a file, left out)' : value;
}
