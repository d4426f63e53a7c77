import { gatewayAddress, readAddress } from '../../nodes/shared/n8n/transport';
import { rejection } from '../helpers/client';

const credential = { id: '7', name: 'Mine', type: 'aiGatewayApi' };

describe('the address of the gateway', () => {
	const baseUrl = 'https://gateway.test/api/v1';

	it.each([
		[baseUrl, baseUrl],
		[` ${baseUrl}/ `, baseUrl],
		[`${baseUrl}///`, baseUrl],
		['http://localhost:8080', 'http://localhost:8080'],
		['HTTPS://gateway.test', 'HTTPS://gateway.test'],
	])('reads %j as %j', (value, address) => {
		expect(readAddress({ baseUrl: value, apiKey: 'key' })).toStrictEqual({
			baseUrl: address,
			secrets: ['key'],
		});
	});

	it.each([
		'',
		' ',
		'gateway.test/api/v1',
		'ftp://gateway.test',
		'https://',
		'https:///api',
		'see https://a.test',
		'https://gateway.test:99999/api/v1',
		'https://user@gateway.test/api/v1',
		'https://:pw@gateway.test/api/v1',
	])('rejects %j', (value) => {
		expect(() => readAddress({ baseUrl: value, apiKey: 'key' })).toThrow(
			expect.objectContaining({ name: 'InvalidInputError', param: 'baseUrl' }) as Error,
		);
	});

	it.each([
		[' sk-1~! ', ['sk-1~!']],
		['', []],
		['  ', []],
	])('treats the key %j as a secret', (apiKey, secrets) => {
		expect(readAddress({ baseUrl, apiKey }).secrets).toStrictEqual(secrets);
	});

	it.each(['sk-1…', 'sk 1', 'sk-1\n2', 'ключ', '•••1'])('rejects %j as a key', (apiKey) => {
		expect(() => readAddress({ baseUrl, apiKey })).toThrow(
			expect.objectContaining({ name: 'InvalidInputError', param: 'apiKey' }) as Error,
		);
	});

	it.each([{ data: {} }, {}, { data: { baseUrl: 7, apiKey: null } }])(
		'is rejected where the credential has no base URL: %j',
		async (fields) => {
			const reading = gatewayAddress(
				async () => await Promise.resolve({ ...credential, ...(fields as object) }),
			);
			expect(await rejection(reading)).toMatchObject({ param: 'baseUrl' });
		},
	);

	it('may have no key', async () => {
		const reading = gatewayAddress(async () => await Promise.resolve({ ...credential, data: { baseUrl } }));
		expect(await reading).toStrictEqual({ baseUrl, secrets: [] });
	});
});
