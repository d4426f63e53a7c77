import { createHash, randomUUID } from 'node:crypto';

import { ApiError, InvalidInputError } from '../errors/errors';
import type { ErrorText } from '../errors/texts';
import { withTexts, ignoreAlreadyDone } from '../errors/fromResponse';
import { asId, asNumber, asObject, asObjects, type Json, type JsonObject } from '../util/json';
import { id, number, object, record, text } from '../util/shape';
import { missingInResponse, pathSegment } from './response';
import type { ByteStream } from '../client/transport';
import type { GatewayClient } from '../client/client';

/** §8: the largest request body of an upload, in bytes. */
const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;

/** §4.14, §8. */
export const MAX_EXTERNAL_USER_ID_LENGTH = 128;

/** §4.14: the policies that a client may set; `TEMP_UPLOAD` keeps a file for 24 hours. */
export type StoragePolicy = 'TEMP_UPLOAD' | 'PERMANENT';

export interface UploadSettings {
	storagePolicy?: StoragePolicy | undefined;
	externalUserId?: string | undefined;
}

/** A file to upload. */
export interface UploadFile {
	fileName: string;
	mimeType: string;
	/** Exact length in bytes. */
	size: number;
	/** The file between a head and a tail. Called once an attempt: a stream is used up by one. */
	framed: (head: Uint8Array, tail: Uint8Array) => Promise<ByteStream | Uint8Array>;
}

/** A stored file: both record shapes of §2.7 as one. */
export interface StoredFile {
	id: string;
	fileName?: string | undefined;
	mimeType?: string | undefined;
	/** Bytes. */
	size?: number | undefined;
	url?: string | undefined;
	source?: string | undefined;
	storagePolicy?: string | undefined;
	status?: string | undefined;
	/** ISO 8601; null for permanent storage and where the record does not say. */
	expiresAt: string | null;
	createdAt?: string | undefined;
	updatedAt?: string | undefined;
	externalUserId?: string | undefined;
}

/**
 * Checks what can be checked before anything is sent (§8).
 *
 * @param file.size in bytes
 * @param file.encoded its length as base64 text, where it is sent as such
 * @param param the parameter that names the file
 * @throws {InvalidInputError} for an empty file, one over the limit, or an `externalUserId` over its length
 */
export function checkUpload(
	{ size, encoded }: { size: number; encoded?: number },
	settings: UploadSettings,
	param: string,
): void {
	if (size === 0) {
		throw new InvalidInputError(
			'The file is empty',
			'Check the node that makes the file: there is nothing to upload.',
			param,
		);
	}
	if ((encoded ?? size) > MAX_UPLOAD_BYTES) {
		throw new InvalidInputError(
			`The file is too large to upload: ${(size / 1024 / 1024).toFixed(1)} MB`,
			encoded === undefined
				? 'The gateway takes files of up to 100 MB. Nothing was sent.'
				: 'The gateway takes base64 text of up to 100 MB, which is a file of 75 MB: give a larger one in a binary field. Nothing was sent.',
			param,
		);
	}
	// Characters, not halves of them.
	const { length } = [...(settings.externalUserId ?? '')];
	if (length > MAX_EXTERNAL_USER_ID_LENGTH) {
		throw new InvalidInputError(
			`'External User ID' is ${length} characters long`,
			`The gateway takes up to ${MAX_EXTERNAL_USER_ID_LENGTH} characters. Shorten it. Nothing was sent.`,
			'externalUserId',
		);
	}
}

/** Uploads a file as multipart form data (§4.14), streamed, with its exact length. Gives the record as received. */
export async function uploadFile(
	client: GatewayClient,
	file: UploadFile,
	settings: UploadSettings,
): Promise<JsonObject> {
	const { head, tail, boundary } = multipartFrame(file, settings);
	return await client.json({
		group: 'storage',
		method: 'POST',
		path: '/storage/upload',
		headers: {
			'Content-Type': `multipart/form-data; boundary=${boundary}`,
			'Content-Length': String(head.length + file.size + tail.length),
		},
		openBody: async () => await file.framed(head, tail),
	});
}

/** Uploads a file for further use and gives its URL (§4.14); the gateway keeps it for 24 hours. */
export async function uploadForUse(client: GatewayClient, file: UploadFile): Promise<string> {
	const { url } = readStoredFile(await uploadFile(client, file, { storagePolicy: 'TEMP_UPLOAD' }));
	if (url === undefined) throw missingInResponse('URL of the uploaded file');
	return url;
}

/** SHA-256 of a file's content in hexadecimal, read portion by portion. */
export async function contentDigest(file: UploadFile): Promise<string> {
	const nothing = new Uint8Array();
	const content = await file.framed(nothing, nothing);
	const hash = createHash('sha256');
	if (content instanceof Uint8Array) hash.update(content);
	else for await (const portion of content) hash.update(portion);
	return hash.digest('hex');
}

/** Uploads base64 text (§4.14, JSON form). Gives the record as received. */
export async function uploadBase64(
	client: GatewayClient,
	file: { base64: string; mimeType?: string | undefined },
	settings: UploadSettings,
): Promise<JsonObject> {
	return await client.json({
		group: 'storage',
		method: 'POST',
		path: '/storage/upload',
		json: {
			base64: file.base64,
			...(file.mimeType ? { mimeType: file.mimeType } : {}),
			...formFields(settings),
		},
	});
}

function formFields({ storagePolicy, externalUserId }: UploadSettings): Record<string, string> {
	return { ...(storagePolicy ? { storagePolicy } : {}), ...(externalUserId ? { externalUserId } : {}) };
}

function multipartFrame(
	file: Pick<UploadFile, 'fileName' | 'mimeType'>,
	settings: UploadSettings,
): { head: Uint8Array; tail: Uint8Array; boundary: string } {
	const boundary = `n8n-${randomUUID()}`;
	// The fields come first, so that a server which streams the file knows them.
	const fields = Object.entries(formFields(settings)).map(
		([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
	);
	// HTML's rule for names in form data: quotes and line breaks are percent-encoded.
	const name = file.fileName.replace(/"/g, '%22').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
	const type = file.mimeType.replace(/[\r\n]/g, '');
	const head = `${fields.join('')}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
	return { head: Buffer.from(head), tail: Buffer.from(`\r\n--${boundary}--\r\n`), boundary };
}

/** Fetches a file's record (§4.15). Gives the body as received. */
export async function fetchFileRecord(client: GatewayClient, fileId: string): Promise<JsonObject> {
	return await client.json({ group: 'storage', method: 'GET', path: filePath(fileId) });
}

/** A list of files (§4.17, which shows no shape). */
export interface FileList {
	/** As received. */
	body: JsonObject | Json[];
	/** The files in it; `undefined` where nothing in it looks like a list of files. */
	records: JsonObject[] | undefined;
	/** How many there are in all, where the answer says so. */
	total?: number | undefined;
}

/** Lists the account's files (§4.17). What narrows the list is not shown either, so nothing is asked for. */
export async function listFiles(client: GatewayClient): Promise<FileList> {
	const body = await client.jsonOrList({ group: 'storage', method: 'GET', path: '/storage' });
	const total = Array.isArray(body) ? undefined : asNumber(body.total);
	return { body, records: recordsIn(body), total };
}

/** How deep a list may lie in an answer: `{ data: { items: […] } }`. */
const MAX_LIST_DEPTH = 3;

/** The records of the uppermost list whose elements are objects with an id; none where there is only an empty list. */
function recordsIn(body: JsonObject | Json[]): JsonObject[] | undefined {
	let level: Array<Json | undefined> = [body];
	let empty: JsonObject[] | undefined;
	for (let depth = 0; depth < MAX_LIST_DEPTH; depth += 1) {
		const lists = level.filter((value) => Array.isArray(value));
		const found = lists.map(asObjects).find((records) => records.some(({ id }) => asId(id) !== undefined));
		if (found) return found;
		if (lists.some((list) => list.length === 0)) empty ??= [];
		level = level.flatMap((value) => Object.values(asObject(value) ?? {}));
	}
	return empty;
}

const DELETE_TEXTS: Readonly<Record<number, ErrorText>> = {
	404: {
		message: 'There is no such file to delete',
		description:
			'If it was deleted before, or has expired, there is nothing to do. Otherwise check the file ID and the credential: files of other accounts look the same.',
	},
};

/**
 * Deletes a file (§4.16).
 *
 * @throws {ApiError} with 404 for a file that is deleted already, unless an earlier try may have deleted it
 */
export async function deleteFile(client: GatewayClient, fileId: string): Promise<JsonObject> {
	const deletion = client.json({ group: 'storage', method: 'DELETE', path: filePath(fileId) });
	const body = await withTexts(DELETE_TEXTS, deletion.catch(ignoreAlreadyDone));
	if (body.success === false) {
		throw new ApiError({
			message: 'The gateway did not delete the file',
			description:
				'It answered that the deletion did not succeed. Get the file to see what became of it, then try again.',
			delivery: 'responded',
			status: 200,
			code: 'not_deleted',
			retryable: true,
		});
	}
	return body;
}

function filePath(fileId: string): string {
	return `/storage/${pathSegment(fileId, 'file ID', 'fileId')}`;
}

/** Both record shapes of §2.7, as far as they are used: `storage_key` is internal. */
const storedFile = object({
	id,
	filename: text,
	fileName: text,
	mimeType: text,
	mime_type: text,
	size: number,
	size_bytes: number,
	url: text,
	source: text,
	storagePolicy: text,
	status: text,
	expiresAt: text,
	createdAt: text,
	created_at: text,
	updatedAt: text,
	updated_at: text,
	externalUserId: text,
});

/** Reads either record shape of §2.7, also under `asset`. */
export function readStoredFile(body: JsonObject): StoredFile {
	const file = storedFile(record(body.asset) ?? body);
	if (file.id === undefined) throw missingInResponse('file ID');
	return {
		id: file.id,
		fileName: file.filename ?? file.fileName,
		mimeType: file.mimeType ?? file.mime_type,
		size: file.size ?? file.size_bytes,
		url: file.url,
		source: file.source?.toLowerCase(),
		storagePolicy: file.storagePolicy,
		status: file.status,
		expiresAt: isoTime(file.expiresAt) ?? null,
		createdAt: isoTime(file.createdAt ?? file.created_at),
		updatedAt: isoTime(file.updatedAt ?? file.updated_at),
		externalUserId: file.externalUserId,
	};
}

/** A timestamp as ISO 8601; text that is no date stays as it is rather than being lost. */
function isoTime(value: string | undefined): string | undefined {
	const time = new Date(value ?? NaN);
	return Number.isNaN(time.getTime()) ? value : time.toISOString();
}
