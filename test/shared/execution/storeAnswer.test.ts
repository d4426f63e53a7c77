import { Readable } from 'node:stream';

import { storeAnswer } from '../../../nodes/shared/execution/binary';
import type { Origin } from '../../../nodes/shared/gateway/origin';

// The HTTP client breaks a silent connection by itself, with an error that looks like a lost connection. It counts
// from the moment at which the bytes came; a busy n8n looks at them later.

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

/** Stores five bytes that are followed by nothing, with a second of patience. */
async function store({ breaksAfter, origin }: { breaksAfter: number; origin?: Origin }): Promise<unknown> {
	const body = new Readable({ read: () => undefined });
	body.push('12345');
	setTimeout(() => body.destroy(new Error('aborted')), breaksAfter);
	const prepareBinaryData = async (stream: unknown) => {
		for await (const portion of stream as Readable) void portion;
		throw new Error('the stream has no end');
	};
	const storing = storeAnswer(
		{ helpers: { prepareBinaryData: prepareBinaryData } },
		{ status: 200, headers: {}, body, silenceMs: 1_000 },
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
			message: 'The server of the file did not answer in time',
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
	const storing = storeAnswer(
		{ helpers: { prepareBinaryData } },
		{ status: 200, headers: {}, body, silenceMs: 1_000 },
		['a.bin'],
	);
	await expect(storing).rejects.toThrow('The disk is full');
	expect(() => given[0]?.emit('error', new Error('aborted'))).not.toThrow();
	expect(given).toHaveLength(1);
});
