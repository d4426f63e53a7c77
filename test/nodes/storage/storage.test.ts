import nock from 'nock';

import { useNock } from '../../helpers/nock';
import { gateway, run } from './support';

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
		['delete', { fileId: 'f1' }],
	])('is rejected by %s before anything is sent', async (operation, parameters) => {
		const { error } = await run(operation, { ...parameters, simplify: 'perhaps' });
		expect(error?.message).toBe('\'Simplify\' has a value that is not allowed: "perhaps"');
	});
});

it.each(['..', '%2E%2e', 'f1/..'])('the file ID %s is rejected before anything is sent', async (fileId) => {
	for (const operation of ['get', 'delete', 'download']) {
		const { error } = await run(operation, { fileId });
		expect(error?.message).toBe(`'File ID' has a value that is not allowed: ${JSON.stringify(fileId)}`);
	}
});

it.each([
	['base64', { base64: 'QUJD' }],
	['url', { url: 'https://files.test/a.png' }],
])(
	'an external user ID of 129 characters is rejected before a file is read: %s',
	async (uploadSource, more) => {
		const options = { externalUserId: 'ж'.repeat(129) };
		const { error } = await run('upload', { uploadSource, ...more, options });
		expect(error?.message).toContain("The option 'External User ID' has a value that is not allowed");
	},
);

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

	it('returns the record alone to an AI Agent, which can use its URL', async () => {
		gateway().get('/api/v1/storage/f1').reply(200, { asset });
		const { items } = await run('download', { fileId: 'f1' }, { asTool: true });
		expect(items).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({ id: 'f1', url: 'https://files.test/f1.png' });
		expect(items[0]).not.toHaveProperty('binary');
	});

	it('says that the record has no URL', async () => {
		gateway().get('/api/v1/storage/f1').reply(200, { id: 'f1' });
		const { error } = await run('download', { fileId: 'f1' });
		expect(error?.message).toBe('The gateway’s response has no URL of the file');
	});
});

describe('file: delete', () => {
	it('returns the ID of the deleted file', async () => {
		gateway().delete('/api/v1/storage/f1').reply(200, { success: true, asset_id: 'f1' });
		const { items } = await run('delete', { fileId: 'f1' });
		expect(items[0]?.json).toStrictEqual({ deleted: true, id: 'f1' });
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
		['an envelope', { code: 200, data: { items: [asset], page: 1 } }],
	])('finds the files in each shape of response: %s', async (_, body) => {
		const { items } = await list(body);
		expect(items).toHaveLength(1);
		expect(items[0]?.json).toMatchObject(file);
		expect(items[0]?.json).not.toHaveProperty('storage_key');
	});

	it.each([
		[{ usage: { files: 3 } }, { usage: { files: 3 } }],
		[['a.png'], { list: ['a.png'] }],
	])('returns the response when it has no list of files: %j', async (body, json) => {
		expect((await list(body)).items.map((item) => item.json)).toStrictEqual([json]);
	});
});
