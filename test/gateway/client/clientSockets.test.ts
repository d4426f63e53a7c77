import { getEventListeners } from 'node:events';
import { type RequestListener } from 'node:http';

import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { createMediaTask } from '../../../nodes/shared/gateway/endpoints/tasks';
import type { GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { streamText } from '../../../nodes/shared/gateway/text/streamText';
import { apiErrorOf, rejection } from '../../helpers/client';
import { API_KEY, useSocketGateway, type SocketClient } from '../../helpers/socketGateway';
import { events } from '../../helpers/streams';

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
	['a broken response', (request) => request.socket.end(`HTTP/1.1 ${request.headers.authorization}\r\n\r\n`)],
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
	for (const response of [client.json(chat), client.stream(file, () => Promise.reject(new Error('read')))]) {
		const error = await rejection(response);
		expect(error).toBeInstanceOf(Error);
		const { message, stack, cause } = error as Error;
		const { description = '' } = (error as { details?: { description: string } }).details ?? {};
		expect([message, stack, String(cause), description].join('\n')).not.toContain(API_KEY);
	}
	expect(gateway.received.filter(({ headers }) => headers.authorization).map(({ url }) => url)).toStrictEqual(
		['/api/v1/chat/completions', '/api/v1/async/media/tasks/t/download'],
	);
});
