import { Readable } from 'node:stream';

import { storeResponse } from '../../nodes/shared/n8n/binary';
import type { Origin } from '../../nodes/shared/gateway/errors/texts/origin';

// The HTTP client ends a silent connection itself, with an error that looks like a lost connection. It counts
// from the arrival of the bytes, which a busy n8n may read later.

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

/** Stores five bytes that are followed by nothing, with a timeout of a second. */
async function store({ breaksAfter, origin }: { breaksAfter: number; origin?: Origin }): Promise<unknown> {
	const body = new Readable({ read: () => undefined });
	body.push('12345');
	setTimeout(() => body.destroy(new Error('aborted')), breaksAfter);
	const prepareBinaryData = async (stream: unknown) => {
		for await (const chunk of stream as Readable) void chunk;
		throw new Error('the stream has no end');
	};
	const storing = storeResponse(
		{ helpers: { prepareBinaryData: prepareBinaryData } },
		{ status: 200, headers: {}, body, idleTimeoutMs: 1_000 },
		['a.bin'],
		{ origin },
	).catch((error: unknown) => error);
	await jest.advanceTimersByTimeAsync(3_000);
	return await storing;
}

it.each([
	['at once', 1_000],
	['400 ms after they came', 600],
])(
	'a download whose bytes are read %s, ended after the longest silence, has timed out',
	async (_, breaksAfter) => {
		expect(await store({ breaksAfter })).toMatchObject({
			message: 'The server of the file did not respond in time',
		});
	},
);

it.each([600, 1_000])(
	'a timeout after %s ms has no hint about options where there are none',
	async (breaksAfter) => {
		expect(await store({ breaksAfter, origin: 'trigger' })).toMatchObject({
			details: { description: 'Try again later; the file stays at the gateway.' },
		});
	},
);

it('a download that fails sooner has lost its connection', async () => {
	expect(await store({ breaksAfter: 200 })).toMatchObject({
		message: 'The connection broke while the file was downloaded',
	});
});

it('a download that fails while n8n does not listen to it does not end n8n', async () => {
	const body = new Readable({ read: () => undefined });
	const streams: Readable[] = [];
	const prepareBinaryData = async (stream: unknown) => {
		streams.push(stream as Readable);
		return await Promise.reject(new Error('The disk is full'));
	};
	const storing = storeResponse(
		{ helpers: { prepareBinaryData } },
		{ status: 200, headers: {}, body, idleTimeoutMs: 1_000 },
		['a.bin'],
	);
	await expect(storing).rejects.toThrow('The disk is full');
	expect(() => streams[0]?.emit('error', new Error('aborted'))).not.toThrow();
	expect(streams).toHaveLength(1);
});

/** A store that reads everything. */
const reading = {
	prepareBinaryData: async (stream: unknown, fileName?: string, mimeType = 'guessed') => {
		const chunks: Buffer[] = [];
		for await (const chunk of stream as Readable) chunks.push(Buffer.from(chunk as Uint8Array));
		const data = Buffer.concat(chunks).toString();
		return { data, mimeType, ...(fileName ? { fileName } : {}) };
	},
};

it('a download that takes longer than the timeout, but is never silent for so long, is stored', async () => {
	const body = new Readable({ read: () => undefined });
	for (let chunk = 1; chunk <= 5; chunk += 1) setTimeout(() => body.push(`${chunk} `), chunk * 900);
	setTimeout(() => body.push(null), 5_400);
	const storing = storeResponse(
		{ helpers: reading },
		{ status: 200, headers: {}, body, idleTimeoutMs: 1_000 },
		['a.bin'],
	);
	await jest.advanceTimersByTimeAsync(6_000);
	expect(await storing).toStrictEqual({ data: '1 2 3 4 5 ', mimeType: 'guessed', fileName: 'a.bin' });
	// The watchdog ends with its next step.
	await jest.advanceTimersByTimeAsync(1_000);
	expect(jest.getTimerCount()).toBe(0);
});

it.each([
	[undefined, 300_000],
	[10_000, 10_000],
])('a download with a timeout of %s ms ends after a silence of %i ms', async (idleTimeoutMs, after) => {
	const body = new Readable({ read: () => undefined });
	let outcome: unknown = 'waiting';
	const response = {
		status: 200,
		headers: {},
		body,
		...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
	};
	storeResponse({ helpers: reading }, response, ['a.bin']).then(
		() => (outcome = 'stored'),
		(error: unknown) => (outcome = error),
	);
	await jest.advanceTimersByTimeAsync(after - 1);
	expect(outcome).toBe('waiting');
	await jest.advanceTimersByTimeAsync(1);
	expect(outcome).toMatchObject({ details: { code: 'timeout', retryable: true, mayBeCharged: false } });
	body.destroy();
	await jest.advanceTimersByTimeAsync(1_000);
	expect(jest.getTimerCount()).toBe(0);
});

it.each([
	['its own type', { 'content-type': 'image/png' }, 'image/webp', 'image/png'],
	['no type', {}, 'image/webp', 'image/webp'],
	['a generic type', { 'content-type': 'application/octet-stream' }, 'image/webp', 'image/webp'],
	['no type, where none is known', {}, undefined, 'guessed'],
])(
	'a file whose server reports %s is stored with the best known type',
	async (_, headers, knownType, type) => {
		const response = { status: 200, headers, body: Readable.from([Buffer.from('x')]) };
		const { mimeType } = await storeResponse({ helpers: reading }, response, ['a.bin'], { knownType });
		expect(mimeType).toBe(type);
	},
);

it('an error that is not the network’s is thrown unchanged', async () => {
	const failure = new Error('The disk is full');
	const body = Readable.from([Buffer.from('x')]);
	const storing = storeResponse(
		{ helpers: { prepareBinaryData: async () => await Promise.reject(failure) } },
		{ status: 200, headers: {}, body },
		['a.bin'],
	);
	await expect(storing).rejects.toBe(failure);
});

it('a cancelled download is cancelled, however long it was silent before', async () => {
	const body = new Readable({ read: () => undefined });
	const storing = storeResponse(
		{ helpers: reading },
		{ status: 200, headers: {}, body, idleTimeoutMs: 1_000 },
		['a.bin'],
	).catch((error: unknown) => error);
	await jest.advanceTimersByTimeAsync(300);
	body.destroy(Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' }));
	expect(await storing).toMatchObject({ name: 'StoppedError', reason: 'cancelled' });
});
