import type { RequestListener } from 'node:http';

import axios from 'axios';
import fc from 'fast-check';
import { CredentialTestContext } from 'n8n-core';
import {
	type ICredentialDataDecryptedObject,
	type ICredentialTestFunctions,
	type IDataObject,
	type IHttpRequestMethods,
	type IHttpRequestOptions,
	injectDomainRestrictionFields,
	type IRequestOptions,
} from 'n8n-workflow';

import { AiGatewayApi } from '../../credentials/AiGatewayApi.credentials';
import { checkMinBalance, readAddress } from '../../nodes/shared/n8n/credential';
import { testGateway } from '../../nodes/shared/n8n/credentialTest';
import { editorContext } from '../helpers/contexts';
import { API_KEY, useSocketGateway } from '../helpers/socketGateway';

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
	const url = 'https://gateway.test/api/v1/balance?a=%20b';

	it.each<[string, Request]>([
		['url', { url }],
		['url and uri', { url, uri: 'https://evil.test/' }],
		['url, with a baseURL that it replaces', { url, baseURL: 'https://evil.test' }],
	])('given as %s', async (_, request) => {
		expect(await authenticate(request)).toStrictEqual({
			baseURL: '',
			url,
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
	])('written as %j', async (address) => {
		const { headers } = await authenticate({ url: address });
		expect(headers).toStrictEqual({ Authorization: `Bearer ${KEY}` });
	});

	it('which keep their own headers; white space around the key and the base URL is removed', async () => {
		const data = { baseUrl: ' https://gateway.test/api/v1 ', apiKey: ` ${KEY}\n` };
		const own = { accept: 'text/plain', host: 'Gateway.test' };
		const { headers } = await authenticate({ url, headers: own }, data);
		expect(headers).toStrictEqual({ ...own, Authorization: `Bearer ${KEY}` });
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
			description: expect.stringMatching(
				/to https:\/\/evil\.test; .* only to https:\/\/gateway\.test,.* choose another credential\.$/,
			) as string,
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

	// More of them: the fields of the credential, below.
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
			{ numRuns: 150, maxSkipsPerRun: 100 },
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
			{ numRuns: 150, maxSkipsPerRun: 100 },
		);
	});
});

describe('credential sockets', () => {
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
		return (await context.helpers.httpRequestWithAuthentication.call(
			context,
			CREDENTIAL,
			options,
		)) as unknown;
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
			await send(
				{ url: `${gateway.origin()}/api/v1/balance` },
				{ headers: { authorization: 'Bearer other' } },
			);
			expect(gateway.received).toMatchObject([
				{ method: 'GET', url: '/api/v1/balance', headers: { authorization: `Bearer ${API_KEY}` } },
			]);
			expect(gateway.received[0]?.rawHeaders).not.toContain('Bearer other');
		});

		it.each([
			['GET', 302, 'the gateway'],
			['GET', 303, 'another server'],
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
	});
});

const DATA = { baseUrl: 'https://gateway.test/api/v1', apiKey: KEY };

const test = async (context: object, data: object | undefined) =>
	await testGateway.call(context as ICredentialTestFunctions, {
		id: '1',
		name: 'Gateway',
		type: 'aiGatewayApi',
		...(data ? { data: data as typeof DATA } : {}),
	});

/** Tests a credential against a scripted response. */
async function testCredential(response: unknown, data: object | undefined = {}) {
	const requests: object[] = [];
	const request = async (options: object) => {
		requests.push(options);
		if (response instanceof Error) throw response;
		return await Promise.resolve(response);
	};
	return { ...(await test({ helpers: { request } }, data && { ...DATA, ...data })), requests };
}

const broken = (code: string) => Object.assign(new Error(code), { code });

describe('the credential test', () => {
	it.each<[number, string, string]>([
		[200, '{"amount":"1"}', 'OK'],
		[200, '{"RUB":0,"USD":0}', 'OK'],
		[299, '{"amount":"1"}', 'OK'],
		[199, '{"amount":"1"}', 'Error'],
		[300, '{"amount":"1"}', 'Error'],
		[500, '{"amount":"1"}', 'Error'],
	])('reads status %i with the body %j as %s', async (statusCode, body, status) => {
		const tested = await testCredential({ statusCode, body });
		expect(tested).toMatchObject({ status, requests: [{ method: 'GET', timeout: 30_000 }] });
	});

	// More of them: the fields of the credential, below.
	it.each<[string, object | undefined, string]>([
		['no data', undefined, 'The base URL in the AI Gateway credential is not a web address'],
		[
			'a masked key',
			{ apiKey: 'sk-ab…cd' },
			'is masked. It is the form that the web application shows later.',
		],
		['a masked key with asterisks', { apiKey: 'sk-ab****cd' }, 'is masked'],
		['a masked key with three points', { apiKey: 'sk-ab...cd' }, 'is masked'],
		['words around the key', { apiKey: 'key: sk-1' }, 'Copy the key again'],
		['a base URL without https://', { baseUrl: 'gateway.test/api/v1' }, 'it begins with https://'],
		[
			'a base URL with a query',
			{ baseUrl: `${DATA.baseUrl}?x=1` },
			'has a query or a fragment. Remove the ? or the #',
		],
		[
			'a base URL with a fragment',
			{ baseUrl: `${DATA.baseUrl}/#a` },
			'has a query or a fragment. Remove the ? or the #',
		],
		[
			'an amount with its currency',
			{ minBalanceRub: '100 rub' },
			'Enter only a number, such as 100 or 99.50',
		],
	])('sends nothing with %s', async (_, data, expected) => {
		const context = { helpers: { request: jest.fn() } };
		const { status, message } = await test(context, data && { ...DATA, ...data });
		expect([status, message]).toStrictEqual(['Error', expect.stringContaining(expected)]);
		expect(context.helpers.request).not.toHaveBeenCalled();
	});

	const unauthorized = (body?: string) => ({ statusCode: 401, body });
	const success = (body?: string) => ({ statusCode: 200, body });
	const unreadable = /^The gateway’s response could not be read.*web page/;

	it.each<[string, unknown, RegExp]>([
		['a wrong key', unauthorized('{"error":{"code":"invalid_api_key"}}'), /^The API key was refused/],
		['a wrong key, by its type', unauthorized('{"error":{"type":"x"}}'), /^The API key was refused/],
		['another site that asks for a sign-in', unauthorized('<html>'), /^Something other than the gateway/],
		['a sign-in without a body', unauthorized(), /^Something other than the gateway/],
		['a wrong address', { statusCode: 404, body: 'not found' }, /^No gateway responds at this base URL/],
		['a web page', success('<!DOCTYPE html>'), unreadable],
		[
			'a wrong key with status 200',
			success('{"error":{"code":"invalid_api_key"}}'),
			/^The API key was refused/,
		],
		[
			'no money with status 200',
			success('{"error":{"code":"insufficient_quota"}}'),
			/^There is not enough money/,
		],
		['another service', success('{"status":"ok"}'), /^The gateway’s response has no balance/],
		['a redirect', { statusCode: 301, body: '' }, /^The gateway’s address redirects elsewhere/],
		['a response without a body', success(), unreadable],
		['too many requests', { statusCode: 429, body: '' }, /rate limit/i],
		['a gateway that cannot be reached', broken('ECONNREFUSED'), /^The gateway could not be reached/],
		['a connection that breaks', broken('ECONNRESET'), /^The connection broke/],
		['a timeout', broken('ETIMEDOUT'), /in time/],
		['an error that is not the network’s', new Error('out of memory'), /^out of memory$/],
	])('explains %s, and mentions no charge', async (_, response, message) => {
		const result = await testCredential(response);
		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
		expect(result.message).not.toMatch(/charge|lost|was sent|item/);
	});

	it('does not show the key, whatever is thrown', async () => {
		const body = JSON.stringify({ error: { message: `no: ${KEY}` } });
		expect((await testCredential({ statusCode: 403, body })).message).toContain('[key]');
		const other = new Error('odd other-key');
		for (const apiKey of [' other-key\n', 'Bearer other-key'])
			expect((await testCredential(other, { apiKey })).message).toBe('odd [key]');
		const request = () => {
			const odd: unknown = `odd ${KEY}`;
			throw odd;
		};
		expect(await test({ helpers: { request } }, DATA)).toStrictEqual({
			status: 'Error',
			message: 'odd [key]',
		});
	});
});

describe('with n8n’s own HTTP helper, over real sockets', () => {
	const gateway = useSocketGateway();

	it.each<[string, RequestListener, string, RegExp]>([
		['a key that the gateway knows', (_, response) => response.end('{"amount":"12.50"}'), 'OK', /./],
		['a wrong path', (_, response) => response.writeHead(404).end('Not Found'), 'Error', /No gateway/],
		['a broken connection', (_, response) => response.destroy(), 'Error', /connection broke/],
		[
			'a redirect, so that the key is sent nowhere else',
			(_, response) => response.writeHead(307, { location: '/elsewhere' }).end(),
			'Error',
			/redirects/,
		],
	])('sends one request: %s', async (_, listener, status, message) => {
		gateway.onRequest(listener);
		const baseUrl = `${gateway.origin()}/api/v1`;
		const result = await test(new CredentialTestContext(), { ...DATA, baseUrl });
		expect(result).toStrictEqual({ status, message: expect.stringMatching(message) as string });
		expect(result.message).not.toContain(KEY);
		expect(gateway.received).toMatchObject([
			{ method: 'GET', url: '/api/v1/balance', headers: { authorization: `Bearer ${KEY}` } },
		]);
	});
});

const baseUrl = 'https://gateway.test/api/v1';

describe('the fields of the credential', () => {
	it.each([
		[baseUrl, baseUrl],
		[` ${baseUrl}/ `, baseUrl],
		[`${baseUrl}///`, baseUrl],
		[`${baseUrl}/chat/completions`, baseUrl],
		['https://proxy.test/api/v1/a/api/v1/', 'https://proxy.test/api/v1/a/api/v1'],
		['http://localhost:8080', 'http://localhost:8080'],
		['HTTPS://gateway.test', 'HTTPS://gateway.test'],
	])('the base URL %j is read as %j', (value, address) => {
		expect(readAddress({ baseUrl: value, apiKey: ' sk-1~! ', minBalanceRub: '' })).toStrictEqual({
			baseUrl: address,
			secrets: ['sk-1~!'],
			minBalanceRub: undefined,
		});
	});

	it.each<[string, unknown[]]>([
		[
			'baseUrl',
			[
				...['', ' ', 7, null, undefined, 'gateway.test/api/v1', 'ftp://gateway.test', 'https://'],
				...['https:///api', 'see https://a.test', 'https://gateway.test:99999/api/v1'],
				...[
					'https://user@gateway.test/api/v1',
					'https://:pw@gateway.test',
					'https://gateway.test\\@evil.test',
				],
				// report: the path of each request would be in the query, or lost.
				...[`${baseUrl}?x=1`, `${baseUrl}#a`, `${baseUrl}/?x=1`, `${baseUrl}/#`, `${baseUrl}?`],
				...[
					`${baseUrl}/chat/completions?x=1`,
					'https://gateway.test?x=/api/v1/',
					'https://gateway.test/#/api/v1',
				],
			],
		],
		['apiKey', ['sk-1…', 'sk 1', 'sk-1\n2', 'ключ', '•••1']],
	])('%s is rejected: %j', (param, values) => {
		for (const value of values) {
			const rejected = expect.objectContaining({ name: 'InvalidInputError', param }) as Error;
			expect(() => readAddress({ baseUrl, [param]: value as string })).toThrow(rejected);
		}
	});

	it.each(['a lot', '1,5', true, '-5', null, undefined])(
		'a minimum balance %j is rejected, but only for what costs money',
		(value) => {
			const { minBalanceRub } = readAddress({ baseUrl, minBalanceRub: value as unknown as string });
			const rejected = expect.objectContaining({
				name: 'InvalidInputError',
				param: 'minBalanceRub',
			}) as Error;
			expect(() => checkMinBalance(minBalanceRub ?? '100')).toThrow(rejected);
		},
	);

	it('a minimum balance may be 0', () => expect(() => checkMinBalance('0')).not.toThrow());

	it('the key is read without the "Bearer" of its header', () => {
		for (const apiKey of ['Bearer sk-1', 'bearer  sk-1'])
			expect(readAddress({ baseUrl, apiKey }).secrets).toStrictEqual(['sk-1']);
	});

	it('may be without a key, and a minimum balance may be a number', () => {
		expect(readAddress({ baseUrl, apiKey: null as unknown as string, minBalanceRub: 99.5 })).toStrictEqual({
			baseUrl,
			secrets: [''],
			minBalanceRub: '99.5',
		});
	});
});
