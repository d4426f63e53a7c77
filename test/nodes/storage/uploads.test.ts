import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

import type { INodeParameters } from 'n8n-workflow';
import nock from 'nock';

import { binaryStorage, runNode, type RunOptions, storedBinary } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { useServer } from '../../helpers/server';
import { gateway, run, uploaded } from './support';

const MB = 1024 * 1024;

describe('file: upload', () => {
	useNock();

	/** An item with a binary in n8n's storage. */
	const storedItem = async (content: string) => ({
		json: {},
		binary: {
			data: await storedBinary(content, { mimeType: 'image/png', fileName: 'my "cat"\n.png' }),
		},
	});

	it('sends a binary as multipart of exact length, after the fields', async () => {
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
			{ storagePolicy: 'PERMANENT', options: { externalUserId: 'клиент 7' } },
			{ items: [await storedItem('png bytes')] },
		);
		expect(error).toBeUndefined();
		expect(Buffer.byteLength(sent.body)).toBe(Number(sent.length));
		const boundary = /^multipart\/form-data; boundary=(n8n-[0-9a-f-]{36})$/.exec(sent.contentType)?.[1];
		const part = 'Content-Disposition: form-data; name=';
		expect(sent.body.replaceAll(boundary ?? 'none', 'boundary')).toBe(
			[
				...['--boundary', `${part}"storagePolicy"`, '', 'PERMANENT'],
				...['--boundary', `${part}"externalUserId"`, '', 'клиент 7'],
				...['--boundary', `${part}"file"; filename="my %22cat%22%0A.png"`],
				...['Content-Type: image/png', '', 'png bytes', '--boundary--', ''],
			].join('\r\n'),
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

	it.each([
		['the type of a data URL', {}, 'text/plain'],
		['the type that the user gives', { mimeType: ' audio/mpeg ' }, 'audio/mpeg'],
	])('sends base64 text with %s', async (_, more, mimeType) => {
		const isSent = (body: string) => body.includes(`Content-Type: ${mimeType}\r\n\r\nhello\r\n`);
		gateway().post('/api/v1/storage/upload', isSent).reply(200, uploaded);
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
		const { error } = await run('upload', {}, { items: [{ json: { _files: { ...binary } } }] });
		expect(error?.message).toContain("names the binary field 'data', which the input item does not have");
	});

	it('rejects base64 text of a file over the limit before anything is sent', async () => {
		const base64 = `={{ 'A'.repeat(${140 * MB}) }}`;
		const { error } = await run('upload', { uploadSource: 'base64', base64 });
		expect(error?.message).toBe('The file is too large to upload: 105.0 MB');
	});

	it('rejects an empty file, and one over the limit, before anything is sent', async () => {
		const file = { data: '', mimeType: 'text/plain', fileName: 'a.txt' };
		const empty = await run('upload', {}, { items: [{ json: {}, binary: { data: file } }] });
		expect(empty.error?.message).toBe('The file is empty');
		const service = await binaryStorage();
		const spy = jest.spyOn(service, 'getMetadata').mockResolvedValue({ fileSize: 105 * MB });
		const large = await run('upload', {}, { items: [await storedItem('x')] });
		spy.mockRestore();
		expect(large.error?.message).toBe('The file is too large to upload: 105.0 MB');
	});
});

describe('upload url', () => {
	// Uploads from a URL, over real sockets: a server of files, and a gateway.

	const KEY = 'sk-secret';

	let respond: RequestListener;
	/** How the gateway receives an upload, by attempt. */
	let receive: RequestListener;
	let uploads: Array<{ head: string; content: string; length: string | undefined; size: number }>;
	/** Uploads of this test: one of an earlier test, which was given up, may still arrive. */
	let attempts = 0;
	let testNumber = 0;
	let downloads: Array<{ url: string; headers: NodeJS.Dict<string | string[]>; isClosed: Promise<void> }>;

	const accept: RequestListener = (request, response) => {
		void buffer(request)
			.then((body) => {
				const part = body.toString('latin1').split('data; name="file"')[1] ?? '';
				const [head = '', content = ''] = part.split('\r\n\r\n');
				const length = request.headers['content-length'];
				uploads.push({ head, content: content.split('\r\n--')[0] ?? '', length, size: body.length });
				response.writeHead(200, { 'content-type': 'application/json' });
				response.end('{"id":"f1","url":"https://files.test/f1"}');
			})
			.catch(() => undefined);
	};

	const reply =
		(status: number, body: string | Buffer = '', headers: Record<string, string> = {}): RequestListener =>
		(_, response) =>
			void response.writeHead(status, headers).end(body);

	const gateway = useServer((request, response) => {
		if (!request.url?.startsWith(`/${testNumber}/`)) return void response.destroy();
		attempts += 1;
		receive(request, response);
	});
	const files = useServer((request, response) => {
		const isClosed = new Promise<void>((resolve) => response.once('close', resolve));
		downloads.push({ url: request.url ?? '', headers: request.headers, isClosed });
		respond(request, response);
	});
	beforeEach(() => {
		[uploads, downloads, attempts, receive] = [[], [], 0, accept];
		testNumber += 1;
		respond = reply(200, 'png bytes');
	});

	async function upload(path: string, options: INodeParameters = {}, extra: Partial<RunOptions> = {}) {
		return await runNode({
			node: 'storage',
			...extra,
			parameters: {
				resource: 'file',
				operation: 'upload',
				uploadSource: 'url',
				url: path.startsWith('/') ? files.origin() + path : path,
				options,
			},
			credential: { baseUrl: `${gateway.origin()}/${testNumber}/api/v1`, apiKey: KEY },
		});
	}

	describe('a file at a URL', () => {
		it('is uploaded with its name, type and exact length', async () => {
			respond = reply(200, 'png bytes', { 'content-type': 'image/png', 'content-length': '9' });
			const { items, error } = await upload('/a/cat.png?size=1');
			expect(error).toBeUndefined();
			expect(items[0]?.json).toMatchObject({ id: 'f1' });
			const [sent] = uploads;
			expect(sent).toMatchObject({
				content: 'png bytes',
				head: '; filename="cat.png"\r\nContent-Type: image/png',
			});
			expect(Number(sent?.length)).toBe(sent?.size);
		});

		const zipped = gzipSync('png bytes');
		it.each<[string, RequestListener]>([
			['of unknown length', (_, response) => void response.write('png ', () => response.end('bytes'))],
			[
				'that its server compresses',
				reply(200, zipped, { 'content-encoding': 'gzip', 'content-length': String(zipped.length) }),
			],
		])('%s is uploaded with its length and the type of its name', async (_, listener) => {
			respond = listener;
			const { error } = await upload('/cat.png');
			expect(error).toBeUndefined();
			expect(uploads).toMatchObject([{ content: 'png bytes', length: String(uploads[0]?.size) }]);
			expect(uploads[0]?.head).toContain('Content-Type: image/png');
		});

		it('is found behind redirects', async () => {
			const moved = reply(302, '', { location: '/new/cat.png' });
			const file = reply(200, 'png bytes', { 'content-type': 'image/png' });
			respond = (request, response) => (request.url === '/old' ? moved : file)(request, response);
			const { error } = await upload('/old');
			expect(error).toBeUndefined();
			expect(uploads).toMatchObject([{ content: 'png bytes' }]);
			expect(JSON.stringify(downloads)).not.toContain(KEY);
		});
	});

	describe('what is no file', () => {
		it.each<[string, RequestListener, string]>([
			['404', reply(404, '{"code":"x"}'), 'There is no file behind the link'],
			['401', reply(401), 'The server of the file does not accept the link'],
			[
				'a sign-in page',
				reply(200, '<html>', { 'content-type': 'text/html' }),
				'A web page came instead of the file',
			],
			['an empty file', reply(200, '', { 'content-length': '0' }), 'The file is empty'],
			[
				'101 MB',
				(_, response) => {
					response.writeHead(200, { 'content-length': String(101 * MB) });
					response.write('x');
				},
				'The file is too large to upload: 101.0 MB',
			],
		])('is refused before anything is sent to the gateway: %s', async (_, listener, message) => {
			respond = listener;
			const { error } = await upload('/cat.png');
			expect(error?.message).toBe(message);
			expect(error?.description).not.toMatch(/stays at the gateway|The gateway says/);
			// The file is requested once, and the rest of it not read.
			expect([attempts, downloads.length]).toStrictEqual([0, 1]);
			await downloads[0]?.isClosed;
		});

		it.each<[string, string]>([
			['ftp://files.test/a', "'URL' is not a web address"],
			['cat.png', "'URL' is not a web address"],
			['data:image/png;base64,QUJD', "'URL' is not a web address"],
			[' ', "'URL' is empty"],
		])('%s is refused', async (url, message) => {
			const { error } = await upload(url);
			expect(error?.message).toBe(message);
			expect([attempts, downloads.length]).toStrictEqual([0, 0]);
		});

		const broke = 'The connection broke while the file was downloaded';
		const breaksOff =
			(headers: Record<string, string>): RequestListener =>
			(request, response) => {
				response.writeHead(200, headers).write('png');
				setTimeout(() => request.socket.destroy(), 50);
			};
		it.each<[string, RequestListener, string]>([
			['nothing', reply(204), 'The file is empty'],
			['an empty stream', reply(200), 'The file is empty'],
			['a file that breaks off', breaksOff({ 'content-length': '1000' }), broke],
			['a stream that breaks off', breaksOff({}), broke],
		])('is not uploaded: %s', async (_, listener, message) => {
			respond = listener;
			const { error } = await upload('/cat.png', { maxRetries: 0 });
			expect(error?.message).toBe(message);
			expect(error?.description).toContain('Nothing was sent.');
			expect(attempts).toBe(0);
		});

		it('a stream of more than 100 MB is not uploaded', async () => {
			respond = (request, response) => {
				const chunk = Buffer.alloc(4 * MB);
				const push = () => {
					while (!request.socket.destroyed && response.write(chunk));
				};
				response.on('drain', push);
				push();
			};
			const { error } = await upload('/film.mp4');
			expect(error?.message).toMatch(/^The file is too large to upload: 10\d\.\d MB$/);
			expect(attempts).toBe(0);
		});

		it('a gateway that does not respond to the whole file is named, not the server of the file', async () => {
			receive = (request) => request.resume();
			const { error } = await upload('/cat.png', { timeout: 1 });
			expect(error?.message).toBe('The gateway did not respond in time');
			expect(attempts).toBe(1);
		});
	});

	describe('retries', () => {
		it('send the file again when the gateway has refused the upload', async () => {
			receive = (request, response) => {
				if (attempts > 1) return accept(request, response);
				request.resume().on('end', () => {
					response.writeHead(503, { 'retry-after': '0', 'content-type': 'application/json' });
					response.end('{"error":{"message":"x","type":"invalid_request"}}');
				});
			};
			const { error } = await upload('/cat.png');
			expect(error).toBeUndefined();
			expect([attempts, downloads.length, uploads[0]?.content]).toStrictEqual([2, 1, 'png bytes']);
		});

		it('open the URL again when its server was busy', async () => {
			respond = (...call) => void reply(downloads.length > 1 ? 200 : 503, 'png bytes')(...call);
			const { error } = await upload('/cat.png');
			expect(error).toBeUndefined();
			expect([attempts, downloads.length]).toStrictEqual([1, 2]);
		});

		it('do not repeat an upload that may have arrived', async () => {
			receive = (request) => request.resume().on('end', () => request.socket.destroy());
			const { error } = await upload('/cat.png');
			expect(error?.message).toBe('The connection broke before the gateway responded');
			expect(attempts).toBe(1);
		});
	});
});
