import axios from 'axios';
import fc from 'fast-check';
import {
	injectDomainRestrictionFields,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IHttpRequestOptions,
	type IRequestOptions,
} from 'n8n-workflow';

import { AiGatewayApi } from '../../credentials/AiGatewayApi.credentials';

const KEY = 'sk-0a1b2c3d-0000-0000-0000-000000000000';
const credentials = { baseUrl: 'https://gateway.test/api/v1', apiKey: KEY };

/** A request, in the form of either of n8n's request functions. */
interface Request {
	url?: string | undefined;
	uri?: string | undefined;
	baseURL?: string | undefined;
	headers?: IDataObject;
	proxy?: IRequestOptions['proxy'];
}

const authenticate = async (request: Request, data: object = credentials) =>
	await new AiGatewayApi().authenticate(
		data as ICredentialDataDecryptedObject,
		request as IHttpRequestOptions,
	);

it('n8n adds no list of allowed domains: the key goes to the origin of the base URL only', () => {
	const credential = new AiGatewayApi();
	expect(injectDomainRestrictionFields(credential)).toStrictEqual(credential.properties);
	expect(credential.properties.map(({ hint }) => hint)[0]).toContain('sent only there');
});

describe('the key is added to requests to the gateway’s origin', () => {
	it.each<[string, Request]>([
		['url', { url: 'https://gateway.test/api/v1/balance?a=%20b' }],
		['url and uri', { url: 'https://gateway.test/api/v1/balance?a=%20b', uri: 'https://evil.test/' }],
		[
			'url, with a baseURL that it replaces',
			{ url: 'https://gateway.test/api/v1/balance?a=%20b', baseURL: 'https://evil.test' },
		],
	])('given as %s', async (_, request) => {
		expect(await authenticate(request)).toStrictEqual({
			baseURL: '',
			url: 'https://gateway.test/api/v1/balance?a=%20b',
			headers: { Authorization: `Bearer ${KEY}` },
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
		});
	});

	it.each([
		'HTTPS://GATEWAY.test/api/v1',
		'https://gateway.test:443/api/v1',
		' https://gateway.test/api/v1\n',
		'https://gateway.test',
	])('written as %j', async (url) => {
		expect((await authenticate({ url })).headers).toStrictEqual({ Authorization: `Bearer ${KEY}` });
	});

	it('which keep their own headers; white space around the key and the base URL is removed', async () => {
		const data = { baseUrl: ' https://gateway.test/api/v1 ', apiKey: ` ${KEY}\n` };
		const headers = { accept: 'text/plain', host: 'Gateway.test' };
		expect((await authenticate({ url: 'https://gateway.test/', headers }, data)).headers).toStrictEqual({
			...headers,
			Authorization: `Bearer ${KEY}`,
		});
	});
});

describe('a request is rejected', () => {
	it.each([
		'https://files.test/x',
		'http://gateway.test/api/v1',
		'https://gateway.test:8443/',
		'https://gateway.test./',
		'https://gateway.test.evil/',
		'https://sub.gateway.test/',
		'https://gateway.test@evil.test/',
		'https:\\\\evil.test\\@gateway.test/',
		'https://evil.test#@gateway.test/',
		'ht\ttps://ev\nil.test/',
		'https://gatewаy.test/',
	])('if it goes to another origin: %j', async (url) => {
		const rejected = {
			name: 'InvalidInputError',
			message: expect.stringContaining('another address') as string,
		};
		await expect(authenticate({ url })).rejects.toMatchObject(rejected);
		await expect(authenticate({ uri: url })).rejects.toMatchObject(rejected);
	});

	it('if its URL goes to another origin than its baseURL', async () => {
		const request = { url: 'https://evil.test/balance', baseURL: 'https://gateway.test/api/v1' };
		await expect(authenticate(request)).rejects.toMatchObject({
			message: 'The AI Gateway credential is for another address than the URL of this request',
			description:
				'The request goes to https://evil.test; the API key is sent only to https://gateway.test, the origin of the base URL. Correct the URL of the request, or choose another credential.',
		});
	});

	it.each<Request>([
		{},
		{ url: '' },
		{ url: 'nonsense' },
		{ url: '/api/v1/balance' },
		{ url: '//gateway.test/' },
		{ url: '/balance', baseURL: 'https://gateway.test/api/v1' },
		{ url: '//evil.test/', baseURL: 'https://gateway.test' },
		{ url: 'https://' },
		{ url: 'blob:https://gateway.test/1' },
		{ url: 'file:///etc/passwd' },
		{ url: 'data:text/plain,1' },
	])('if its URL is not a web address: %j', async (request) => {
		await expect(authenticate(request)).rejects.toMatchObject({
			message: expect.stringContaining('another address') as string,
		});
	});

	it.each<[string, Request]>([
		['a header for another host', { headers: { HOST: 'evil.test' } }],
		['a header for another port', { headers: { Host: 'gateway.test:8443' } }],
		['a proxy of its own, which could read the key', { proxy: 'http://evil.test:3128' }],
	])('if it has %s', async (_, more) => {
		await expect(authenticate({ url: 'https://gateway.test/', ...more })).rejects.toMatchObject({
			message: expect.stringContaining('cannot be used with a proxy of the request, or') as string,
			description: expect.stringContaining('HTTPS_PROXY') as string,
		});
	});

	// More of them: address.test.ts.
	it.each([{ baseUrl: 'gateway.test/api/v1' }, { apiKey: 'sk-ab…cd' }])(
		'if the credential is not valid: %j',
		async (fields) => {
			await expect(
				authenticate({ url: 'https://gateway.test/api/v1' }, { ...credentials, ...fields }),
			).rejects.toMatchObject({ name: 'InvalidInputError', param: Object.keys(fields)[0] });
		},
	);
});

describe('for any URL, uri and baseURL', () => {
	const own = 'https://gateway.test';
	const pick = (...values: string[]) => fc.constantFrom(...values);
	const hosts = [
		'gateway.test',
		'GATEWAY.test',
		'gateway.test.',
		'evil.test',
		'a.gateway.test',
		'gatewаy.test',
	];
	const address = fc
		.tuple(
			pick('', '', '', ' ', '\t', '\n'),
			pick('https:', 'https:', 'https:', 'HTTPS:', 'ht\ntps:', 'http:', 'blob:https:', 'file:', 'data:', ''),
			pick('//', '//', '//', '//', '\\\\', '/', '///', '/\t/', ''),
			pick('', '', '', '', '', 'gateway.test@', 'evil.test\\@', 'user:pw@', '@', 'evil.test#@'),
			pick('gateway.test', 'gateway.test', ...hosts, ''),
			pick('', '', ':443', ':8443', ':', '\t:443', '%2eevil.test', '.evil.test'),
			pick('', '/', '/api/v1', '\\evil.test', '/../x', '//evil.test', '?u=https://evil.test', '#x'),
		)
		.map((parts) => parts.join(''));
	const part = fc.oneof(
		{ weight: 6, arbitrary: address },
		{ weight: 1, arbitrary: pick('/balance', 'balance', '', '..', '@evil.test', '.evil.test', ':8443/x') },
		{ weight: 1, arbitrary: fc.webUrl() },
		{ weight: 1, arbitrary: fc.string() },
	);
	const requests = fc.record({ url: part, uri: part, baseURL: part }, { requiredKeys: [] });

	/** Where axios, n8n's HTTP client, sends the request; `undefined` if it sends nothing over the network. */
	function destination({ url, uri, baseURL }: Pick<Request, 'url' | 'uri' | 'baseURL'>): URL | undefined {
		try {
			const target = new URL(axios.getUri({ url: url ?? uri, baseURL } as { url: string }));
			return /^https?:$/.test(target.protocol) ? target : undefined;
		} catch {
			return undefined;
		}
	}

	it('the key is added only if the HTTP client sends the request to the gateway’s origin', async () => {
		await fc.assert(
			fc.asyncProperty(requests, async (request) => {
				const signed = await authenticate(request).catch(() => undefined);
				fc.pre(signed !== undefined);
				expect(destination(signed ?? {})?.origin).toBe(own);
				expect(destination({ ...request, baseURL: undefined })?.origin ?? own).toBe(own);
			}),
			{ numRuns: 500, maxSkipsPerRun: 100 },
		);
	});

	it('the key is added to each request that the HTTP client sends there, to the same URL', async () => {
		await fc.assert(
			fc.asyncProperty(requests, async ({ url, uri }) => {
				const request = { url, uri };
				const target = destination(request);
				fc.pre(target?.origin === own);
				const { pathname, search } = new URL((await authenticate(request)).url);
				expect([pathname, search]).toStrictEqual([target?.pathname, target?.search]);
			}),
			{ numRuns: 500, maxSkipsPerRun: 100 },
		);
	});
});
