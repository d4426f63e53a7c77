import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import fc from 'fast-check';

import type { ByteStream } from '../../nodes/shared/gateway/client/transport';
import {
	type BinaryStore,
	fileOf,
	type FileOwner,
	type InputFile,
	storeResponse,
} from '../../nodes/shared/n8n/binary';
import { bodyWithFiles } from '../../nodes/shared/n8n/bodyWithFiles';
import { rejection } from '../helpers/client';
import { eventually, passTime } from '../helpers/time';

describe('body with files', () => {
	const facts = { fileName: 'f', mimeType: 'm/x' };

	/** A file that n8n stores under an ID. */
	async function stored(size: number, open: () => Readable | Promise<Readable>): Promise<InputFile> {
		// The first bytes, which tell the type, are read before.
		let isTyped = false;
		const helpers = {
			getBinaryMetadata: async () => await Promise.resolve({ fileSize: size }),
			getBinaryStream: async () => {
				if (isTyped) return await open();
				isTyped = true;
				return Readable.from([]);
			},
		};
		const owner = { n8n: { helpers }, index: 0 } as unknown as FileOwner;
		return await fileOf(owner, { ...facts, data: 'filesystem-v2', id: 'x1' });
	}

	/** A file without an ID, whose bytes are in its item. */
	async function inItem(bytes: Uint8Array): Promise<InputFile> {
		return await fileOf({} as FileOwner, { ...facts, data: Buffer.from(bytes).toString('base64') });
	}

	const inChunks = async (...chunks: string[]) =>
		await stored(chunks.join('').length, () => Readable.from(chunks.map((text) => Buffer.from(text))));

	/** JSON with placeholders, such as <A>, for files. */
	async function body(text: string, files: Record<string, Promise<InputFile>>) {
		const embedded = Object.entries(files).map(async ([name, file]) => ({
			placeholder: `<${name}>`,
			file: await file,
		}));
		return bodyWithFiles(text, await Promise.all(embedded));
	}

	async function chunksOf(opened: ByteStream | Uint8Array): Promise<string[]> {
		const chunks: string[] = [];
		for await (const chunk of opened instanceof Uint8Array ? [opened] : opened) chunks.push(String(chunk));
		return chunks;
	}
	const textOf = async (opened: ByteStream | Uint8Array) => (await chunksOf(opened)).join('');

	it('is the JSON with the files in base64, in any order, of the announced length, each time it is opened', async () => {
		const source = fc.tuple(
			fc.uint8Array({ minLength: 1, maxLength: 200 }),
			fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
		);
		/** A file that arrives in chunks of a size, or is in its item. */
		const sourceOf = async ([bytes, size]: [Uint8Array, number | undefined]) => {
			if (size === undefined) return await inItem(bytes);
			const parts: Uint8Array[] = [];
			for (let start = 0; start < bytes.length; start += size) parts.push(bytes.slice(start, start + size));
			return await stored(bytes.length, () => Readable.from(parts));
		};
		await fc.assert(
			fc.asyncProperty(fc.array(source, { minLength: 1, maxLength: 4 }), fc.string(), async (files, text) => {
				const json = { text, files: files.map((_, index) => `data:m/x;base64,<file-${index}>`) };
				const named = files.map((one, index) => [`file-${index}`, sourceOf(one)] as const).reverse();
				const sent = await body(JSON.stringify(json), Object.fromEntries(named));
				const base64 = files.map(([bytes]) => `data:m/x;base64,${Buffer.from(bytes).toString('base64')}`);
				for (let time = 0; time < 2; time += 1) {
					const opened = await textOf(await sent.open());
					expect(JSON.parse(opened)).toStrictEqual({ text, files: base64 });
					expect(Buffer.byteLength(opened)).toBe(sent.length);
				}
			}),
			{ numRuns: 100 },
		);
	});

	describe('a body that is destroyed', () => {
		let folder: string;
		beforeAll(async () => {
			folder = await mkdtemp(join(tmpdir(), 'file-body-'));
			await writeFile(join(folder, 'large'), Buffer.alloc(1_000_000, 'x'));
		});
		afterAll(async () => await rm(folder, { recursive: true }));

		const closed = async (stream: Readable) =>
			await new Promise<void>((resolve) => {
				if (stream.closed) resolve();
				else stream.once('close', resolve);
			});

		it.each([0, 1, 2, 3, 20])('closes its files after %i chunks, without an error', async (count) => {
			const unhandled: unknown[] = [];
			const record = (error: unknown) => void unhandled.push(error);
			process.on('uncaughtException', record).on('unhandledRejection', record);
			const streams: Readable[] = [];
			const onDisk = async () =>
				await stored(1_000_000, () => {
					const stream = createReadStream(join(folder, 'large'));
					streams.push(stream);
					return stream;
				});
			const { open } = await body('"<A><B><C>"', { A: onDisk(), B: onDisk(), C: onDisk() });
			const opened = (await open()) as Readable;
			const chunks = opened[Symbol.asyncIterator]();
			for (let read = 0; read < count; read += 1) await chunks.next();
			opened.destroy();
			await Promise.all([opened, ...streams].map(closed));
			await new Promise((resolve) => setImmediate(resolve));
			process.off('uncaughtException', record).off('unhandledRejection', record);
			// A million bytes are 16 chunks of a file.
			expect(streams).toHaveLength(count > 16 ? 2 : 1);
			expect(unhandled).toStrictEqual([]);
		});

		it('closes a file that is opened only afterwards', async () => {
			let open: (stream: Readable) => void = () => undefined;
			const opening = new Promise<Readable>((resolve) => (open = resolve));
			const late = jest.fn(async () => await opening);
			const sent = await body('"<A><B>"', { A: inChunks('abc'), B: stored(1_000_000, late) });
			const opened = (await sent.open()) as Readable;
			const reading = chunksOf(opened).catch((error: unknown) => error);
			await eventually(() => late.mock.calls.length > 0);
			opened.destroy();
			const stalled = new Readable({ read: () => undefined });
			open(stalled);
			await Promise.all([opened, stalled].map(closed));
			expect(await reading).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
		});
	});

	describe('a body fails', () => {
		it.each(['<A><B>', '<B><A>'])('when reading a file fails: %s', async (text) => {
			async function* breaking() {
				yield await Promise.resolve(Buffer.from('abc'));
				throw new Error('The disk is gone');
			}
			const broken = stored(9, () => Readable.from(breaking()));
			const { open } = await body(`"${text}"`, { A: broken, B: inChunks('x') });
			await expect(buffer((await open()) as Readable)).rejects.toThrow('The disk is gone');
		});

		it('when a file cannot be opened', async () => {
			const missing = stored(3, async () => await Promise.reject(new Error('no such file')));
			await expect((await body('"<A>"', { A: missing })).open()).rejects.toThrow('no such file');
		});
	});
});

describe('store response', () => {
	// The limits of a download, and what is stored.

	/** A store that reads everything. */
	const reading = {
		prepareBinaryData: async (stream: unknown, fileName?: string, mimeType = 'text/plain') => {
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

	it.each([
		[undefined, 315_000],
		[10_000, 10_000],
	])('a download with a timeout of %s ms ends after a silence of %i ms', async (timeoutMs, after) => {
		const body = new Readable({ read: () => undefined });
		const response = { status: 200, headers: {}, body, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
		const begin = Date.now();
		const error = await rejection(storeResponse({ helpers: reading }, response, { names: ['a.bin'] }));
		expect(Date.now() - begin).toBe(after);
		const message = 'The server of the file did not respond in time';
		expect(error).toMatchObject({ message, details: { code: 'timeout', kind: 'file', retryable: true } });
		body.destroy();
		await passTime(1_000);
		expect(jest.getTimerCount()).toBe(0);
	});

	it.each([
		['its own type', { 'content-type': 'image/png' }, 'image/webp', 'image/png', 'a song'],
		['no type', {}, 'image/webp', 'image/webp', 'a song'],
		['a generic type', { 'content-type': 'application/octet-stream' }, 'image/webp', 'image/webp', 'a song'],
		['another type', { 'content-type': 'image/png' }, 'image/webp', 'audio/mpeg', 'ID3\x04 a song'],
		['no type, where none is known but by its first bytes', {}, undefined, 'audio/mpeg', 'ID3\x04 a song'],
	])(
		'a file whose server reports %s is stored with the best known type',
		async (_, headers, knownType, type, content) => {
			const body = Readable.from([Buffer.from(content.slice(0, 2)), Buffer.from(content.slice(2))]);
			const response = { status: 200, headers, body };
			const { mimeType } = await storeResponse({ helpers: reading }, response, {
				names: ['a.bin'],
				knownType,
			});
			expect(mimeType).toBe(type);
		},
	);

	describe('a successful response', () => {
		const html = { 'content-type': 'text/html; charset=utf-8' };
		const store = async (headers: Record<string, string>, text: string, name: string, knownType?: string) =>
			await storeResponse(
				{ helpers: reading },
				{ status: 200, headers, body: Readable.from(text === '' ? [] : [Buffer.from(text)]) },
				{ names: [name], knownType },
			);

		it.each<[string, Record<string, string>, string, string, object]>([
			['empty', { 'content-type': 'image/png' }, '', 'a.png', { code: 'empty_file', retryable: false }],
			['a web page', html, '<html>Sign in</html>', 'a.png', { code: 'web_page', retryable: false }],
			['a web page', html, '<html>Sign in</html>', 'task_1', { code: 'web_page', retryable: false }],
		])('is an error when it is %s', async (_, headers, text, name, details) => {
			await expect(store(headers, text, name)).rejects.toMatchObject({ details });
		});

		it.each([
			['its type', 'task_1', 'text/html'],
			['its name', 'page.htm', undefined],
		])('is stored when it is a web page by %s', async (_, name, knownType) => {
			expect((await store(html, '<html></html>', name, knownType)).data).toBe('<html></html>');
		});
	});
});
