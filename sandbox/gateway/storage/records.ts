/** The two shapes of a stored file (§2.7). */
import type { JsonObject } from '../jsonSchema';
import { extensionOf, fileTypeOf } from './fileTypes';
import type { FileStore, StoredFile } from './store';

/** POST /storage/upload. */
export function uploadRecord(file: StoredFile, store: FileStore): JsonObject {
	return {
		id: file.id,
		fileType: fileTypeOf(file.mimeType),
		mimeType: file.mimeType,
		source: file.source,
		storagePolicy: file.storagePolicy,
		url: store.url(file),
		size: file.size,
		externalUserId: file.externalUserId,
		expiresAt: file.expiresAt === null ? null : new Date(file.expiresAt).toISOString(),
		createdAt: new Date(file.createdAt).toISOString(),
		updatedAt: new Date(file.updatedAt).toISOString(),
	};
}

/** GET /storage/{id}, below `asset`. */
export function assetRecord(file: StoredFile, store: FileStore): JsonObject {
	const extension = extensionOf(file.mimeType);
	return {
		id: file.id,
		filename: file.filename,
		storage_key: `assets/${file.account}/${file.id}${extension}`,
		asset_type: 'chat_upload',
		mime_type: file.mimeType,
		extension,
		size_bytes: file.size,
		status: 'active',
		source: file.source.toLowerCase(),
		created_at: withoutMilliseconds(file.createdAt),
		updated_at: withoutMilliseconds(file.updatedAt),
		url: store.url(file),
	};
}

function withoutMilliseconds(time: number): string {
	return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
