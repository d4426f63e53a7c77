import { randomUUID } from 'node:crypto';

import { inputFile, storeAnswer, type InputFile, type Readable } from '../../../shared/execution/binary';
import { base64Length, type EmbeddedFile } from '../../../shared/execution/fileBody';
import type { ItemContext } from '../../../shared/execution/operation';
import type { Row } from '../../../shared/execution/rows';
import { readBase64 } from '../../../shared/gateway/base64';
import { InvalidInput } from '../../../shared/gateway/failure';
import { nameInUrl } from '../../../shared/gateway/files';
import { textFormats } from '../../../shared/gateway/formats';
import type { TextFormat } from '../../../shared/gateway/formats/format';
import {
	ATTACHMENT_KINDS,
	type Attachment,
	type AttachmentKind,
} from '../../../shared/gateway/formats/request';
import { asObject } from '../../../shared/gateway/json';
import type { Answer, ByteStream } from '../../../shared/gateway/request';

/** The attachments of an item, and the files that are put into the body in place of their placeholders. */
export interface ReadAttachments {
	attachments: Attachment[];
	files: EmbeddedFile[];
}

/** The most that the files of a call may make up, in base64; §8 shows this limit for the other bodies. */
const MAX_FILES_LENGTH = 100 * 1024 * 1024;
const MAX_FILES_MEGABYTES = 75;

/**
 * Looks at the attachments of an item. Files stay where they are: they are read when the request is sent. A file
 * that the format takes only as such is fetched from its address first, without the key.
 *
 * @throws {InvalidInput} for a kind that the format has no part for, a missing field, a wrong address, a file of
 *   another kind, and for more than 75 MB in total
 */
export async function readAttachments(
	item: ItemContext,
	format: TextFormat,
	rows: Row[],
): Promise<ReadAttachments> {
	const read: ReadAttachments = { attachments: [], files: [] };
	let length = 0;
	for (const row of rows) {
		const kind = row.choice('type', ATTACHMENT_KINDS);
		const support = format.attachments[kind];
		if (support === undefined) throw noPart(row, kind, format);
		const found = await readSource(item, row, kind, support);
		if ('url' in found) {
			read.attachments.push({ kind, source: found });
			continue;
		}
		length += base64Length(found.size);
		if (length > MAX_FILES_LENGTH) throw tooLarge(row);
		const placeholder = `file-${randomUUID()}`;
		read.files.push({ placeholder, file: found });
		const { mimeType, fileName } = found;
		read.attachments.push({ kind, source: { base64: placeholder, mimeType, fileName } });
	}
	return read;
}

async function readSource(
	item: ItemContext,
	row: Row,
	kind: AttachmentKind,
	support: 'url or file' | 'file',
): Promise<{ url: string } | InputFile> {
	if (row.choice('source', ['binary', 'url']) === 'binary') return await readBinary(item, row, kind);
	const url = row.text('url').trim();
	if (/^data:/i.test(url)) return inlineFile(row, url);
	if (!/^https?:\/\/[^\s/]+/i.test(url)) {
		throw row.invalid('the URL is not a web address', 'It begins with https:// or http://.');
	}
	return support === 'file' ? await fetchFile(item, row, url) : { url };
}

async function readBinary(item: ItemContext, row: Row, kind: AttachmentKind): Promise<InputFile> {
	const given = asObject(row.values.binaryPropertyName);
	const name = given ? '' : row.text('binaryPropertyName').trim();
	const input = item.n8n.getInputData()[item.index];
	const isThere = given !== undefined || name.includes('.') || input?.binary?.[name] !== undefined;
	if (!isThere) {
		const fields = Object.keys(input?.binary ?? {});
		const advice =
			fields.length > 0
				? `It has: ${fields.join(', ')}.`
				: 'It has no binary fields: is a node missing before?';
		throw row.invalid(`the input item has no binary field "${name}"`, advice);
	}
	const binary = given
		? item.n8n.helpers.assertBinaryData(item.index, { data: '', mimeType: '', ...given })
		: name;
	const file = await inputFile(item.n8n, item.index, binary);
	if (
		kind !== 'file' &&
		!file.mimeType.startsWith(`${kind}/`) &&
		file.mimeType !== 'application/octet-stream'
	) {
		throw row.invalid(
			`the file "${file.fileName}" is ${file.mimeType}, no ${kind}`,
			'Choose the type of attachment that fits, or another field.',
		);
	}
	if (file.size === 0) throw row.invalid(`the file "${file.fileName}" is empty`, 'Choose another field.');
	return file;
}

/** A data URL is the file itself. */
function inlineFile(row: Row, url: string): InputFile {
	const { base64, mimeType, size } = readBase64(url);
	if (size === 0) throw row.invalid('the data URL is empty', 'It looks like data:image/png;base64,….');
	const bytes = Buffer.from(base64, 'base64');
	return {
		fileName: 'file',
		mimeType: mimeType ?? 'application/octet-stream',
		size: bytes.length,
		open: async () => bytes,
		framed: async (head, tail) => Buffer.concat([head, bytes, tail]),
	};
}

/** Fetches a file into n8n's binary storage: its size must be known before the call is made. */
async function fetchFile(item: ItemContext, row: Row, url: string): Promise<InputFile> {
	const binary = await item.client.downloadUrl(url, async (answer) => {
		if (Number(answer.headers['content-length']) > MAX_FILES_LENGTH) throw tooLarge(row);
		const limited = { ...answer, body: limitedBody(answer, row) };
		return await storeAnswer(item.n8n, limited, [nameInUrl(url), 'file']);
	});
	return await inputFile(item.n8n, item.index, binary);
}

/** The bytes of a download, up to the limit: a server need not say how much it will send. */
function limitedBody(answer: Answer<ByteStream>, row: Row): ByteStream {
	return (answer.body as Readable).compose<Readable>(async function* (source: AsyncIterable<Uint8Array>) {
		let length = 0;
		for await (const portion of source) {
			length += portion.length;
			if (length > MAX_FILES_LENGTH) throw tooLarge(row);
			yield portion;
		}
	});
}

function tooLarge(row: Row): InvalidInput {
	return row.invalid(
		`the attachments have more than ${MAX_FILES_MEGABYTES} MB in total`,
		'Upload large files with Gateway Storage and attach them by their URL, where the format and the model take one.',
	);
}

function noPart(row: Row, kind: AttachmentKind, format: TextFormat): InvalidInput {
	const others = textFormats.filter(({ attachments }) => kind in attachments).map(({ label }) => label);
	return row.invalid(
		`the format ${format.label} has no ${kind} attachments`,
		`Choose the format ${others.join(' or ')}.`,
	);
}
