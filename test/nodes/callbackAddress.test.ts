import { callbackAddress } from '../../nodes/MediaTask/operations/task/callbackAddress';

const GATEWAY = 'https://gateway.test/api/v1';

describe('the callback URL', () => {
	test.each([
		'https://n8n.example.com/webhook/a',
		'http://8.8.8.8:5678/webhook',
		'https://172.32.0.1/x',
		'https://[2001:db8::1]/x',
		'https://10.example.com/x',
	])('%s is fine', (url) => expect(callbackAddress(` ${url} `, GATEWAY)).toBe(url));

	test.each(['n8n/hook', 'ftp://n8n.example.com/x', 'https://', 'https:///x', 'http://a b/'])(
		'%s is none',
		(url) => {
			expect(() => callbackAddress(url, GATEWAY)).toThrow('not a web address');
		},
	);

	test.each([
		'http://localhost:5678/webhook',
		'http://LOCALHOST./webhook',
		'http://127.0.0.1/x',
		'http://127.9.9.9/x',
		'http://10.1.2.3/x',
		'http://192.168.1.1/x',
		'http://172.16.0.1/x',
		'http://172.31.255.1/x',
		'http://169.254.169.254/x',
		'http://100.64.0.1/x',
		'http://0.0.0.0/x',
		'http://2130706433/x',
		'http://0x7f.1/x',
		'http://[::1]/x',
		'http://[::ffff:127.0.0.1]/x',
		'http://[::ffff:10.0.0.1]/x',
		'http://[::ffff:192.168.0.1]/x',
		'http://[fd00::1]/x',
		'http://[fe80::1]/x',
		'http://n8n:5678/webhook',
		'http://n8n.local/webhook',
		'http://n8n.internal/webhook',
	])('%s cannot be reached by a gateway on the internet', (url) => {
		expect(() => callbackAddress(url, GATEWAY)).toThrow('cannot reach the callback URL');
	});

	it('may be local where the gateway is', () => {
		expect(callbackAddress('http://localhost:5678/x', 'http://127.0.0.1:4010/api/v1')).toBe(
			'http://localhost:5678/x',
		);
	});

	it('may be missing', () => expect(callbackAddress(undefined, GATEWAY)).toBeUndefined());
});
