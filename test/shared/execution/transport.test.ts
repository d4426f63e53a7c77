import { PassThrough } from 'node:stream';

import type { IAdditionalCredentialOptions, IExecuteFunctions } from 'n8n-workflow';

import { credentialReader, gatewayAddress, n8nTransport } from '../../../nodes/shared/execution/transport';
import type { Exchange } from '../../../nodes/shared/gateway/exchange';
import type { Origin } from '../../../nodes/shared/gateway/origin';
import { rejection } from '../../helpers/client';

const exchange: Exchange = {
	method: 'GET',
	url: 'https://files.test/a',
	headers: {},
	timeoutMs: 1_000,
	authenticated: false,
	answer: 'stream',
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

it.each<[Origin | undefined, boolean]>([
	[undefined, true],
	['chatModel', true],
	['trigger', false],
	['editor', false],
])('a timeout in %s: whether the advice names the option', async (origin, hasOption) => {
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

	const request: Exchange = {
		...exchange,
		url: 'https://gateway.test/api/v1/x',
		authenticated: true,
		answer: 'text',
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

	it('that could not be read is read anew by the next request', async () => {
		const { keys, transport } = transportWithKeys({ failures: 1 });
		await expect(transport.text(request)).rejects.toThrow('The database is busy');
		await transport.text(request);
		expect(keys).toStrictEqual(['key-2']);
	});
});
