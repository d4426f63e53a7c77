import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';

import type {
	ClientDependencies,
	ClientSettings,
	GatewayRequest,
} from '../../../nodes/shared/gateway/client/client';
import { fileLimits } from '../../../nodes/shared/gateway/client/limits';
import { createMediaTask } from '../../../nodes/shared/gateway/endpoints/tasks';
import { asError, InvalidInputError, StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { streamText } from '../../../nodes/shared/gateway/text/streamText';
import { apiErrorOf, byteStream, rejection, scriptedClient, type Step } from '../../helpers/client';
import { API_KEY, useSocketGateway } from '../../helpers/socketGateway';
import { eventually } from '../../helpers/time';

const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };

const post: GatewayRequest = { ...get, method: 'POST', path: '/x', json: { model: 'm' } };

const nothing = async () => await Promise.resolve({});

/** The requests that are sent for this one, with a response that is read at once, and one that is streamed. */
async function sentFor(request: GatewayRequest, settings: Partial<ClientSettings> = {}) {
	const [whole, streamed] = [scriptedClient([{}], settings), scriptedClient([{}], settings)];
	await whole.client.json(request);
	await streamed.client.stream(request, nothing);
	return [...whole.sent, ...streamed.sent];
}

describe('a request', () => {
	it('to the address of a file has no header, and the timeout that the user has set', async () => {
		const { client, sent } = scriptedClient([{}], { timeoutMs: 7_000 });
		await client.downloadUrl('https://files.test/a?b=c', nothing);
		expect(sent.map(({ headers, timeoutMs }) => [headers, timeoutMs])).toStrictEqual([[{}, 7_000]]);
	});

	it.each<[string, Partial<GatewayRequest>, number | undefined, number]>([
		['its own timeout', { timeoutMs: 60_000 }, undefined, 60_000],
		['the one that the user has set', {}, 400_000, 400_000],
		['its own before that of the user', { timeoutMs: 60_000 }, 400_000, 60_000],
	])('has %s', async (_, request, timeoutMs, expected) => {
		const sent = await sentFor({ ...get, ...request }, { timeoutMs });
		expect(sent.map((one) => one.timeoutMs)).toStrictEqual([expected, expected]);
	});
});

it('a response with status 204 is an empty object, whatever the body is; a GET has nothing to read', async () => {
	const remove = { ...get, method: 'DELETE' } as const;
	const steps = ['<html>', ''].map((body) => ({ status: 204, body }));
	const { client } = scriptedClient(steps, { maxRetries: 0 });
	expect(await client.json(remove)).toStrictEqual({});
	expect((await apiErrorOf(client.json(get))).details.code).toBe('unreadable_answer');
});

describe('bodies', () => {
	const uploading = (body: ReturnType<typeof byteStream>): GatewayRequest => ({
		...post,
		openBody: () => Promise.resolve({ content: body }),
	});

	it.each<[string, Step]>([
		['succeeds', {}],
		['is rejected', { status: 413 }],
		['fails', new Error('broken')],
	])('that are streamed are destroyed when the request %s', async (_, step) => {
		const bodies = [byteStream('a'), byteStream('b')] as const;
		const [whole, streamed] = bodies;
		await Promise.allSettled([
			scriptedClient([step]).client.json(uploading(whole)),
			scriptedClient([step]).client.stream(uploading(streamed), nothing),
		]);
		expect(bodies.map(({ destroyed }) => destroyed)).toStrictEqual([true, true]);
	});

	it.each([undefined, new InvalidInputError('no space', '')])(
		'that are received are destroyed when they are read, and when that fails: %s',
		async (error) => {
			const { client } = scriptedClient([{ headers: { 'content-type': 'a/b' }, body: 'abc' }]);
			const bodies: unknown[] = [];
			const reading = client.stream({ ...get, timeoutMs: 1_234 }, async ({ body, ...others }) => {
				bodies.push(body);
				expect(others).toStrictEqual({ status: 200, headers: { 'content-type': 'a/b' }, timeoutMs: 1_234 });
				if (error) throw error;
				return await Promise.resolve('read');
			});
			expect(await (error ? rejection(reading) : reading)).toBe(error ?? 'read');
			expect(bodies).toStrictEqual([expect.objectContaining({ destroyed: true })]);
		},
	);
});

it('a file may take twelve times as long as a pause in it', () => {
	expect(fileLimits(60_000)).toStrictEqual({ totalMs: 720_000, idleMs: 60_000 });
});

describe('client abort', () => {
	/** A client with a slot, and how many slots are taken. */
	function withSlot(steps: Step[]) {
		const slots = { held: 0 };
		const dependencies: Partial<ClientDependencies> = {
			withSlot: async (work) => {
				slots.held += 1;
				return await work().finally(() => (slots.held -= 1));
			},
		};
		return { ...scriptedClient(steps, {}, { dependencies }), slots };
	}

	it('a slot is held by a request, and by a stream until it is read', async () => {
		const { client, slots } = withSlot([{ body: 'abc' }]);
		const held = await client.stream(get, async () => await Promise.resolve(slots.held));
		expect([held, slots.held]).toStrictEqual([1, 0]);
		await client.downloadUrl('https://files.test/a', () => Promise.reject(new Error('no'))).catch(asError);
		expect(slots.held).toBe(0);
	});

	it('a request that fails after nobody waits for it has no unhandled rejection', async () => {
		let fail: (error: Error) => void = () => undefined;
		const failed = new Promise<never>((_, reject) => (fail = reject));
		const text = async () => await failed;
		const dependencies = { transport: { text, stream: text } };
		const { client } = scriptedClient([], {}, { dependencies });
		const controller = new AbortController();
		const outcome = rejection(client.json({ ...get, signal: controller.signal }));
		controller.abort();
		fail(new Error('too late'));
		expect(await outcome).toMatchObject({
			name: 'StoppedError',
			reason: 'not waited for',
			outcome: 'unknown',
		});
		await rejection(failed);
	});

	it('a StoppedError of the run is thrown unchanged', async () => {
		const stopped = new StoppedError('other item failed');
		const { client, sent } = scriptedClient([stopped]);
		expect(await rejection(client.json(get))).toBe(stopped);
		expect(sent).toHaveLength(1);
	});
});

describe('client sockets', () => {
	// The client with n8n's own HTTP client, over real sockets.

	const gateway = useSocketGateway();
	const chat: GatewayRequest = {
		group: 'text',
		kind: 'charge',
		method: 'POST',
		path: '/chat/completions',
		json: { model: 'm' },
	};
	const file: GatewayRequest = { group: 'media', kind: 'read', path: '/async/media/tasks/t/download' };

	const lose: RequestListener = (request) => request.socket.destroy();

	it('a lost response is requested again where a repeat charges nothing, and holds no slot during the pauses', async () => {
		gateway.onRequest(lose);
		const { client, pauses, slots } = gateway.client();
		const { details } = await apiErrorOf(createMediaTask(client, { model: 'm', input: {} }, 'key-1'));
		expect(details).toMatchObject({ outcome: 'unknown', kind: 'keyed' });
		expect(gateway.received.map(({ headers }) => headers['idempotency-key'])).toStrictEqual(
			Array.from({ length: 4 }, () => 'key-1'),
		);
		expect(pauses).toHaveLength(3);
		expect(slots).toStrictEqual({ held: 0, taken: 4, duringPauses: [0, 0, 0] });
	});

	it('a key of the user arrives as typed', async () => {
		const key = `a  b ${String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index))}`;
		gateway.onRequest((_, response) => response.end('{"code":200,"data":{"taskId":"t"}}'));
		await createMediaTask(gateway.client().client, { model: 'm', input: {} }, key);
		expect(gateway.received.map(({ headers }) => headers['idempotency-key'])).toStrictEqual([key]);
	});

	it.each<[string, RequestListener]>([
		[
			'a broken response',
			(request) => request.socket.end(`HTTP/1.1 ${request.headers.authorization}\r\n\r\n`),
		],
		[
			'a redirect',
			(request, response) => {
				const { authorization, host } = request.headers;
				if (authorization)
					response.writeHead(302, { location: `http://${host}?key=${authorization.slice(7)}` });
				else response.writeHead(403);
				response.end();
			},
		],
	])('the key is not in the error for %s', async (_, listener) => {
		gateway.onRequest(listener);
		const { client } = gateway.client({ maxRetries: 0 });
		for (const response of [
			client.json(chat),
			client.stream(file, () => Promise.reject(new Error('read'))),
		]) {
			const error = await rejection(response);
			expect(error).toBeInstanceOf(Error);
			const { message, stack, cause } = error as Error;
			const { description = '' } = (error as { details?: { description: string } }).details ?? {};
			expect([message, stack, String(cause), description].join('\n')).not.toContain(API_KEY);
		}
		expect(
			gateway.received.filter(({ headers }) => headers.authorization).map(({ url }) => url),
		).toStrictEqual(['/api/v1/chat/completions', '/api/v1/async/media/tasks/t/download']);
	});
});

describe('exchange time', () => {
	// 'Timeout' is the longest time of one exchange, its body included, on real sockets.

	const gateway = useSocketGateway();
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

	it('a text stream of comments without end is ended', async () => {
		const { isClosed } = endless(`: ${'a'.repeat(2_000)}\n\n`.repeat(500));
		const { client } = gateway.client({ maxRetries: 0 });
		const output = { kind: 'text' } as const;
		const reading = streamText(client, {
			...{ format: textFormat('chat'), output, request: chat },
			onText: () => undefined,
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
});
