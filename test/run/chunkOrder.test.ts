import { ChunkWriter } from '../../nodes/shared/run/chunkWriter';

type Chunk = [type: string, itemIndex: number, text?: string];

const ticks = async () => {
	for (let tick = 0; tick < 20; tick += 1) await Promise.resolve();
};

/** A reader that takes a chunk only when the test says so. */
function slowReader() {
	const sent: Chunk[] = [];
	const waiting: Array<() => void> = [];
	const warn = jest.fn();
	const chunkWriter = new ChunkWriter({
		sendChunk: async (type, itemIndex, text) => {
			sent.push(text === undefined ? [type, itemIndex] : [type, itemIndex, text]);
			await new Promise<void>((resolve) => waiting.push(resolve));
		},
		logger: { warn } as never,
	});
	/** Takes all chunks, one after the other. */
	const takeAll = async () => {
		await ticks();
		for (let take = waiting.shift(); take; take = waiting.shift()) {
			take();
			await ticks();
		}
	};
	const takeOne = async () => {
		waiting.shift()?.();
		await ticks();
	};
	return { chunkWriter, sent, takeAll, takeOne, waiting, warn };
}

/** A reader that takes each chunk at once. */
function quickReader(sendChunk: () => unknown = () => undefined) {
	const chunks: Chunk[] = [];
	const warn = jest.fn();
	const chunkWriter = new ChunkWriter({
		sendChunk: (type, itemIndex, text) => {
			chunks.push(text === undefined ? [type, itemIndex] : [type, itemIndex, text]);
			return sendChunk() as undefined;
		},
		logger: { warn } as never,
	});
	return { chunkWriter, chunks, warn };
}

describe('a slow reader', () => {
	it('is sent one chunk at a time, and texts that wait are sent as one chunk', async () => {
		const { chunkWriter, sent, takeAll, takeOne, waiting } = slowReader();
		const forItem = chunkWriter.forItem(0);
		const written = ['a', 'b', 'c'].map(async (text) => await forItem.write(text));
		await ticks();
		expect(sent).toStrictEqual([['begin', 0]]);
		await takeOne();
		expect(sent.slice(1)).toStrictEqual([['item', 0, 'abc']]);
		written.push(forItem.write('d'), forItem.write('e'));
		await ticks();
		expect(waiting).toHaveLength(1);
		await takeAll();
		expect(sent.slice(2)).toStrictEqual([['item', 0, 'de']]);
		await Promise.all(written);
	});

	it('delays the writer', async () => {
		const { chunkWriter, takeAll } = slowReader();
		let isWritten = false;
		const writing = chunkWriter.forItem(0).write('a');
		void writing.then(() => (isWritten = true));
		await ticks();
		expect(isWritten).toBe(false);
		await takeAll();
		await writing;
		expect(isWritten).toBe(true);
	});

	it('receives two items one after the other, whole and in order', async () => {
		const { chunkWriter, sent, takeAll } = slowReader();
		const [first, second] = [chunkWriter.forItem(0), chunkWriter.forItem(1)];
		const work = [
			second.write('x'),
			first.write('a'),
			second.write('y'),
			second.end(),
			first.write('b'),
			first.end(),
		];
		await takeAll();
		await Promise.all(work);
		expect(sent).toStrictEqual([
			['begin', 0],
			['item', 0, 'ab'],
			['end', 0],
			['begin', 1],
			['item', 1, 'xy'],
			['end', 1],
		]);
	});

	it('receives texts that are written while the end of the item before is being sent', async () => {
		const { chunkWriter, sent, takeAll, takeOne } = slowReader();
		const [first, second, third] = [chunkWriter.forItem(0), chunkWriter.forItem(1), chunkWriter.forItem(2)];
		const work = [first.end(), third.end('lost')];
		await ticks();
		await takeOne();
		expect(sent).toStrictEqual([
			['begin', 0],
			['end', 0],
		]);
		work.push(second.write('x'), second.write('y'), second.end());
		await takeAll();
		await Promise.all(work);
		expect(sent.slice(2)).toStrictEqual([
			['begin', 1],
			['item', 1, 'xy'],
			['end', 1],
			['begin', 2],
			['error', 2, 'lost'],
			['end', 2],
		]);
	});

	it('receives text that is written after the end was requested and before it was sent', async () => {
		const { chunkWriter, sent, takeAll } = slowReader();
		const forItem = chunkWriter.forItem(0);
		const work = [forItem.write('a'), forItem.end('cut off'), forItem.write('b')];
		await takeAll();
		await Promise.all(work);
		expect(sent).toStrictEqual([
			['begin', 0],
			['item', 0, 'ab'],
			['error', 0, 'cut off'],
			['end', 0],
		]);
	});

	it('receives text that is written while the last text is being sent', async () => {
		const { chunkWriter, sent, takeAll, takeOne } = slowReader();
		const forItem = chunkWriter.forItem(0);
		const work = [forItem.write('a'), forItem.end()];
		await ticks();
		await takeOne();
		expect(sent.at(-1)).toStrictEqual(['item', 0, 'a']);
		work.push(forItem.write('b'));
		await takeAll();
		await Promise.all(work);
		expect(sent.slice(2)).toStrictEqual([
			['item', 0, 'b'],
			['end', 0],
		]);
	});
});

describe('an item', () => {
	it('begins and ends although no text is written', async () => {
		const { chunkWriter, chunks } = quickReader();
		await chunkWriter.forItem(3).end();
		expect(chunks).toStrictEqual([
			['begin', 3],
			['end', 3],
		]);
	});

	it('sends nothing for an empty text', async () => {
		const { chunkWriter, chunks } = quickReader();
		const forItem = chunkWriter.forItem(0);
		await forItem.write('');
		await forItem.write('');
		await forItem.end();
		expect(chunks).toStrictEqual([
			['begin', 0],
			['end', 0],
		]);
	});

	it('does not begin before its turn', async () => {
		const { chunkWriter, chunks } = quickReader();
		chunkWriter.forItem(0);
		await chunkWriter.forItem(1).write('x');
		expect(chunks).toStrictEqual([]);
	});

	it('ends once, with the first error, after its text', async () => {
		const { chunkWriter, chunks } = quickReader();
		const forItem = chunkWriter.forItem(0);
		await forItem.write('a');
		await forItem.end('cut off');
		await forItem.end('another');
		await forItem.end();
		expect(chunks).toStrictEqual([
			['begin', 0],
			['item', 0, 'a'],
			['error', 0, 'cut off'],
			['end', 0],
		]);
	});

	it('that waits for its turn ends with its first error', async () => {
		const { chunkWriter, chunks } = quickReader();
		const [first, second] = [chunkWriter.forItem(0), chunkWriter.forItem(1)];
		await second.end('cut off');
		await second.end('another');
		await first.end();
		expect(chunks.filter(([type]) => type === 'error')).toStrictEqual([['error', 1, 'cut off']]);
	});

	it('may have an error without a message', async () => {
		const { chunkWriter, chunks } = quickReader();
		await chunkWriter.forItem(0).end('');
		expect(chunks.map(([type]) => type)).toStrictEqual(['begin', 'error', 'end']);
	});

	it('does not delay the items that wait for it', async () => {
		const { chunkWriter, chunks } = quickReader();
		const [first, second] = [chunkWriter.forItem(0), chunkWriter.forItem(1)];
		await second.write('x');
		await second.end();
		expect(chunks).toStrictEqual([]);
		await first.end();
		expect(chunks.map(([type, index]) => `${type} ${index}`)).toStrictEqual([
			'begin 0',
			'end 0',
			'begin 1',
			'item 1',
			'end 1',
		]);
	});

	it('is sent at once when all items before it have ended', async () => {
		const { chunkWriter, chunks } = quickReader();
		await chunkWriter.forItem(0).end();
		await chunkWriter.forItem(1).write('x');
		expect(chunks.at(-1)).toStrictEqual(['item', 1, 'x']);
	});
});

describe('a reader whose connection is closed', () => {
	it.each<[string, () => unknown, string]>([
		['throws', () => thrown(new Error('gone')), 'gone'],
		['rejects', () => Promise.reject(new Error('closed')), 'closed'],
		['throws a value that is not an error', () => thrown('odd'), 'odd'],
	])('receives nothing more, for any item: %s', async (_, sendChunk, reason) => {
		const { chunkWriter, chunks, warn } = quickReader(sendChunk);
		const [first, second] = [chunkWriter.forItem(0), chunkWriter.forItem(1)];
		await first.write('a');
		await first.write('b');
		await first.end('cut off');
		await second.write('x');
		await second.end();
		expect(chunks).toStrictEqual([['begin', 0]]);
		expect(warn.mock.calls).toStrictEqual([[expect.stringContaining(reason) as string]]);
	});
});

function thrown(value: unknown): never {
	throw value;
}
