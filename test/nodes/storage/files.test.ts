import type { Readable } from 'node:stream';

import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import nock from 'nock';

import type { FaultAction } from '../../../sandbox/gateway/gateway';
import { useGateway } from '../../contract/support';
import { binaryStorage, storedBinary } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { eventually } from '../../helpers/time';
import { gateway, run, uploaded } from './support';

describe('storage', () => {
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

	it.each([
		['upload', { uploadSource: 'base64', base64: 'QUJD' }],
		['get', { fileId: 'f1' }],
	])(
		'a toggle that is neither true nor false is rejected by %s before anything is sent',
		async (operation, parameters) => {
			const { error } = await run(operation, { ...parameters, simplify: 'perhaps' });
			expect(error?.message).toBe('\'Simplify\' has a value that is not allowed: "perhaps"');
		},
	);

	it.each<[string, 'GET' | 'POST', object, object | object[]]>([
		['upload', 'POST', { uploadSource: 'base64', base64: 'QUJD' }, uploaded],
		['get', 'GET', { fileId: 'f1' }, { asset }],
		['getMany', 'GET', { returnAll: true }, [asset, { ...asset, id: 'f2' }]],
	])('%s returns what the gateway sends without Simplify', async (operation, method, parameters, body) => {
		gateway()
			.intercept(/^\/api\/v1\/storage/, method)
			.reply(200, body as nock.Body);
		const { items } = await run(operation, { ...parameters, simplify: false });
		expect(items.map(({ json }) => json)).toStrictEqual([body].flat());
	});

	describe('file: download', () => {
		it.each([
			['cat.png', 'image/png', 'image/png', 'cat.png'],
			['report', 'text/csv', undefined, 'report'],
			['report', 'text/csv', 'application/octet-stream', 'report'],
		])(
			'fetches the bytes of %s, %s, from the record’s URL, whose server names the type %s, without the key',
			async (filename, mimeType, named, fileName) => {
				const record = { ...asset, filename, mime_type: mimeType, url: 'https://files.test/f1' };
				gateway().get('/api/v1/storage/f1').reply(200, { asset: record });
				nock('https://files.test', { badheaders: ['authorization', 'x-api-key'] })
					.get('/f1')
					.reply(200, 'its bytes', named === undefined ? {} : { 'content-type': named });
				const { items } = await run('download', { fileId: 'f1', binaryPropertyName: 'photo' });
				expect(items[0]?.binary?.photo).toMatchObject({ fileName, mimeType, bytes: 9 });
				expect(items[0]?.json).toMatchObject({ fileName: filename, mimeType });
			},
		);

		it('returns the record alone to an AI Agent, which can use its URL', async () => {
			gateway().get('/api/v1/storage/f1').reply(200, { asset });
			const { items } = await run('download', { fileId: 'f1' }, { asTool: true });
			expect(items).toHaveLength(1);
			expect(items[0]?.json).toMatchObject({ id: 'f1', url: 'https://files.test/f1.png' });
			expect(items[0]).not.toHaveProperty('binary');
		});

		it('calls a file without a name, also at its URL, by its ID', async () => {
			const url = 'https://files.test/f1/';
			gateway().get('/api/v1/storage/f1').reply(200, { id: 'f1', url });
			nock('https://files.test').get('/f1/').reply(200, 'its bytes', { 'content-type': 'image/png' });
			const { items } = await run('download', { fileId: 'f1' });
			expect(items[0]?.binary?.data?.fileName).toBe('file_f1.png');
		});

		it('says that the record has no URL', async () => {
			gateway().get('/api/v1/storage/f1').reply(200, { id: 'f1' });
			const { error } = await run('download', { fileId: 'f1' });
			expect(error?.message).toBe('The gateway’s response has no URL of the file');
		});
	});

	describe('file: getMany', () => {
		const list = async (body: unknown, parameters: object = {}) => {
			gateway()
				.get('/api/v1/storage')
				.reply(200, JSON.stringify(body), { 'content-type': 'application/json' });
			return await run('getMany', { returnAll: true, ...parameters });
		};
		const file = { id: 'f1', fileName: 'cat.png', mimeType: 'image/png', status: 'active' };

		it.each<[string, unknown]>([
			['a list', [asset]],
			['an envelope', { code: 200, data: { items: [asset], page: 1 } }],
			['a list behind one of other things', { filters: [{ name: 'type' }], files: [asset] }],
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
});

describe('a download that', () => {
	const gateway = useGateway();

	it.each<[string, number, FaultAction, number]>([
		['breaks', 100_000, { kind: 'cutBody' }, 2],
		['stalls', 100_000, { kind: 'stallBody' }, 2],
		['is slow', 5, { kind: 'dripBody', everyMs: 40_000 }, 1],
	])('%s is fetched again if it must', async (_, size, action, times) => {
		const { id } = gateway.control.createBigFile({ size });
		gateway.control.addFault({ match: { host: 'files' }, action });
		const options = { timeout: 60, maxRetries: 2 };
		const parameters = { resource: 'file', operation: 'download', fileId: id, options };
		const { items } = await gateway.run({ node: 'storage', parameters });
		expect(items[0]?.binary?.data?.bytes).toBe(size);
		expect(gateway.control.requests({ host: 'files' })).toHaveLength(times);
	});
});

describe('a file of the input item', () => {
	const gateway = useGateway();
	const upload = async (items: INodeExecutionData[], parameters: object = {}) =>
		await gateway.run({
			node: 'storage',
			items,
			parameters: { resource: 'file', operation: 'upload', ...parameters },
		});

	const inItem = (content: string, facts: Partial<IBinaryData> = {}): IBinaryData => ({
		data: Buffer.from(content).toString('base64'),
		mimeType: 'image/png',
		fileName: 'a.png',
		...facts,
	});
	const withFile = (data: IBinaryData): INodeExecutionData => ({ json: {}, binary: { data } });

	it('is each item’s own, read from the named field, with blanks around the name', async () => {
		const items = ['one', 'three', 'fifteen'].map((content) => ({
			json: {},
			binary: { data: inItem('-'), other: inItem(content) },
		}));
		const { items: outputs } = await upload(items, { binaryPropertyName: ' other ' });
		expect(outputs.map(({ json }) => json.size)).toStrictEqual([3, 5, 7]);
	});

	it('has a name with its extension if it has none', async () => {
		const film = inItem('x', { fileName: '', fileExtension: 'mp4', mimeType: 'video/mp4' });
		const { items } = await upload([withFile(film)]);
		const get = { resource: 'file', operation: 'get', fileId: items[0]?.json.id as string };
		const { items: stored } = await gateway.run({ node: 'storage', parameters: get });
		expect(stored[0]?.json.fileName).toBe('file.mp4');
	});

	describe('a value that is not a file is rejected, and nothing is sent', () => {
		const one = withFile(inItem('x'));
		const two = { json: {}, binary: { a: inItem('x'), b: inItem('y') } };

		it.each<[string, INodeExecutionData, unknown, RegExp]>([
			['a field that is missing', one, 'image', /names the binary field 'image'.*It has: data\./s],
			['a field that is missing among others', two, 'data', /It has: a, b\./],
			['an item without files', { json: {} }, 'data', /names the binary field 'data'.*no binary fields/s],
			['no name', one, '={{ "" }}', /empty/],
			['blanks', one, '={{ "  " }}', /empty/],
			['nothing', one, '={{ null }}', /empty/],
			['an object', one, '={{ ({ a: 1 }) }}', /object without the bytes/],
			['a list', one, '={{ ["data"] }}', /object without the bytes/],
			['a number', one, '={{ 7 }}', /names the binary field '7'/],
		])('%s', async (_, item, binaryPropertyName, problem) => {
			const { error } = await upload([item], { binaryPropertyName });
			expect(`${error?.message} ${error?.description ?? ''}`).toMatch(problem);
			expect(gateway.control.requests()).toStrictEqual([]);
		});
	});

	it('is closed when the gateway rejects the upload', async () => {
		const action = { kind: 'error', code: 'invalid_api_key' } as const;
		gateway.control.addFault({ match: { path: '/storage/upload' }, action, times: 0 });
		const service = await binaryStorage();
		const streams: Readable[] = [];
		const original = service.getAsStream.bind(service);
		const spy = jest.spyOn(service, 'getAsStream').mockImplementation(async (...args) => {
			const stream = await original(...args);
			streams.push(stream);
			return stream;
		});
		const large = await storedBinary('x'.repeat(20_000_000), { mimeType: 'text/plain', fileName: 'a.txt' });
		const { error } = await upload([withFile(large)], { options: { maxRetries: 0 } });
		spy.mockRestore();
		expect(error).toBeDefined();
		await eventually(() => streams.every(({ closed }) => closed));
		// One for the first bytes, one for the upload.
		expect(streams.map(({ destroyed }) => destroyed)).toStrictEqual([true, true]);
	});
});
