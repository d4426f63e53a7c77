import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';

import { binaryStorage, runNode, storedBinary, type RunOptions } from '../../helpers/engine';

// Uploads of an input item's file, over real sockets.

interface Upload {
	length: number;
	declared: number;
	head: string;
	content: string;
}

let server: Server;
let uploads: Upload[] = [];
let requests = 0;
/** Whether the gateway responds with an error without reading the body. */
let rejects = false;

beforeAll(async () => {
	server = createServer((request, response) => {
		requests += 1;
		if (rejects) {
			response.writeHead(401, { connection: 'close' });
			response.end('{"error":{"code":"invalid_api_key"}}');
			return;
		}
		void buffer(request).then((body) => {
			const { headers } = request;
			const part = body.toString('latin1').split('data; name="file"')[1] ?? '';
			const [head = '', content = ''] = part.split('\r\n\r\n');
			uploads.push({
				length: body.length,
				declared: Number(headers['content-length']),
				head,
				content: Buffer.from(content.split('\r\n--')[0] ?? '', 'latin1').toString('utf8'),
			});
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end('{"id":"f1","url":"https://files.test/f1"}');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
	uploads = [];
	requests = 0;
	rejects = false;
});
afterAll(async () => {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

async function upload(items: INodeExecutionData[], parameters: object = {}, extra: Partial<RunOptions> = {}) {
	const { port } = server.address() as AddressInfo;
	return await runNode({
		node: 'storage',
		items,
		...extra,
		parameters: { resource: 'file', operation: 'upload', ...parameters },
		credential: { baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey: 'sk-test' },
	});
}

const inItem = (content: string, facts: Partial<IBinaryData> = {}): IBinaryData => ({
	data: Buffer.from(content).toString('base64'),
	mimeType: 'text/plain',
	fileName: 'a.txt',
	...facts,
});
const withFile = (data: IBinaryData): INodeExecutionData => ({ json: {}, binary: { data } });

describe('a file of the input item', () => {
	it.each([
		['in the item itself', async (content: string) => await Promise.resolve(inItem(content))],
		[
			'in n8n’s storage',
			async (content: string) => await storedBinary(content, { mimeType: 'text/plain', fileName: 'a.txt' }),
		],
	])('%s is sent whole, with its exact length', async (_, binary) => {
		const content = 'é'.repeat(100_000);
		const { error } = await upload([withFile(await binary(content))]);
		expect(error).toBeUndefined();
		expect(uploads).toHaveLength(1);
		const [sent] = uploads;
		expect(sent?.content).toBe(content);
		expect(sent?.declared).toBe(sent?.length);
		expect(sent?.head).toBe('; filename="a.txt"\r\nContent-Type: text/plain');
	});

	it('is each item’s own', async () => {
		const items = ['one', 'two', 'three'].map((content) => withFile(inItem(content)));
		await upload(items, { options: { concurrency: 1 } });
		expect(uploads.map(({ content }) => content)).toStrictEqual(['one', 'two', 'three']);
	});

	it('is read from the named field, with blanks around the name', async () => {
		const items = [{ json: {}, binary: { data: inItem('one'), other: inItem('two') } }];
		await upload(items, { binaryPropertyName: ' other ' });
		expect(uploads.map(({ content }) => content)).toStrictEqual(['two']);
	});
});

describe('a value that is not a file is rejected, and nothing is sent', () => {
	it.each<[string, INodeExecutionData, unknown, RegExp]>([
		[
			'a field that is missing',
			withFile(inItem('x')),
			'image',
			/names the binary field 'image'.*It has: data\./s,
		],
		[
			'a field that is missing among others',
			{ json: {}, binary: { a: inItem('x'), b: inItem('y') } },
			'data',
			/It has: a, b\./,
		],
		['an item without files', { json: {} }, 'data', /names the binary field 'data'.*no binary fields/s],
		['no name', withFile(inItem('x')), '={{ "" }}', /empty/],
		['blanks', withFile(inItem('x')), '={{ "  " }}', /empty/],
		['nothing', withFile(inItem('x')), '={{ null }}', /empty/],
		['an object', withFile(inItem('x')), '={{ ({ a: 1 }) }}', /object without the bytes/],
		['a list', withFile(inItem('x')), '={{ ["data"] }}', /object without the bytes/],
		['a number', withFile(inItem('x')), '={{ 7 }}', /names the binary field '7'/],
	])('%s', async (_, item, binaryPropertyName, problem) => {
		const { error } = await upload([item], { binaryPropertyName });
		expect(`${error?.message} ${error?.description ?? ''}`).toMatch(problem);
		expect(requests).toBe(0);
	});

	it('a stored file that is missing', async () => {
		const binary = await storedBinary('x', { mimeType: 'text/plain', fileName: 'a.txt' });
		const { error } = await upload([withFile({ ...binary, id: `${binary.id}-gone` })]);
		expect(error).toBeDefined();
		expect(requests).toBe(0);
	});
});

it('a rejected upload closes its file', async () => {
	rejects = true;
	const service = await binaryStorage();
	const streams: Readable[] = [];
	const original = service.getAsStream.bind(service);
	const spy = jest.spyOn(service, 'getAsStream').mockImplementation(async (...args) => {
		const stream = await original(...args);
		streams.push(stream);
		return stream;
	});
	const unheard: unknown[] = [];
	const note = (error: unknown) => void unheard.push(error);
	process.on('uncaughtException', note).on('unhandledRejection', note);
	const large = await storedBinary('x'.repeat(20_000_000), { mimeType: 'text/plain', fileName: 'a.txt' });
	const { error } = await upload([withFile(large)], { options: { maxRetries: 0 } });
	spy.mockRestore();
	expect(error).toBeDefined();
	await Promise.all(
		streams.map(async (stream) => {
			if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve));
		}),
	);
	process.off('uncaughtException', note).off('unhandledRejection', note);
	expect(streams.map(({ destroyed }) => destroyed)).toStrictEqual([true]);
	expect(unheard).toStrictEqual([]);
});
