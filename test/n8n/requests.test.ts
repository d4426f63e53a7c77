import { createReadStream, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import {
	type AddressInfo,
	connect,
	createServer as createTcpServer,
	type Server,
	type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createServer as createTlsServer, type SecureVersion } from 'node:tls';

import fc from 'fast-check';
import type {
	IAdditionalCredentialOptions,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
} from 'n8n-workflow';

import type { ByteStream, HttpRequest } from '../../nodes/shared/gateway/client/transport';
import {
	type BinaryStore,
	fileOf,
	type FileOwner,
	type InputFile,
	storeResponse,
} from '../../nodes/shared/n8n/binary';
import { bodyWithFiles } from '../../nodes/shared/n8n/bodyWithFiles';
import { credentialReader } from '../../nodes/shared/n8n/credential';
import { n8nTransport } from '../../nodes/shared/n8n/transport';
import { apiErrorOf, rejection } from '../helpers/client';
import { editorContext } from '../helpers/contexts';
import { eventually } from '../helpers/time';

const credential = async () => await Promise.resolve({ apiKey: 'key' });
const request: HttpRequest = {
	method: 'POST',
	url: 'https://gateway.test/api/v1/x',
	headers: { accept: '*/*' },
	timeoutMs: 1_234,
	kind: 'charge',
};

/** n8n's request functions, which do this. */
function sending(respond: (options: IHttpRequestOptions) => Promise<unknown>) {
	const httpRequest = async (...args: unknown[]) =>
		await respond(args.find((arg) => typeof arg === 'object') as IHttpRequestOptions);
	const helpers = { httpRequest, httpRequestWithAuthentication: httpRequest };
	return { helpers } as unknown as IExecuteFunctions;
}

const responding = (body: Readable = Readable.from([]), statusCode = 200) =>
	sending(async () => await Promise.resolve({ statusCode, headers: { 'x-two': 'a' }, body }));

it('a request to the gateway is signed by n8n with the credential, follows no redirect, and ends with its own signal', async () => {
	let sent: { self: IExecuteFunctions; args: unknown[] } | undefined;
	async function httpRequestWithAuthentication(this: IExecuteFunctions, ...args: unknown[]) {
		sent = { self: this, args };
		return await Promise.resolve({ statusCode: 200, headers: {}, body: Readable.from([]) });
	}
	const context = { helpers: { httpRequestWithAuthentication } } as unknown as IExecuteFunctions;
	await n8nTransport(context, credential).text({ ...request, body: '' });
	const [type, options, more] = sent?.args ?? [];
	const credentialsDecrypted = { id: '', name: '', type: 'aiGatewayApi', data: { apiKey: 'key' } };
	expect([type, more]).toStrictEqual(['aiGatewayApi', { credentialsDecrypted }]);
	// n8n takes the signal of its caller.
	const abortSignal = sent?.self.getExecutionCancelSignal();
	expect(abortSignal).toBeInstanceOf(AbortSignal);
	expect(options).toMatchObject({ abortSignal, disableFollowRedirect: true, headers: request.headers });
});

it.each(['cancelled', 'not waited for'])('a request is aborted when it is %s', async (reason) => {
	const [cancelled, left] = [new AbortController(), new AbortController()];
	const signals: unknown[] = [];
	const context = sending(async ({ abortSignal }) => {
		signals.push(abortSignal);
		return await new Promise<never>(() => undefined);
	});
	const transport = n8nTransport(context, credential, cancelled.signal);
	const outcome = rejection(transport.text({ ...request, kind: 'file', signal: left.signal }));
	(reason === 'cancelled' ? cancelled : left).abort();
	expect(await outcome).toMatchObject({ name: 'StoppedError', reason });
	expect(signals).toMatchObject([{ aborted: true }]);
});

describe('a response', () => {
	it('may fail after it was read: an error without a listener would end n8n', async () => {
		const body = new PassThrough();
		await n8nTransport(responding(body), credential).stream(request);
		expect(() => body.emit('error', new Error('aborted'))).not.toThrow();
	});

	it.each(['text', 'stream'] as const)('with an error status has its text (%s)', async (method) => {
		const chunks = [...Buffer.from('ä…')].map((byte) => Buffer.from([byte]));
		expect(
			await n8nTransport(responding(Readable.from(chunks), 404), credential)[method](request),
		).toStrictEqual({
			status: 404,
			headers: { 'x-two': 'a' },
			body: 'ä…',
		});
	});

	it('that cannot be decompressed may be charged', async () => {
		const body = new PassThrough();
		const problem = Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' });
		setImmediate(() => body.destroy(problem));
		const { details } = await apiErrorOf(n8nTransport(responding(body), credential).text(request));
		expect(details).toMatchObject({ outcome: 'unknown', code: 'unreadable_answer' });
	});
});

describe('the credential', () => {
	beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
	afterEach(() => jest.useRealTimers());

	/** A transport that records the keys it sends: each read of the credential returns another one. */
	function transportWithKeys({ failures = 0 } = {}) {
		const keys: unknown[] = [];
		let reads = 0;
		const getCredentials = async (...asked: unknown[]) => {
			expect(asked).toStrictEqual(['aiGatewayApi', 3]);
			reads += 1;
			if (reads <= failures) throw new Error('The database is busy');
			return await Promise.resolve({ apiKey: `key-${reads}` });
		};
		const httpRequestWithAuthentication = async (...[, , more]: [0, 0, IAdditionalCredentialOptions]) => {
			keys.push(more.credentialsDecrypted?.data?.apiKey);
			return await Promise.resolve({ statusCode: 200, headers: {}, body: Readable.from([]) });
		};
		const helpers = { httpRequestWithAuthentication };
		const context = { getCredentials, helpers } as unknown as IExecuteFunctions;
		return { keys, transport: n8nTransport(context, credentialReader(context, 3)) };
	}

	it('of the item is read once for many requests, and again after a minute', async () => {
		const { keys, transport } = transportWithKeys();
		await Promise.all([transport.text(request), transport.text(request)]);
		jest.advanceTimersByTime(59_999);
		await transport.text(request);
		jest.advanceTimersByTime(1);
		await transport.text({ ...request, kind: 'poll' });
		expect(keys).toStrictEqual(['key-1', 'key-1', 'key-1', 'key-2']);
	});

	it('of a call that costs money is not read again: its repetition would charge another account', async () => {
		const { keys, transport } = transportWithKeys();
		await transport.text(request);
		jest.advanceTimersByTime(600_000);
		await transport.text(request);
		expect(keys).toStrictEqual(['key-1', 'key-1']);
	});

	it('that cannot be read is read again by the next request', async () => {
		const { keys, transport } = transportWithKeys({ failures: 1 });
		const { details, cause } = await apiErrorOf(transport.text(request));
		expect(details).toMatchObject({ outcome: 'notSent', retryable: true });
		expect(cause).toStrictEqual(new Error('The database is busy'));
		await transport.text(request);
		expect(keys).toStrictEqual(['key-2']);
	});
});

describe('body with files', () => {
	const facts = { fileName: 'f', mimeType: 'm/x' };

	/** A file that n8n stores under an ID. */
	async function stored(size: number, open: () => Readable | Promise<Readable>): Promise<InputFile> {
		const helpers = {
			getBinaryMetadata: async () => await Promise.resolve({ fileSize: size }),
			getBinaryStream: async () => await open(),
		};
		const owner = { n8n: { helpers }, index: 0 } as unknown as FileOwner;
		return await fileOf(owner, { ...facts, data: 'filesystem-v2', id: 'x1' });
	}

	/** A file without an ID, whose bytes are in its item. */
	async function inItem(bytes: Uint8Array): Promise<InputFile> {
		return await fileOf({} as FileOwner, { ...facts, data: Buffer.from(bytes).toString('base64') });
	}

	const inChunks = async (...chunks: string[]) =>
		await stored(chunks.join('').length, () => Readable.from(chunks.map((text) => Buffer.from(text))));

	/** JSON with placeholders, such as <A>, for files. */
	async function body(text: string, files: Record<string, Promise<InputFile>>) {
		const embedded = Object.entries(files).map(async ([name, file]) => ({
			placeholder: `<${name}>`,
			file: await file,
		}));
		return bodyWithFiles(text, await Promise.all(embedded));
	}

	async function chunksOf(opened: ByteStream | Uint8Array): Promise<string[]> {
		const chunks: string[] = [];
		for await (const chunk of opened instanceof Uint8Array ? [opened] : opened) chunks.push(String(chunk));
		return chunks;
	}
	const textOf = async (opened: ByteStream | Uint8Array) => (await chunksOf(opened)).join('');

	it('is the JSON with the files in base64, in any order, of the announced length, each time it is opened', async () => {
		const source = fc.tuple(
			fc.uint8Array({ minLength: 1, maxLength: 200 }),
			fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
		);
		/** A file that arrives in chunks of a size, or is in its item. */
		const sourceOf = async ([bytes, size]: [Uint8Array, number | undefined]) => {
			if (size === undefined) return await inItem(bytes);
			const parts: Uint8Array[] = [];
			for (let start = 0; start < bytes.length; start += size) parts.push(bytes.slice(start, start + size));
			return await stored(bytes.length, () => Readable.from(parts));
		};
		await fc.assert(
			fc.asyncProperty(fc.array(source, { minLength: 1, maxLength: 4 }), fc.string(), async (files, text) => {
				const json = { text, files: files.map((_, index) => `data:m/x;base64,<file-${index}>`) };
				const named = files.map((one, index) => [`file-${index}`, sourceOf(one)] as const).reverse();
				const sent = await body(JSON.stringify(json), Object.fromEntries(named));
				const base64 = files.map(([bytes]) => `data:m/x;base64,${Buffer.from(bytes).toString('base64')}`);
				for (let time = 0; time < 2; time += 1) {
					const opened = await textOf(await sent.open());
					expect(JSON.parse(opened)).toStrictEqual({ text, files: base64 });
					expect(Buffer.byteLength(opened)).toBe(sent.length);
				}
			}),
			{ numRuns: 100 },
		);
	});

	describe('a body that is destroyed', () => {
		let folder: string;
		beforeAll(async () => {
			folder = await mkdtemp(join(tmpdir(), 'file-body-'));
			await writeFile(join(folder, 'large'), Buffer.alloc(1_000_000, 'x'));
		});
		afterAll(async () => await rm(folder, { recursive: true }));

		const closed = async (stream: Readable) =>
			await new Promise<void>((resolve) => {
				if (stream.closed) resolve();
				else stream.once('close', resolve);
			});

		it.each([0, 1, 2, 3, 20])('closes its files after %i chunks, without an error', async (count) => {
			const unhandled: unknown[] = [];
			const record = (error: unknown) => void unhandled.push(error);
			process.on('uncaughtException', record).on('unhandledRejection', record);
			const streams: Readable[] = [];
			const onDisk = async () =>
				await stored(1_000_000, () => {
					const stream = createReadStream(join(folder, 'large'));
					streams.push(stream);
					return stream;
				});
			const { open } = await body('"<A><B><C>"', { A: onDisk(), B: onDisk(), C: onDisk() });
			const opened = (await open()) as Readable;
			const chunks = opened[Symbol.asyncIterator]();
			for (let read = 0; read < count; read += 1) await chunks.next();
			opened.destroy();
			await Promise.all([opened, ...streams].map(closed));
			await new Promise((resolve) => setImmediate(resolve));
			process.off('uncaughtException', record).off('unhandledRejection', record);
			// A million bytes are 16 chunks of a file.
			expect(streams).toHaveLength(count > 16 ? 2 : 1);
			expect(unhandled).toStrictEqual([]);
		});

		it('closes a file that is opened only afterwards', async () => {
			let open: (stream: Readable) => void = () => undefined;
			const opening = new Promise<Readable>((resolve) => (open = resolve));
			const late = jest.fn(async () => await opening);
			const sent = await body('"<A><B>"', { A: inChunks('abc'), B: stored(1_000_000, late) });
			const opened = (await sent.open()) as Readable;
			const reading = chunksOf(opened).catch((error: unknown) => error);
			await eventually(() => late.mock.calls.length > 0);
			opened.destroy();
			const stalled = new Readable({ read: () => undefined });
			open(stalled);
			await Promise.all([opened, stalled].map(closed));
			expect(await reading).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
		});
	});

	describe('a body fails', () => {
		it.each(['<A><B>', '<B><A>'])('when reading a file fails: %s', async (text) => {
			async function* breaking() {
				yield await Promise.resolve(Buffer.from('abc'));
				throw new Error('The disk is gone');
			}
			const broken = stored(9, () => Readable.from(breaking()));
			const { open } = await body(`"${text}"`, { A: broken, B: inChunks('x') });
			await expect(buffer((await open()) as Readable)).rejects.toThrow('The disk is gone');
		});

		it('when a file cannot be opened', async () => {
			const missing = stored(3, async () => await Promise.reject(new Error('no such file')));
			await expect((await body('"<A>"', { A: missing })).open()).rejects.toThrow('no such file');
		});
	});
});

describe('store response', () => {
	// The limits of a download, and what is stored.

	beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
	afterEach(() => jest.useRealTimers());

	/** A store that reads everything. */
	const reading = {
		prepareBinaryData: async (stream: unknown, fileName?: string, mimeType = 'guessed') => {
			const chunks: Buffer[] = [];
			for await (const chunk of stream as Readable) chunks.push(Buffer.from(chunk as Uint8Array));
			const data = Buffer.concat(chunks).toString();
			return { data, mimeType, ...(fileName ? { fileName } : {}) };
		},
	};

	/** Stores a response with a timeout of a second. */
	const stored = async (body: Readable, helpers: BinaryStore['helpers'] = reading) =>
		await storeResponse(
			{ helpers },
			{ status: 200, headers: {}, body, timeoutMs: 1_000 },
			{ names: ['a.bin'] },
		);

	it('a download that fails while n8n does not listen to it does not end n8n', async () => {
		const body = new Readable({ read: () => undefined });
		const streams: Readable[] = [];
		const prepareBinaryData = async (stream: unknown) => {
			streams.push(stream as Readable);
			return await Promise.reject(new Error('The disk is full'));
		};
		await expect(stored(body, { prepareBinaryData })).rejects.toThrow('The disk is full');
		expect(() => streams[0]?.emit('error', new Error('aborted'))).not.toThrow();
		expect(streams).toHaveLength(1);
	});

	it.each([
		[undefined, 315_000],
		[10_000, 10_000],
	])('a download with a timeout of %s ms ends after a silence of %i ms', async (timeoutMs, after) => {
		const body = new Readable({ read: () => undefined });
		let outcome: unknown = 'waiting';
		const response = { status: 200, headers: {}, body, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
		storeResponse({ helpers: reading }, response, { names: ['a.bin'] }).then(
			() => (outcome = 'stored'),
			(error: unknown) => (outcome = error),
		);
		await jest.advanceTimersByTimeAsync(after - 1);
		expect(outcome).toBe('waiting');
		await jest.advanceTimersByTimeAsync(1);
		const message = 'The server of the file did not respond in time';
		expect(outcome).toMatchObject({ message, details: { code: 'timeout', kind: 'file', retryable: true } });
		body.destroy();
		await jest.advanceTimersByTimeAsync(1_000);
		expect(jest.getTimerCount()).toBe(0);
	});

	it.each([
		['its own type', { 'content-type': 'image/png' }, 'image/webp', 'image/png'],
		['no type', {}, 'image/webp', 'image/webp'],
		['a generic type', { 'content-type': 'application/octet-stream' }, 'image/webp', 'image/webp'],
		['no type, where none is known', {}, undefined, 'guessed'],
	])(
		'a file whose server reports %s is stored with the best known type',
		async (_, headers, knownType, type) => {
			const response = { status: 200, headers, body: Readable.from([Buffer.from('x')]) };
			const { mimeType } = await storeResponse({ helpers: reading }, response, {
				names: ['a.bin'],
				knownType,
			});
			expect(mimeType).toBe(type);
		},
	);

	describe('a successful response', () => {
		const html = { 'content-type': 'text/html; charset=utf-8' };
		const store = async (headers: Record<string, string>, text: string, name: string, knownType?: string) =>
			await storeResponse(
				{ helpers: reading },
				{ status: 200, headers, body: Readable.from(text === '' ? [] : [Buffer.from(text)]) },
				{ names: [name], knownType },
			);

		it.each<[string, Record<string, string>, string, string, object]>([
			['empty', { 'content-type': 'image/png' }, '', 'a.png', { code: 'empty_file', retryable: true }],
			['a web page', html, '<html>Sign in</html>', 'a.png', { code: 'web_page', retryable: false }],
			['a web page', html, '<html>Sign in</html>', 'task_1', { code: 'web_page', retryable: false }],
		])('is an error when it is %s', async (_, headers, text, name, details) => {
			await expect(store(headers, text, name)).rejects.toMatchObject({ details });
		});

		it.each([
			['its type', 'task_1', 'text/html'],
			['its name', 'page.htm', undefined],
		])('is stored when it is a web page by %s', async (_, name, knownType) => {
			expect((await store(html, '<html></html>', name, knownType)).data).toBe('<html></html>');
		});
	});
});

describe('tls sockets', () => {
	// A TLS error means another thing in the handshake, before the request is sent, than after it.

	const pem = (name: string) => readFileSync(join(__dirname, '../fixtures/tls', name), 'utf8');
	const identity = { key: pem('key.pem'), cert: pem('cert.pem') };

	const servers: Server[] = [];
	const sockets = new Set<Socket>();
	afterEach(async () => {
		for (const socket of sockets) socket.destroy();
		await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
	});

	/** Starts a server on a local port, and returns the port. */
	async function listen(server: Server): Promise<number> {
		servers.push(server);
		server.on('connection', (socket: Socket) => keep(socket));
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return (server.address() as AddressInfo).port;
	}

	function keep(socket: Socket): Socket {
		sockets.add(socket.on('error', () => undefined));
		return socket.on('close', () => sockets.delete(socket));
	}

	/** Sends a charged request with n8n's HTTP client, and returns the details of its error. */
	async function errorAt(port: number, { trusted = true } = {}) {
		const credential = { baseUrl: `https://127.0.0.1:${port}`, apiKey: 'sk-1' };
		const context = editorContext({ node: 'textGeneration', parameters: {}, credential });
		const transport = n8nTransport(trusted ? trusting(context) : context, credentialReader(context));
		const { details } = await apiErrorOf(
			transport.text({
				method: 'POST',
				url: `${credential.baseUrl}/chat/completions`,
				headers: { 'Content-Type': 'application/json' },
				body: '{"model":"m"}',
				timeoutMs: 5_000,
				kind: 'charge',
			}),
		);
		return details;
	}

	/** The same context, which accepts the certificate of the tests. */
	function trusting(context: ILoadOptionsFunctions): ILoadOptionsFunctions {
		const send = context.helpers.httpRequestWithAuthentication.bind(context);
		context.helpers.httpRequestWithAuthentication = async (type, options, more) => {
			const response: unknown = await send(type, { ...options, skipSslCertificateValidation: true }, more);
			return response;
		};
		return context;
	}

	/** A fatal alert that is not encrypted. */
	const ALERT = Buffer.from([21, 3, 3, 0, 2, 2, 40]);

	describe('an error in the handshake: nothing was sent', () => {
		it.each<[string, (socket: Socket) => void]>([
			['a server without TLS', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
			['an alert of the server', (socket) => socket.end(ALERT)],
			['a closed connection', (socket) => socket.end()],
		])('%s', async (_, respond) => {
			const port = await listen(createTcpServer((socket) => socket.once('data', () => respond(socket))));
			expect(await errorAt(port)).toMatchObject({ outcome: 'notSent' });
		});

		it('a certificate that is not trusted', async () => {
			const port = await listen(createTlsServer(identity));
			expect(await errorAt(port, { trusted: false })).toMatchObject({
				message: expect.stringContaining('certificate') as string,
				outcome: 'notSent',
			});
		});
	});

	const record = (type: number, length: number) =>
		Buffer.concat([Buffer.from([type, 3, 3, length >> 8, length & 255]), Buffer.alloc(length, 7)]);

	describe.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])(
		'an error after the request, in %s: unknown',
		(version) => {
			const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":';

			/** A TLS server that responds to a request with `head`, if any; `bytes` follow without encryption. */
			async function breaking(bytes: Buffer, head: string): Promise<number> {
				let client: Socket | undefined;
				let hasResponded = false;
				const options = { ...identity, minVersion: version, maxVersion: version };
				const back = createTlsServer(options, (socket) => {
					socket.on('error', () => undefined);
					socket.once('data', () => {
						hasResponded = true;
						if (head === '') client?.end(bytes);
						else socket.write(head);
					});
				});
				const backPort = await listen(back);
				const front = createTcpServer((socket) => {
					client = socket;
					const upstream = keep(connect(backPort, '127.0.0.1'));
					socket.pipe(upstream);
					upstream.on('data', (data) => {
						if (socket.writable) socket.write(data);
						if (hasResponded) socket.end(bytes);
					});
				});
				return await listen(front);
			}

			it.each<[string, Buffer]>([
				['plain HTTP', Buffer.from('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')],
				['an alert that is not encrypted', ALERT],
				['a record that cannot be decrypted', record(23, 40)],
				['a record that is too long', record(23, 65_535)],
				['a record of an unknown type', record(99, 40)],
				['a handshake that is not encrypted', record(22, 40)],
				['a closed connection', Buffer.alloc(0)],
			])('%s', async (_, bytes) => {
				for (const head of ['', HEAD]) {
					const details = await errorAt(await breaking(bytes, head));
					expect(details).toMatchObject({ outcome: 'unknown' });
				}
			});
		},
	);

	it('an alert about a missing certificate of the client comes after the request: unknown', async () => {
		const port = await listen(
			createTlsServer({ ...identity, requestCert: true, minVersion: 'TLSv1.3' }).on(
				'tlsClientError',
				() => undefined,
			),
		);
		expect(await errorAt(port)).toMatchObject({
			code: 'err_ssl_tlsv13_alert_certificate_required',
			outcome: 'unknown',
		});
	});
});
