import type { ICredentialTestFunctions } from 'n8n-workflow';

import { AiGatewayApi } from '../../../credentials/AiGatewayApi.credentials';
import { testGateway } from '../../../nodes/shared/execution/credentialTest';

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
		expect(seen[0]).toMatchObject({
			uri: 'https://gateway.test/api/v1/balance',
			headers: { Authorization: `Bearer ${KEY}` },
			followRedirect: false,
		});
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
		['a wrong address', { statusCode: 404, body: 'not found' }, /^No gateway answers at this base URL/],
		['a web page', { statusCode: 200, body: '<!DOCTYPE html><html>' }, /^A web page came back/],
		[
			'another service',
			{ statusCode: 200, body: '{"status":"ok"}' },
			/^The gateway’s balance could not be read/,
		],
		['a redirect', { statusCode: 301, body: '' }, /^The gateway’s address redirects elsewhere/],
		['nobody there', refused, /^The gateway could not be reached/],
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
