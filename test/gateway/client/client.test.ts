import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';

import type { ClientDependencies, GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { fileLimits } from '../../../nodes/shared/gateway/client/limits';
import {
	type ApiError,
	asError,
	InvalidInputError,
	StoppedError,
} from '../../../nodes/shared/gateway/errors/errors';
import { apiErrorOf, byteStream, rejection, scriptedClient, slots, type Step } from '../../helpers/client';
import { API_KEY, useSocketGateway } from '../../helpers/socketGateway';
import { eventually, passTime } from '../../helpers/time';

const get: GatewayRequest = { endpoint: 'fetchBalance', kind: 'read', path: '/balance' };

const post: GatewayRequest = { ...get, method: 'POST', path: '/x', json: { model: 'm' } };

const nothing = async () => await Promise.resolve({});

it.each<[string, Partial<GatewayRequest>, number | undefined, number]>([
	['its own timeout', { timeoutMs: 60_000 }, undefined, 60_000],
	['the one that the user has set', {}, 400_000, 400_000],
	['its own before that of the user', { timeoutMs: 60_000 }, 400_000, 60_000],
])('a request has %s', async (_, request, timeoutMs, expected) => {
	const { client, sent } = scriptedClient([{}], { timeoutMs });
	await client.json({ ...get, ...request });
	await client.stream({ ...get, ...request }, nothing);
	expect(sent.map((one) => one.timeoutMs)).toStrictEqual([expected, expected]);
});

it('a request to the address of a file has no header, and the timeout that the user has set', async () => {
	const { client, sent } = scriptedClient([{}], { timeoutMs: 7_000 });
	await client.downloadUrl('https://files.test/a?b=c', nothing);
	expect(sent.map(({ headers, timeoutMs }) => [headers, timeoutMs])).toStrictEqual([[{}, 7_000]]);
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
				expect(others).toStrictEqual({
					status: 200,
					headers: { 'content-type': 'a/b' },
					timeoutMs: 1_234,
					spentMs: 0,
				});
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

it('a slot is held by each attempt and until a stream is read, and not in the pauses between attempts', async () => {
	const counts = { held: 0, taken: 0 };
	const seen: number[] = [];
	const look = async () => await Promise.resolve(void seen.push(counts.held));
	const dependencies: Partial<ClientDependencies> = {
		slots: slots({
			run: async (work) => {
				Object.assign(counts, { held: counts.held + 1, taken: counts.taken + 1 });
				return await work().finally(() => (counts.held -= 1));
			},
		}),
	};
	const { client } = scriptedClient(
		['lost', { status: 503 }, { body: 'abc' }],
		{},
		{ dependencies, pause: look },
	);
	await client.stream(get, look);
	await client.downloadUrl('https://files.test/a', () => Promise.reject(new Error('no'))).catch(asError);
	expect([seen, counts]).toStrictEqual([[0, 0, 1], { held: 0, taken: 4 }]);
});

describe('client abort', () => {
	it('a request that fails after nobody waits for it has no unhandled rejection', async () => {
		let fail: (error: Error) => void = () => undefined;
		const failed = new Promise<never>((_, reject) => (fail = reject));
		const dependencies = { transport: async () => await failed };
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

describe('on real sockets, with n8n’s HTTP client', () => {
	const gateway = useSocketGateway();
	const upload: GatewayRequest = {
		endpoint: 'chat',
		kind: 'charge',
		method: 'POST',
		path: '/chat/completions',
	};
	const chat: GatewayRequest = { ...upload, json: { model: 'm' } };
	const timeoutMs = 300;

	it.each<[string, RequestListener]>([
		['a broken response', ({ socket, headers }) => socket.end(`HTTP/1.1 ${headers.authorization}\r\n\r\n`)],
		[
			'a redirect',
			({ headers: { authorization = '', host } }, response) =>
				response.writeHead(302, { location: `http://${host}?key=${authorization.slice(7)}` }).end(),
		],
	])('the key is not in the error for %s', async (_, listener) => {
		gateway.onRequest(listener);
		const error = await rejection(gateway.client({ maxRetries: 0 }).json(chat));
		const { message, stack, cause, details } = error as ApiError;
		expect([message, stack, String(cause), details.description].join('\n')).not.toContain(API_KEY);
		expect(gateway.received).toHaveLength(1);
	});

	/** Sends these bytes again and again, until the connection is closed. */
	const drip = (begin: RequestListener, byte = ' '): RequestListener => {
		return (request, response) => {
			begin(request, response);
			const ticking = setInterval(() => request.socket.write(byte), 20);
			request.socket.on('close', () => clearInterval(ticking));
		};
	};
	const begun =
		(code: number): RequestListener =>
		(_, response) =>
			void response
				.writeHead(code, { 'content-type': 'application/json', 'content-length': 99_999 })
				.write('{"a":');

	// *Timeout* is the longest time of one exchange, its body included.
	it.each<[string, RequestListener]>([
		...[200, 402, 500].flatMap(
			(code): Array<[string, RequestListener]> => [
				[`a body with status ${code} that stalls`, begun(code)],
				[`a body with status ${code} that brings a byte now and then`, drip(begun(code))],
			],
		),
		['headers that do', drip(({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nx-a: '), 'a')],
		['responses before the final one', drip(() => undefined, 'HTTP/1.1 102 Processing\r\n\r\n')],
	])('%s: the exchange ends in time, and the connection is closed', async (_, listener) => {
		let isClosed = false;
		gateway.onRequest((request, response) => {
			request.socket.on('close', () => (isClosed = true));
			listener(request, response);
		});
		const { details } = await apiErrorOf(gateway.client({ timeoutMs, maxRetries: 0 }).json(chat));
		expect([details.code, details.outcome]).toStrictEqual(['timeout', 'unknown']);
		await eventually(() => isClosed);
		expect(gateway.received).toHaveLength(1);
	});

	it.each([200, 500])('a body with status %i over the limit ends, and may be charged', async (code) => {
		let isClosed = false;
		gateway.onRequest((request, response) => {
			request.socket.on('close', () => (isClosed = true));
			response.writeHead(code, { 'content-type': 'application/json' });
			const more = () => void (isClosed || response.write(Buffer.alloc(1024 * 1024, ' '), more));
			more();
		});
		const client = gateway.client({ maxRetries: 0 });
		const { details } = await apiErrorOf(code === 200 ? client.json(chat) : client.stream(chat, nothing));
		expect([details.code, details.outcome]).toStrictEqual(['response_too_large', 'unknown']);
		await eventually(() => isClosed);
	});

	it('a body that is sent for longer than the timeout is not cut off', async () => {
		async function* slowBody() {
			for (let part = 0; part < 12; part += 1) {
				await passTime(50);
				yield Buffer.alloc(1_000, 'a');
			}
		}
		const openBody = () => Promise.resolve({ content: Readable.from(slowBody()) });
		await gateway.client({ timeoutMs, maxRetries: 0 }).json({ ...upload, openBody });
		expect(gateway.received.map(({ body }) => body.length)).toStrictEqual([12_000]);
	});

	it('a body from memory that the gateway never answers ends with the timeout and the time for its size', async () => {
		gateway.onRequest(() => undefined);
		const openBody = () => Promise.resolve({ content: Buffer.alloc(64_000, 'a') });
		const start = Date.now();
		const { details } = await apiErrorOf(
			gateway.client({ timeoutMs, maxRetries: 0 }).json({ ...upload, openBody }),
		);
		expect([details.code, details.outcome]).toStrictEqual(['timeout', 'unknown']);
		expect(Date.now() - start).toBe(timeoutMs + 2_000);
	});
});
