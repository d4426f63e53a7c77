import { getEventListeners } from 'node:events';

import { Limiter } from '../../../nodes/shared/run/limiter';
import type { HttpResponse, ByteStream, Transport } from '../../../nodes/shared/gateway/client/transport';
import { asError, StoppedError } from '../../../nodes/shared/gateway/errors/errors';
import type { GatewayRequest } from '../../../nodes/shared/gateway/client/client';
import { byteStream, rejection, scriptedClient, type Step } from '../../helpers/client';

const get: GatewayRequest = { group: 'balance', kind: 'read', path: '/balance' };
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
