import { readCallbackUrl, unreachable } from '../../../nodes/MediaTask/operations/task/callbackUrl';

const GATEWAY = 'https://gateway.test/api/v1';

/** Hosts that a gateway on the internet can reach; some look local: numbers next to those of private networks or elsewhere, and names like theirs. */
const PUBLIC_HOSTS = `
	n8n.example.com example.com. N8N.Example.com 8.8.8.8:5678 [2001:db8::1] [2001:db8::fe80:1]
	9.255.255.255 11.0.0.0 126.0.0.1 128.0.0.1 192.167.0.1 192.169.0.1 172.15.255.255 172.32.0.1
	100.63.255.255 100.128.0.1 100.200.0.1 210.1.2.3
	8.127.10.1 1.192.168.1 1.172.16.1 2.100.64.1 [::fffe:127.0.0.1] [1::ffff:127.0.0.1]
	10.example.com 10.5.example.com 192.168.1.example.com 172.16.0.example.com
	100.64.0.example.com localhost.example.com local.example.com n8n.mylocal n8n.mylan
	home.arpa.example.com n8n.homexarpa
`
	.trim()
	.split(/\s+/);

const LOCAL_HOSTS = `
	localhost:5678 LOCALHOST. n8n n8n:5678 n8n.localhost n8n.local n8n.internal n8n.lan
	n8n.home.arpa 0.0.0.0 10.1.2.3 127.0.0.1 127.9.9.9 2130706433 0x7f.1 192.168.1.1
	172.16.0.1 172.19.0.1 172.20.0.1 172.29.9.9 172.30.0.1 172.31.255.1 100.64.0.1
	100.69.0.1 100.70.0.1 100.99.9.9 100.100.0.1 100.119.0.1 100.120.0.1 100.127.0.1 [::1]
`
	.trim()
	.split(/\s+/);

describe('the callback URL', () => {
	it.each(PUBLIC_HOSTS)('at %s is accepted', (host) => {
		const url = `http://${host}/webhook/a`;
		expect(readCallbackUrl(url, GATEWAY)).toBe(url);
	});

	it.each(LOCAL_HOSTS)('at %s is rejected with a gateway on the internet', (host) => {
		expect(() => readCallbackUrl(`https://${host}/x`, GATEWAY)).toThrow(
			expect.objectContaining({
				message: expect.stringContaining('cannot reach') as string,
				param: 'callbackUrl',
			}) as Error,
		);
	});

	it.each([
		'n8n/hook',
		'ftp://n8n.example.com/x',
		'x:https://n8n.example.com/x',
		'https://',
		'https:// n8n.example.com/x',
		'http://a b/',
		'http://[n8n]/',
	])('%s is not a callback URL', (url) => {
		expect(() => readCallbackUrl(url, GATEWAY)).toThrow(
			expect.objectContaining({
				message: expect.stringContaining('no web address') as string,
				param: 'callbackUrl',
			}) as Error,
		);
	});

	it.each([' https://n8n.example.com/x ', 'HTTPS://n8n.example.com/x', 'http://n8n.example.com/x'])(
		'%j is sent without the space around it',
		(url) => {
			expect(readCallbackUrl(url, GATEWAY)).toBe(url.trim());
		},
	);

	it.each(['http://127.0.0.1:4010/api/v1', 'http://gateway/api/v1', 'https://gateway.lan/api/v1'])(
		'may be local with a local gateway: %s',
		(gateway) => {
			expect(readCallbackUrl('http://localhost:5678/x', gateway)).toBe('http://localhost:5678/x');
			expect(readCallbackUrl('https://n8n.example.com/x', gateway)).toBe('https://n8n.example.com/x');
		},
	);

	it.each([undefined, '', '  '])('may be empty: %j', (url) => {
		expect(readCallbackUrl(url, GATEWAY)).toBeUndefined();
	});
});

test('a URL that resumes an execution is unreachable in a local network, unless the gateway is local', () => {
	expect(unreachable('https://n8n.example.com/x', GATEWAY)).toBeUndefined();
	expect(unreachable('http://localhost:5678/x', GATEWAY)).toBe(
		'"localhost" is an address of a local network',
	);
	expect(unreachable('http://localhost:5678/x', 'http://localhost/')).toBeUndefined();
});
