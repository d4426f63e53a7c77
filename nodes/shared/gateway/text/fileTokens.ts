import { nameInUrl } from '../util/fileName';
import { kindOfType, typeByName, type FileKind } from '../util/fileType';
import { asObject, asText, fieldOf, textOf, type Json, type JsonObject } from '../util/json';
import { imageUrl } from './formats/completion';
import type { CostFields } from './formats/format';
import { ATTACHMENT_KINDS, type AttachmentKind } from './formats/request';

export type FilesInBody = ReadonlyMap<string, { size: number; mimeType: string; fileName: string }>;

/** What of a prompt is no text. */
export interface FilePart {
	/** Infinite if nobody knows. */
	tokens: number;
	/** Bytes of the body that are not text, but the content of the file. */
	bytes: number;
	/** Whether a model may count more. */
	isEstimate: boolean;
}

/** Tokens of each file, and of each of its bytes: as many as the models of large vendors count, or more. */
const TOKENS_BY_KIND: Readonly<Record<FileKind, readonly [each: number, byte: number]>> = {
	text: [0, 1],
	// Up to 10,000 patches, which count 1.2 times.
	image: [12_000, 0],
	// A page: up to 3,000 tokens of text and 4,800 of its picture. Few pages have less than 7 KB.
	pdf: [12_000, 1],
	// 32 tokens a second, at 5 kbit/s.
	audio: [1_000, 1 / 20],
	// 300 tokens a second, at 48 kbit/s.
	video: [1_000, 1 / 20],
};

const PART_TYPES: Readonly<Record<AttachmentKind, readonly unknown[]>> = {
	image: ['image', 'image_url', 'input_image'],
	audio: ['audio', 'input_audio'],
	video: ['video', 'video_url', 'input_video'],
	file: ['file', 'input_file', 'document', 'text-plain'],
};

/** The kind of file that a part of a message is, by its type in the formats, LangChain and OpenAI. */
export function fileKind(type: Json | undefined): AttachmentKind | undefined {
	return ATTACHMENT_KINDS.find((kind) => PART_TYPES[kind].includes(type));
}

export function contentOf(fields: JsonObject): string {
	const { url, file_url: fileUrl, file_data: fileData, data } = fields;
	return [url, imageUrl(fields), fileUrl, fileData, data].map(textOf).find((text) => text !== '') ?? '';
}

export function isLink(content: string): boolean {
	return /^(?!data:)[a-z][\w+.-]*:/i.test(content);
}

/** Finds what of a prompt is no text: files, earlier messages, and parts of unknown types. */
export function filePartsIn(
	value: Json | undefined,
	cost: Pick<CostFields, 'texts' | 'earlier'>,
	files: FilesInBody,
): FilePart[] {
	if (Array.isArray(value)) return value.flatMap((element) => filePartsIn(element, cost, files));
	const object = asObject(value);
	if (!object) return [];
	if (cost.earlier.some((field) => (fieldOf(object, field) ?? null) !== null)) return [UNKNOWN_TOKENS];
	const { type } = object;
	if (fileKind(type)) return [filePart(object, files)];
	if (type !== undefined && !(typeof type === 'string' && cost.texts.includes(type))) return [UNKNOWN_TOKENS];
	// Arguments of a tool, which may look like parts.
	if (type === 'tool_use') return [];
	return Object.values(object).flatMap((inner) => filePartsIn(inner, cost, files));
}

const UNKNOWN_TOKENS: FilePart = { tokens: Infinity, bytes: 0, isEstimate: false };

function filePart(part: JsonObject, files: FilesInBody): FilePart {
	const type = String(part.type);
	const source = asObject(part.source);
	// Formats have the fields in the part, or in an object in it.
	const fields = { ...part, ...asObject(fieldOf(part, type)), ...source };
	const content = contentOf(fields);
	const isText = source?.type === 'text';
	const isInline = isText || (content !== '' && !isLink(content));
	// The rest of a data URL, or all of it.
	const base64 = content.slice(content.indexOf(',') + 1);
	const file = files.get(base64);
	const [fileName] = [fields.filename, fields.title, file?.fileName].flatMap((text) => asText(text) ?? []);
	const mimeType = file?.mimeType ?? /^data:([^;,]+)/i.exec(content)?.[1] ?? asText(fields.media_type);
	const partKind = fileKind(type);
	const kind =
		kindOfType(mimeType) ??
		(partKind === 'file' ? kindOfType(typeByName(fileName ?? nameInUrl(content))) : partKind);
	const bytes = isInline ? Buffer.byteLength(content) : 0;
	if (!kind || (!isInline && kind !== 'image')) return UNKNOWN_TOKENS;
	const size = file?.size ?? (isText ? bytes : Math.floor((base64.length * 3) / 4));
	const [each, byte] = TOKENS_BY_KIND[kind];
	return { bytes, tokens: each + Math.ceil(size * byte), isEstimate: kind !== 'text' };
}
