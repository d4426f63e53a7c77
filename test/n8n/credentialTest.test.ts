import type { ICredentialTestFunctions } from 'n8n-workflow';

import { AiGatewayApi } from '../../credentials/AiGatewayApi.credentials';
import { testGateway } from '../../nodes/shared/n8n/credentialTest';

const KEY = 'sk-0a1b2c3d-0000-0000-0000-000000000000';

interface Seen {
	uri?: string;
	headers?: Record<string, string>;
	followRedirect?: boolean;
}

/** Tests a credential against a scripted answer. */
async function tested(answer: { statusCode: number; body?: unknown } | Error, data = {}) {
	const seen: Seen[] = [];
	const context = {
		helpers: {
			request: (options: Seen) => {
				seen.push(options);
				return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
			},
		},
	} as unknown as ICredentialTestFunctions;
	const result = await testGateway.call(context, {
		id: '1',
		name: 'Gateway',
		type: 'aiGatewayApi',
		data: { baseUrl: 'https://gateway.test/api/v1', apiKey: KEY, ...data },
	});
	return { ...result, seen };
}

describe('the credential test', () => {
	it('asks for the balance with the key, tolerating blanks and slashes', async () => {
		const { status, seen } = await tested(
			{ statusCode: 200, body: '{"amount":"1"}' },
			{ baseUrl: ' https://gateway.test/api/v1// ', apiKey: ` ${KEY} ` },
		);
		expect(status).toBe('OK');
		expect(seen).toStrictEqual([
			{
				method: 'GET',
				uri: 'https://gateway.test/api/v1/balance',
				headers: { Accept: 'application/json', Authorization: `Bearer ${KEY}` },
				resolveWithFullResponse: true,
				simple: false,
				followRedirect: false,
				timeout: 30_000,
			},
		]);
	});

	it.each<[string, unknown]>([
		['text', '{"amount":"1"}'],
		['parsed', { amount: 1 }],
		['of the other shape', '{"RUB":0,"USD":0}'],
	])('takes a balance that is %s', async (_, body) => {
		expect(await tested({ statusCode: 200, body })).toMatchObject({ status: 'OK' });
	});

	it.each([199, 300, 400, 500])('takes no balance with status %i', async (statusCode) => {
		expect(await tested({ statusCode, body: '{"amount":"1"}' })).toMatchObject({ status: 'Error' });
	});

	it.each([200, 201, 299])('takes a balance with status %i', async (statusCode) => {
		expect(await tested({ statusCode, body: '{"amount":"1"}' })).toMatchObject({ status: 'OK' });
	});

	it('takes a response without a status for none', async () => {
		expect(await tested({} as never)).toMatchObject({ status: 'Error' });
		expect(await tested(undefined as never)).toMatchObject({ status: 'Error' });
	});

	it.each([{ baseUrl: undefined }, { baseUrl: null }, { baseUrl: '' }])(
		'sends nothing without a base URL: %j',
		async (data) => {
			const { status, seen } = await tested({ statusCode: 200 }, data);
			expect([status, seen]).toStrictEqual(['Error', []]);
		},
	);

	it.each([{ apiKey: undefined }, { apiKey: null }])('sends an empty key for none: %j', async (data) => {
		const { seen } = await tested({ statusCode: 401, body: '{"error":{"code":"unauthorized"}}' }, data);
		expect(seen.map(({ headers }) => headers?.Authorization)).toStrictEqual(['Bearer ']);
	});

	const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
	it.each([
		[
			'a wrong key',
			{ statusCode: 401, body: '{"error":{"code":"invalid_api_key"}}' },
			/^The API key was refused/,
		],
		[
			'the sign-in of something else',
			{ statusCode: 401, body: '<html>401' },
			/^Something other than the gateway/,
		],
		['a wrong address', { statusCode: 404, body: 'not found' }, /^No gateway responds at this base URL/],
		[
			'a web page',
			{ statusCode: 200, body: '<!DOCTYPE html><html>' },
			/^The gateway’s URL returned a web page/,
		],
		[
			'another service',
			{ statusCode: 200, body: '{"status":"ok"}' },
			/^The gateway’s balance could not be read/,
		],
		['a redirect', { statusCode: 301, body: '' }, /^The gateway’s address redirects elsewhere/],
		['nobody there', refused, /^The gateway could not be reached/],
		[
			'a sign-in with a type',
			{ statusCode: 401, body: '{"error":{"type":"x"}}' },
			/^The API key was refused/,
		],
		['nothing', { statusCode: 200, body: '' }, /^The gateway’s response could not be read/],
		['nothing at all', { statusCode: 200 }, /^The gateway’s response could not be read/],
		['a refusal without a body', { statusCode: 401 }, /^Something other than the gateway/],
		['what is not the network’s', new Error('out of memory'), /^out of memory$/],
	])('tells %s', async (_, answer, message) => {
		const result = await tested(answer);
		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
	});

	it('sends nothing to a base URL that is none', async () => {
		const { message, seen } = await tested({ statusCode: 200 }, { baseUrl: 'gateway' });
		expect(message).toBe('The base URL in the AI Gateway credential is not a web address');
		expect(seen).toStrictEqual([]);
	});

	it('tells a key that was copied in its shortened form', async () => {
		const { message, seen } = await tested({ statusCode: 200 }, { apiKey: 'sk-ab…cd' });
		expect(message).toContain('has characters that no key has');
		expect(seen).toStrictEqual([]);
	});

	const broken = (code: string) => Object.assign(new Error(code), { code });
	it.each([
		['a connection that breaks', broken('ECONNRESET')],
		['a timeout', broken('ETIMEDOUT')],
		['a response that is no JSON', { statusCode: 200, body: 'maintenance' }],
		['too many requests', { statusCode: 429, body: '' }],
	])('speaks neither of a charge nor of options that there are not: %s', async (_, answer) => {
		const { status, message } = await tested(answer);
		expect(status).toBe('Error');
		expect(message).not.toMatch(/charge|lost|Timeout|Concurrency|item/);
	});

	it('sends nothing for a credential without data', async () => {
		const request = jest.fn();
		const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
		const { status } = await testGateway.call(context, { id: '1', name: 'Gateway', type: 'aiGatewayApi' });
		expect(status).toBe('Error');
		expect(request).not.toHaveBeenCalled();
	});

	it('tells what is thrown and no error', async () => {
		const request = () => {
			const odd: unknown = `odd ${KEY}`;
			throw odd;
		};
		const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
		const data = { baseUrl: 'https://gateway.test/api/v1', apiKey: KEY };
		const credential = { id: '1', name: 'Gateway', type: 'aiGatewayApi', data };
		expect(await testGateway.call(context, credential)).toStrictEqual({
			status: 'Error',
			message: 'odd [key]',
		});
	});

	it('does not show the key', async () => {
		const { message } = await tested({
			statusCode: 403,
			body: JSON.stringify({ error: { message: `no: ${KEY}` } }),
		});
		expect(message).toContain('[key]');
	});
});

describe('signing', () => {
	const credentials = { baseUrl: 'https://gateway.test/api/v1', apiKey: KEY };
	const sign = async (url: string, data = credentials) =>
		await new AiGatewayApi().authenticate(data, { url });

	it('signs requests to the gateway’s own origin', async () => {
		const { headers } = await sign('https://gateway.test/api/v1/balance');
		expect(headers).toStrictEqual({ Authorization: `Bearer ${KEY}` });
	});

	it.each([
		'https://files.test/x',
		'http://gateway.test/api/v1',
		'https://gateway.test:8443/',
		'https://gateway.test.evil/',
		'nonsense',
	])('signs nothing for %s', async (url) => await expect(sign(url)).rejects.toThrow('another address'));
});
