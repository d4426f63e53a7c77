import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
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

async function startServer(): Promise<RecordingServer> {
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
	const server = createServer(handle);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	recording.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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

/** n8n's functions for a node with the gateway's credential. */
const contextOf = () =>
	editorContext({
		node: 'balance',
		parameters: {},
		credential: { baseUrl: `${gateway.origin}/api/v1`, apiKey: KEY },
	});

type Send = (
	request: { url: string; method?: IHttpRequestMethods; body?: object; baseURL?: string },
	more?: Partial<IHttpRequestOptions & IRequestOptions>,
) => Promise<unknown>;

/** Sends a request with `httpRequestWithAuthentication`, as most nodes do. */
const sendModern: Send = async (request, more) => {
	const context = contextOf();
	const options = { json: true, skipSslCertificateValidation: true, ...request, ...more };
	return (await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, options)) as unknown;
};

/** Sends a request with `requestWithAuthentication`, as the HTTP Request node does. */
const sendLegacy: Send = async ({ url, ...request }, more) => {
	const context = contextOf();
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
	it('sends the key to the gateway in place of another one', async () => {
		await send({ url: `${gateway.origin}/api/v1/balance` }, { headers: { authorization: 'Bearer other' } });
		expect(gateway.received).toHaveLength(1);
		expect(gateway.received[0]).toMatch(/^GET \/api\/v1\/balance\n/);
		expect(gateway.received[0]).toMatch(new RegExp(`\nAuthorization\nBearer ${KEY}\n`, 'i'));
		expect(gateway.received[0]).not.toContain('Bearer other');
	});

	it.each([
		['GET', 301, 'another server'],
		['GET', 302, 'the gateway'],
		['GET', 303, 'another server'],
		['POST', 302, 'another server'],
		['POST', 307, 'another server'],
	] as const)(
		'follows no redirect, even where the request asks for it (%s, %i, %s)',
		async (method, status, to) => {
			gateway.redirect = { status, location: to === 'the gateway' ? '/elsewhere' : `${foreign.origin}/x` };
			const asked = {
				disableFollowRedirect: false,
				followRedirect: true,
				followAllRedirects: true,
				maxRedirects: 5,
				sendCredentialsOnCrossOriginRedirect: true,
			};
			const body = method === 'POST' ? { body: { a: 1 } } : {};
			const sending = send({ url: `${gateway.origin}/api/v1/balance`, method, ...body }, asked);
			await expect(sending).rejects.toMatchObject({ httpCode: String(status) });
			expect(gateway.received).toHaveLength(1);
			expect(foreign.received).toStrictEqual([]);
		},
	);

	it.each([
		['alone', () => ({})],
		['with the gateway’s baseURL', () => ({ baseURL: `${gateway.origin}/api/v1` })],
	])('sends nothing to the URL of another server: %s', async (__, more) => {
		await expect(send({ url: `${foreign.origin}/x`, ...more() })).rejects.toMatchObject({
			message: expect.stringContaining('another address') as string,
			description: expect.stringContaining(foreign.origin) as string,
		});
		expect(foreign.received).toStrictEqual([]);
	});

	it('sends nothing through a proxy of the request', async () => {
		const { hostname: host, port } = new URL(foreign.origin);
		const proxy = { protocol: 'http', host, port: Number(port) };
		await expect(send({ url: `${gateway.origin}/api/v1/balance` }, { proxy })).rejects.toThrow('proxy');
		expect([...gateway.received, ...foreign.received]).toStrictEqual([]);
	});
});
