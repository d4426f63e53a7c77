import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';

import type { INodeParameters } from 'n8n-workflow';
import nock from 'nock';

import type { FaultAction } from '../../../sandbox/gateway/gateway';
import { useGateway } from '../../contract/support';
import { binaryStorage, storedBinary } from '../../helpers/engine';
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

	it.each([
		['hello world!', 'The text is not base64'],
		[`={{ 'A'.repeat(${140 * MB}) }}`, 'The file is too large to upload: 105.0 MB'],
	])('rejects the base64 text %s before anything is sent', async (base64, message) => {
		const { error } = await run('upload', { uploadSource: 'base64', base64 });
		expect(error?.message).toBe(message);
	});

	it('takes no file that is named in the JSON data of another workflow: the data may come from outside', async () => {
		const { binary } = await storedItem('a file of somebody else');
		const { error } = await run('upload', {}, { items: [{ json: { _files: { ...binary } } }] });
		expect(error?.message).toContain("names the binary field 'data', which the input item does not have");
	});

	it.each([
		['the extension that n8n knows', { fileExtension: 'png' }, 'file.png'],
		['no extension where n8n knows none', {}, 'file'],
	])('sends a binary without a name with %s', async (_, facts, name) => {
		const isSent = (body: string) => body.includes(`name="file"; filename="${name}"\r\n`);
		gateway().post('/api/v1/storage/upload', isSent).reply(200, uploaded);
		const data = { data: 'aGVsbG8=', mimeType: 'image/png', ...facts };
		const { error } = await run('upload', {}, { items: [{ json: {}, binary: { data } }] });
		expect(error).toBeUndefined();
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
	const gateway = useGateway();
	const path = '/storage/upload';

	let respond: RequestListener;
	let downloads: Array<{ headers: NodeJS.Dict<string | string[]>; isClosed: Promise<void> }>;
	const attempts = () => gateway.control.requests({ path });

	const reply =
		(status: number, body: string | Buffer = '', headers: Record<string, string> = {}): RequestListener =>
		(_, response) =>
			void response.writeHead(status, headers).end(body);

	const files = useServer((request, response) => {
		const isClosed = new Promise<void>((resolve) => response.once('close', resolve));
		downloads.push({ headers: request.headers, isClosed });
		respond(request, response);
	});
	beforeEach(() => {
		downloads = [];
		respond = reply(200, 'png bytes');
	});

	/** Uploads the file at a URL: the stored file, or the error. */
	async function upload(url: string, options: INodeParameters = {}) {
		const { items, error } = await gateway.run({
			node: 'storage',
			parameters: {
				...{ resource: 'file', operation: 'upload', uploadSource: 'url', options },
				url: url.startsWith('/') ? files.origin() + url : url,
			},
		});
		return { json: items[0]?.json, error };
	}

	const zipped = gzipSync('png bytes');
	const zip = { 'content-encoding': 'gzip', 'content-length': String(zipped.length) };
	const moved = reply(302, '', { location: '/new' });
	const [png, html] = ['image/png', 'text/html'].map((type) => ({ 'content-type': type }));
	const there = reply(200, 'png bytes', png);

	it.each<[string, string, RequestListener]>([
		['of known length', '/a/cat.png?size=1', reply(200, 'png bytes', { ...png, 'content-length': '9' })],
		['of unknown length', '/cat.png', (_, to) => void to.write('png ', () => to.end('bytes'))],
		['that is compressed', '/cat.png', reply(200, zipped, zip)],
		['behind redirects', '/cat.png', (...call) => (downloads.length > 1 ? there : moved)(...call)],
	])('a file %s is uploaded with its name, type and size', async (_, url, listener) => {
		respond = listener;
		const { json } = await upload(url);
		expect(json).toMatchObject({ mimeType: 'image/png', size: 9 });
		const get = { resource: 'file', operation: 'get', fileId: json?.id as string };
		const { items } = await gateway.run({ node: 'storage', parameters: get });
		expect(items[0]?.json.fileName).toBe('cat.png');
		expect(JSON.stringify(downloads)).not.toContain(gateway.apiKey);
	});

	const large: RequestListener = (_, response) =>
		response.writeHead(200, { 'content-length': String(101 * MB) }).write('x');

	it.each<[string, RequestListener, string]>([
		['404', reply(404, '{"code":"x"}'), 'The file at this link no longer exists'],
		['401', reply(401), 'The server of the file does not accept the link'],
		['a sign-in page', reply(200, '<html>', html), 'The server returned a web page instead of the file'],
		['an empty file', reply(200, '', { 'content-length': '0' }), 'The file is empty'],
		['101 MB', large, 'The file is too large to upload: 101.0 MB'],
	])('%s is refused before anything is sent to the gateway', async (_, listener, message) => {
		respond = listener;
		const { error } = await upload('/cat.png');
		expect(error?.message).toBe(message);
		expect(error?.description).not.toMatch(/stays at the gateway|The gateway says/);
		// The file is requested once, and the rest of it not read.
		expect([attempts().length, downloads.length]).toStrictEqual([0, 1]);
		await downloads[0]?.isClosed;
	});

	it.each<[string, string]>([
		['ftp://files.test/a', "'URL' is not a web address"],
		['cat.png', "'URL' is not a web address"],
		['data:image/png;base64,QUJD', "'URL' is not a web address"],
		[' ', "'URL' is empty"],
	])('%s is refused', async (url, message) => {
		expect((await upload(url)).error?.message).toBe(message);
		expect([attempts().length, downloads.length]).toStrictEqual([0, 0]);
	});

	const broke = 'The connection broke while the file was downloaded';
	const breaksOff =
		(headers: Record<string, string>): RequestListener =>
		(request, response) => {
			response.writeHead(200, headers).write('png');
			setTimeout(() => request.socket.destroy(), 50);
		};
	const endless: RequestListener = (request, response) => {
		const chunk = Buffer.alloc(4 * MB);
		const push = () => {
			while (!request.socket.destroyed && response.write(chunk));
		};
		response.on('drain', push);
		push();
	};

	it.each<[string, RequestListener, string | RegExp]>([
		['nothing', reply(204), 'The file is empty'],
		['an empty stream', reply(200), 'The file is empty'],
		['a file that breaks off', breaksOff({ 'content-length': '1000' }), broke],
		['a stream that breaks off', breaksOff({}), broke],
		['a stream of more than 100 MB', endless, /^The file is too large to upload: 10\d\.\d MB$/],
	])('%s is not uploaded', async (_, listener, message) => {
		respond = listener;
		const { error } = await upload('/cat.png', { maxRetries: 0 });
		expect(error?.message).toMatch(message);
		expect(error?.description).toContain('Nothing was sent.');
		expect(attempts()).toStrictEqual([]);
	});

	const busy = { kind: 'error', code: 'service_unavailable', retryAfter: 0 } as const;

	const says = (words: string) => expect.stringContaining(words) as unknown;
	const stored = expect.objectContaining({ size: 9 }) as unknown;

	it.each<[string, FaultAction, unknown, number]>([
		['is sent again when the gateway has refused it', busy, stored, 2],
		['is not sent again when it may have arrived', { kind: 'loseResponse' }, says('connection broke'), 1],
		['names the gateway when that does not respond', { kind: 'hang' }, says('gateway did not respond'), 1],
	])('an upload %s', async (_, action, result, times) => {
		gateway.control.addFault({ match: { path }, action });
		const { json, error } = await upload('/cat.png');
		expect(error?.message ?? json).toStrictEqual(result);
		expect([attempts().length, downloads.length]).toStrictEqual([times, 1]);
	});

	it('blanks around the URL do not count', async () => {
		expect((await upload(` ${files.origin()}/cat.png\n`)).json).toMatchObject({ size: 9 });
	});

	it('the URL is opened again when its server was busy', async () => {
		respond = (...call) => void reply(downloads.length > 1 ? 200 : 503, 'png bytes')(...call);
		expect((await upload('/cat.png')).json).toMatchObject({ size: 9 });
		expect([attempts().length, downloads.length]).toStrictEqual([1, 2]);
	});
});
