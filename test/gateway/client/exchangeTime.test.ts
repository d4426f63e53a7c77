import { Readable } from 'node:stream';
import type { RequestListener } from 'node:http';

import type { GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { streamText } from '../../../nodes/shared/gateway/text/streamText';
import { apiErrorOf } from '../../helpers/client';
import { useSocketGateway } from '../../helpers/socketGateway';
import { eventually } from '../../helpers/time';

// 'Timeout' is the longest time of one exchange, its body included, on real sockets.

const gateway = useSocketGateway();
const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };
const upload: GatewayRequest = { group: 'text', kind: 'charge', method: 'POST', path: '/chat/completions' };
const chat: GatewayRequest = { ...upload, json: { model: 'm' } };
const timeoutMs = 300;

// The first request of a process takes longer.
beforeAll(async () => {
	gateway.onRequest((_, response) => response.end('{}'));
	await gateway.client().client.json(get);
});

/** Sends a byte at a time after `begin`, until the connection is closed. */
function drip(begin: RequestListener, byte = ' ') {
	let close: () => void = () => undefined;
	const closed = new Promise<void>((resolve) => (close = resolve));
	const listener: RequestListener = (request, response) => {
		begin(request, response);
		const ticking = setInterval(() => request.socket.write(byte), 20);
		request.socket.on('close', () => {
			clearInterval(ticking);
			close();
		});
	};
	return { listener, closed };
}

const status = (code: number): RequestListener => {
	return ({ socket }) =>
		void socket.write(
			`HTTP/1.1 ${code} X\r\ncontent-type: application/json\r\ncontent-length: 99999\r\n\r\n`,
		);
};

const stalled = (code: number): RequestListener => {
	return (_, response) => {
		response.writeHead(code, { 'content-type': 'application/json', 'content-length': 999 });
		response.write('{"a":');
	};
};

/** How a charged request to this gateway ends. */
async function endOf(listener: RequestListener) {
	gateway.onRequest(listener);
	const { client, slots } = gateway.client({ timeoutMs, maxRetries: 0 });
	const { details } = await apiErrorOf(client.json(chat));
	return [details.code, details.outcome, gateway.received.length, slots.held];
}
const timedOut = ['timeout', 'unknown', 1, 0];

it('a request without a response ends', async () => {
	expect(await endOf(() => undefined)).toStrictEqual(timedOut);
});

it.each([200, 402, 500])('a JSON body with status %i that stalls ends', async (code) => {
	expect(await endOf(stalled(code))).toStrictEqual(timedOut);
});

it.each<[string, RequestListener, string]>([
	['a body with status 200', status(200), ' '],
	['a body with status 402', status(402), ' '],
	['headers', ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nx-a: '), 'a'],
	['responses before the final one', () => undefined, 'HTTP/1.1 102 Processing\r\n\r\n'],
])('%s that bring a byte now and then end, and the connection is closed', async (_, begin, byte) => {
	const { listener, closed } = drip(begin, byte);
	expect(await endOf(listener)).toStrictEqual(timedOut);
	await closed;
});

/** Sends a chunk again and again, until the connection is closed. */
function endless(chunk: Buffer | string, code = 200) {
	let isOpen = true;
	gateway.onRequest((request, response) => {
		request.socket.on('close', () => (isOpen = false));
		response.writeHead(code, { 'content-type': 'application/json' });
		const more = () => void (isOpen && response.write(chunk, more));
		more();
	});
	return { isClosed: () => !isOpen };
}

it.each([200, 500])('a body with status %i over the limit ends, and may be charged', async (code) => {
	const { isClosed } = endless(Buffer.alloc(1024 * 1024, ' '), code);
	const { client, slots } = gateway.client({ maxRetries: 0 });
	const nothing = async () => await Promise.resolve({});
	const { details } = await apiErrorOf(code === 200 ? client.json(chat) : client.stream(chat, nothing));
	expect([details.code, details.outcome]).toStrictEqual(['response_too_large', 'unknown']);
	await eventually(isClosed);
	expect(slots.held).toBe(0);
});

it.each([
	['small events', `data: {"choices":[{"index":0,"delta":{"content":"${'a'.repeat(2_000)}"}}]}\n\n`],
	['comments', `: ${'a'.repeat(2_000)}\n\n`],
	['unstreamed JSON', '["", ""],'.repeat(200)],
])('a text stream of %s without end is ended', async (_, part) => {
	const { isClosed } = endless(part.repeat(500));
	const { client } = gateway.client({ maxRetries: 0 });
	const reading = streamText(client, {
		format: textFormat('chat'),
		output: { kind: 'text' },
		request: chat,
		onText: async () => await Promise.resolve(),
	});
	expect((await apiErrorOf(reading)).details.code).toBe('response_too_large');
	await eventually(isClosed);
});

/** 12 kB in 600 ms. */
async function* slowBody() {
	for (let part = 0; part < 12; part += 1) {
		await new Promise((resolve) => setTimeout(resolve, 50));
		yield Buffer.alloc(1_000, 'a');
	}
}

it.each(['json', 'stream'] as const)(
	'a body that is sent for longer than the timeout is not cut off: %s',
	async (kind) => {
		gateway.onRequest((_, response) => response.end('{}'));
		const { client } = gateway.client({ timeoutMs, maxRetries: 0 });
		const openBody = () => Promise.resolve({ content: Readable.from(slowBody()) });
		const request = { ...upload, openBody };
		const consume = async () => await Promise.resolve({});
		await (kind === 'json' ? client.json(request) : client.stream(request, consume));
		expect(gateway.received.map(({ body }) => body.length)).toStrictEqual([12_000]);
	},
);

it('a body from memory that the gateway never answers ends with the timeout and the time for its size', async () => {
	gateway.onRequest(() => undefined);
	const { client } = gateway.client({ timeoutMs, maxRetries: 0 });
	const openBody = () => Promise.resolve({ content: Buffer.alloc(64_000, 'a') });
	const start = Date.now();
	const { details } = await apiErrorOf(client.json({ ...upload, openBody }));
	expect([details.code, details.outcome]).toStrictEqual(['timeout', 'unknown']);
	const took = Date.now() - start;
	expect(took).toBeGreaterThan(timeoutMs + 1_900);
	expect(took).toBeLessThan(15_000);
});
