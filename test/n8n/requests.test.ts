import { readFileSync } from 'node:fs';
import {
	type AddressInfo,
	connect,
	createServer as createTcpServer,
	type Server,
	type Socket,
} from 'node:net';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { createServer as createTlsServer, type SecureVersion } from 'node:tls';

import type {
	IAdditionalCredentialOptions,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
} from 'n8n-workflow';

import {
	readBody,
	type ByteStream,
	type HttpRequest,
	type HttpResponse,
} from '../../nodes/shared/gateway/client/transport';
import { credentialReader } from '../../nodes/shared/n8n/credential';
import { n8nTransport } from '../../nodes/shared/n8n/transport';
import { apiErrorOf, rejection } from '../helpers/client';
import { passTime } from '../helpers/time';
import { editorContext } from '../helpers/contexts';

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

const asText = async (response: HttpResponse<ByteStream>) => await readBody(response, request.kind);
const unread = async (response: HttpResponse<ByteStream>) => await Promise.resolve(response);

const responding = (body: Readable = Readable.from([]), statusCode = 200) =>
	sending(async () => await Promise.resolve({ statusCode, headers: { 'x-two': 'a' }, body }));

it('a request to the gateway is signed by n8n with the credential, follows no redirect, and ends with its own signal', async () => {
	let sent: { self: IExecuteFunctions; args: unknown[] } | undefined;
	async function httpRequestWithAuthentication(this: IExecuteFunctions, ...args: unknown[]) {
		sent = { self: this, args };
		return await Promise.resolve({ statusCode: 200, headers: {}, body: Readable.from([]) });
	}
	const context = { helpers: { httpRequestWithAuthentication } } as unknown as IExecuteFunctions;
	await n8nTransport(context, credential)({ ...request, body: '' }, asText);
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
	const outcome = rejection(transport({ ...request, kind: 'file', signal: left.signal }, asText));
	(reason === 'cancelled' ? cancelled : left).abort();
	expect(await outcome).toMatchObject({ name: 'StoppedError', reason });
	expect(signals).toMatchObject([{ aborted: true }]);
});

describe('a response', () => {
	it('may fail after it was read: an error without a listener would end n8n', async () => {
		const body = new PassThrough();
		await n8nTransport(responding(body), credential)(request, unread);
		expect(() => body.emit('error', new Error('aborted'))).not.toThrow();
	});

	it('with any status has its text', async () => {
		const chunks = [...Buffer.from('ä…')].map((byte) => Buffer.from([byte]));
		const transport = n8nTransport(responding(Readable.from(chunks), 404), credential);
		expect(await transport(request, asText)).toStrictEqual({
			status: 404,
			headers: { 'x-two': 'a' },
			body: 'ä…',
		});
	});

	it.each([
		['half of it was', 1, true],
		['all of it was', 2, false],
	])('that is closed after %s read: %s of 2 chunks, aborted: %s', async (_, count, isAborted) => {
		let signal: AbortSignal | undefined;
		const context = sending(async ({ abortSignal }) => {
			signal = abortSignal as AbortSignal;
			return await Promise.resolve({ statusCode: 200, headers: {}, body: Readable.from(['{', '}']) });
		});
		const transport = n8nTransport(context, credential);
		const { body, close } = await transport(
			request,
			async ({ body }, close) => await Promise.resolve({ body, close }),
		);
		let read = 0;
		for await (const chunk of body) if (chunk.length > 0 && (read += 1) === count && isAborted) break;
		close();
		expect([read, signal?.aborted]).toStrictEqual([count, isAborted]);
	});

	it('that cannot be decompressed may be charged', async () => {
		const body = new PassThrough();
		const problem = Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' });
		setImmediate(() => body.destroy(problem));
		const { details } = await apiErrorOf(n8nTransport(responding(body), credential)(request, asText));
		expect(details).toMatchObject({ outcome: 'unknown', code: 'unreadable_answer' });
	});
});

describe('the credential', () => {
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
		await Promise.all([transport(request, asText), transport(request, asText)]);
		await passTime(59_999);
		await transport(request, asText);
		await passTime(1);
		await transport({ ...request, kind: 'poll' }, asText);
		expect(keys).toStrictEqual(['key-1', 'key-1', 'key-1', 'key-2']);
	});

	it('of the account that pays is not read again: the repetition of a call would charge another one', async () => {
		const { keys, transport } = transportWithKeys();
		await transport(request, asText);
		await passTime(600_000);
		await transport({ ...request, isOfPayer: true }, asText);
		expect(keys).toStrictEqual(['key-1', 'key-1']);
	});

	it('that cannot be read is read again by the next request', async () => {
		const { keys, transport } = transportWithKeys({ failures: 1 });
		const { details, cause } = await apiErrorOf(transport(request, asText));
		expect(details).toMatchObject({ outcome: 'notSent', retryable: true });
		expect(cause).toStrictEqual(new Error('The database is busy'));
		await transport(request, asText);
		expect(keys).toStrictEqual(['key-2']);
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
			transport(
				{
					method: 'POST',
					url: `${credential.baseUrl}/chat/completions`,
					headers: { 'Content-Type': 'application/json' },
					body: '{"model":"m"}',
					timeoutMs: 5_000,
					kind: 'charge',
				},
				asText,
			),
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
