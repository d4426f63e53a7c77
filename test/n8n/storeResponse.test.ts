import { Readable } from 'node:stream';

import { storeResponse, type BinaryStore } from '../../nodes/shared/n8n/binary';

// The limits of a download, and what is stored.

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

/** A store that reads everything. */
const reading = {
	prepareBinaryData: async (stream: unknown, fileName?: string, mimeType = 'guessed') => {
		const chunks: Buffer[] = [];
		for await (const chunk of stream as Readable) chunks.push(Buffer.from(chunk as Uint8Array));
		const data = Buffer.concat(chunks).toString();
		return { data, mimeType, ...(fileName ? { fileName } : {}) };
	},
};

/** Stores a response with a timeout of a second. */
const stored = async (body: Readable, helpers: BinaryStore['helpers'] = reading) =>
	await storeResponse(
		{ helpers },
		{ status: 200, headers: {}, body, timeoutMs: 1_000 },
		{ names: ['a.bin'] },
	);

it('a download that fails while n8n does not listen to it does not end n8n', async () => {
	const body = new Readable({ read: () => undefined });
	const streams: Readable[] = [];
	const prepareBinaryData = async (stream: unknown) => {
		streams.push(stream as Readable);
		return await Promise.reject(new Error('The disk is full'));
	};
	await expect(stored(body, { prepareBinaryData })).rejects.toThrow('The disk is full');
	expect(() => streams[0]?.emit('error', new Error('aborted'))).not.toThrow();
	expect(streams).toHaveLength(1);
});

it('a download that takes longer than the timeout, but is never silent for so long, is stored', async () => {
	const body = new Readable({ read: () => undefined });
	const part = (chunk: number) => String(chunk).repeat(1_000);
	for (let chunk = 1; chunk <= 5; chunk += 1) setTimeout(() => body.push(part(chunk)), chunk * 900);
	setTimeout(() => body.push(null), 5_400);
	const storing = stored(body);
	await jest.advanceTimersByTimeAsync(6_000);
	expect(await storing).toStrictEqual({
		data: [1, 2, 3, 4, 5].map(part).join(''),
		mimeType: 'guessed',
		fileName: 'a.bin',
	});
	expect(jest.getTimerCount()).toBe(0);
});

it.each([
	[undefined, 315_000],
	[10_000, 10_000],
])('a download with a timeout of %s ms ends after a silence of %i ms', async (timeoutMs, after) => {
	const body = new Readable({ read: () => undefined });
	let outcome: unknown = 'waiting';
	const response = { status: 200, headers: {}, body, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
	storeResponse({ helpers: reading }, response, { names: ['a.bin'] }).then(
		() => (outcome = 'stored'),
		(error: unknown) => (outcome = error),
	);
	await jest.advanceTimersByTimeAsync(after - 1);
	expect(outcome).toBe('waiting');
	await jest.advanceTimersByTimeAsync(1);
	expect(outcome).toMatchObject({ details: { code: 'timeout', kind: 'file', retryable: true } });
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
		const { mimeType } = await storeResponse({ helpers: reading }, response, { names: ['a.bin'], knownType });
		expect(mimeType).toBe(type);
	},
);

describe('a successful response', () => {
	const store = async (
		headers: Record<string, string>,
		content: string,
		names: string[],
		{
			knownType,
			helpers = reading,
		}: { knownType?: string | undefined; helpers?: BinaryStore['helpers'] } = {},
	) => {
		const body = Readable.from(content === '' ? [] : [Buffer.from(content)]);
		return await storeResponse({ helpers }, { status: 200, headers, body }, { names, knownType });
	};
	const html = { 'content-type': 'text/html; charset=utf-8' };

	it('is an error when it is empty', async () => {
		const error = store({ 'content-type': 'image/png' }, '', ['a.png']);
		await expect(error).rejects.toMatchObject({ details: { code: 'empty_file', retryable: true } });
	});

	it.each([['a.png'], ['task_1']])('is an error when it is a web page in place of %s', async (name) => {
		const helpers = { prepareBinaryData: jest.fn() };
		const error = store(html, '<html>Sign in</html>', [name], { helpers });
		await expect(error).rejects.toMatchObject({ details: { code: 'web_page', retryable: false } });
		expect(helpers.prepareBinaryData).not.toHaveBeenCalled();
	});

	it.each([
		['its type', 'task_1', 'text/html'],
		['its name', 'page.htm', undefined],
	])('is stored when it is a web page by %s', async (_, name, knownType) => {
		expect((await store(html, '<html></html>', [name], { knownType })).data).toBe('<html></html>');
	});
});
