import { Readable } from 'node:stream';
import type { RequestListener } from 'node:http';

import type { GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { waitForTask } from '../../../nodes/shared/gateway/endpoints/polling';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { streamText } from '../../../nodes/shared/gateway/text/streamText';
import { apiErrorOf } from '../../helpers/client';
import { useSocketGateway } from '../../helpers/socketGateway';

// 'Timeout' is the longest time of one exchange, its body included, on real sockets.

const gateway = useSocketGateway();
const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };
const chat: GatewayRequest = {
	group: 'text',
	kind: 'charge',
	method: 'POST',
	path: '/chat/completions',
	json: { model: 'm' },
};
const timeoutMs = 300;

// The first request of a process takes longer.
beforeAll(async () => {
	gateway.onRequest((_, response) => response.end('{}'));
	await gateway.client().client.json(get);
});

/** Sends a byte at a time after `begin`, until the connection is closed. */
function drip(begin: RequestListener, byte = ' ', pauseMs = 20): Promise<void> {
	return new Promise((closed) => {
		gateway.onRequest((request, response) => {
			begin(request, response);
			const ticking = setInterval(() => request.socket.write(byte), pauseMs);
			request.socket.on('close', () => {
				clearInterval(ticking);
				closed();
			});
		});
	});
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

it.each([200, 402, 500])('a JSON body with status %i that brings a byte now and then ends', async (code) => {
	const closed = drip(status(code));
	const { client } = gateway.client({ timeoutMs, maxRetries: 0 });
	const { details } = await apiErrorOf(client.json(chat));
	expect([details.code, details.outcome, details.kind]).toStrictEqual(['timeout', 'unknown', 'charge']);
	await closed;
	expect(gateway.received).toHaveLength(1);
});

it.each([200, 402, 500])('a JSON body with status %i that stalls ends', async (code) => {
	gateway.onRequest(stalled(code));
	const { client } = gateway.client({ timeoutMs, maxRetries: 0 });
	const { details } = await apiErrorOf(client.json(chat));
	expect([details.code, details.outcome]).toStrictEqual(['timeout', 'unknown']);
});

it('headers that come byte by byte end', async () => {
	const closed = drip(({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nx-a: '), 'a');
	const { client } = gateway.client({ timeoutMs, maxRetries: 0 });
	expect((await apiErrorOf(client.json(get))).details.code).toBe('timeout');
	await closed;
});

it('responses before the final one do not extend the timeout', async () => {
	const closed = drip(() => undefined, 'HTTP/1.1 102 Processing\r\n\r\n');
	const { client } = gateway.client({ timeoutMs, maxRetries: 0 });
	expect((await apiErrorOf(client.json(chat))).details.code).toBe('timeout');
	await closed;
});

it('a poll that brings a byte now and then does not outlast the longest wait', async () => {
	const closed = drip(status(200));
	const { client } = gateway.client(
		{},
		{ pause: async (ms) => await new Promise((end) => setTimeout(end, Math.min(ms, 50))) },
	);
	const start = Date.now();
	const wait = {
		mediaType: async () => await Promise.resolve(undefined),
		maxWaitMs: 100,
		pollImmediately: true,
	};
	const { details } = await apiErrorOf(waitForTask(client, 't1', wait));
	expect([details.code, details.taskId]).toStrictEqual(['wait_timeout', 't1']);
	expect(Date.now() - start).toBeLessThan(100 + 5_500);
	await closed;
});

it('a body over the limit ends, and may be charged', async () => {
	const chunk = Buffer.alloc(1024 * 1024, ' ');
	let isOpen = true;
	gateway.onRequest((request, response) => {
		request.socket.on('close', () => (isOpen = false));
		response.writeHead(200, { 'content-type': 'application/json' });
		const more = () => void (isOpen && response.write(chunk, more));
		more();
	});
	const { client } = gateway.client({ maxRetries: 0 });
	const { details } = await apiErrorOf(client.json(chat));
	expect([details.code, details.outcome]).toStrictEqual(['response_too_large', 'unknown']);
});

it.each([
	['small events', `data: {"choices":[{"index":0,"delta":{"content":"${'a'.repeat(2_000)}"}}]}\n\n`],
	['comments', `: ${'a'.repeat(2_000)}\n\n`],
	['unstreamed JSON', '["", ""],'.repeat(200)],
])('a text stream of %s without end is ended', async (_, part) => {
	const chunk = part.repeat(500);
	let isOpen = true;
	const closed = new Promise<void>((resolve) => {
		gateway.onRequest((request, response) => {
			request.socket.on('close', () => {
				isOpen = false;
				resolve();
			});
			response.writeHead(200);
			const more = () => void (isOpen && response.write(chunk, more));
			more();
		});
	});
	const { client } = gateway.client({ maxRetries: 0 });
	const { details } = await apiErrorOf(
		streamText(client, {
			format: textFormat('chat'),
			output: { kind: 'text' },
			request: chat,
			onText: async () => await Promise.resolve(),
		}),
	);
	expect(details.code).toBe('response_too_large');
	await closed;
});

it('a stream that is no longer read closes its connection at once', async () => {
	const closed = new Promise<void>((resolve) => {
		gateway.onRequest((request, response) => {
			request.socket.on('close', () => resolve());
			response.writeHead(200);
			response.write('a');
		});
	});
	const { client } = gateway.client();
	const result = await client.stream(
		{ ...get, path: '/storage/f/download' },
		async () => await Promise.resolve('given up'),
	);
	expect(result).toBe('given up');
	await closed;
});

it('an error status of a download whose body stalls ends', async () => {
	gateway.onRequest(stalled(500));
	const { client } = gateway.client({ timeoutMs, maxRetries: 0 });
	const consume = async () => await Promise.resolve();
	const { details } = await apiErrorOf(client.stream({ ...get, path: '/storage/f/download' }, consume));
	expect(details.code).toBe('timeout');
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
		const { json, ...upload } = chat;
		void json;
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
	const { json, ...upload } = chat;
	void json;
	const start = Date.now();
	const { details } = await apiErrorOf(client.json({ ...upload, openBody }));
	expect([details.code, details.outcome]).toStrictEqual(['timeout', 'unknown']);
	const took = Date.now() - start;
	expect(took).toBeGreaterThan(timeoutMs + 1_900);
	expect(took).toBeLessThan(15_000);
});
