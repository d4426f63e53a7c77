/** Receives an upload in either form (§4.14): multipart goes to disk as it comes in. */
import { createWriteStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { Account } from '../accounts';
import { ApiError } from '../errors';
import { choice, filledText, object, text } from '../fields';
import { isObject, type JsonObject, type JsonSchema } from '../jsonSchema';
import { misfitOf, withoutNulls } from '../misfit';
import { extensionOf, fileTypeOf, normalMimeType, sniffMimeType } from './fileTypes';
import type { FileStore, NewFile, StoragePolicy, StoredFile } from './store';

interface Fields {
	externalUserId: string | null;
	storagePolicy: StoragePolicy;
}

function invalid(message: string): ApiError {
	return new ApiError('invalid_request', message);
}

/** §4.14: two policies are settable; §8: at most 128 characters. */
const common = {
	externalUserId: { ...text, maxLength: 128 },
	storagePolicy: choice('TEMP_UPLOAD', 'PERMANENT'),
};
const multipartFields = object(common);
const jsonFields = object({ base64: filledText, mimeType: text, ...common }, 'base64');

/** The fields without those that are null; throws 400 with the first that does not fit. */
function checked(fields: JsonSchema, body: unknown): JsonObject {
	const given = withoutNulls(body);
	const misfit = misfitOf(fields, given);
	if (misfit) throw invalid(`${misfit.path.join('.') || 'The body'} ${misfit.reason}`);
	return isObject(given) ? given : {};
}

function readFields({ externalUserId, storagePolicy }: JsonObject): Fields {
	return {
		externalUserId: typeof externalUserId === 'string' ? externalUserId : null,
		storagePolicy: storagePolicy === 'PERMANENT' ? 'PERMANENT' : 'TEMP_UPLOAD',
	};
}

/** The type by the bytes takes precedence over the declared one. */
function mimeTypeOf(head: Buffer, declared: string): string {
	const mimeType = sniffMimeType(head) ?? normalMimeType(declared);
	if (!fileTypeOf(mimeType)) {
		throw invalid(`Unsupported file type ${mimeType || '(unknown)'}: image, video or audio expected`);
	}
	return mimeType;
}

function newFile(account: Account, filename: string, mimeType: string, fields: Fields): NewFile {
	return { account: account.name, filename, mimeType, source: 'USER_UPLOAD', ...fields };
}

export async function uploadMultipart(
	request: FastifyRequest,
	account: Account,
	store: FileStore,
): Promise<StoredFile> {
	const path = store.stagingPath();
	try {
		const raw: Record<string, unknown> = {};
		let file: MultipartFile | null = null;
		for await (const part of request.parts()) {
			if (part.type === 'field') raw[part.fieldname] = part.value;
			else if (part.fieldname === 'file' && file === null) {
				file = part;
				await pipeline(part.file, createWriteStream(path));
			} else part.file.resume();
		}
		if (!file) throw invalid('file is required');
		const fields = readFields(checked(multipartFields, raw));
		const mimeType = mimeTypeOf(await headOf(path), file.mimetype);
		const filename = file.filename || `upload${extensionOf(mimeType)}`;
		const { size } = await stat(path);
		return await store.adopt(path, size, newFile(account, filename, mimeType, fields));
	} finally {
		await rm(path, { force: true });
	}
}

async function headOf(path: string): Promise<Buffer> {
	const handle = await open(path);
	try {
		const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
		return buffer.subarray(0, bytesRead);
	} finally {
		await handle.close();
	}
}

export async function uploadBase64(body: unknown, account: Account, store: FileStore): Promise<StoredFile> {
	const given = checked(jsonFields, body);
	const base64 = String(given.base64);
	const declared = typeof given.mimeType === 'string' ? given.mimeType : '';
	const dataUrl = /^data:([^;,]*)[^,]*,/.exec(base64.slice(0, 200));
	const text = dataUrl ? base64.slice(dataUrl[0].length) : base64;
	if (!/^[A-Za-z0-9+/_-]*={0,2}\s*$/.test(text)) throw invalid('base64 is not valid base64');
	const bytes = Buffer.from(text, 'base64');
	const mimeType = mimeTypeOf(bytes.subarray(0, 16), declared || (dataUrl?.[1] ?? ''));
	return await store.addBytes(
		bytes,
		newFile(account, `upload${extensionOf(mimeType)}`, mimeType, readFields(given)),
	);
}
