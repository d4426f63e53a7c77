import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type SecureVersion } from 'node:tls';
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { credentialReader } from '../../nodes/shared/n8n/credential';
import { n8nTransport } from '../../nodes/shared/n8n/transport';
import { apiErrorOf } from '../helpers/client';
import { editorContext } from '../helpers/contexts';

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
		const port = await listen(createServer((socket) => socket.once('data', () => respond(socket))));
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
			const front = createServer((socket) => {
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
