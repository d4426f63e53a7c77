import type { INodeExecutionData } from 'n8n-workflow';
import nock from 'nock';

import { gatewayFailure } from '../../helpers/client';
import { binaryStorage, storedBinary } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { gateway, run, uploaded } from './support';

useNock();

/** An item with a binary in n8n's storage. */
const storedItem = async (content: string) => ({
	json: {},
	binary: {
		data: await storedBinary(content, { mimeType: 'image/png', fileName: 'my "cat"\n.png' }),
	},
});

/** An item with a binary in the item itself. */
const memoryItem = (content: string) => ({
	json: {},
	binary: {
		data: { data: Buffer.from(content).toString('base64'), mimeType: 'text/plain', fileName: 'a.txt' },
	},
});

/** An item of a workflow whose files are part of the JSON data. */
const inJson = (files: object): INodeExecutionData => ({ json: { _files: { ...files } } });

describe('file: upload', () => {
	it('sends a binary as multipart of exact length', async () => {
		let sent = { body: '', length: '', contentType: '' };
		nock('https://gateway.test')
			.post('/api/v1/storage/upload')
			.reply(function (_uri, body) {
				sent = {
					body: body as string,
					length: String(this.req.headers['content-length']),
					contentType: String(this.req.headers['content-type']),
				};
				return [200, uploaded];
			});
		const { items, error } = await run(
			'upload',
			{ storagePolicy: 'PERMANENT', options: { externalUserId: 'u1' } },
			{ items: [await storedItem('png bytes')] },
		);
		expect(error).toBeUndefined();
		expect(Buffer.byteLength(sent.body)).toBe(Number(sent.length));
		const boundary = /boundary=(.+)$/.exec(sent.contentType)?.[1] ?? 'none';
		expect(sent.body.split(`--${boundary}`)).toHaveLength(5);
		expect(sent.body).toContain('name="storagePolicy"\r\n\r\nPERMANENT\r\n');
		expect(sent.body).toContain('name="externalUserId"\r\n\r\nu1\r\n');
		expect(sent.body).toContain(
			'name="file"; filename="my %22cat%22%0A.png"\r\nContent-Type: image/png\r\n\r\npng bytes\r\n',
		);
		expect(items[0]?.json).toStrictEqual({
			id: 'f1',
			mimeType: 'image/png',
			size: 9,
			url: 'https://files.test/f1.png',
			source: 'user_upload',
			storagePolicy: 'TEMP_UPLOAD',
			expiresAt: '2026-03-02T00:00:00.000Z',
			createdAt: '2026-03-01T00:00:00.000Z',
			updatedAt: '2026-03-01T00:00:00.000Z',
		});
	});

	it('opens the file again for a retry', async () => {
		const bodies: string[] = [];
		nock('https://gateway.test')
			.persist()
			.post('/api/v1/storage/upload')
			.reply((_uri, body) => {
				bodies.push(body as string);
				return bodies.length === 1 ? [503, gatewayFailure(503), { 'retry-after': '0' }] : [200, uploaded];
			});
		const { error } = await run('upload', {}, { items: [await storedItem('png bytes')] });
		expect(error).toBeUndefined();
		expect(bodies).toHaveLength(2);
		expect(bodies.every((body) => body.includes('png bytes'))).toBe(true);
	});

	it.each([
		['the type of a data URL', {}, 'text/plain'],
		['the type that the user gives', { mimeType: ' audio/mpeg ' }, 'audio/mpeg'],
	])('sends base64 text with %s', async (_, more, mimeType) => {
		gateway()
			.post('/api/v1/storage/upload', { base64: 'aGVsbG8=', mimeType, storagePolicy: 'TEMP_UPLOAD' })
			.reply(200, uploaded);
		const base64 = 'data:text/plain;base64,aGVs\nbG8=';
		const { error } = await run('upload', { uploadSource: 'base64', base64, ...more });
		expect(error).toBeUndefined();
	});

	it('rejects text that is not base64 before anything is sent', async () => {
		const { error } = await run('upload', { uploadSource: 'base64', base64: 'hello world!' });
		expect(error?.message).toBe('The text is not base64');
	});

	it('takes no file that is named in the JSON data of another workflow: the data may come from outside', async () => {
		const { binary } = await storedItem('a file of somebody else');
		const { error } = await run('upload', {}, { items: [inJson(binary)] });
		expect(error?.message).toContain("names the binary field 'data', which the input item does not have");
	});

	it('rejects base64 text over the limit, also when the file is not, before anything is sent', async () => {
		const base64 = 'A'.repeat(104 * 1024 * 1024 + 768 * 1024);
		const { error } = await run('upload', { uploadSource: 'base64', base64 });
		expect(error?.message).toBe('The file is too large to upload: 104.8 MB');
		expect(error?.description).toContain('75 MB as base64 text');
	});

	it('rejects an empty file, and one over the limit, before anything is sent', async () => {
		const empty = await run('upload', {}, { items: [memoryItem('')] });
		expect(empty.error?.message).toBe('The file is empty');
		const service = await binaryStorage();
		const spy = jest.spyOn(service, 'getMetadata').mockResolvedValue({ fileSize: 105 * 1024 * 1024 });
		const large = await run('upload', {}, { items: [await storedItem('x')] });
		spy.mockRestore();
		expect(large.error?.message).toBe('The file is too large to upload: 105.0 MB');
	});
});
