import { readAddress } from '../../nodes/shared/n8n/credential';

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
			],
		],
		['apiKey', ['sk-1…', 'sk 1', 'sk-1\n2', 'ключ', '•••1']],
		['minBalanceRub', ['a lot', '1,5', true]],
	])('%s is rejected: %j', (param, values) => {
		for (const value of values) {
			const rejected = expect.objectContaining({ name: 'InvalidInputError', param }) as Error;
			expect(() => readAddress({ baseUrl, [param]: value as string })).toThrow(rejected);
		}
	});

	it('the key is read without the "Bearer" of its header', () => {
		expect(readAddress({ baseUrl, apiKey: 'Bearer sk-1' }).secrets).toStrictEqual(['sk-1']);
	});

	it('may be without a key, and a minimum balance may be a number', () => {
		expect(readAddress({ baseUrl, apiKey: null as unknown as string, minBalanceRub: 99.5 })).toStrictEqual({
			baseUrl,
			secrets: [''],
			minBalanceRub: '99.5',
		});
	});
});
