import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { readStoredFile } from '../../../nodes/shared/gateway/endpoints/storage';

type StoredFile = ReturnType<typeof readStoredFile>;

/** A file with nothing but an ID. */
const UNKNOWN: StoredFile = {
	id: 'f1',
	fileName: undefined,
	mimeType: undefined,
	size: undefined,
	url: undefined,
	source: undefined,
	storagePolicy: undefined,
	status: undefined,
	expiresAt: undefined,
	createdAt: undefined,
	updatedAt: undefined,
	externalUserId: undefined,
};

const record = {
	id: 'f1',
	mimeType: 'image/png',
	source: 'USER_UPLOAD',
	storagePolicy: 'TEMP_UPLOAD',
	url: 'https://f.test/1',
	size: 12,
	externalUserId: 'u',
	expiresAt: '2025-01-02T03:04:05Z',
	createdAt: '2025-01-01T03:04:05.678Z',
	updatedAt: '2025-01-01T03:04:06Z',
};
const uploaded = { ...record, fileType: 'IMAGE' };

const asset = {
	id: 'f1',
	filename: 'cat.png',
	storage_key: 'internal/f1',
	asset_type: 'chat_upload',
	mime_type: 'image/png',
	extension: '.png',
	size_bytes: 12,
	status: 'active',
	source: 'user_upload',
	created_at: '2025-01-01T03:04:05Z',
	updated_at: '2025-01-01T03:04:06Z',
	url: 'https://f.test/1',
};

const fromUpload: StoredFile = { ...UNKNOWN, ...record, source: 'user_upload' };

const fromAsset: StoredFile = {
	...UNKNOWN,
	fileName: 'cat.png',
	mimeType: 'image/png',
	size: 12,
	url: 'https://f.test/1',
	source: 'user_upload',
	status: 'active',
	createdAt: '2025-01-01T03:04:05Z',
	updatedAt: '2025-01-01T03:04:06Z',
};

describe('a stored file (§2.7)', () => {
	it.each<[string, JsonObject, StoredFile]>([
		['the response to an upload', uploaded, fromUpload],
		['the metadata', { asset }, fromAsset],
		['the metadata, without `asset`', asset, fromAsset],
		['an ID alone, under `asset`', { asset: { id: 'f1' } }, UNKNOWN],
		['an ID next to an `asset` that is null', { asset: null, id: 'f1' }, UNKNOWN],
	])('is read from %s', (_, body, file) => expect(readStoredFile(body)).toStrictEqual(file));

	it.each<[string, JsonObject, Partial<StoredFile>]>([
		['a number for an ID', { id: 7 }, { id: '7' }],
		['a size as text', { size: '12' }, { size: 12 }],
		['a size of zero', { size: 0 }, { size: 0 }],
		['a name in the other spelling', { fileName: 'cat.png' }, { fileName: 'cat.png' }],
		['a source in capitals', { source: 'AI_GENERATION' }, { source: 'ai_generation' }],
		['a time that is not text', { expiresAt: 5 }, { expiresAt: undefined }],
		['permanent storage', { expiresAt: null }, { expiresAt: null }],
	])('accepts %s', (_, fields, part) => {
		expect(readStoredFile({ id: 'f1', ...fields })).toStrictEqual({ ...UNKNOWN, ...part });
	});

	it.each<[string, JsonObject]>([
		['an ID that is null', { id: null }],
		['an empty ID', { id: '' }],
		['no ID in `asset`', { id: 'f1', asset: {} }],
		['nothing', {}],
	])('is rejected with %s', (_, body) => {
		expect(() => readStoredFile(body)).toThrow(ApiError);
		expect(() => readStoredFile(body)).toThrow('file ID');
	});
});
