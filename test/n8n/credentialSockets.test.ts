import type { IHttpRequestMethods, IHttpRequestOptions, IRequestOptions } from 'n8n-workflow';

import { editorContext } from '../helpers/contexts';
import { API_KEY, useSocketGateway } from '../helpers/socketGateway';

// The credential with n8n's own request functions, over real sockets.

const CREDENTIAL = 'aiGatewayApi';
const gateway = useSocketGateway();
const foreign = useSocketGateway();

/** n8n's functions for a node with the gateway's credential. */
const contextOf = () =>
	editorContext({
		node: 'balance',
		parameters: {},
		credential: { baseUrl: `${gateway.origin()}/api/v1`, apiKey: API_KEY },
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
		await send({ url: `${gateway.origin()}/api/v1/balance` }, { headers: { authorization: 'Bearer other' } });
		expect(gateway.received).toMatchObject([
			{ method: 'GET', url: '/api/v1/balance', headers: { authorization: `Bearer ${API_KEY}` } },
		]);
		expect(gateway.received[0]?.rawHeaders).not.toContain('Bearer other');
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
			const location = to === 'the gateway' ? '/elsewhere' : `${foreign.origin()}/x`;
			gateway.onRequest((__, response) => response.writeHead(status, { location }).end());
			const asked = {
				disableFollowRedirect: false,
				followRedirect: true,
				followAllRedirects: true,
				maxRedirects: 5,
				sendCredentialsOnCrossOriginRedirect: true,
			};
			const body = method === 'POST' ? { body: { a: 1 } } : {};
			const sending = send({ url: `${gateway.origin()}/api/v1/balance`, method, ...body }, asked);
			await expect(sending).rejects.toMatchObject({ httpCode: String(status) });
			expect(gateway.received).toHaveLength(1);
			expect(foreign.received).toStrictEqual([]);
		},
	);

	it.each([
		['alone', () => ({})],
		['with the gateway’s baseURL', () => ({ baseURL: `${gateway.origin()}/api/v1` })],
	])('sends nothing to the URL of another server: %s', async (__, more) => {
		await expect(send({ url: `${foreign.origin()}/x`, ...more() })).rejects.toMatchObject({
			message: expect.stringContaining('another address') as string,
			description: expect.stringContaining(foreign.origin()) as string,
		});
		expect(foreign.received).toStrictEqual([]);
	});

	it('sends nothing through a proxy of the request', async () => {
		const { hostname: host, port } = new URL(foreign.origin());
		const proxy = { protocol: 'http', host, port: Number(port) };
		await expect(send({ url: `${gateway.origin()}/api/v1/balance` }, { proxy })).rejects.toThrow('proxy');
		expect([...gateway.received, ...foreign.received]).toStrictEqual([]);
	});
});
