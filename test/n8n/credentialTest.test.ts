import type { RequestListener } from 'node:http';

import { CredentialTestContext } from 'n8n-core';
import type { ICredentialTestFunctions } from 'n8n-workflow';

import { testGateway } from '../../nodes/shared/n8n/credentialTest';
import { useSocketGateway } from '../helpers/socketGateway';

const KEY = 'sk-0a1b2c3d-0000-0000-0000-000000000000';
const DATA = { baseUrl: 'https://gateway.test/api/v1', apiKey: KEY };

const test = async (context: object, data: object | undefined) =>
	await testGateway.call(context as ICredentialTestFunctions, {
		id: '1',
		name: 'Gateway',
		type: 'aiGatewayApi',
		...(data ? { data: data as typeof DATA } : {}),
	});

interface SentRequest {
	uri?: string;
	headers?: Record<string, string>;
	followRedirect?: boolean;
}

/** Tests a credential against a scripted response. */
async function testCredential(response: unknown, data: object | undefined = {}) {
	const requests: SentRequest[] = [];
	const request = async (options: SentRequest) => {
		requests.push(options);
		if (response instanceof Error) throw response;
		return await Promise.resolve(response);
	};
	return { ...(await test({ helpers: { request } }, data && { ...DATA, ...data })), requests };
}

const broken = (code: string) => Object.assign(new Error(code), { code });

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

	it.each<[number, string, string]>([
		[200, '{"amount":"1"}', 'OK'],
		[200, '{"RUB":0,"USD":0}', 'OK'],
		[299, '{"amount":"1"}', 'OK'],
		[199, '{"amount":"1"}', 'Error'],
		[300, '{"amount":"1"}', 'Error'],
		[500, '{"amount":"1"}', 'Error'],
	])('reads status %i with the body %j as %s', async (statusCode, body, status) => {
		expect(await testCredential({ statusCode, body })).toMatchObject({ status });
	});

	// More of them: address.test.ts.
	it.each<[string, object | undefined, string]>([
		['no data', undefined, 'The base URL in the AI Gateway credential is not a web address'],
		[
			'a masked key',
			{ apiKey: 'sk-ab…cd' },
			'is masked. It is the form that the web application shows later.',
		],
		['a masked key with asterisks', { apiKey: 'sk-ab****cd' }, 'is masked'],
		['words around the key', { apiKey: 'key: sk-1' }, 'Copy the key again'],
		['a base URL without https://', { baseUrl: 'gateway.test/api/v1' }, 'Enter https://gateway.test/api/v1.'],
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
