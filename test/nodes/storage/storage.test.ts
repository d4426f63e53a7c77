import nock from 'nock';

import { useNock } from '../../helpers/nock';
import { gateway, run, uploaded } from './support';

useNock();

const asset = {
	id: 'f1',
	filename: 'cat.png',
	storage_key: 'internal/secret/path',
	asset_type: 'chat_upload',
	mime_type: 'image/png',
	extension: '.png',
	size_bytes: 9,
	status: 'active',
	source: 'user_upload',
	created_at: '2026-03-01T00:00:00Z',
	updated_at: '2026-03-01T00:00:00Z',
	url: 'https://files.test/f1.png',
};

describe('a toggle that is neither true nor false', () => {
	it.each([
		['upload', { uploadSource: 'base64', base64: 'QUJD' }],
		['get', { fileId: 'f1' }],
		['download', { fileId: 'f1' }],
		['getMany', {}],
		['delete', { fileId: 'f1' }],
	])('is rejected by %s before anything is sent', async (operation, parameters) => {
		const { error } = await run(operation, { ...parameters, simplify: 'perhaps' });
		expect(error?.message).toBe('\'Simplify\' has a value that is not allowed: "perhaps"');
	});
});

describe('file: get', () => {
	it('returns the other record shape with the same fields', async () => {
		gateway().get('/api/v1/storage/f1').reply(200, { asset });
		const { items } = await run('get', { fileId: 'f1' });
		expect(items[0]?.json).toStrictEqual({
			id: 'f1',
			fileName: 'cat.png',
			mimeType: 'image/png',
			size: 9,
			url: 'https://files.test/f1.png',
			source: 'user_upload',
			status: 'active',
			createdAt: '2026-03-01T00:00:00Z',
			updatedAt: '2026-03-01T00:00:00Z',
		});
	});

	it('explains a missing file', async () => {
		gateway()
			.get('/api/v1/storage/f1')
			.reply(404, { error: { message: 'not found', type: 'invalid_request' } });
		const { error } = await run('get', { fileId: 'f1' });
		expect(error?.message).toBe('The gateway has no such file');
		expect(error?.description).toContain('24 hours');
	});
});

describe('file: download', () => {
	it('fetches the bytes from the record’s URL, without the key', async () => {
		gateway().get('/api/v1/storage/f1').reply(200, { asset });
		nock('https://files.test', { badheaders: ['authorization', 'x-api-key'] })
			.get('/f1.png')
			.reply(200, 'png bytes', { 'content-type': 'image/png' });
		const { items } = await run('download', { fileId: 'f1', binaryPropertyName: 'photo' });
		expect(items[0]?.binary?.photo).toMatchObject({ fileName: 'cat.png', mimeType: 'image/png', bytes: 9 });
		expect(items[0]?.json.fileName).toBe('cat.png');
	});

	it('uses the type of the record when the file’s server does not know it', async () => {
		gateway().get('/api/v1/storage/f1').reply(200, { asset });
		nock('https://files.test')
			.get('/f1.png')
			.reply(200, 'png bytes', { 'content-type': 'binary/octet-stream' });
		const { items } = await run('download', { fileId: 'f1' });
		expect(items[0]?.binary?.data).toMatchObject({ fileName: 'cat.png', mimeType: 'image/png' });
	});

	it('explains that the file behind the URL is missing', async () => {
		gateway().get('/api/v1/storage/f1').reply(200, { asset });
		nock('https://files.test').get('/f1.png').reply(404, 'gone');
		const { error } = await run('download', { fileId: 'f1' });
		expect(error?.message).toBe('There is no file behind the link');
	});
});

describe('file: delete', () => {
	it('rejects when the file is not deleted', async () => {
		gateway().delete('/api/v1/storage/f1').reply(200, { success: false });
		const { error } = await run('delete', { fileId: 'f1' });
		expect(error?.message).toContain('no confirmation that the file is deleted');
	});

	it('returns the ID of the deleted file', async () => {
		gateway().delete('/api/v1/storage/f1').reply(200, { success: true, asset_id: 'f1' });
		const { items } = await run('delete', { fileId: 'f1' });
		expect(items[0]?.json).toStrictEqual({ deleted: true, id: 'f1' });
	});

	it('explains that a missing file may have been deleted', async () => {
		gateway()
			.delete('/api/v1/storage/f1')
			.reply(404, { error: { message: 'File not found' } });
		const { error } = await run('delete', { fileId: 'f1' });
		expect(error?.message).toBe('The gateway has no such file');
		expect(error?.description).toContain('It was deleted, has expired');
		expect(error?.httpCode).toBe('404');
	});
});

describe('file: getMany', () => {
	const list = async (body: unknown, parameters: object = {}) => {
		gateway().get('/api/v1/storage').reply(200, JSON.stringify(body), { 'content-type': 'application/json' });
		return await run('getMany', { returnAll: true, ...parameters });
	};
	const file = { id: 'f1', fileName: 'cat.png', mimeType: 'image/png', status: 'active' };

	it.each<[string, unknown]>([
		['a list', [asset]],
		['assets', { assets: [asset], total: 1 }],
		['an envelope', { code: 200, data: { items: [asset], page: 1 } }],
		['a list next to another', { tags: ['a'], errors: [{ reason: 'x' }], files: [asset] }],
	])('finds the files in each shape of response: %s', async (_, body) => {
		const { items } = await list(body);
		expect(items).toHaveLength(1);
		expect(items[0]?.json).toMatchObject(file);
		expect(items[0]?.json).not.toHaveProperty('storage_key');
	});

	it('accepts the shape of an upload response, too', async () => {
		const { items } = await list({ data: [uploaded] });
		expect(items[0]?.json).toMatchObject({ id: 'f1', storagePolicy: 'TEMP_UPLOAD', size: 9 });
	});

	it.each([[[]], [{ assets: [], total: 0 }], [{ data: { items: [], page: 1 } }]])(
		'returns no items for an empty list: %j',
		async (body) => expect((await list(body)).items).toStrictEqual([]),
	);

	it.each([
		[{ usage: { files: 3 } }, { usage: { files: 3 } }],
		[{ names: ['a.png'] }, { names: ['a.png'] }],
		[['a.png'], { list: ['a.png'] }],
	])('returns the response when it has no list of files: %j', async (body, json) => {
		expect((await list(body)).items.map((item) => item.json)).toStrictEqual([json]);
	});

	it('returns the records as received without Simplify, up to the limit', async () => {
		const second = { ...asset, id: 'f2' };
		const { items } = await list(
			{ assets: [asset, second, second], total: 9 },
			{ returnAll: false, limit: 2, simplify: false },
		);
		expect(items.map(({ json }) => json)).toStrictEqual([asset, second]);
	});

	it('returns small JSON to an AI Agent', async () => {
		gateway()
			.get('/api/v1/storage')
			.reply(200, { assets: [asset] });
		const { items } = await run('getMany', {}, { asTool: true });
		expect(JSON.stringify(items[0]?.json).length).toBeLessThan(400);
	});
});
