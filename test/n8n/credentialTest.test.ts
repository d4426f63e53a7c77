import type { ICredentialTestFunctions } from 'n8n-workflow';

import { testGateway } from '../../nodes/shared/n8n/credentialTest';

const KEY = 'sk-0a1b2c3d-0000-0000-0000-000000000000';

interface SentRequest {
	uri?: string;
	headers?: Record<string, string>;
	followRedirect?: boolean;
}

/** Tests a credential against a scripted response. */
async function testCredential(response: { statusCode: number; body?: unknown } | Error, data = {}) {
	const requests: SentRequest[] = [];
	const context = {
		helpers: {
			request: (options: SentRequest) => {
				requests.push(options);
				return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
			},
		},
	} as unknown as ICredentialTestFunctions;
	const result = await testGateway.call(context, {
		id: '1',
		name: 'Gateway',
		type: 'aiGatewayApi',
		data: { baseUrl: 'https://gateway.test/api/v1', apiKey: KEY, ...data },
	});
	return { ...result, requests };
}

describe('the credential test', () => {
	it('requests the balance with the key, ignoring surrounding blanks and trailing slashes', async () => {
		const { status, requests } = await testCredential(
			{ statusCode: 200, body: '{"amount":"1"}' },
			{ baseUrl: ' https://gateway.test/api/v1// ', apiKey: ` ${KEY} ` },
		);
		expect(status).toBe('OK');
		expect(requests).toStrictEqual([
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
		['in the other form', '{"RUB":0,"USD":0}'],
	])('accepts a balance that is %s', async (_, body) => {
		expect(await testCredential({ statusCode: 200, body })).toMatchObject({ status: 'OK' });
	});

	it.each([199, 300, 400, 500])('rejects a balance with status %i', async (statusCode) => {
		expect(await testCredential({ statusCode, body: '{"amount":"1"}' })).toMatchObject({ status: 'Error' });
	});

	it.each([200, 201, 299])('accepts a balance with status %i', async (statusCode) => {
		expect(await testCredential({ statusCode, body: '{"amount":"1"}' })).toMatchObject({ status: 'OK' });
	});

	it('rejects a response without a status', async () => {
		expect(await testCredential({} as never)).toMatchObject({ status: 'Error' });
		expect(await testCredential(undefined as never)).toMatchObject({ status: 'Error' });
	});

	it.each([{ baseUrl: undefined }, { baseUrl: null }, { baseUrl: '' }])(
		'sends nothing without a base URL: %j',
		async (data) => {
			const { status, requests } = await testCredential({ statusCode: 200 }, data);
			expect([status, requests]).toStrictEqual(['Error', []]);
		},
	);

	it.each([{ apiKey: undefined }, { apiKey: null }])(
		'sends an empty key where there is none: %j',
		async (data) => {
			const { requests } = await testCredential(
				{ statusCode: 401, body: '{"error":{"code":"unauthorized"}}' },
				data,
			);
			expect(requests.map(({ headers }) => headers?.Authorization)).toStrictEqual(['Bearer ']);
		},
	);

	const connectionRefused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
	it.each([
		[
			'a wrong key',
			{ statusCode: 401, body: '{"error":{"code":"invalid_api_key"}}' },
			/^The API key was refused/,
		],
		[
			'another site that asks for a sign-in',
			{ statusCode: 401, body: '<html>401' },
			/^Something other than the gateway/,
		],
		['a wrong address', { statusCode: 404, body: 'not found' }, /^No gateway responds at this base URL/],
		[
			'a web page',
			{ statusCode: 200, body: '<!DOCTYPE html><html>' },
			/^The gateway’s response could not be read.*web page/,
		],
		[
			'another service',
			{ statusCode: 200, body: '{"status":"ok"}' },
			/^The gateway’s response has no balance/,
		],
		['a redirect', { statusCode: 301, body: '' }, /^The gateway’s address redirects elsewhere/],
		['a gateway that cannot be reached', connectionRefused, /^The gateway could not be reached/],
		[
			'a sign-in with a type',
			{ statusCode: 401, body: '{"error":{"type":"x"}}' },
			/^The API key was refused/,
		],
		['an empty response', { statusCode: 200, body: '' }, /^The gateway’s response could not be read/],
		['a response without a body', { statusCode: 200 }, /^The gateway’s response could not be read/],
		['an error response without a body', { statusCode: 401 }, /^Something other than the gateway/],
		['an error that is not the network’s', new Error('out of memory'), /^out of memory$/],
	])('explains %s', async (_, response, message) => {
		const result = await testCredential(response);
		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
	});

	it('rejects an invalid base URL without sending anything', async () => {
		const { message, requests } = await testCredential({ statusCode: 200 }, { baseUrl: 'gateway' });
		expect(message).toBe('The base URL in the AI Gateway credential is not a web address');
		expect(requests).toStrictEqual([]);
	});

	it('explains a key that was copied in its shortened form', async () => {
		const { message, requests } = await testCredential({ statusCode: 200 }, { apiKey: 'sk-ab…cd' });
		expect(message).toContain('has characters that no key has');
		expect(requests).toStrictEqual([]);
	});

	const broken = (code: string) => Object.assign(new Error(code), { code });
	it.each([
		['a connection that breaks', broken('ECONNRESET')],
		['a timeout', broken('ETIMEDOUT')],
		['a response that is not JSON', { statusCode: 200, body: 'maintenance' }],
		['too many requests', { statusCode: 429, body: '' }],
	])('mentions no charge: %s', async (_, response) => {
		const { status, message } = await testCredential(response);
		expect(status).toBe('Error');
		expect(message).not.toMatch(/charge|lost|sent|item/);
	});

	it('sends nothing for a credential without data', async () => {
		const request = jest.fn();
		const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
		const { status } = await testGateway.call(context, { id: '1', name: 'Gateway', type: 'aiGatewayApi' });
		expect(status).toBe('Error');
		expect(request).not.toHaveBeenCalled();
	});

	it('reports a thrown value that is not an error', async () => {
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
		const { message } = await testCredential({
			statusCode: 403,
			body: JSON.stringify({ error: { message: `no: ${KEY}` } }),
		});
		expect(message).toContain('[key]');
	});
});
