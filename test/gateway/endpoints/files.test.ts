import { createHash } from 'node:crypto';

import type { HttpRequest } from '../../../nodes/shared/gateway/client/transport';
import { deleteFile, readStoredFile } from '../../../nodes/shared/gateway/endpoints/storage';
import {
	checkSize,
	contentDigest,
	type UploadFile,
	uploadFile,
	uploadForUse,
} from '../../../nodes/shared/gateway/endpoints/upload';
import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';
import { apiErrorOf, byteStream, scriptedClient, type Step } from '../../helpers/client';
import { invalidInput } from '../../helpers/invalidInput';

const LIMIT = 100 * 1024 * 1024;
const response = (body: Json, status = 200): Step => ({ status, body: JSON.stringify(body) });

/** The body of the first of these requests. */
const textOf = ([request]: HttpRequest[]) => (request?.body instanceof Buffer ? request.body.toString() : '');

const NOTHING = new Uint8Array();
const file: UploadFile = {
	fileName: 'cat.png',
	mimeType: 'image/png',
	size: 3,
	open: async (head = NOTHING, tail = NOTHING) =>
		await Promise.resolve(Buffer.concat([head, Buffer.from('cat'), tail])),
};

describe('an upload (§8)', () => {
	it.each([1, LIMIT])('accepts %i bytes', (size) => expect(() => checkSize(size, 'file')).not.toThrow());

	it.each([
		[0, 'empty', 'nothing to upload'],
		[LIMIT + 1, '100.0 MB', 'a file of up to 100 MB'],
	])('rejects %i bytes', (size, message, description) => {
		const error = invalidInput(() => checkSize(size, 'file'));
		expect(error.param).toBe('file');
		expect(error.message).toContain(message);
		expect(error.description).toContain(description);
	});
});

it('a file uploaded for a task is kept for a day', async () => {
	const { client, sent } = scriptedClient([response({ id: 'f1', url: 'https://f.test/1' })]);
	await expect(uploadForUse(client, file)).resolves.toBe('https://f.test/1');
	expect(textOf(sent)).toContain('name="storagePolicy"\r\n\r\nTEMP_UPLOAD\r\n');
});

it.each<Json>([{ id: 'f1' }, { id: 'f1', url: null }, { url: 'https://f.test/1' }])(
	'an upload for a task fails when the response has no ID or no URL: %j',
	async (body) => {
		const { client } = scriptedClient([response(body)]);
		const { code, retryable } = (await apiErrorOf(uploadForUse(client, file))).details;
		expect([code, retryable]).toStrictEqual(['unreadable_answer', false]);
	},
);

it.each([
	['in memory', Buffer.from('the content')],
	['a stream', byteStream('the content')],
])('the digest of a file is that of its bytes: %s', async (_, content) => {
	const open = async () => await Promise.resolve(content);
	const digest = createHash('sha256').update('the content').digest('hex');
	await expect(contentDigest({ ...file, open })).resolves.toBe(digest);
});

describe('deleting a file (§4.16)', () => {
	it('fails when the response says so', async () => {
		const { client, sent } = scriptedClient([response({ success: false })]);
		const { details } = await apiErrorOf(deleteFile(client, 'f1'));
		expect(details.message).toContain('no confirmation that the file is deleted');
		expect(sent).toHaveLength(1);
	});

	it.each<[string, Step]>([
		['nothing in it', { status: 200, body: '{}' }],
		['no body', { status: 204, body: '' }],
	])('has succeeded when the response has %s', async (_, step) => {
		const { client } = scriptedClient([step]);
		await expect(deleteFile(client, 'f1')).resolves.toStrictEqual({});
	});
});

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

// The shapes of an upload and of the metadata: nodes/storage.
describe('a stored file (§2.7)', () => {
	it.each<[string, JsonObject, StoredFile]>([
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
		['a user', { externalUserId: 'u' }, { externalUserId: 'u' }],
		[
			'times in the other spelling',
			{ created_at: 'T1', updated_at: 'T2' },
			{ createdAt: 'T1', updatedAt: 'T2' },
		],
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

describe('a multipart upload (§4.14)', () => {
	/** The body of the request that uploads a file with this name and type. */
	async function bodyFor(fileName: string, mimeType = 'image/png') {
		const { client, sent } = scriptedClient([response({ id: 'f1' })]);
		await uploadFile(client, { ...file, fileName, mimeType }, {});
		return textOf(sent);
	}

	it.each([
		['a "b" "c".png', 'a %22b%22 %22c%22.png'],
		['a\r\nX-Evil: 1\r\n.png', 'a%0D%0AX-Evil: 1%0D%0A.png'],
		['кот 🙂.png', 'кот 🙂.png'],
		['50%.png', '50%.png'],
		['', ''],
	])('writes the name %j as HTML forms do', async (name, written) => {
		expect(await bodyFor(name)).toContain(
			`; name="file"; filename="${written}"\r\nContent-Type: image/png\r\n\r\n`,
		);
	});

	it('keeps a type within its line', async () => {
		const body = await bodyFor('a', 'image/png\r\nX-Evil: 1\n');
		expect(body).toContain('\r\nContent-Type: image/pngX-Evil: 1\r\n\r\n');
	});
});
