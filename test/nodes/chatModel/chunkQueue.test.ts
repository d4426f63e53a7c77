import fc from 'fast-check';
import { getEventListeners } from 'node:events';

import { iterateChunks, type Work } from '../../../nodes/ChatModel/chunkQueue';
import { StoppedError } from '../../../nodes/shared/gateway/errors/errors';

const tick = async () => await new Promise<void>((resolve) => setImmediate(resolve));

async function ticks(count: number): Promise<void> {
	for (let turn = 0; turn < count; turn += 1) await tick();
}

async function read<T>(chunks: AsyncIterable<T>): Promise<T[]> {
	const all: T[] = [];
	for await (const chunk of chunks) all.push(chunk);
	return all;
}

describe('a chunk queue', () => {
	it('yields the chunks in order, also the last ones', async () => {
		const chunks = iterateChunks<number>(async (take) => {
			await take(1);
			await tick();
			await Promise.all([take(2), take(3)]);
		});
		expect(await read(chunks)).toStrictEqual([1, 2, 3]);
	});

	it('yields chunks while the work continues', async () => {
		let isOver = false;
		const chunks = iterateChunks<string>(async (take) => {
			await take('first');
			await tick();
			await tick();
			isOver = true;
		});
		expect(await chunks.next()).toStrictEqual({ value: 'first', done: false });
		expect(isOver).toBe(false);
		expect(await chunks.next()).toMatchObject({ done: true });
	});

	it('yields the chunks before the error that ends the work', async () => {
		const chunks = iterateChunks<string>(async (take) => {
			await take('first');
			throw new Error('broken');
		});
		expect(await chunks.next()).toMatchObject({ value: 'first' });
		await expect(chunks.next()).rejects.toThrow('broken');
	});

	it('rejects the next chunk of the work when the reader has stopped', async () => {
		let rejected: unknown;
		const chunks = iterateChunks<number>(async (take) => {
			await take(1);
			await tick();
			await take(2).catch((error: unknown) => (rejected = error));
		});
		await chunks.next();
		await chunks.return(undefined);
		await tick();
		await tick();
		expect(rejected).toBeInstanceOf(Error);
	});

	it('yields the chunks that the work wrote before it ended while the reader was busy', async () => {
		const chunks = iterateChunks<number>(async (take) => {
			await take(1);
			await tick();
			await Promise.all([take(2), take(3)]);
		});
		expect(await chunks.next()).toStrictEqual({ value: 1, done: false });
		await tick();
		await tick();
		expect(await read(chunks)).toStrictEqual([2, 3]);
	});

	it('yields the chunks that were written while the reader was busy before the error', async () => {
		const chunks = iterateChunks<number>(async (take) => {
			await take(1);
			await tick();
			await take(2);
			throw new Error('broken');
		});
		await chunks.next();
		await tick();
		await tick();
		expect(await chunks.next()).toStrictEqual({ value: 2, done: false });
		await expect(chunks.next()).rejects.toThrow('broken');
	});

	it('is empty when the work writes no chunk, and rejects when the work does', async () => {
		expect(await read(iterateChunks(async () => await tick()))).toStrictEqual([]);
		const failing = iterateChunks(async () => await Promise.reject(undefined as unknown as Error));
		await expect(failing.next()).rejects.toBeUndefined();
	});

	it('yields all chunks in order at any speed of work and reader', async () => {
		const pace = fc.record({ chunk: fc.integer(), work: fc.nat(2), reader: fc.nat(2) });
		await fc.assert(
			fc.asyncProperty(fc.array(pace, { maxLength: 8 }), async (paces) => {
				const chunks = iterateChunks<number>(async (take) => {
					for (const { chunk, work } of paces) {
						await ticks(work);
						await take(chunk);
					}
				});
				const all: number[] = [];
				for await (const chunk of chunks) {
					all.push(chunk);
					await ticks(paces[all.length - 1]?.reader ?? 0);
				}
				expect(all).toStrictEqual(paces.map(({ chunk }) => chunk));
			}),
			{ numRuns: 50 },
		);
	});
});

describe('the reader’s signal', () => {
	/** Work that writes a chunk, and then waits until it is aborted. */
	const waiting: Work<string> = async (take, signal) => {
		await take('first');
		if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
		await take('second');
	};

	it('reaches the work when it is aborted before, and the work’s chunks are rejected', async () => {
		const chunks = iterateChunks(waiting, AbortSignal.abort());
		await expect(chunks.next()).rejects.toStrictEqual(new StoppedError('not waited for'));
	});

	it('reaches the work when it is aborted meanwhile', async () => {
		const reader = new AbortController();
		const chunks = iterateChunks(waiting, reader.signal);
		expect(await chunks.next()).toStrictEqual({ value: 'first', done: false });
		const next = chunks.next();
		reader.abort();
		await expect(next).rejects.toStrictEqual(new StoppedError('not waited for'));
	});

	it.each<[string, (chunks: AsyncGenerator<string>) => Promise<unknown>]>([
		['is read to its end', async (chunks) => await read(chunks)],
		[
			'is closed early',
			async (chunks) => await chunks.next().then(async () => await chunks.return(undefined)),
		],
	])('has no listener when the sequence %s', async (_, use) => {
		const { signal } = new AbortController();
		const chunks = iterateChunks<string>(async (take) => {
			await take('first');
			expect(getEventListeners(signal, 'abort')).toHaveLength(1);
		}, signal);
		await use(chunks);
		expect(getEventListeners(signal, 'abort')).toStrictEqual([]);
		expect.assertions(2);
	});
});
