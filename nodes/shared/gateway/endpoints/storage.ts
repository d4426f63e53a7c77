import { ignoreAlreadyDone } from '../errors/fromResponse';
import { asId, asNumber, asObject, asText, type JsonObject } from '../util/json';
import { idPath, missingInResponse } from './response';
import { fetchList, type List } from './lists';
import type { GatewayClient } from '../client/client';

/** Fetches a file's record (§4.15): the body as received. */
export async function fetchFileRecord(client: GatewayClient, fileId: string): Promise<JsonObject> {
	return await client.json({ endpoint: 'fetchFile', kind: 'read', path: idPath('/storage', fileId) });
}

/** Lists the account's files (§4.17), see {@link fetchList}. */
export async function listFiles(client: GatewayClient): Promise<List> {
	return await fetchList(client, 'listFiles', '/storage', ({ id }) => asId(id));
}

/** Deletes a file (§4.16): the body as received. A 404 is an error, unless an earlier attempt may have deleted it. */
export async function deleteFile(client: GatewayClient, fileId: string): Promise<JsonObject> {
	const request = {
		endpoint: 'deleteFile',
		kind: 'read',
		method: 'DELETE',
		path: idPath('/storage', fileId),
	} as const;
	const body = await client.json(request).catch(ignoreAlreadyDone);
	if (body.success === false) throw missingInResponse('confirmation that the file is deleted', body);
	return body;
}

/**
 * Reads either record shape of §2.7, also under `asset`: `size` in bytes, times in ISO 8601, `expiresAt` null for
 * permanent storage, `undefined` for what the record does not say. A record without an ID is an error.
 */
export function readStoredFile(body: JsonObject) {
	const file = asObject(body.asset) ?? body;
	const id = asId(file.id);
	if (id === undefined) throw missingInResponse('file ID', body);
	return {
		id,
		fileName: asText(file.filename ?? file.fileName),
		mimeType: asText(file.mimeType ?? file.mime_type),
		size: asNumber(file.size ?? file.size_bytes),
		url: asText(file.url),
		source: asText(file.source)?.toLowerCase(),
		storagePolicy: asText(file.storagePolicy),
		status: asText(file.status),
		expiresAt: file.expiresAt === null ? null : asText(file.expiresAt),
		createdAt: asText(file.createdAt ?? file.created_at),
		updatedAt: asText(file.updatedAt ?? file.updated_at),
		externalUserId: asText(file.externalUserId),
	};
}
