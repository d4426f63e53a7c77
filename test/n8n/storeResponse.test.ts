import { Readable } from 'node:stream';

import { storeResponse } from '../../nodes/shared/n8n/binary';
import type { Origin } from '../../nodes/shared/gateway/errors/texts/origin';

// The HTTP client breaks a silent connection by itself, with an error that looks like a lost connection. It counts
// from the moment at which the bytes came; a busy n8n looks at them later.

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

/** Stores five bytes that are followed by nothing, with a timeout of a second. */
async function store({ breaksAfter, origin }: { breaksAfter: number; origin?: Origin }): Promise<unknown> {
	const body = new Readable({ read: () => undefined });
	body.push('12345');
	setTimeout(() => body.destroy(new Error('aborted')), breaksAfter);
	const prepareBinaryData = async (stream: unknown) => {
		for await (const portion of stream as Readable) void portion;
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
	'a download whose bytes are read %s, broken at the longest silence, came too late',
	async (_, breaksAfter) => {
		expect(await store({ breaksAfter })).toMatchObject({
			message: 'The server of the file did not respond in time',
		});
	},
);

it.each([600, 1_000])(
	'what broke after %s ms is told without options where there are none',
	async (breaksAfter) => {
		expect(await store({ breaksAfter, origin: 'trigger' })).toMatchObject({
			details: { description: 'Try again later; the file stays at the gateway.' },
		});
	},
);

it('a download that breaks sooner has lost its connection', async () => {
	expect(await store({ breaksAfter: 200 })).toMatchObject({
		message: 'The connection broke while the file was downloaded',
	});
});

it('a download that breaks when n8n does not listen to it does not end n8n', async () => {
	const body = new Readable({ read: () => undefined });
	const given: Readable[] = [];
	const prepareBinaryData = async (stream: unknown) => {
		given.push(stream as Readable);
		return await Promise.reject(new Error('The disk is full'));
	};
	const storing = storeResponse(
		{ helpers: { prepareBinaryData } },
		{ status: 200, headers: {}, body, idleTimeoutMs: 1_000 },
		['a.bin'],
	);
	await expect(storing).rejects.toThrow('The disk is full');
	expect(() => given[0]?.emit('error', new Error('aborted'))).not.toThrow();
	expect(given).toHaveLength(1);
});

/** A store that reads all it is given. */
const reading = {
	prepareBinaryData: async (stream: unknown, fileName?: string, mimeType = 'guessed') => {
		const portions: Buffer[] = [];
		for await (const portion of stream as Readable) portions.push(Buffer.from(portion as Uint8Array));
		const data = Buffer.concat(portions).toString();
		return { data, mimeType, ...(fileName ? { fileName } : {}) };
	},
};

it('a download that takes longer than the longest silence, but is never silent for so long, is stored', async () => {
	const body = new Readable({ read: () => undefined });
	for (let portion = 1; portion <= 5; portion += 1) setTimeout(() => body.push(`${portion} `), portion * 900);
	setTimeout(() => body.push(null), 5_400);
	const storing = storeResponse(
		{ helpers: reading },
		{ status: 200, headers: {}, body, idleTimeoutMs: 1_000 },
		['a.bin'],
	);
	await jest.advanceTimersByTimeAsync(6_000);
	expect(await storing).toStrictEqual({ data: '1 2 3 4 5 ', mimeType: 'guessed', fileName: 'a.bin' });
	// What is left of the watch ends with its next step.
	await jest.advanceTimersByTimeAsync(1_000);
	expect(jest.getTimerCount()).toBe(0);
});

it.each([
	[undefined, 300_000],
	[10_000, 10_000],
])('a download with a longest silence of %s ms is given up after %i ms', async (idleTimeoutMs, after) => {
	const body = new Readable({ read: () => undefined });
	let outcome: unknown = 'waiting';
	const answer = {
		status: 200,
		headers: {},
		body,
		...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
	};
	storeResponse({ helpers: reading }, answer, ['a.bin']).then(
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
	['none', {}, 'image/webp', 'image/webp'],
	['one that says nothing', { 'content-type': 'application/octet-stream' }, 'image/webp', 'image/webp'],
	['none, and none is known', {}, undefined, 'guessed'],
])(
	'a file whose server gives %s is stored with the best that is known',
	async (_, headers, knownType, type) => {
		const answer = { status: 200, headers, body: Readable.from([Buffer.from('x')]) };
		const { mimeType } = await storeResponse({ helpers: reading }, answer, ['a.bin'], { knownType });
		expect(mimeType).toBe(type);
	},
);

it('an error that is not the network’s comes as it is', async () => {
	const problem = new Error('The disk is full');
	const body = Readable.from([Buffer.from('x')]);
	const storing = storeResponse(
		{ helpers: { prepareBinaryData: async () => await Promise.reject(problem) } },
		{ status: 200, headers: {}, body },
		['a.bin'],
	);
	await expect(storing).rejects.toBe(problem);
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
