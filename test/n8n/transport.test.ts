import { PassThrough, Readable } from 'node:stream';

import type { IAdditionalCredentialOptions, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { credentialReader } from '../../nodes/shared/n8n/credential';
import { n8nTransport } from '../../nodes/shared/n8n/transport';
import type { HttpRequest } from '../../nodes/shared/gateway/client/transport';
import { apiErrorOf, rejection } from '../helpers/client';

const fields = { apiKey: 'key' };
const credential = async () => await Promise.resolve(fields);
const request: HttpRequest = {
	method: 'POST',
	url: 'https://gateway.test/api/v1/x',
	headers: { accept: '*/*' },
	timeoutMs: 1_234,
	kind: 'charge',
};

/** n8n's request functions, which record their calls and do this. */
function recording(respond: (options: IHttpRequestOptions) => Promise<unknown>) {
	const calls: Array<{ self: unknown; args: unknown[] }> = [];
	const httpRequest = async function (this: unknown, ...args: unknown[]) {
		calls.push({ self: this, args });
		return await respond(args.find((arg) => typeof arg === 'object') as IHttpRequestOptions);
	};
	const helpers = { httpRequest, httpRequestWithAuthentication: httpRequest };
	return { calls, context: { helpers } as unknown as IExecuteFunctions };
}

const responding = (body: Readable = Readable.from([]), statusCode = 200) =>
	recording(async () => await Promise.resolve({ statusCode, headers: { 'x-two': 'a' }, body }));

describe('a request', () => {
	const sent = {
		method: request.method,
		url: request.url,
		headers: request.headers,
		timeout: 0,
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		abortSignal: expect.any(AbortSignal) as AbortSignal,
	};

	it('to the gateway is signed by n8n with the credential, and follows no redirect', async () => {
		const { calls, context } = responding();
		await n8nTransport(context, credential).text({ ...request, body: '' });
		const [{ self, args } = { self: undefined, args: [] }] = calls;
		const credentialsDecrypted = { id: '', name: '', type: 'aiGatewayApi', data: fields };
		expect(args).toStrictEqual(['aiGatewayApi', { ...sent, body: '' }, { credentialsDecrypted }]);
		// n8n takes the signal of its caller.
		const caller = self as IExecuteFunctions;
		expect(caller.helpers).toBe(context.helpers);
		expect(caller.getExecutionCancelSignal()).toBe((args[1] as IHttpRequestOptions).abortSignal);
	});

	it('to another address has no key and follows redirects', async () => {
		const { calls, context } = responding();
		await n8nTransport(context, credential).stream({ ...request, kind: 'file' });
		expect(calls.map(({ args }) => args)).toStrictEqual([[{ ...sent, disableFollowRedirect: false }]]);
	});

	it.each(['cancelled', 'not waited for'])('is aborted when it is %s', async (reason) => {
		const [cancelled, left] = [new AbortController(), new AbortController()];
		const signals: unknown[] = [];
		const { context } = recording(async ({ abortSignal }) => {
			signals.push(abortSignal);
			return await new Promise<never>(() => undefined);
		});
		const transport = n8nTransport(context, credential, cancelled.signal);
		const sending = rejection(transport.text({ ...request, kind: 'file', signal: left.signal }));
		(reason === 'cancelled' ? cancelled : left).abort();
		expect(await sending).toMatchObject({ name: 'StoppedError', reason });
		expect(signals).toMatchObject([{ aborted: true }]);
	});
});

describe('a response', () => {
	it('may fail after it was read: an error without a listener would end n8n', async () => {
		const body = new PassThrough();
		await n8nTransport(responding(body).context, credential).stream(request);
		expect(() => body.emit('error', new Error('aborted'))).not.toThrow();
	});

	it.each(['text', 'stream'] as const)('with an error status has its text (%s)', async (method) => {
		const chunks = [...Buffer.from('ä…')].map((byte) => Buffer.from([byte]));
		const { context } = responding(Readable.from(chunks), 404);
		expect(await n8nTransport(context, credential)[method](request)).toStrictEqual({
			status: 404,
			headers: { 'x-two': 'a' },
			body: 'ä…',
		});
	});

	it('that cannot be decompressed may be charged', async () => {
		const body = new PassThrough();
		const problem = Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' });
		setImmediate(() => body.destroy(problem));
		const { details } = await apiErrorOf(n8nTransport(responding(body).context, credential).text(request));
		expect(details).toMatchObject({ outcome: 'unknown', code: 'unreadable_answer' });
	});
});

describe('an error', () => {
	const failing = (error: Error) =>
		n8nTransport(recording(async () => await Promise.reject(error)).context, credential);
	const withCode = (code: string) => Object.assign(new Error('socket hang up'), { code });

	it.each<[HttpRequest['kind'], string]>([
		['charge', 'The connection broke before the gateway responded'],
		['file', 'The connection broke while the file was downloaded'],
	])('of the connection knows the request: %s', async (kind, message) => {
		const { details } = await apiErrorOf(failing(withCode('ECONNRESET')).text({ ...request, kind }));
		expect(details).toMatchObject({ kind, message, code: 'econnreset', outcome: 'unknown' });
	});
});

describe('the credential', () => {
	beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
	afterEach(() => jest.useRealTimers());

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
		await Promise.all([transport.text(request), transport.text(request)]);
		jest.advanceTimersByTime(59_999);
		await transport.text(request);
		jest.advanceTimersByTime(1);
		await transport.text({ ...request, kind: 'poll' });
		expect(keys).toStrictEqual(['key-1', 'key-1', 'key-1', 'key-2']);
	});

	it('of a call that costs money is not read again: its repetition would charge another account', async () => {
		const { keys, transport } = transportWithKeys();
		await transport.text(request);
		jest.advanceTimersByTime(600_000);
		await transport.text(request);
		expect(keys).toStrictEqual(['key-1', 'key-1']);
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
