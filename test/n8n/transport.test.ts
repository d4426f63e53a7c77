import { getEventListeners } from 'node:events';
import { PassThrough } from 'node:stream';

import type { IAdditionalCredentialOptions, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { credentialReader, gatewayAddress, n8nTransport } from '../../nodes/shared/n8n/transport';
import type { HttpRequest } from '../../nodes/shared/gateway/client/transport';
import { apiErrorOf, rejection } from '../helpers/client';

const exchange: HttpRequest = {
	method: 'GET',
	url: 'https://files.test/a',
	headers: {},
	timeoutMs: 1_000,
	kind: 'file',
};

const transportOf = (context: IExecuteFunctions) =>
	n8nTransport(context, { credential: credentialReader(context) });

/** n8n's request functions, which record their calls and return this response. */
function recording(response: unknown) {
	const calls: Array<{ self: unknown; args: unknown[] }> = [];
	const record = function (this: unknown, ...args: unknown[]) {
		calls.push({ self: this, args });
		return Promise.resolve(response);
	};
	const helpers = { httpRequest: record, httpRequestWithAuthentication: record };
	const context = { helpers } as unknown as IExecuteFunctions;
	return { calls, context };
}

const storedCredential = { id: '7', name: 'Mine', type: 'aiGatewayApi' };

describe('a request', () => {
	const cancel = new AbortController();
	const settings = {
		credential: async () => await Promise.resolve(storedCredential),
		cancelSignal: cancel.signal,
	};
	const sent = {
		method: 'POST',
		url: 'https://gateway.test/api/v1/x',
		headers: { accept: '*/*' },
		timeout: 0,
		encoding: 'stream',
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
		kind: 'charge',
	};

	const abortSignal = expect.any(AbortSignal) as AbortSignal;

	it('to the gateway is signed by n8n with the credential, and follows no redirect', async () => {
		const { calls, context } = recording({ statusCode: 200 });
		await n8nTransport(context, settings).text(request);
		const [{ self, args } = { self: undefined, args: [] }] = calls;
		const credentialsDecrypted = storedCredential;
		expect(args).toStrictEqual(['aiGatewayApi', { ...sent, abortSignal }, { credentialsDecrypted }]);
		// n8n takes the signal of its caller.
		const caller = self as IExecuteFunctions;
		expect(caller.helpers).toBe(context.helpers);
		expect(caller.getExecutionCancelSignal()).toBe((args[1] as IHttpRequestOptions).abortSignal);
	});

	it.each(['{}', ''])('has its body: %j', async (body) => {
		const { calls, context } = recording({ statusCode: 200 });
		await n8nTransport(context, settings).text({ ...request, body });
		expect(calls[0]?.args[1]).toStrictEqual({ ...sent, body, abortSignal });
	});

	it('to another address has no key and follows redirects', async () => {
		const { calls, context } = recording({ statusCode: 200, body: new PassThrough() });
		await n8nTransport(context, settings).stream({ ...request, kind: 'file' });
		expect(calls.map(({ args }) => args)).toStrictEqual([
			[{ ...sent, disableFollowRedirect: false, abortSignal }],
		]);
	});

	it.each([
		['the execution is cancelled', 'cancelled'],
		['nobody waits for its response', 'not waited for'],
	])('is aborted when %s', async (_, reason) => {
		const [cancelled, left] = [new AbortController(), new AbortController()];
		const signals: Array<NonNullable<IHttpRequestOptions['abortSignal']>> = [];
		const httpRequest = async ({ abortSignal }: IHttpRequestOptions) => {
			if (abortSignal) signals.push(abortSignal);
			return await new Promise<never>(() => undefined);
		};
		const context = { helpers: { httpRequest } } as unknown as IExecuteFunctions;
		const transport = n8nTransport(context, { ...settings, cancelSignal: cancelled.signal });
		const sending = rejection(transport.text({ ...request, kind: 'file', signal: left.signal }));
		(reason === 'cancelled' ? cancelled : left).abort();
		expect(await sending).toMatchObject({ name: 'StoppedError', reason });
		expect(signals.map(({ aborted }) => aborted)).toStrictEqual([true]);
	});

	it('leaves no listeners on signals that outlive it', async () => {
		const [cancelled, left] = [new AbortController(), new AbortController()];
		const { context } = recording({ statusCode: 500, body: '{}' });
		const transport = n8nTransport(context, { ...settings, cancelSignal: cancelled.signal });
		await transport.text({ ...request, signal: left.signal });
		const listeners = [cancelled, left].flatMap(({ signal }) => getEventListeners(signal, 'abort'));
		expect(listeners).toStrictEqual([]);
	});
});

describe('a response', () => {
	const receive = async (response: object) => await transportOf(recording(response).context).text(exchange);

	it('may fail after it was read: an error without a listener would end n8n', async () => {
		const body = new PassThrough();
		await transportOf(recording({ statusCode: 200, headers: {}, body }).context).stream(exchange);
		expect(() => body.emit('error', new Error('aborted'))).not.toThrow();
	});

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

	it.each([200, 401])('that cannot be decompressed has an empty body: status %i', async (statusCode) => {
		const body = new PassThrough();
		const problem = Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' });
		setImmediate(() => body.destroy(problem));
		expect(await receive({ statusCode, body })).toStrictEqual({ status: statusCode, headers: {}, body: '' });
	});

	it.each([undefined, null, { parsed: true }])('without text has an empty body: %j', async (body) => {
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

	it.each<[HttpRequest['kind'], string]>([
		['charge', 'The connection broke before the gateway responded'],
		['file', 'The connection broke while the file was downloaded'],
	])('of the connection knows the request: %s', async (kind, message) => {
		const { details } = await apiErrorOf(failing(cut()).text({ ...exchange, kind }));
		expect(details).toMatchObject({ kind, message, code: 'econnreset', outcome: 'unknown' });
	});

	it('of a cancelled execution is a StoppedError', async () => {
		const cancelled = Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' });
		expect(await rejection(failing(cancelled).stream(exchange))).toMatchObject({ reason: 'cancelled' });
	});

	it('that is not the network’s is thrown unchanged', async () => {
		const mistake = new TypeError('no such function');
		expect(await rejection(failing(mistake).text(exchange))).toBe(mistake);
	});
});

describe('the credential', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	const request: HttpRequest = {
		...exchange,
		url: 'https://gateway.test/api/v1/x',
		kind: 'read',
	};

	/** A transport that records the keys it sends and counts how often the credential was read: each read returns another key. */
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

	it('is read once for many requests, and again after a minute', async () => {
		const { keys, transport } = transportWithKeys();
		await Promise.all([transport.text(request), transport.text(request)]);
		jest.advanceTimersByTime(59_999);
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
		const calls: unknown[] = [];
		const getCredentials = async (type: string) => await Promise.resolve((calls.push(type), data));
		const context = { getNode: () => ({ credentials }), getCredentials } as unknown as IExecuteFunctions;
		expect(await credentialReader(context)()).toStrictEqual({ id, name, type: 'aiGatewayApi', data });
		expect(calls).toStrictEqual(['aiGatewayApi']);
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
