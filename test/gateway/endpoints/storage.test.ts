import { createHash } from 'node:crypto';

import type { GatewayClient } from '../../../nodes/shared/gateway/client/client';
import { errorText } from '../../../nodes/shared/gateway/errors/texts';
import type { Json } from '../../../nodes/shared/gateway/util/json';
import {
	checkSize,
	contentDigest,
	uploadBase64,
	uploadForUse,
	type UploadFile,
} from '../../../nodes/shared/gateway/endpoints/upload';
import { deleteFile, fetchFileRecord } from '../../../nodes/shared/gateway/endpoints/storage';
import { byteStream, apiErrorOf, scriptedClient, type Step } from '../../helpers/client';
import { rejectedInput } from '../../helpers/invalidInput';
import { request } from '../../helpers/requests';

const LIMIT = 100 * 1024 * 1024;
const response = (body: Json, status = 200): Step => ({ status, body: JSON.stringify(body) });

const file: UploadFile = {
	fileName: 'cat.png',
	mimeType: 'image/png',
	size: 3,
	framed: async (head, tail) => await Promise.resolve(Buffer.concat([head, Buffer.from('cat'), tail])),
};

describe('an upload (§8)', () => {
	it.each([1, LIMIT])('accepts %i bytes', (size) => expect(() => checkSize(size, 'file')).not.toThrow());

	it.each([
		[0, 'empty', 'nothing to upload'],
		[LIMIT + 1, '100.0 MB', 'a file of up to 100 MB'],
		[LIMIT * 1.5, '150.0 MB', '75 MB as base64 text'],
	])('rejects %i bytes', async (size, message, description) => {
		const error = await rejectedInput(() => checkSize(size, 'file'));
		expect(error.param).toBe('file');
		expect(error.message).toContain(message);
		expect(error.description).toContain(description);
	});
});

describe('a file uploaded for a task', () => {
	it('returns its URL; the gateway keeps it for a day', async () => {
		const { client, sent } = scriptedClient([response({ id: 'f1', url: 'https://f.test/1' })]);
		await expect(uploadForUse(client, file)).resolves.toBe('https://f.test/1');
		const bodies = sent.map(({ body }) => (body instanceof Buffer ? body.toString() : body));
		expect(bodies).toStrictEqual([
			expect.stringContaining('name="storagePolicy"\r\n\r\nTEMP_UPLOAD\r\n') as string,
		]);
	});

	it.each<[string, Json]>([
		['no URL', { id: 'f1' }],
		['a URL that is null', { id: 'f1', url: null }],
		['no ID', { url: 'https://f.test/1' }],
	])('fails when the response has %s', async (_, body) => {
		const { client } = scriptedClient([response(body)]);
		const { code, retryable } = (await apiErrorOf(uploadForUse(client, file))).details;
		expect([code, retryable]).toStrictEqual(['unreadable_answer', false]);
	});
});

describe('the digest of a file', () => {
	const digest = createHash('sha256').update('the content').digest('hex');
	const framings: Array<Uint8Array[]> = [];
	const content = (opened: Awaited<ReturnType<UploadFile['framed']>>): UploadFile => ({
		...file,
		framed: async (head, tail) => {
			framings.push([head, tail]);
			return await Promise.resolve(opened);
		},
	});

	it.each([
		['in memory', Buffer.from('the content')],
		['a stream', byteStream('the content')],
	])('is the digest of its bytes only: %s', async (_, opened) => {
		framings.length = 0;
		await expect(contentDigest(content(opened))).resolves.toBe(digest);
		expect(framings.map(([head, tail]) => [head?.length, tail?.length])).toStrictEqual([[0, 0]]);
	});
});

describe('base64 text', () => {
	it('is uploaded with its type and owner', async () => {
		const { client, sent } = scriptedClient([response({ id: 'f1', externalUserId: null })]);
		const uploaded = uploadBase64(
			client,
			{ base64: 'Y2F0', mimeType: 'image/png' },
			{ storagePolicy: 'PERMANENT', externalUserId: 'u' },
		);
		await expect(uploaded).resolves.toStrictEqual({ id: 'f1', externalUserId: null });
		const json = { base64: 'Y2F0', mimeType: 'image/png', storagePolicy: 'PERMANENT', externalUserId: 'u' };
		expect(sent).toStrictEqual([request('POST', '/storage/upload', { kind: 'create', json })]);
	});

	it('is not sent again when the response is lost: there would be two files', async () => {
		const { client, sent } = scriptedClient(['lost']);
		expect((await apiErrorOf(uploadBase64(client, { base64: 'Y2F0' }, {}))).details.outcome).toBe('unknown');
		expect(sent).toHaveLength(1);
	});
});

it.each<[string, number, (client: GatewayClient) => Promise<unknown>]>([
	['uploading', 413, async (client) => await uploadBase64(client, { base64: 'Y2F0' }, {})],
	['fetching', 404, async (client) => await fetchFileRecord(client, 'f1')],
	['deleting', 413, async (client) => await deleteFile(client, 'f1')],
])('%s has the error text for files: %i', async (_, status, act) => {
	const { client } = scriptedClient([{ status }]);
	expect((await apiErrorOf(act(client))).message).toBe(errorText({ group: 'storage', status }).message);
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
