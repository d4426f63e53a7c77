import { ApiError } from '../errors/errors';
import type { ErrorText } from '../errors/texts';
import { withTexts, ignoreAlreadyDone } from '../errors/fromResponse';
import { asId, asText, type JsonObject } from '../util/json';
import { id, json, number, object, record, text } from '../util/shape';
import { fetchList, type RecordList } from './lists';
import { missingInResponse, pathSegment } from './response';
import type { GatewayClient } from '../client/client';

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
	/** ISO 8601; null for permanent storage; `undefined` if the record does not tell. */
	expiresAt?: string | null | undefined;
	createdAt?: string | undefined;
	updatedAt?: string | undefined;
	externalUserId?: string | undefined;
}

/**
 * Fetches a file's record (§4.15).
 *
 * @returns the body as received
 * @throws {ApiError} when the request fails
 * @throws {InvalidInputError} for the IDs "." and ".."
 */
export async function fetchFileRecord(client: GatewayClient, fileId: string): Promise<JsonObject> {
	return await client.json({ group: 'storage', kind: 'read', path: filePath(fileId) });
}

/**
 * Lists the account's files (§4.17, which shows neither filters nor shape).
 *
 * @throws {ApiError} when the request fails
 */
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
 * @throws {ApiError} when the request fails, or the gateway reports that it did not delete the file; with 404 for a
 *   file that is deleted already, unless an earlier attempt may have deleted it
 * @throws {InvalidInputError} for the IDs "." and ".."
 */
export async function deleteFile(client: GatewayClient, fileId: string): Promise<JsonObject> {
	const deletion = client.json({ group: 'storage', kind: 'read', method: 'DELETE', path: filePath(fileId) });
	const body = await withTexts(DELETE_TEXTS, deletion.catch(ignoreAlreadyDone));
	if (body.success === false) {
		throw new ApiError({
			message: 'The gateway did not delete the file',
			description:
				'It reported that the deletion did not succeed. Get the file to see its status, then try again.',
			outcome: 'rejected',
			kind: 'read',
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
		expiresAt: file.expiresAt === null ? null : isoTime(asText(file.expiresAt)),
		createdAt: isoTime(file.createdAt ?? file.created_at),
		updatedAt: isoTime(file.updatedAt ?? file.updated_at),
		externalUserId: file.externalUserId,
	};
}

/** A timestamp as ISO 8601; text that is not a date is returned unchanged. */
function isoTime(value: string | undefined): string | undefined {
	const time = new Date(value ?? NaN);
	return Number.isNaN(time.getTime()) ? value : time.toISOString();
}
