import { randomUUID } from 'node:crypto';
import type { IBinaryData } from 'n8n-workflow';

import {
	binaryOf,
	fileOf,
	fileOfBase64,
	firstBytes,
	storeUrl,
	type FileOwner,
	type InputFile,
} from '../../../shared/n8n/binary';
import type { EmbeddedFile } from '../../../shared/n8n/bodyWithFiles';
import type { ItemContext } from '../../../shared/run/operation';
import { isDataUrl, readBase64 } from '../../../shared/gateway/util/base64';
import { ApiError, asError, beforeSending } from '../../../shared/gateway/errors/errors';
import { nameInUrl } from '../../../shared/gateway/util/fileName';
import { kindOfType, typeByName, UNKNOWN_TYPE } from '../../../shared/gateway/util/fileType';
import { isWebAddress } from '../../../shared/gateway/util/text';
import { textFormats } from '../../../shared/gateway/text/formats';
import type { TextFormat } from '../../../shared/gateway/text/formats/format';
import {
	checkUtf8,
	type Attachment,
	type AttachmentKind,
	type Conversation,
} from '../../../shared/gateway/text/formats/request';
import { checkDocument } from '../../../shared/gateway/text/textCall';
import type { FileReference } from '../../../shared/params/kinds';
import type { Location } from '../../../shared/params/parameter';

/** The longest file at a URL that is downloaded, in bytes: a radio station has no end. */
const MAX_DOWNLOAD_BYTES = 75 * 1024 * 1024;

export interface AttachmentRow {
	kind: AttachmentKind;
	/** The index of its message in the conversation. */
	message: number;
	source: FileReference | string;
	at: Location;
	/** The kind by the type of the file, if that is not always the same; throws for a file that the operation does not take. */
	kindOf?: (file: { mimeType: string; fileName: string }) => AttachmentKind;
}

/** Where an attachment is: a URL that the gateway reads, or one that this node reads, or a file. */
type AttachmentSource = { url: string } | { fileAt: string } | { binary: IBinaryData } | InputFile;

export interface FoundAttachment extends Omit<AttachmentRow, 'source'> {
	source: AttachmentSource;
}

/** Finds an attachment, and checks what is known of it without a request. Of files, the first bytes are read. */
export async function findAttachment(
	item: FileOwner,
	row: AttachmentRow,
	format: TextFormat,
): Promise<FoundAttachment> {
	const { kind, source, at } = row;
	const support = format.attachments[kind];
	if (support === undefined) {
		throw at.error(
			`the API format ${format.label} has no ${kind} attachments`,
			`Choose the API format ${textFormats[0].label}.`,
		);
	}
	if (typeof source !== 'string') {
		const binary = binaryOf(item, source, "set 'Source' to 'URL'");
		const file = await fileOf(item, binary);
		checkFile(row, file);
		if (kind === 'file') checkDocument(format, file);
		// The bytes of a file without an ID are in its item.
		return { ...row, source: binary.id ? file : { binary } };
	}
	const url = source.trim();
	if (isDataUrl(url)) {
		const file = inlineFile(at, url);
		checkFile(row, file);
		return { ...row, source: file };
	}
	if (!isWebAddress(url))
		throw at.error(
			'the URL is not a web address',
			'It begins with https:// or http://. If an expression fills it, the field it refers to may be empty.',
		);
	if (support === 'file') return { ...row, source: { fileAt: url } };
	const fileName = nameInUrl(url) ?? '';
	const mimeType = typeByName(fileName) ?? '';
	// Pages and programs may return any file, and so may a query.
	const isClear = kindOfType(mimeType) !== 'text' && !UNCLEAR.includes(mimeType) && !url.includes('?');
	if (mimeType !== '' && isClear) row.kindOf?.({ mimeType, fileName });
	return { ...row, source: { url } };
}

/** Types of extensions that files of other kinds have, too: films, and programs. */
const UNCLEAR: readonly string[] = ['audio/ogg', 'video/mp2t'];

/**
 * The content of files is read when the request is sent. When the format takes no URL, the file is downloaded first,
 * without the key. Returns the conversation, and the files that replace their placeholders in the body.
 */
export async function openAttachments(
	item: ItemContext,
	conversation: Conversation,
	found: readonly FoundAttachment[],
): Promise<{ conversation: Conversation; files: EmbeddedFile[] }> {
	const files: EmbeddedFile[] = [];
	const attachments: Array<Attachment & Pick<AttachmentRow, 'message'>> = [];
	for (const { source, ...row } of found) {
		const { message, at } = row;
		if ('url' in source) {
			attachments.push({ message, kind: row.kind, source });
			continue;
		}
		const file = await openAttachment(item, at, source);
		const kind = checkFile(row, file);
		const { mimeType, fileName } = file;
		const isText = kind === 'file' && kindOfType(mimeType) === 'text';
		if (isText && file.size > MAX_TEXT_FILE_BYTES)
			throw at.error(`the file "${fileName}" is longer than any model reads`, 'Send a part of it.');
		const content = isText ? await firstBytes(file, MAX_TEXT_FILE_BYTES) : undefined;
		const base64 = content?.toString('base64') ?? `file-${randomUUID()}`;
		if (content) checkUtf8(content, fileName);
		else files.push({ placeholder: base64, file });
		attachments.push({ message, kind, source: { base64, mimeType, fileName } });
	}
	if (conversation.kind === 'wire') return { conversation, files };
	const messages = conversation.messages.map((message, index) => ({
		...message,
		attachments: attachments.filter((attachment) => attachment.message === index),
	}));
	return { conversation: { kind: 'messages', messages }, files };
}

/** More than any model reads, in bytes. */
const MAX_TEXT_FILE_BYTES = 16 * 1024 * 1024;

async function openAttachment(
	item: ItemContext,
	at: Location,
	source: Exclude<AttachmentSource, { url: string }>,
): Promise<InputFile> {
	if ('fileAt' in source) return await fetchFile(item, at, source.fileAt);
	return 'binary' in source ? await fileOf(item, source.binary) : source;
}

/**
 * The kind of part for a file.
 *
 * @throws {InvalidInputError} for a file that is empty, of an unknown type, or that the operation does not take
 */
function checkFile({ at, kind, kindOf }: Omit<AttachmentRow, 'source'>, file: InputFile): AttachmentKind {
	const { fileName, size, mimeType } = file;
	if (size === 0) throw at.error(`the file "${fileName}" is empty`, 'Choose another file.');
	if (mimeType !== UNKNOWN_TYPE) return kindOf?.(file) ?? kind;
	throw at.error(
		`the type of the file "${fileName}" is not known`,
		'Its name has no known extension, and its content is of no known kind. Set the file’s name or MIME type in the node that returns it.',
	);
}

function inlineFile(at: Location, url: string): InputFile {
	const file = readBase64(url);
	if (!file) throw at.error('the data URL cannot be read', 'It looks like data:image/png;base64,….');
	return fileOfBase64(file);
}

/** Downloads a file into n8n's binary storage: the request needs its size. */
async function fetchFile(item: ItemContext, at: Location, url: string): Promise<InputFile> {
	try {
		// A server need not send the length.
		const onChunk = (_: unknown, length: number) => {
			if (length <= MAX_DOWNLOAD_BYTES) return;
			throw at.error(
				'the file at the URL has more than 75 MB, the most that this node downloads',
				'Attach a file from a binary field, or choose an API format that takes URLs of such files.',
			);
		};
		return await fileOf(item, await storeUrl(item, url, { names: [nameInUrl(url), 'file'], onChunk }));
	} catch (error) {
		if (!(error instanceof ApiError)) throw asError(error);
		// The texts by status are of the gateway's own files.
		const { status = 200, description: advice } = error.details;
		const reason =
			status < 300
				? `${error.message}. ${advice}`
				: `The server responded with status ${status}. Check the URL: it must be readable without signing in.`;
		const { message, description, param } = at.error('the file could not be fetched from its URL', reason);
		throw beforeSending(error.with({ message, description, param }));
	}
}
