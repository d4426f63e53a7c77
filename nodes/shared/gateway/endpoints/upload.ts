import { createHash, randomUUID } from 'node:crypto';

import type { GatewayClient } from '../client/client';
import type { ByteStream } from '../client/transport';
import { InvalidInputError } from '../errors/errors';
import type { JsonObject } from '../util/json';
import { missingInResponse } from './response';
import { readStoredFile } from './storage';

/** §8: the largest request body of an upload, in bytes. */
const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;

/** §4.14: the policies that a client may set; `TEMP_UPLOAD` keeps a file for 24 hours. */
export type StoragePolicy = 'TEMP_UPLOAD' | 'PERMANENT';

export interface UploadSettings {
	storagePolicy?: StoragePolicy | undefined;
	externalUserId?: string | undefined;
}

export interface UploadFile {
	fileName: string;
	mimeType: string;
	/** Exact length in bytes. */
	size: number;
	/** Opens the file, in a body between `head` and `tail`. Called for each attempt: a stream can be read only once. */
	open: (head?: Uint8Array, tail?: Uint8Array) => Promise<ByteStream | Uint8Array>;
}

/** Checks the size of a file before the upload (§8). `param` is the parameter with the file. */
export function checkSize(size: number, param: string): void {
	if (size > 0 && size <= MAX_UPLOAD_BYTES) return;
	const isEmpty = size === 0;
	throw new InvalidInputError(
		isEmpty ? 'The file is empty' : `The file is too large to upload: ${(size / 1024 / 1024).toFixed(1)} MB`,
		isEmpty
			? 'Check the node that makes the file: there is nothing to upload.'
			: 'The gateway takes a file of up to 100 MB.',
		param,
	);
}

/**
 * Uploads a file (§4.14), streamed and opened for each attempt: the record as received. With the kind `read`, if nobody
 * minds two files, it is repeated also when it may have arrived.
 */
export async function uploadFile(
	client: GatewayClient,
	file: UploadFile,
	settings: UploadSettings,
	kind: 'create' | 'read' = 'create',
): Promise<JsonObject> {
	return await client.json({
		endpoint: 'uploadFile',
		kind,
		method: 'POST',
		path: '/storage/upload',
		openBody: async () => {
			const { head, tail, boundary } = multipartFrame(file, settings);
			return {
				content: await file.open(head, tail),
				headers: {
					'Content-Type': `multipart/form-data; boundary=${boundary}`,
					'Content-Length': String(head.length + file.size + tail.length),
				},
			};
		},
	});
}

/** Uploads a file as input of a later request (§4.14), and returns its URL. The gateway keeps it for 24 hours. */
export async function uploadForUse(client: GatewayClient, file: UploadFile): Promise<string> {
	const body = await uploadFile(client, file, { storagePolicy: 'TEMP_UPLOAD' }, 'read');
	const { url } = readStoredFile(body);
	if (url === undefined) throw missingInResponse('URL of the uploaded file');
	return url;
}

/** SHA-256 of a file's content in hexadecimal, read in chunks. */
export async function contentDigest(file: UploadFile): Promise<string> {
	const content = await file.open();
	const hash = createHash('sha256');
	for await (const chunk of content instanceof Uint8Array ? [content] : content) hash.update(chunk);
	return hash.digest('hex');
}

function settingFields({ storagePolicy, externalUserId }: UploadSettings): Record<string, string> {
	return { ...(storagePolicy ? { storagePolicy } : {}), ...(externalUserId ? { externalUserId } : {}) };
}

function multipartFrame(
	file: Pick<UploadFile, 'fileName' | 'mimeType'>,
	settings: UploadSettings,
): { head: Uint8Array; tail: Uint8Array; boundary: string } {
	const boundary = `n8n-${randomUUID()}`;
	// The fields come first: a server that streams the file needs them before it.
	const fields = Object.entries(settingFields(settings)).map(
		([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
	);
	// HTML's rule for names in form data: quotes and line breaks are percent-encoded.
	const name = file.fileName.replace(/"/g, '%22').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
	const type = file.mimeType.replace(/[\r\n]/g, '');
	const head = `${fields.join('')}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
	return { head: Buffer.from(head), tail: Buffer.from(`\r\n--${boundary}--\r\n`), boundary };
}
