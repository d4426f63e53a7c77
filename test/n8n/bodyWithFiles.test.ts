import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import fc from 'fast-check';

import type { InputFile } from '../../nodes/shared/n8n/binary';
import { base64Length, bodyWithFiles } from '../../nodes/shared/n8n/bodyWithFiles';
import type { ByteStream } from '../../nodes/shared/gateway/client/transport';

type Opened = Awaited<ReturnType<InputFile['open']>>;

const file = (size: number, open: () => Promise<Opened>): InputFile => ({
	fileName: 'f',
	mimeType: 'm/x',
	size,
	open,
	framed: () => Promise.reject(new Error('not used')),
});
const ofBytes = (bytes: Uint8Array) => file(bytes.length, async () => await Promise.resolve(bytes));
const ofStream = (size: number, open: () => Readable) =>
	file(size, async () => await Promise.resolve(open() as Opened));
const inChunks = (...chunks: string[]) =>
	ofStream(chunks.join('').length, () => Readable.from(chunks.map((text) => Buffer.from(text))));

/** JSON with the placeholders A, B and C for files. */
const body = (text: string, files: Record<string, InputFile>) =>
	bodyWithFiles(
		text,
		Object.entries(files).map(([name, content]) => ({ placeholder: `<${name}>`, file: content })),
	);

async function chunksOf(opened: ByteStream | Uint8Array): Promise<Buffer[]> {
	if (opened instanceof Uint8Array) return [Buffer.from(opened)];
	const chunks: Buffer[] = [];
	for await (const chunk of opened) chunks.push(Buffer.from(chunk));
	return chunks;
}
const textOf = async (opened: ByteStream | Uint8Array) =>
	Buffer.concat(await chunksOf(opened)).toString('utf8');

async function createStream(opening: Promise<ByteStream | Uint8Array>): Promise<Readable> {
	const opened = await opening;
	if (opened instanceof Readable) return opened;
	throw new Error('It is not a stream');
}

it.each([
	[0, 0],
	[1, 4],
	[2, 4],
	[3, 4],
	[4, 8],
	[5, 8],
	[6, 8],
	[3_000_000, 4_000_000],
])('%i bytes make %i characters of base64', (bytes, characters) => {
	expect(base64Length(bytes)).toBe(characters);
	expect(Buffer.alloc(bytes).toString('base64')).toHaveLength(characters);
});

it('is the JSON with the files in base64, of the announced length, each time it is opened', async () => {
	const source = fc.tuple(
		fc.uint8Array({ minLength: 1, maxLength: 200 }),
		fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
	);
	/** A file that arrives in chunks of a size, or at once. */
	const sourceOf = ([bytes, size]: [Uint8Array, number | undefined]) => {
		if (size === undefined) return ofBytes(bytes);
		const parts: Uint8Array[] = [];
		for (let start = 0; start < bytes.length; start += size) parts.push(bytes.slice(start, start + size));
		return ofStream(bytes.length, () => Readable.from(parts));
	};
	await fc.assert(
		fc.asyncProperty(fc.array(source, { minLength: 1, maxLength: 4 }), fc.string(), async (files, text) => {
			const json = { text, files: files.map((_, index) => `data:m/x;base64,<file-${index}>`) };
			const named = files.map((one, index) => [`file-${index}`, sourceOf(one)]);
			const sent = body(JSON.stringify(json), Object.fromEntries(named) as Record<string, InputFile>);
			const base64 = files.map(([bytes]) => `data:m/x;base64,${Buffer.from(bytes).toString('base64')}`);
			for (let time = 0; time < 2; time += 1) {
				const bytes = Buffer.concat(await chunksOf(await sent.open()));
				expect(JSON.parse(bytes.toString('utf8'))).toStrictEqual({ text, files: base64 });
				expect(bytes.length).toBe(sent.length);
			}
		}),
		{ numRuns: 200 },
	);
});

it.each([
	[
		['abcd', 'ef', 'ghij'],
		['YWJj', 'ZGVm', 'Z2hp', 'ag=='],
	],
	[
		['a', 'b', 'c', 'd', 'e', 'f'],
		['YWJj', 'ZGVm'],
	],
])('is sent chunk by chunk, none of them empty: %j', async (parts, expected) => {
	const chunks = await chunksOf(await body('{"f":"<A>"}', { A: inChunks(...parts) }).open());
	expect(chunks.map(String)).toStrictEqual(['{"f":"', ...expected, '"}']);
});

it('puts each file in its place, whatever the order of the files', async () => {
	const files = { B: ofBytes(Buffer.from('two')), A: inChunks('o', 'ne'), C: inChunks('three') };
	const sent = body('["<A>","<B>","<C>"]', files);
	const expected = `["${btoa('one')}","${btoa('two')}","${btoa('three')}"]`;
	expect(await textOf(await sent.open())).toBe(expected);
	expect(sent.length).toBe(expected.length);
});

it('leaves out a file that the text does not name, and does not open it', async () => {
	const open = jest.fn();
	const sent = body('{"f":1}', { A: file(5, open) });
	expect(await textOf(await sent.open())).toBe('{"f":1}');
	expect(sent.length).toBe(7);
	expect(open).not.toHaveBeenCalled();
});

it('opens its files when it is sent', async () => {
	const open = jest.fn(() => Readable.from([Buffer.from('abc')]));
	const sent = body('"<A>"', { A: ofStream(3, open) });
	expect(open).not.toHaveBeenCalled();
	expect(await textOf(await sent.open())).toBe('"YWJj"');
	expect(open).toHaveBeenCalledTimes(1);
});

describe('a body that is destroyed', () => {
	let folder: string;
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'file-body-'));
		await writeFile(join(folder, 'large'), Buffer.alloc(1_000_000, 'x'));
	});
	afterAll(async () => await rm(folder, { recursive: true }));

	/** A file on the disk; its streams are recorded. */
	function onDisk(streams: Readable[]): InputFile {
		return ofStream(1_000_000, () => {
			const stream = createReadStream(join(folder, 'large'));
			streams.push(stream);
			return stream;
		});
	}
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
		const opened = await createStream(
			body('"<A><B><C>"', { A: onDisk(streams), B: onDisk(streams), C: onDisk(streams) }).open(),
		);
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
		const isAsked = jest.fn();
		const late = file(1_000_000, async () => {
			isAsked();
			return await opening;
		});
		const opened = await createStream(body('"<A><B>"', { A: inChunks('abc'), B: late }).open());
		const reading = chunksOf(opened).catch((error: unknown) => error);
		while (isAsked.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
		opened.destroy();
		const stalled = new Readable({ read: () => undefined });
		open(stalled);
		await Promise.all([opened, stalled].map(closed));
		expect(await reading).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
	});

	it.each(['A', 'B'])('may fail before it is read (%s)', async (name) => {
		const broken = new Readable({ read: () => undefined });
		const files = {
			A: name === 'A' ? ofStream(9, () => broken) : inChunks('abc'),
			B: ofStream(9, () => broken),
		};
		const opened = await createStream(body(`"<${name}>"`, files).open());
		broken.destroy(new Error('The disk is gone'));
		await closed(broken);
		await expect(chunksOf(opened)).rejects.toThrow('The disk is gone');
	});
});

it('fails when reading a file fails', async () => {
	const broken = ofStream(9, () =>
		Readable.from(
			(async function* () {
				yield await Promise.resolve(Buffer.from('abc'));
				throw new Error('The disk is gone');
			})(),
		),
	);
	const first = await body('"<A><B>"', { A: broken, B: inChunks('x') }).open();
	await expect(textOf(first)).rejects.toThrow('The disk is gone');
	const second = await body('"<B><A>"', { A: broken, B: inChunks('x') }).open();
	await expect(textOf(second)).rejects.toThrow('The disk is gone');
});

it('fails when a file cannot be opened', async () => {
	const missing = file(3, async () => await Promise.reject(new Error('no such file')));
	await expect(body('"<A>"', { A: missing }).open()).rejects.toThrow('no such file');
});
