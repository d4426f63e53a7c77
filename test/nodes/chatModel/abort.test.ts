import { HumanMessage } from '@langchain/core/messages';
import type { Message } from '@n8n/ai-node-sdk';
import { Readable } from 'node:stream';

import { iterateChunks } from '../../../nodes/ChatModel/chunkQueue';
import type { HttpResponse, ByteStream, Transport } from '../../../nodes/shared/gateway/client/transport';
import { StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import { GatewayClient } from '../../../nodes/shared/gateway/client/client';
import { gatewayFailure, rejection, testGate } from '../../helpers/client';
import { callOf, deltaOf, modelWith, whole } from './support';

const go = [new HumanMessage('Go')];
const never = async <T>() => await new Promise<T>(() => undefined);
const busy: HttpResponse<string> = { status: 503, headers: {}, body: gatewayFailure(503) };

async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

/** A model whose pauses never end, and the numbers of requests and pauses. */
function waitingModel(responses: {
	text?: () => Promise<HttpResponse<string>>;
	stream?: () => Promise<ByteStream>;
}) {
	const seen = { sent: 0, pauses: 0 };
	const transport: Transport = {
		text: async () => {
			seen.sent += 1;
			return await (responses.text ?? never<HttpResponse<string>>)();
		},
		stream: async () => {
			seen.sent += 1;
			const body = await (responses.stream ?? never<ByteStream>)();
			return { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
		},
	};
	const client = new GatewayClient(
		{ baseUrl: 'https://gateway.test/api/v1', secrets: [], maxRetries: 3 },
		{
			transport,
			gate: testGate(),
			withSlot: async (work) => await work(),
			pause: async () => {
				seen.pauses += 1;
				await never();
			},
			sleep: async (milliseconds) =>
				await new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
			now: () => Date.now(),
			random: () => 0.5,
		},
	);
	return { ...modelWith('', { client }), seen };
}

/** A stream that says "Hm" and then nothing. */
function silentStream(): Readable {
	const body = new Readable({ read: () => undefined });
	body.push(deltaOf({ content: 'Hm' }));
	return body;
}

async function drain(chunks: AsyncIterable<unknown>, onChunk: () => void = () => undefined): Promise<void> {
	for await (const chunk of chunks) if (chunk) onChunk();
}

describe('the caller’s signal', () => {
	it('sends nothing when it is aborted before the call', async () => {
		const { lc, seen } = waitingModel({ text: async () => await Promise.resolve(busy) });
		const signal = AbortSignal.abort(new Error('too late'));
		await expect(lc.invoke(go, { signal })).rejects.toThrow('too late');
		await expect(lc.stream(go, { signal }).then(drain)).rejects.toThrow();
		expect(seen.sent).toBe(0);
	});

	it('ends the pause before a retry, and nothing is sent again', async () => {
		const { lc, seen } = waitingModel({ text: async () => await Promise.resolve(busy) });
		const caller = new AbortController();
		const outcome = rejection(lc.invoke(go, { signal: caller.signal }));
		await until(() => seen.pauses === 1);
		caller.abort(new Error('changed my mind'));
		expect(await outcome).toMatchObject({ message: 'changed my mind' });
		expect(seen.sent).toBe(1);
	});

	it('ends the wait for a response, and the request is not sent again', async () => {
		let lose: (error: Error) => void = () => undefined;
		const { lc, seen } = waitingModel({
			text: async () => await new Promise((_, reject) => (lose = reject)),
		});
		const caller = new AbortController();
		const outcome = rejection(lc.invoke(go, { signal: caller.signal }));
		await until(() => seen.sent === 1);
		caller.abort(new Error('changed my mind'));
		expect(await outcome).toMatchObject({ message: 'changed my mind' });
		lose(new Error('the connection broke'));
		await new Promise((resolve) => setImmediate(resolve));
		expect(seen).toStrictEqual({ sent: 1, pauses: 0 });
	});

	it('ends a silent stream and destroys it', async () => {
		const body = silentStream();
		const { lc } = waitingModel({ stream: async () => await Promise.resolve(body) });
		const caller = new AbortController();
		const outcome = rejection(
			lc
				.stream(go, { signal: caller.signal })
				.then(async (chunks) => await drain(chunks, () => caller.abort(new Error('enough')))),
		);
		expect(await outcome).toBeInstanceOf(Error);
		await until(() => body.destroyed);
	});

	it('ends the wait for the headers of a stream, and a late stream is destroyed', async () => {
		const body = silentStream();
		let arrive: (body: ByteStream) => void = () => undefined;
		const { lc, seen } = waitingModel({
			stream: async () => await new Promise((resolve) => (arrive = resolve)),
		});
		const caller = new AbortController();
		const outcome = rejection(lc.stream(go, { signal: caller.signal }).then(drain));
		await until(() => seen.sent === 1);
		caller.abort(new Error('enough'));
		expect(await outcome).toBeInstanceOf(Error);
		arrive(body);
		await until(() => body.destroyed);
	});

	it('is also the one of LangChain’s option "timeout"', async () => {
		const { lc, seen } = waitingModel({ text: async () => await Promise.resolve(busy) });
		await expect(lc.invoke(go, { timeout: 20 })).rejects.toThrow();
		expect(seen).toStrictEqual({ sent: 1, pauses: 1 });
	});

	it('changes nothing when it is not aborted', async () => {
		const body = whole({ content: 'Hi' });
		const { signal } = new AbortController();
		expect((await modelWith(body).lc.invoke(go, { signal })).content).toBe('Hi');
	});
});

describe('a reader that stops early', () => {
	it('destroys the stream without waiting for the next text', async () => {
		const body = silentStream();
		const { lc } = waitingModel({ stream: async () => await Promise.resolve(body) });
		for await (const chunk of await lc.stream(go)) {
			// Arguments of a tool are not text.
			body.push(deltaOf({ tool_calls: [callOf('a', 'one', '{"n"')] }));
			expect(chunk.content).toBe('Hm');
			break;
		}
		await until(() => body.destroyed);
	});

	it('aborts the signal of the work', async () => {
		let isAborted = false;
		const chunks = iterateChunks<string>(async (take, signal) => {
			signal.addEventListener('abort', () => (isAborted = true));
			await take('first');
			await never();
		});
		expect(await chunks.next()).toMatchObject({ value: 'first' });
		await chunks.return(undefined);
		expect(isAborted).toBe(true);
	});
});

describe('the error of an aborted call', () => {
	it.each<[string, unknown, unknown]>([
		['an error', new RangeError('changed my mind'), new RangeError('changed my mind')],
		['a text', 'changed my mind', new Error('changed my mind')],
		['something else', { why: 1 }, new Error('Aborted')],
		['an empty text', '', new Error('Aborted')],
	])('is the caller’s reason: %s', async (_, reason, expected) => {
		const { model, seen } = waitingModel({});
		const signal = AbortSignal.abort(reason);
		expect(await rejection(model.generate([], { signal }))).toStrictEqual(expected);
		expect(seen.sent).toBe(0);
	});

	it('is the invalid input error when the message cannot be sent', async () => {
		const { model } = waitingModel({});
		const empty: Message = { role: 'user', content: [{ type: 'file', data: '' }] };
		const error = await rejection(model.generate([empty], { signal: AbortSignal.abort() }));
		expect(error).toMatchObject({ name: 'InvalidInputError' });
	});

	it('is the stop of the execution when the signal is not aborted', async () => {
		const { model } = waitingModel({ text: () => Promise.reject(new StoppedError('cancelled')) });
		const { signal } = new AbortController();
		expect(await rejection(model.generate([], { signal }))).toStrictEqual(new StoppedError('cancelled'));
		expect(await rejection(model.generate([]))).toStrictEqual(new StoppedError('cancelled'));
	});
});
