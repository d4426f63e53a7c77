import { CredentialTestContext } from 'n8n-core';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ICredentialTestFunctions } from 'n8n-workflow';

import { testGateway } from '../../nodes/shared/n8n/credentialTest';

// The credential test with n8n's own HTTP helper, over real sockets.

const KEY = 'sk-0a1b2c3d-0000-0000-0000-000000000000';

let server: Server;
let respond: RequestListener;
let requests: Array<{ method: string | undefined; url: string | undefined; key: string | undefined }> = [];

beforeAll(async () => {
	server = createServer((request, response) => {
		const { method, url, headers } = request;
		requests.push({ method, url, key: headers.authorization });
		respond(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
	requests = [];
});
afterAll(async () => {
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

const own = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function testCredential(baseUrl = `${own()}/api/v1`) {
	const context = new CredentialTestContext() as unknown as ICredentialTestFunctions;
	const data = { baseUrl, apiKey: KEY };
	return await testGateway.call(context, { id: '1', name: 'Gateway', type: 'aiGatewayApi', data });
}
const responds =
	(status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
	(_, response) =>
		void response.writeHead(status, headers).end(body);
const json = { 'content-type': 'application/json' };

it('accepts a key that the gateway knows, with one request', async () => {
	respond = responds(200, '{"amount":"12.50"}', json);
	expect(await testCredential()).toStrictEqual({ status: 'OK', message: expect.any(String) as string });
	expect(requests).toStrictEqual([{ method: 'GET', url: '/api/v1/balance', key: `Bearer ${KEY}` }]);
});

it.each<[string, RequestListener, RegExp]>([
	['a wrong key', responds(401, '{"error":{"code":"invalid_api_key"}}', json), /key was refused/],
	['a wrong path', responds(404, 'Not Found'), /No gateway/],
	['a web page', responds(200, '<!doctype html><html></html>', { 'content-type': 'text/html' }), /web page/],
	['a sign-in page', responds(401, '<html></html>'), /Something other/],
	['an empty response', responds(200, ''), /could not be read/],
	['a broken connection', (_, response) => void response.destroy(), /connection broke/],
])('explains %s', async (_, listener, message) => {
	respond = listener;
	const { status, message: text } = await testCredential();
	expect(status).toBe('Error');
	expect(text).toMatch(message);
	expect(text).not.toContain(KEY);
	expect(requests).toHaveLength(1);
});

it.each([301, 302, 307, 308])(
	'does not follow a redirect (%i), so the key is sent nowhere else',
	async (code) => {
		respond = responds(code, '', { location: `${own()}/elsewhere` });
		expect(await testCredential()).toStrictEqual({
			status: 'Error',
			message: expect.stringContaining('redirects') as string,
		});
		expect(requests.map(({ url }) => url)).toStrictEqual(['/api/v1/balance']);
	},
);

it('explains a refused connection', async () => {
	const other = createServer();
	await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
	const { port } = other.address() as AddressInfo;
	await new Promise((resolve) => other.close(resolve));
	const { status, message } = await testCredential(`http://127.0.0.1:${port}/api/v1`);
	expect(status).toBe('Error');
	expect(message).toContain('could not be reached');
});
