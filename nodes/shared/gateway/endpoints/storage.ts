import type { ErrorText } from '../errors/texts';
import { withTexts, ignoreAlreadyDone } from '../errors/fromResponse';
import { asId, asText, type JsonObject } from '../util/json';
import { id, json, number, object, record, text } from '../util/shape';
import { fetchList, type RecordList } from './lists';
import { missingInResponse, pathSegment } from './response';
import type { GatewayClient } from '../client/client';

// Each request throws an ApiError when it fails, and an InvalidInputError for the IDs "." and "..".

/** Fetches a file's record (§4.15): the body as received. */
export async function fetchFileRecord(client: GatewayClient, fileId: string): Promise<JsonObject> {
	return await client.json({ group: 'storage', kind: 'read', path: filePath(fileId) });
}

/** Lists the account's files (§4.17, which shows neither filters nor shape). */
export async function listFiles(client: GatewayClient): Promise<RecordList> {
	return await fetchList(client, { group: 'storage', path: '/storage' }, ({ id }) => asId(id));
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
 * @returns the body as received
 * @throws {ApiError} when the gateway does not confirm it; with 404 for a file that is deleted already, unless an
 *   earlier attempt may have deleted it
 */
export async function deleteFile(client: GatewayClient, fileId: string): Promise<JsonObject> {
	const deletion = client.json({ group: 'storage', kind: 'read', method: 'DELETE', path: filePath(fileId) });
	const body = await withTexts(DELETE_TEXTS, deletion.catch(ignoreAlreadyDone));
	if (body.success === false) throw missingInResponse('confirmation that the file is deleted');
	return body;
}

function filePath(fileId: string): string {
	return `/storage/${pathSegment(fileId, 'file ID', 'fileId')}`;
}

/** The fields of both record shapes of §2.7 that are used: `storage_key` is internal. */
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
	expiresAt: json,
	createdAt: text,
	created_at: text,
	updatedAt: text,
	updated_at: text,
	externalUserId: text,
});

/**
 * Reads either record shape of §2.7, also under `asset`: `size` in bytes, times in ISO 8601, `expiresAt` null for
 * permanent storage, `undefined` for what the record does not say.
 *
 * @throws {ApiError} without an ID
 */
export function readStoredFile(body: JsonObject) {
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
		expiresAt: file.expiresAt === null ? null : isoTime(asText(file.expiresAt)),
		createdAt: isoTime(file.createdAt ?? file.created_at),
		updatedAt: isoTime(file.updatedAt ?? file.updated_at),
		externalUserId: file.externalUserId,
	};
}

/** A stored file. */
export type StoredFile = ReturnType<typeof readStoredFile>;

/** A timestamp as ISO 8601; text that is not a date is returned unchanged. */
function isoTime(value: string | undefined): string | undefined {
	const time = new Date(value ?? NaN);
	return Number.isNaN(time.getTime()) ? value : time.toISOString();
}
