import fc from 'fast-check';
import { getEventListeners } from 'node:events';

import { iterateChunks, type Work } from '../../../nodes/ChatModel/chunkQueue';
import { StoppedError } from '../../../nodes/shared/gateway/errors/errors';

const tick = async () => await new Promise<void>((resolve) => setImmediate(resolve));

async function ticks(count: number): Promise<void> {
	for (let turn = 0; turn < count; turn += 1) await tick();
}

async function read<T>(pieces: AsyncIterable<T>): Promise<T[]> {
	const all: T[] = [];
	for await (const piece of pieces) all.push(piece);
	return all;
}

describe('pieces that are handed over', () => {
	it('arrive in order, also those of the last moment', async () => {
		const pieces = iterateChunks<number>(async (take) => {
			await take(1);
			await tick();
			await Promise.all([take(2), take(3)]);
		});
		expect(await read(pieces)).toStrictEqual([1, 2, 3]);
	});

	it('arrive while the work goes on', async () => {
		let isOver = false;
		const pieces = iterateChunks<string>(async (take) => {
			await take('first');
			await tick();
			await tick();
			isOver = true;
		});
		expect(await pieces.next()).toStrictEqual({ value: 'first', done: false });
		expect(isOver).toBe(false);
		expect(await pieces.next()).toMatchObject({ done: true });
	});

	it('come before the error that ends the work', async () => {
		const pieces = iterateChunks<string>(async (take) => {
			await take('first');
			throw new Error('broken');
		});
		expect(await pieces.next()).toMatchObject({ value: 'first' });
		await expect(pieces.next()).rejects.toThrow('broken');
	});

	it('end the work when nobody reads any more', async () => {
		let refused: unknown;
		const pieces = iterateChunks<number>(async (take) => {
			await take(1);
			await tick();
			await take(2).catch((error: unknown) => (refused = error));
		});
		await pieces.next();
		await pieces.return(undefined);
		await tick();
		await tick();
		expect(refused).toBeInstanceOf(Error);
	});

	it('arrive also when they came, and the work ended, while the reader was busy', async () => {
		const pieces = iterateChunks<number>(async (take) => {
			await take(1);
			await tick();
			await Promise.all([take(2), take(3)]);
		});
		expect(await pieces.next()).toStrictEqual({ value: 1, done: false });
		await tick();
		await tick();
		expect(await read(pieces)).toStrictEqual([2, 3]);
	});

	it('that came while the reader was busy come before the error, too', async () => {
		const pieces = iterateChunks<number>(async (take) => {
			await take(1);
			await tick();
			await take(2);
			throw new Error('broken');
		});
		await pieces.next();
		await tick();
		await tick();
		expect(await pieces.next()).toStrictEqual({ value: 2, done: false });
		await expect(pieces.next()).rejects.toThrow('broken');
	});

	it('are none when the work hands over none, or fails with nothing', async () => {
		expect(await read(iterateChunks(async () => await tick()))).toStrictEqual([]);
		const failing = iterateChunks(async () => await Promise.reject(undefined as unknown as Error));
		await expect(failing.next()).rejects.toBeUndefined();
	});

	it('arrive all, in order, whoever is slower', async () => {
		const pace = fc.record({ piece: fc.integer(), work: fc.nat(2), reader: fc.nat(2) });
		await fc.assert(
			fc.asyncProperty(fc.array(pace, { maxLength: 8 }), async (paces) => {
				const pieces = iterateChunks<number>(async (take) => {
					for (const { piece, work } of paces) {
						await ticks(work);
						await take(piece);
					}
				});
				const all: number[] = [];
				for await (const piece of pieces) {
					all.push(piece);
					await ticks(paces[all.length - 1]?.reader ?? 0);
				}
				expect(all).toStrictEqual(paces.map(({ piece }) => piece));
			}),
			{ numRuns: 50 },
		);
	});
});

describe('the signal of the reader', () => {
	/** Work that takes a piece, and then does nothing until it is told to stop. */
	const waiting: Work<string> = async (take, signal) => {
		await take('first');
		if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
		await take('second');
	};

	it('that is aborted before reaches the work, whose pieces are refused', async () => {
		const pieces = iterateChunks(waiting, AbortSignal.abort());
		await expect(pieces.next()).rejects.toStrictEqual(new StoppedError('not waited for'));
	});

	it('that is aborted while the work goes on reaches it', async () => {
		const reader = new AbortController();
		const pieces = iterateChunks(waiting, reader.signal);
		expect(await pieces.next()).toStrictEqual({ value: 'first', done: false });
		const next = pieces.next();
		reader.abort();
		await expect(next).rejects.toStrictEqual(new StoppedError('not waited for'));
	});

	it.each<[string, (pieces: AsyncGenerator<string>) => Promise<unknown>]>([
		['has been read to its end', async (pieces) => await read(pieces)],
		['is left', async (pieces) => await pieces.next().then(async () => await pieces.return(undefined))],
	])('is let go of when the sequence %s', async (_, use) => {
		const { signal } = new AbortController();
		const pieces = iterateChunks<string>(async (take) => {
			await take('first');
			expect(getEventListeners(signal, 'abort')).toHaveLength(1);
		}, signal);
		await use(pieces);
		expect(getEventListeners(signal, 'abort')).toStrictEqual([]);
		expect.assertions(2);
	});
});
