import { randomUUID } from 'node:crypto';

import {
	fileOf,
	fileOfBytes,
	readInputFile,
	storeResponse,
	type InputFile,
} from '../../../shared/n8n/binary';
import { base64Length, type EmbeddedFile } from '../../../shared/n8n/bodyWithFiles';
import type { ItemContext } from '../../../shared/run/operation';
import { deriveStream, type Readable } from '../../../shared/n8n/streams';
import { readBase64 } from '../../../shared/gateway/util/base64';
import { ApiError, asError, type InvalidInputError } from '../../../shared/gateway/errors/errors';
import { fileNameFor, nameInUrl, typeByName } from '../../../shared/gateway/util/fileName';
import { textFormats } from '../../../shared/gateway/text/formats';
import type { TextFormat } from '../../../shared/gateway/text/formats/format';
import { type Attachment, type AttachmentKind } from '../../../shared/gateway/text/formats/request';
import type { HttpResponse, ByteStream } from '../../../shared/gateway/client/transport';
import type { AttachmentRow } from './conversation';
import type { PreparedText } from './parameters';

/** The attachments of an item, and the files that replace their placeholders in the body. */
export interface ReadAttachments {
	/** By the index of their message. */
	attachments: Map<number, Attachment[]>;
	files: EmbeddedFile[];
}

/** The longest that all files of a request may be, in base64: a limit of this node, e.g. for URLs without an end. */
const MAX_FILES_LENGTH = 100 * 1024 * 1024;
const MAX_FILES_MEGABYTES = 75;

/**
 * Reads the attachments of an item; the content of files is read when the request is sent. When the format takes
 * no URL, the file is downloaded first, without the key.
 *
 * @throws {InvalidInputError} for a kind that the format does not support, a missing field, an
 *   invalid URL, a file that is empty or of another kind, and for more than 75 MB in total
 * @throws {ApiError} for a file that cannot be downloaded
 */
export async function readAttachments(item: ItemContext, prepared: PreparedText): Promise<ReadAttachments> {
	const { format } = prepared;
	const read: ReadAttachments = { attachments: new Map(), files: [] };
	const add = ({ message }: AttachmentRow, attachment: Attachment) =>
		read.attachments.set(message, [...(read.attachments.get(message) ?? []), attachment]);
	let length = 0;
	for (const row of prepared.attachments) {
		const kind = row.kind;
		const support = format.attachments[kind];
		if (support === undefined) throw noPart(row, kind, format);
		const found = await readSource(item, row, support);
		if ('url' in found) {
			add(row, { kind, source: found });
			continue;
		}
		length += base64Length(found.size);
		if (length > MAX_FILES_LENGTH) throw tooLarge(row);
		const placeholder = `file-${randomUUID()}`;
		read.files.push({ placeholder, file: found });
		const { mimeType, fileName } = found;
		add(row, { kind, source: { base64: placeholder, mimeType, fileName } });
	}
	return read;
}

async function readSource(
	item: ItemContext,
	row: AttachmentRow,
	support: 'url or file' | 'file',
): Promise<{ url: string } | InputFile> {
	if (typeof row.source !== 'string') return checkedFile(row, await readInputFile(item, row.source));
	const url = row.source.trim();
	if (/^data:/i.test(url)) return checkedFile(row, inlineFile(row, url));
	if (!/^https?:\/\/[^\s/]+/i.test(url)) {
		throw row.at.error('the URL is not a web address', 'It begins with https:// or http://.');
	}
	// With a query, the server may return something else than the name says.
	const name = url.includes('?') ? '' : (nameInUrl(url) ?? '');
	const type = typeByName(name);
	if (!isContainer(row.kind, type)) checkType(row, name, type);
	return support === 'file' ? checkedFile(row, await fetchFile(item, row, url)) : { url };
}

/**
 * Checks that a file is of its kind. An unknown type is replaced by that of the file's name.
 *
 * @throws {InvalidInputError} for an empty file, or one of another kind: the request would still be charged
 */
function checkedFile(row: AttachmentRow, file: InputFile): InputFile {
	const isUnknown = file.mimeType === UNKNOWN_TYPE;
	const mimeType = isUnknown ? (typeByName(file.fileName) ?? UNKNOWN_TYPE) : file.mimeType;
	if (file.size === 0) throw row.at.error(`the file "${file.fileName}" is empty`, 'Choose another file.');
	checkType(row, file.fileName, mimeType);
	return { ...file, mimeType };
}

function checkType({ kind, isPreset, at }: AttachmentRow, name: string, mimeType?: string): void {
	const [type = ''] = mimeType?.split('/') ?? [];
	const isOther = kind === 'file' ? isPreset === true && MEDIA_TYPES.has(type) : type !== kind;
	if (mimeType === undefined || !isOther) return;
	const expected = kind === 'file' ? 'document' : kind;
	throw at.error(
		`the file "${name}" is ${mimeType}, no ${expected}`,
		isPreset
			? "Choose another file, or the resource that fits: 'Image', 'Audio', 'Video' or 'Document'."
			: 'Choose the type of attachment that fits, or another file.',
	);
}

/** Whether the name says audio or video where the other is wanted: files such as .mp4 and .webm hold either. */
function isContainer(kind: AttachmentKind, mimeType = ''): boolean {
	return (kind === 'audio' || kind === 'video') && /^(audio|video)\//.test(mimeType);
}

const MEDIA_TYPES: ReadonlySet<string> = new Set(['image', 'audio', 'video']);

const UNKNOWN_TYPE = 'application/octet-stream';

/** A data URL is the file itself. */
function inlineFile(row: AttachmentRow, url: string): InputFile {
	const file = readBase64(url);
	if (!file) throw row.at.error('the data URL cannot be read', 'It looks like data:image/png;base64,….');
	const { base64, mimeType = UNKNOWN_TYPE } = file;
	return fileOfBytes({ fileName: fileNameFor('file', mimeType), mimeType }, Buffer.from(base64, 'base64'));
}

/** Downloads a file into n8n's binary storage: the request needs its size. */
async function fetchFile(item: ItemContext, row: AttachmentRow, url: string): Promise<InputFile> {
	try {
		const binary = await item.client.downloadUrl(url, async (response) => {
			if (Number(response.headers['content-length']) > MAX_FILES_LENGTH) throw tooLarge(row);
			const limited = { ...response, body: limitedBody(response, row) };
			return await storeResponse(item.n8n, limited, [nameInUrl(url), 'file'], { isUnchecked: true });
		});
		return await fileOf(item, binary);
	} catch (error) {
		throw notFetched(row, error);
	}
}

/** Says that the file is the user's own, and not a result of the gateway. */
function notFetched(row: AttachmentRow, error: unknown): Error {
	if (!(error instanceof ApiError)) return asError(error);
	const { status, code } = error.details;
	const { message, description, param } = row.at.error(
		'the file could not be fetched from its URL',
		`The server responded ${status === undefined ? `with nothing (${code ?? 'no connection'})` : `with status ${status}`}. Check the URL: it must be readable without signing in.`,
	);
	return error.with({ message, description, param });
}

/** The body of a download, up to the limit: a server need not send its length. */
function limitedBody(response: HttpResponse<ByteStream>, row: AttachmentRow): ByteStream {
	return deriveStream(response.body as Readable, async function* (source) {
		let length = 0;
		for await (const chunk of source as AsyncIterable<Uint8Array>) {
			length += chunk.length;
			if (length > MAX_FILES_LENGTH) throw tooLarge(row);
			yield chunk;
		}
	});
}

function tooLarge(row: AttachmentRow): InvalidInputError {
	return row.at.error(
		`the attachments have more than ${MAX_FILES_MEGABYTES} MB in total, the most that this node sends`,
		'Upload large files with Gateway Storage and attach them by their URL, where the API format and the model take one.',
	);
}

function noPart(row: AttachmentRow, kind: AttachmentKind, format: TextFormat): InvalidInputError {
	const others = textFormats.filter(({ attachments }) => kind in attachments).map(({ label }) => label);
	return row.at.error(
		`the API format ${format.label} has no ${kind} attachments`,
		`Choose the API format ${others.join(' or ')}.`,
	);
}
