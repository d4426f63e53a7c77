import { getEventListeners } from 'node:events';
import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';

import type { ClientSettings, GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import {
	fileLimits,
	TimeLimitError,
	type TimeLimits,
	withinLimits,
} from '../../../nodes/shared/gateway/client/limits';
import type { ByteStream, HttpResponse, Transport } from '../../../nodes/shared/gateway/client/transport';
import { createMediaTask } from '../../../nodes/shared/gateway/endpoints/tasks';
import {
	type ApiError,
	asError,
	InvalidInputError,
	StoppedError,
} from '../../../nodes/shared/gateway/errors/errors';
import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { streamText } from '../../../nodes/shared/gateway/text/streamText';
import { Limiter } from '../../../nodes/shared/run/limiter';
import { apiErrorOf, byteStream, rejection, scriptedClient, type Step } from '../../helpers/client';
import { API_KEY, type SocketClient, useSocketGateway } from '../../helpers/socketGateway';
import { events } from '../../helpers/streams';
import { eventually } from '../../helpers/time';

const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };

const post: GatewayRequest = { ...get, method: 'POST', path: '/x', json: { model: 'm' } };
const Accept = 'application/json, */*;q=0.5';

const nothing = async () => await Promise.resolve({});

/** The requests that are sent for this one, with a response that is read at once, and one that is streamed. */
async function sentFor(request: GatewayRequest, settings: Partial<ClientSettings> = {}) {
	const [whole, streamed] = [scriptedClient([{}], settings), scriptedClient([{}], settings)];
	await whole.client.json(request);
	await streamed.client.stream(request, nothing);
	return [...whole.sent, ...streamed.sent];
}

describe('a request', () => {
	const base = {
		method: 'GET',
		url: 'https://gateway.test/api/v1/balance',
		headers: { Accept },
		body: undefined,
		signal: undefined,
		maxBytes: undefined,
		timeoutMs: 315_000,
		kind: 'read',
	};
	const bytes = new Uint8Array([1, 2]);
	const form = { 'Content-Type': 'multipart/form-data' };

	it.each<[string, GatewayRequest, object]>([
		['no body', get, {}],
		[
			'JSON as its body',
			{ ...post, headers: { 'Idempotency-Key': 'k', Accept: 'a/b' } },
			{
				method: 'POST',
				url: 'https://gateway.test/api/v1/x',
				headers: { Accept: 'a/b', 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
				body: '{"model":"m"}',
			},
		],
		[
			'a body of bytes',
			{ ...get, method: 'PATCH', headers: form, openBody: () => Promise.resolve({ content: bytes }) },
			{ method: 'PATCH', headers: { Accept, ...form }, body: bytes },
		],
	])('has %s', async (_, request, own) => {
		expect(await sentFor(request)).toStrictEqual([
			{ ...base, ...own },
			{ ...base, ...own },
		]);
	});

	it('to the address of a file has no key, and the timeout that the user has set', async () => {
		const { client, sent } = scriptedClient([{}], { timeoutMs: 7_000 });
		const url = 'https://files.test/a?b=c';
		await client.downloadUrl(url, nothing);
		expect(sent).toStrictEqual([{ ...base, url, headers: {}, kind: 'file', timeoutMs: 7_000 }]);
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

describe('a response', () => {
	it.each([
		[199, 199],
		[200, {}],
		[299, {}],
		[300, 300],
		[404, 404],
		[500, 500],
	])('with status %i is %j', async (status, outcome) => {
		const { client } = scriptedClient([{ status, body: '{}' }], { maxRetries: 0 });
		for (const response of [client.json(get), client.stream(get, nothing)]) {
			const read = response.catch((error: ApiError) => error.details.status);
			expect(await read).toStrictEqual(outcome);
		}
	});

	it('with status 204 is an empty object, whatever the body is; a GET has nothing to read', async () => {
		const nothing = { status: 204, body: '' };
		const remove = { ...get, method: 'DELETE' } as const;
		const { client } = scriptedClient([{ ...nothing, body: '<html>' }, nothing], { maxRetries: 0 });
		expect(await client.json(remove)).toStrictEqual({});
		expect((await apiErrorOf(client.json(get))).details.code).toBe('unreadable_answer');
	});
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

/**
 * Work on a clock that only the sleeps of its limits move. Returns its end: the limit that was exceeded, or its result.
 *
 * @param during runs after each sleep, and may end the work
 */
async function end(
	limits: TimeLimits,
	during: (touch: () => void, naps: number, finish: (result: string) => void) => void = () => undefined,
) {
	const naps: number[] = [];
	let time = 1_000;
	let touch: () => void = () => undefined;
	let finish: (result: string) => void = () => undefined;
	const clock = {
		now: () => time,
		sleep: async (milliseconds: number) => {
			naps.push(milliseconds);
			time += milliseconds;
			during(touch, naps.length, finish);
			return await Promise.resolve();
		},
	};
	const work = withinLimits(limits, clock, async (begin) => {
		touch = begin;
		return await new Promise<string>((resolve) => (finish = resolve));
	});
	const result = await work.catch((error: unknown) => {
		if (error instanceof TimeLimitError) return error.limit;
		throw asError(error);
	});
	return { result, naps, took: time - 1_000 };
}

it('work ends after the whole time, to the millisecond', async () => {
	const { result, naps } = await end({ totalMs: 2_500, idleMs: 9_000 });
	expect([result, naps]).toStrictEqual(['total', [1_000, 1_000, 500]]);
});

it('work ends after the longest silence, to the millisecond', async () => {
	const { result, naps } = await end({ totalMs: 9_000, idleMs: 1_001 });
	expect([result, naps]).toStrictEqual(['idle', [1_000, 1]]);
});

it('where the silence may last as long as the whole, the whole time is over', async () => {
	expect((await end({ totalMs: 700, idleMs: 700 })).result).toBe('total');
});

it('a file may take twelve times as long as a pause in it', () => {
	expect(fileLimits(60_000)).toStrictEqual({ totalMs: 720_000, idleMs: 60_000 });
});

describe('client abort', () => {
	const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;
	const notWaitedFor = new StoppedError('not waited for');
	/** The error of a request that goes on. */
	const inFlight = { name: 'StoppedError', reason: 'not waited for', outcome: 'unknown' };

	/** A promise with its resolve function. */
	function deferred<T>() {
		let resolve: (value: T) => void = () => undefined;
		const promise = new Promise<T>((settle) => (resolve = settle));
		return { promise, resolve };
	}

	/** A client with this many slots, and how many of them are taken. */
	function withSlots(max: number, steps: Step[], transport?: Partial<Transport>) {
		const limiter = new Limiter(max);
		const slots = { held: 0, mostHeld: 0 };
		const unused = () => Promise.reject(new Error('not used'));
		const scripted = scriptedClient(
			steps,
			{},
			{
				dependencies: {
					withSlot: async (work) =>
						await limiter.run(async () => {
							slots.held += 1;
							slots.mostHeld = Math.max(slots.mostHeld, slots.held);
							return await work().finally(() => (slots.held -= 1));
						}),
					...(transport ? { transport: { text: unused, stream: unused, ...transport } } : {}),
				},
			},
		);
		return { ...scripted, slots };
	}

	describe('a slot', () => {
		it('is held by a request, and by a stream until it is read', async () => {
			const { client, slots } = withSlots(1, [{ body: 'abc' }]);
			const held = await client.stream(get, async () => await Promise.resolve(slots.held));
			expect([held, slots.held]).toStrictEqual([1, 0]);
			await client.downloadUrl('https://files.test/a', () => Promise.reject(new Error('no'))).catch(asError);
			expect([slots.mostHeld, slots.held]).toStrictEqual([1, 0]);
		});
	});

	describe('a signal that is aborted', () => {
		it('while the response is awaited: the request rejects at once, and its slot is held until the response has come', async () => {
			const response = deferred<HttpResponse<string>>();
			const started = deferred<undefined>();
			const { client, slots } = withSlots(1, [], {
				text: async () => {
					started.resolve(undefined);
					return await response.promise;
				},
			});
			const { signal, abort } = controller();
			const outcome = rejection(client.json({ ...get, signal }));
			await started.promise;
			abort();
			expect(await outcome).toMatchObject(inFlight);
			expect(slots.held).toBe(1);
			const next = client.json(get);
			response.resolve({ status: 200, headers: {}, body: '{"next":1}' });
			expect(await next).toStrictEqual({ next: 1 });
			expect([slots.held, slots.mostHeld, listeners(signal)]).toStrictEqual([0, 1, 0]);
		});

		it('while a stream is awaited: the stream is destroyed unread when it comes', async () => {
			const response = deferred<HttpResponse<ByteStream>>();
			const { client, slots } = withSlots(1, [], { stream: async () => await response.promise });
			const { signal, abort } = controller();
			let reads = 0;
			const outcome = rejection(
				client.stream({ ...get, signal }, async () => await Promise.resolve((reads += 1))),
			);
			abort();
			expect(await outcome).toStrictEqual(notWaitedFor);
			const body = byteStream('late');
			response.resolve({ status: 200, headers: {}, body });
			await client.stream(get, async () => await Promise.resolve());
			expect([reads, body.destroyed, slots.held]).toStrictEqual([0, true, 0]);
		});

		it('while a stream is read: the stream is destroyed and its slot is free', async () => {
			const body = endless();
			const bodies: ByteStream[] = [body];
			const { client, slots } = withSlots(1, [], {
				stream: async () =>
					await Promise.resolve({ status: 200, headers: {}, body: bodies.pop() ?? byteStream('') }),
			});
			const { signal, abort } = controller();
			const reading = client.stream({ ...get, signal }, async (response) => {
				for await (const chunk of response.body) expect(chunk).toHaveLength(1);
			});
			const outcome = rejection(reading);
			await body.first;
			abort();
			expect(await outcome).toMatchObject(inFlight);
			bodies.push(byteStream('next'));
			await client.stream(get, async () => await Promise.resolve()).catch(asError);
			expect([slots.held, body.wasDestroyed(), listeners(signal)]).toStrictEqual([0, true, 0]);
		});
	});

	it('a signal has no listener after a success, retries, or errors', async () => {
		const { signal } = controller();
		for (const last of [{}, { status: 404 }, new TypeError('a bug')]) {
			const { client } = scriptedClient([{ status: 503 }, last]);
			await client.json({ ...get, signal }).catch(asError);
			await client.stream({ ...get, signal }, async () => await Promise.resolve()).catch(asError);
		}
		expect(listeners(signal)).toBe(0);
	});

	it('a request that fails after nobody waits for it has no unhandled rejection', async () => {
		const response = deferred<HttpResponse<string>>();
		const failed = response.promise.then(() => {
			throw new Error('too late');
		});
		const { client } = withSlots(1, [], { text: async () => await failed });
		const { signal, abort } = controller();
		const outcome = rejection(client.json({ ...get, signal }));
		abort();
		response.resolve({ status: 200, headers: {}, body: '' });
		expect(await outcome).toMatchObject(inFlight);
		await rejection(failed);
	});

	it('a StoppedError of the run is thrown unchanged', async () => {
		const stopped = new StoppedError('other item failed');
		const { client, sent } = scriptedClient([stopped]);
		expect(await rejection(client.json(get))).toBe(stopped);
		expect(sent).toHaveLength(1);
	});

	function controller() {
		const own = new AbortController();
		return { signal: own.signal, abort: () => own.abort() };
	}

	/** A stream of one byte that does not end; destroying it does not end its reader. */
	function endless() {
		const first = deferred<undefined>();
		let isDestroyed = false;
		return {
			first: first.promise,
			wasDestroyed: () => isDestroyed,
			destroy: () => (isDestroyed = true),
			async *[Symbol.asyncIterator]() {
				yield new Uint8Array(1);
				first.resolve(undefined);
				await new Promise(() => undefined);
			},
		};
	}
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

	const hello = events({ choices: [{ index: 0, delta: { content: 'Hello' } }] });

	const stream = async (
		client: SocketClient['client'],
		signal?: AbortSignal,
		onText: (text: string) => void = () => undefined,
	) =>
		await streamText(client, {
			format: textFormat('chat'),
			output: { kind: 'text' },
			request: { ...chat, signal },
			onText: async (text) => await Promise.resolve(onText(text)),
		});

	/** An event stream that sends keep-alives until its connection is closed. */
	async function endless(...chunks: string[]): Promise<void> {
		await new Promise<void>((closed) => {
			gateway.onRequest((request, response) => {
				response.writeHead(200, { 'content-type': 'text/event-stream' });
				for (const chunk of chunks) response.write(chunk);
				const ticking = setInterval(() => response.write(': ping\n\n'), 20);
				request.socket.on('close', () => {
					clearInterval(ticking);
					closed();
				});
			});
		});
	}

	describe('a response that is lost', () => {
		const lose: RequestListener = (request) => request.socket.destroy();

		it('is not requested again where the request is charged and its body is cut off', async () => {
			gateway.onRequest((request, response) => {
				response.writeHead(200, { 'content-length': '1000' });
				response.write('{"choices": [', () => request.socket.destroy());
			});
			const { client } = gateway.client();
			expect((await apiErrorOf(client.json(chat))).details).toMatchObject({
				outcome: 'unknown',
				kind: 'charge',
			});
			expect(gateway.received).toHaveLength(1);
		});

		it('is requested again where a repeat charges nothing, and holds no slot during the pauses', async () => {
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
	});

	it('a key of the user arrives as typed', async () => {
		const key = `a  b ${String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index))}`;
		gateway.onRequest((_, response) => response.end('{"code":200,"data":{"taskId":"t"}}'));
		await createMediaTask(gateway.client().client, { model: 'm', input: {} }, key);
		expect(gateway.received.map(({ headers }) => headers['idempotency-key'])).toStrictEqual([key]);
	});

	describe('a stream', () => {
		it('that is aborted is closed, and its signal has no listener', async () => {
			const controller = new AbortController();
			const { signal } = controller;
			const closed = endless(hello);
			const { client, slots } = gateway.client();
			const shown: string[] = [];
			const read = rejection(
				stream(client, signal, (text) => {
					shown.push(text);
					controller.abort();
				}),
			);
			expect(await read).toMatchObject({ name: 'StoppedError', reason: 'not waited for' });
			await closed;
			expect([shown, slots.held, getEventListeners(signal, 'abort').length]).toStrictEqual([['Hello'], 0, 0]);
		});
	});

	it.each<[string, RequestListener]>([
		[
			'an error response that repeats the headers of the request',
			(request, response) => {
				const { authorization = '' } = request.headers;
				response.writeHead(401, { 'x-echo': authorization, 'www-authenticate': authorization });
				response.end(JSON.stringify({ error: { message: `No: ${authorization}`, type: authorization } }));
			},
		],
		[
			'a web page',
			(request, response) => response.end(`<html><pre>${request.headers.authorization}</pre></html>`),
		],
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
});
