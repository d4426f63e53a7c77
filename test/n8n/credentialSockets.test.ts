import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { IHttpRequestMethods, IHttpRequestOptions, IRequestOptions } from 'n8n-workflow';

import { editorContext } from '../helpers/contexts';

// The credential with n8n's own request functions, over real sockets.

const KEY = 'sk-0a1b2c3d-0000-0000-0000-000000000000';
const CREDENTIAL = 'aiGatewayApi';

/** A server on 127.0.0.1 that keeps what it receives, as text. */
interface RecordingServer {
	origin: string;
	received: string[];
	/** The `Location` of a redirect, and its status. */
	redirect: { status: number; location: string } | undefined;
	close(): Promise<void>;
}

async function startServer(tls?: { key: string; cert: string }): Promise<RecordingServer> {
	const received: string[] = [];
	const recording: RecordingServer = {
		origin: '',
		received,
		redirect: undefined,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	const handle: RequestListener = (request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			received.push([`${request.method} ${request.url}`, ...request.rawHeaders, body].join('\n'));
			const { status = 200, location } = recording.redirect ?? {};
			response.writeHead(status, {
				'content-type': 'application/json',
				...(location === undefined ? {} : { location }),
			});
			response.end('{"amount":"12.50"}');
		});
	};
	const server = tls ? createHttpsServer(tls, handle) : createHttpServer(handle);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	recording.origin = `http${tls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return recording;
}

let gateway: RecordingServer;
let foreign: RecordingServer;

beforeAll(async () => {
	gateway = await startServer();
	foreign = await startServer();
});
beforeEach(() => {
	gateway.redirect = undefined;
	gateway.received.length = 0;
	foreign.received.length = 0;
});
afterAll(async () => {
	await gateway.close();
	await foreign.close();
});

/** n8n's functions for a node with a credential of this base URL. */
const contextFor = ({ origin }: RecordingServer) =>
	editorContext({
		node: 'balance',
		parameters: {},
		credential: { baseUrl: `${origin}/api/v1`, apiKey: KEY },
	});

type Send = (
	request: { url: string; method?: IHttpRequestMethods; body?: object; baseURL?: string },
	more?: Partial<IHttpRequestOptions & IRequestOptions>,
	server?: RecordingServer,
) => Promise<unknown>;

/** Sends a request with `httpRequestWithAuthentication`, as most nodes do. */
const sendModern: Send = async (request, more, server = gateway) => {
	const context = contextFor(server);
	const options = { json: true, skipSslCertificateValidation: true, ...request, ...more };
	return (await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, options)) as unknown;
};

/** Sends a request with `requestWithAuthentication`, as the HTTP Request node does. */
const sendLegacy: Send = async ({ url, ...request }, more, server = gateway) => {
	const context = contextFor(server);
	const options = {
		uri: url,
		json: true,
		followRedirect: true,
		followAllRedirects: true,
		sendCredentialsOnCrossOriginRedirect: true,
		rejectUnauthorized: false,
		resolveWithFullResponse: true,
		...request,
		...more,
	};
	return (await context.helpers.requestWithAuthentication.call(context, CREDENTIAL, options)) as unknown;
};

describe.each([
	['httpRequestWithAuthentication', sendModern],
	['requestWithAuthentication', sendLegacy],
])('%s', (_, send) => {
	it('sends the key to the gateway', async () => {
		await send({ url: `${gateway.origin}/api/v1/balance` });
		expect(gateway.received).toHaveLength(1);
		expect(gateway.received[0]).toMatch(/^GET \/api\/v1\/balance\n/);
		expect(gateway.received[0]).toContain(`Authorization\nBearer ${KEY}\n`);
	});

	it('sends the key to the gateway by a URL relative to a baseURL', async () => {
		await send({ url: '/balance', baseURL: `${gateway.origin}/api/v1` });
		expect(gateway.received[0]).toMatch(/^GET \/api\/v1\/balance\n/);
		expect(gateway.received[0]).toContain(KEY);
	});

	it('replaces an Authorization header of the request', async () => {
		const headers = { authorization: 'Bearer other' };
		await send({ url: `${gateway.origin}/api/v1/balance` }, { headers });
		expect(gateway.received[0]).toContain(`Bearer ${KEY}`);
		expect(gateway.received[0]).not.toContain('Bearer other');
	});

	it.each([
		['GET', 301],
		['GET', 302],
		['GET', 303],
		['GET', 307],
		['GET', 308],
		['POST', 302],
		['POST', 307],
	] as const)('follows no redirect to another server (%s, %i)', async (method, status) => {
		gateway.redirect = { status, location: `${foreign.origin}/x` };
		const body = method === 'POST' ? { body: { a: 1 } } : {};
		await expect(send({ url: `${gateway.origin}/api/v1/balance`, method, ...body })).rejects.toMatchObject({
			httpCode: String(status),
		});
		expect(gateway.received).toHaveLength(1);
		expect(foreign.received).toStrictEqual([]);
	});

	it('follows no redirect within the gateway', async () => {
		gateway.redirect = { status: 302, location: '/elsewhere' };
		await expect(send({ url: `${gateway.origin}/api/v1/balance` })).rejects.toMatchObject({
			httpCode: '302',
		});
		expect(gateway.received).toHaveLength(1);
	});

	it('follows no redirect where the request asks for it', async () => {
		gateway.redirect = { status: 302, location: `${foreign.origin}/x` };
		const asked = {
			disableFollowRedirect: false,
			followRedirect: true,
			followAllRedirects: true,
			maxRedirects: 5,
			sendCredentialsOnCrossOriginRedirect: true,
		};
		await expect(send({ url: `${gateway.origin}/api/v1/balance` }, asked)).rejects.toMatchObject({
			httpCode: '302',
		});
		expect(foreign.received).toStrictEqual([]);
	});

	it('follows no redirect from https to http', async () => {
		const pem = (name: string) => readFileSync(join(__dirname, '../fixtures/tls', name), 'utf8');
		const secure = await startServer({ key: pem('key.pem'), cert: pem('cert.pem') });
		try {
			secure.redirect = { status: 307, location: `${foreign.origin}/x` };
			await expect(send({ url: `${secure.origin}/api/v1/balance` }, {}, secure)).rejects.toMatchObject({
				httpCode: '307',
			});
			expect(secure.received).toHaveLength(1);
			expect(secure.received[0]).toContain(KEY);
			expect(foreign.received).toStrictEqual([]);
		} finally {
			await secure.close();
		}
	});

	it('sends nothing to another server', async () => {
		await expect(send({ url: `${foreign.origin}/x` })).rejects.toMatchObject({
			message: expect.stringContaining('another address') as string,
			description: expect.stringContaining(foreign.origin) as string,
		});
		expect(foreign.received).toStrictEqual([]);
	});

	it('sends nothing to another server if the baseURL is the gateway’s', async () => {
		const request = { url: `${foreign.origin}/x`, baseURL: `${gateway.origin}/api/v1` };
		await expect(send(request)).rejects.toThrow('another address');
		expect(foreign.received).toStrictEqual([]);
	});

	it('sends nothing through a proxy of the request', async () => {
		const { hostname: host, port } = new URL(foreign.origin);
		const proxy = { protocol: 'http', host, port: Number(port) };
		await expect(send({ url: `${gateway.origin}/api/v1/balance` }, { proxy })).rejects.toThrow('proxy');
		expect([...gateway.received, ...foreign.received]).toStrictEqual([]);
	});

	it('sends nothing to another server, whatever the URL and the baseURL', async () => {
		const pick = (...values: string[]) => fc.constantFrom(...values);
		const [own, other] = [gateway, foreign].map(({ origin }) => origin.slice('http://'.length)) as [
			string,
			string,
		];
		const address = fc
			.tuple(
				pick('', '', '', ' ', '\n'),
				pick('http:', 'http:', 'http:', 'HTTP:', 'ht\ttp:', ''),
				pick('//', '//', '//', '\\\\', '/\n/', '///', '/', ''),
				pick('', '', '', `${own}@`, `${own}\\@`, `${own}/@`, `${other}#@`, 'u:p@'),
				pick(own, own, other, other, own.replace(':', ':0'), own.replace('127.0.0.1', '2130706433'), ''),
				pick('', '/', '/x', `@${other}/`, `\\@${other}/`, '?x'),
			)
			.map((parts) => parts.join(''));
		const requests = fc.record({ url: address, baseURL: address }, { requiredKeys: ['url'] });
		let signed = 0;
		await fc.assert(
			fc.asyncProperty(requests, async (request) => {
				gateway.received.length = 0;
				foreign.received.length = 0;
				await send(request).catch(() => undefined);
				signed += gateway.received.length;
				expect(gateway.received.filter((text) => !text.includes(KEY))).toStrictEqual([]);
				expect(foreign.received).toStrictEqual([]);
			}),
			{ numRuns: 300 },
		);
		expect(signed).toBeGreaterThan(20);
	});
});
