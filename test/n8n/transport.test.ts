import { PassThrough } from 'node:stream';

import type { IAdditionalCredentialOptions, IExecuteFunctions } from 'n8n-workflow';

import { credentialReader, gatewayAddress, n8nTransport } from '../../nodes/shared/n8n/transport';
import type { HttpRequest } from '../../nodes/shared/gateway/client/transport';
import type { Origin } from '../../nodes/shared/gateway/errors/texts/origin';
import { rejection } from '../helpers/client';

const exchange: HttpRequest = {
	method: 'GET',
	url: 'https://files.test/a',
	headers: {},
	timeoutMs: 1_000,
	authenticated: false,
	responseType: 'stream',
	charged: false,
};

/** n8n's functions, whose requests are answered with this body. */
function answering(body: PassThrough): IExecuteFunctions {
	const httpRequest = async () => await Promise.resolve({ statusCode: 200, headers: {}, body });
	return { helpers: { httpRequest } } as unknown as IExecuteFunctions;
}

const transportOf = (context: IExecuteFunctions) =>
	n8nTransport(context, { credential: credentialReader(context) });

describe('the stream of an answer', () => {
	it('may break when nobody reads it any more: an error that nobody hears would end n8n', async () => {
		const body = new PassThrough();
		await transportOf(answering(body)).stream(exchange);
		expect(() => body.emit('error', new Error('aborted'))).not.toThrow();
	});

	it('breaks for whoever reads it', async () => {
		const body = new PassThrough();
		const answer = await transportOf(answering(body)).stream(exchange);
		body.write('1');
		setImmediate(() => body.destroy(new Error('aborted')));
		const read = async () => {
			const portions: Uint8Array[] = [];
			for await (const portion of answer.body) portions.push(portion);
			return portions;
		};
		await expect(read()).rejects.toThrow('aborted');
	});
});

/** n8n's request functions, which note how they are called and give this response. */
function noting(response: unknown) {
	const asked: Array<{ self: unknown; args: unknown[] }> = [];
	const note = function (this: unknown, ...args: unknown[]) {
		asked.push({ self: this, args });
		return Promise.resolve(response);
	};
	const helpers = { httpRequest: note, httpRequestWithAuthentication: note };
	const context = { helpers } as unknown as IExecuteFunctions;
	return { asked, context };
}

const nobody = { id: '7', name: 'Mine', type: 'aiGatewayApi' };

describe('a request', () => {
	const { signal } = new AbortController();
	const settings = { credential: async () => await Promise.resolve(nobody), cancelSignal: signal };
	const sent = {
		method: 'POST',
		url: 'https://gateway.test/api/v1/x',
		headers: { accept: '*/*' },
		timeout: 1_234,
		encoding: 'text',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		sendCredentialsOnCrossOriginRedirect: false,
	};
	const request: HttpRequest = {
		...exchange,
		method: 'POST',
		url: sent.url,
		headers: sent.headers,
		timeoutMs: 1_234,
		responseType: 'text',
		authenticated: true,
	};

	it('to the gateway is signed by n8n with the credential, and follows no redirect', async () => {
		const { asked, context } = noting({ statusCode: 200 });
		await n8nTransport(context, settings).text(request);
		expect(asked).toStrictEqual([
			{ self: context, args: ['aiGatewayApi', sent, { credentialsDecrypted: nobody }] },
		]);
	});

	it.each(['{}', ''])('has its body: %j', async (body) => {
		const { asked, context } = noting({ statusCode: 200 });
		await n8nTransport(context, settings).text({ ...request, body });
		expect(asked[0]?.args[1]).toStrictEqual({ ...sent, body });
	});

	it('to another address has no key, follows redirects, and ends when the execution is cancelled', async () => {
		const { asked, context } = noting({ statusCode: 200, body: new PassThrough() });
		const elsewhere = { ...sent, encoding: 'stream', disableFollowRedirect: false };
		const plain: HttpRequest = { ...request, authenticated: false, responseType: 'stream' };
		await n8nTransport(context, settings).stream(plain);
		await n8nTransport(context, { credential: settings.credential }).stream(plain);
		expect(asked.map(({ args }) => args)).toStrictEqual([
			[{ ...elsewhere, abortSignal: signal }],
			[elsewhere],
		]);
	});
});

describe('a response', () => {
	const receive = async (response: object) => await transportOf(noting(response).context).text(exchange);

	it('has its status, its headers in lower case, and its text', async () => {
		const headers = {
			'Content-Type': 'text/plain',
			'X-Two': ['a', 'b'],
			'x-age': 0,
			none: null,
			lost: undefined,
		};
		expect(await receive({ statusCode: 404, headers, body: 'text' })).toStrictEqual({
			status: 404,
			headers: { 'content-type': 'text/plain', 'x-two': 'a,b', 'x-age': '0' },
			body: 'text',
		});
	});

	it.each([undefined, null, { parsed: true }])('without text is empty: %j', async (body) => {
		expect(await receive({ statusCode: 204, body })).toStrictEqual({ status: 204, headers: {}, body: '' });
	});
});

describe('an error', () => {
	const failing = (error: Error) => {
		const fail = async () => await Promise.reject(error);
		const helpers = { httpRequest: fail, httpRequestWithAuthentication: fail };
		return transportOf({
			helpers,
			getNode: () => ({}),
			getCredentials: async () => await Promise.resolve({}),
		} as unknown as IExecuteFunctions);
	};
	const cut = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

	it.each([
		[true, true, true],
		[false, true, false],
	])('of the connection says whether it may be charged: %j', async (charged, authenticated, mayBeCharged) => {
		const error = await rejection(failing(cut()).text({ ...exchange, authenticated, charged }));
		expect(error).toMatchObject({ details: { code: 'econnreset', delivery: 'unknown', mayBeCharged } });
	});

	it('of the connection tells the gateway from the server of a file', async () => {
		const said = async (authenticated: boolean) =>
			String(await rejection(failing(cut()).text({ ...exchange, authenticated })));
		expect(await said(false)).not.toBe(await said(true));
	});

	it('of a cancelled execution is no failure', async () => {
		const cancelled = Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' });
		expect(await rejection(failing(cancelled).stream(exchange))).toMatchObject({ reason: 'cancelled' });
	});

	it('that is not the network’s stays what it is', async () => {
		const mistake = new TypeError('no such function');
		expect(await rejection(failing(mistake).text(exchange))).toBe(mistake);
	});
});

it.each<[Origin | undefined, boolean]>([
	[undefined, true],
	['chatModel', true],
	['trigger', false],
	['editor', false],
])('a timeout in %s: whether the hint names the option', async (origin, hasOption) => {
	const late = Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' });
	const context = { helpers: { httpRequestWithAuthentication: async () => await Promise.reject(late) } };
	const transport = n8nTransport(context as unknown as IExecuteFunctions, {
		credential: async () => await Promise.resolve({ id: '', name: '', type: '' }),
		...(origin ? { origin } : {}),
	});
	const error = await rejection(transport.text({ ...exchange, authenticated: true }));
	expect(error).toMatchObject({ details: { code: 'timeout' } });
	expect(JSON.stringify(error).includes('Timeout (Seconds)')).toBe(hasOption);
});

describe('the credential', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	const request: HttpRequest = {
		...exchange,
		url: 'https://gateway.test/api/v1/x',
		authenticated: true,
		responseType: 'text',
	};

	/** A transport that notes the keys it sends, and how often the credential was read: each read gives another key. */
	function transportWithKeys({ failures = 0 } = {}) {
		const keys: unknown[] = [];
		let reads = 0;
		const context = {
			getNode: () => ({ credentials: { aiGatewayApi: { id: '7', name: 'Mine' } } }),
			getCredentials: async () => {
				reads += 1;
				if (reads <= failures) throw new Error('The database is busy');
				return await Promise.resolve({ baseUrl: 'https://gateway.test/api/v1/', apiKey: `key-${reads}` });
			},
			helpers: {
				httpRequestWithAuthentication: async (
					_type: string,
					_options: unknown,
					{ credentialsDecrypted }: IAdditionalCredentialOptions,
				) => {
					keys.push(credentialsDecrypted?.data?.apiKey);
					return await Promise.resolve({ statusCode: 200, headers: {}, body: '{}' });
				},
			},
		};
		const credential = credentialReader(context as unknown as IExecuteFunctions);
		const transport = n8nTransport(context as unknown as IExecuteFunctions, { credential });
		return { keys, transport, credential };
	}

	it('is read once for many requests, and anew for those that come later', async () => {
		const { keys, transport } = transportWithKeys();
		await Promise.all([transport.text(request), transport.text(request)]);
		jest.advanceTimersByTime(9_999);
		await transport.text(request);
		jest.advanceTimersByTime(1);
		await transport.text(request);
		expect(keys).toStrictEqual(['key-1', 'key-1', 'key-1', 'key-2']);
	});

	it('is read once for the address and the first request', async () => {
		const { keys, transport, credential } = transportWithKeys();
		expect(await gatewayAddress(credential)).toStrictEqual({
			baseUrl: 'https://gateway.test/api/v1',
			secrets: ['key-1'],
		});
		await transport.text(request);
		expect(keys).toStrictEqual(['key-1']);
	});

	it.each([
		[{ aiGatewayApi: { id: '7', name: 'Mine' } }, '7', 'Mine'],
		[{ aiGatewayApi: { id: null, name: 'Mine' } }, '', 'Mine'],
		[{ other: { id: '8', name: 'Other' } }, '', ''],
		[undefined, '', ''],
	])('is that of the node: %j', async (credentials, id, name) => {
		const data = { apiKey: 'key' };
		const asked: unknown[] = [];
		const getCredentials = async (type: string) => await Promise.resolve((asked.push(type), data));
		const context = { getNode: () => ({ credentials }), getCredentials } as unknown as IExecuteFunctions;
		expect(await credentialReader(context)()).toStrictEqual({ id, name, type: 'aiGatewayApi', data });
		expect(asked).toStrictEqual(['aiGatewayApi']);
	});

	it('that could not be read is read anew by the next request', async () => {
		const { keys, transport } = transportWithKeys({ failures: 1 });
		await expect(transport.text(request)).rejects.toThrow('The database is busy');
		await transport.text(request);
		expect(keys).toStrictEqual(['key-2']);
	});
});
