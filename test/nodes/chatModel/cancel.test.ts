import { HumanMessage } from '@langchain/core/messages';
import { getEventListeners } from 'node:events';

import { gatewayFailure, rejection } from '../../helpers/client';
import { localGateway, sendEvents, supplied, until, type LocalGateway, type Received } from './supplied';
import { deltaOf, streamOf, whole, type LangChainModel } from './support';

// Calls that are cancelled, on real sockets.

const go = [new HumanMessage('Go')];

let gateway: LocalGateway;
afterEach(async () => {
	jest.restoreAllMocks();
	await gateway.close();
});

async function modelAt(respond: (request: Received) => void, cancelSignal?: AbortSignal) {
	gateway = await localGateway(respond);
	return await supplied({ baseUrl: gateway.baseUrl, ...(cancelSignal ? { cancelSignal } : {}) });
}

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;
const silent = () => undefined;
const halfway = (request: Received) => sendEvents(request, deltaOf({ content: 'Half' }));

/** n8n's HTTP client closes the connection of an abandoned stream when the next bytes arrive. */
async function givenUpWhenMoreComes(): Promise<void> {
	const [request] = gateway.received;
	request?.response.write(deltaOf({ content: 'More' }));
	await until(() => request?.isGivenUp === true);
}

async function invoke(lc: LangChainModel, signal?: AbortSignal): Promise<string> {
	return (await lc.invoke(go, signal ? { signal } : {})).text;
}

async function stream(lc: LangChainModel, signal?: AbortSignal): Promise<string> {
	const texts: string[] = [];
	for await (const { text } of await lc.stream(go, signal ? { signal } : {})) texts.push(text);
	return texts.join('');
}

describe('a cancelled execution', () => {
	it.each<[string, typeof invoke, (request: Received) => void]>([
		['the wait for a whole response', invoke, silent],
		['the wait for a stream', stream, silent],
		['a stream that has begun', stream, halfway],
	])('ends %s and its request', async (_, ask, respond) => {
		const execution = new AbortController();
		const { lc, close } = await modelAt(respond, execution.signal);
		const outcome = rejection(ask(lc));
		await until(() => gateway.received.length === 1);
		execution.abort();
		expect(await outcome).toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringContaining('cancelled') as string,
		});
		await until(() => gateway.received[0]?.isGivenUp === true);
		await close();
		expect(listeners(execution.signal)).toBe(0);
		expect(gateway.received).toHaveLength(1);
	});
});

describe('the signal of an agent', () => {
	it('ends a stream that has begun, and its request when more bytes arrive', async () => {
		const agent = new AbortController();
		const { lc } = await modelAt(halfway);
		const chunks = await lc.stream(go, { signal: agent.signal });
		const read = async () => {
			for await (const { text } of chunks) agent.abort(new Error(`enough of ${text}`));
		};
		expect(await rejection(read())).toMatchObject({ message: expect.any(String) as string });
		await givenUpWhenMoreComes();
		await until(() => listeners(agent.signal) === 0);
		expect(gateway.received).toHaveLength(1);
	});

	it('ends the pause before a retry, and nothing is sent again', async () => {
		const { lc, logged, close } = await modelAt(({ response }) => {
			response.writeHead(503, { 'Retry-After': '200' }).end(gatewayFailure(503));
		});
		const agent = new AbortController();
		const outcome = rejection(invoke(lc, agent.signal));
		await until(() => gateway.received[0]?.response.writableFinished === true);
		await new Promise((resolve) => setTimeout(resolve, 100));
		agent.abort(new Error('changed my mind'));
		expect(await outcome).toMatchObject({ message: expect.any(String) as string });
		await until(() => logged().length === 1);
		expect(JSON.stringify(logged())).toContain('changed my mind');
		await close();
		expect(gateway.received).toHaveLength(1);
	});

	it('has no listener after the response', async () => {
		const agent = new AbortController();
		const execution = new AbortController();
		const respond = ({ body, response }: Received) => {
			const type = body.stream ? 'text/event-stream' : 'application/json';
			response.writeHead(200, { 'Content-Type': type });
			response.end(body.stream ? streamOf({ content: 'Half' }) : whole({ content: 'Half' }));
		};
		const { lc, close } = await modelAt(respond, execution.signal);
		expect(listeners(execution.signal)).toBe(1);
		expect(await invoke(lc, agent.signal)).toBe('Half');
		expect(await stream(lc, agent.signal)).toBe('Half');
		await until(() => listeners(agent.signal) === 0);
		await until(() => listeners(execution.signal) === 1);
		await close();
		expect(listeners(execution.signal)).toBe(0);
	});
});

describe('a reader', () => {
	it('that stops early ends the request when more bytes arrive', async () => {
		const { lc } = await modelAt(halfway);
		const texts: string[] = [];
		const read = async () => {
			for await (const { text } of await lc.stream(go)) {
				texts.push(text);
				break;
			}
		};
		const left = read();
		await until(() => texts.length === 1);
		await givenUpWhenMoreComes();
		await left;
		expect(texts).toStrictEqual(['Half']);
		expect(gateway.received).toHaveLength(1);
	});

	it('that is slow gets all text, and then the error', async () => {
		const { lc } = await modelAt((request) => {
			for (const content of ['a', 'b', 'c']) sendEvents(request, deltaOf({ content }));
			request.response.end();
		});
		const texts: string[] = [];
		const read = async () => {
			for await (const { text } of await lc.stream(go)) {
				await new Promise((resolve) => setTimeout(resolve, 20));
				texts.push(text);
			}
		};
		expect(await rejection(read())).toMatchObject({ context: { details: { receivedText: 'abc' } } });
		expect(texts.join('')).toBe('abc');
	});
});
