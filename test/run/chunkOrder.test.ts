import { ChunkRelay } from '../../nodes/shared/run/chunkWriter';

type Chunk = [type: string, itemIndex: number, text?: string];

const turns = async () => {
	for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

/** A reader that takes a chunk only when it is told to. */
function slowReader() {
	const offered: Chunk[] = [];
	const waiting: Array<() => void> = [];
	const warn = jest.fn();
	const relay = new ChunkRelay({
		sendChunk: async (type, itemIndex, text) => {
			offered.push(text === undefined ? [type, itemIndex] : [type, itemIndex, text]);
			await new Promise<void>((resolve) => waiting.push(resolve));
		},
		logger: { warn } as never,
	});
	/** Takes all chunks, one after the other. */
	const takeAll = async () => {
		await turns();
		for (let take = waiting.shift(); take; take = waiting.shift()) {
			take();
			await turns();
		}
	};
	const takeOne = async () => {
		waiting.shift()?.();
		await turns();
	};
	return { relay, offered, takeAll, takeOne, waiting, warn };
}

/** A reader that takes each chunk at once. */
function quickReader(sendChunk: () => unknown = () => undefined) {
	const chunks: Chunk[] = [];
	const warn = jest.fn();
	const relay = new ChunkRelay({
		sendChunk: (type, itemIndex, text) => {
			chunks.push(text === undefined ? [type, itemIndex] : [type, itemIndex, text]);
			return sendChunk() as undefined;
		},
		logger: { warn } as never,
	});
	return { relay, chunks, warn };
}

describe('a slow reader', () => {
	it('is offered one chunk at a time, and texts that wait for it come as one', async () => {
		const { relay, offered, takeAll, takeOne, waiting } = slowReader();
		const voice = relay.voice(0);
		const said = ['a', 'b', 'c'].map(async (text) => await voice.say(text));
		await turns();
		expect(offered).toStrictEqual([['begin', 0]]);
		await takeOne();
		expect(offered.slice(1)).toStrictEqual([['item', 0, 'abc']]);
		said.push(voice.say('d'), voice.say('e'));
		await turns();
		expect(waiting).toHaveLength(1);
		await takeAll();
		expect(offered.slice(2)).toStrictEqual([['item', 0, 'de']]);
		await Promise.all(said);
	});

	it('holds up who speaks', async () => {
		const { relay, takeAll } = slowReader();
		let isSaid = false;
		const saying = relay.voice(0).say('a');
		void saying.then(() => (isSaid = true));
		await turns();
		expect(isSaid).toBe(false);
		await takeAll();
		await saying;
		expect(isSaid).toBe(true);
	});

	it('gets two items one after the other, whole and in order', async () => {
		const { relay, offered, takeAll } = slowReader();
		const [first, second] = [relay.voice(0), relay.voice(1)];
		const work = [
			second.say('x'),
			first.say('a'),
			second.say('y'),
			second.end(),
			first.say('b'),
			first.end(),
		];
		await takeAll();
		await Promise.all(work);
		expect(offered).toStrictEqual([
			['begin', 0],
			['item', 0, 'ab'],
			['end', 0],
			['begin', 1],
			['item', 1, 'xy'],
			['end', 1],
		]);
	});

	it('gets what is said while the end of the item before is on its way', async () => {
		const { relay, offered, takeAll, takeOne } = slowReader();
		const [first, second, third] = [relay.voice(0), relay.voice(1), relay.voice(2)];
		const work = [first.end(), third.end('lost')];
		await turns();
		await takeOne();
		expect(offered).toStrictEqual([
			['begin', 0],
			['end', 0],
		]);
		work.push(second.say('x'), second.say('y'), second.end());
		await takeAll();
		await Promise.all(work);
		expect(offered.slice(2)).toStrictEqual([
			['begin', 1],
			['item', 1, 'xy'],
			['end', 1],
			['begin', 2],
			['error', 2, 'lost'],
			['end', 2],
		]);
	});

	it('gets the text that comes after the end was told and before it was sent', async () => {
		const { relay, offered, takeAll } = slowReader();
		const voice = relay.voice(0);
		const work = [voice.say('a'), voice.end('cut off'), voice.say('b')];
		await takeAll();
		await Promise.all(work);
		expect(offered).toStrictEqual([
			['begin', 0],
			['item', 0, 'ab'],
			['error', 0, 'cut off'],
			['end', 0],
		]);
	});

	it('gets text that comes while the last text is on its way', async () => {
		const { relay, offered, takeAll, takeOne } = slowReader();
		const voice = relay.voice(0);
		const work = [voice.say('a'), voice.end()];
		await turns();
		await takeOne();
		expect(offered.at(-1)).toStrictEqual(['item', 0, 'a']);
		work.push(voice.say('b'));
		await takeAll();
		await Promise.all(work);
		expect(offered.slice(2)).toStrictEqual([
			['item', 0, 'b'],
			['end', 0],
		]);
	});
});

describe('an item', () => {
	it('begins and ends although it says nothing', async () => {
		const { relay, chunks } = quickReader();
		await relay.voice(3).end();
		expect(chunks).toStrictEqual([
			['begin', 3],
			['end', 3],
		]);
	});

	it('sends nothing for an empty text', async () => {
		const { relay, chunks } = quickReader();
		const voice = relay.voice(0);
		await voice.say('');
		await voice.say('');
		await voice.end();
		expect(chunks).toStrictEqual([
			['begin', 0],
			['end', 0],
		]);
	});

	it('does not begin before it speaks', async () => {
		const { relay, chunks } = quickReader();
		relay.voice(0);
		await relay.voice(1).say('x');
		expect(chunks).toStrictEqual([]);
	});

	it('ends once, with the first problem, after its error', async () => {
		const { relay, chunks } = quickReader();
		const voice = relay.voice(0);
		await voice.say('a');
		await voice.end('cut off');
		await voice.end('another');
		await voice.end();
		expect(chunks).toStrictEqual([
			['begin', 0],
			['item', 0, 'a'],
			['error', 0, 'cut off'],
			['end', 0],
		]);
	});

	it('that waits for its turn ends with its first problem', async () => {
		const { relay, chunks } = quickReader();
		const [first, second] = [relay.voice(0), relay.voice(1)];
		await second.end('cut off');
		await second.end('another');
		await first.end();
		expect(chunks.filter(([type]) => type === 'error')).toStrictEqual([['error', 1, 'cut off']]);
	});

	it('may have a problem without words', async () => {
		const { relay, chunks } = quickReader();
		await relay.voice(0).end('');
		expect(chunks.map(([type]) => type)).toStrictEqual(['begin', 'error', 'end']);
	});

	it('does not wait for the items before it', async () => {
		const { relay, chunks } = quickReader();
		const [first, second] = [relay.voice(0), relay.voice(1)];
		await second.say('x');
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

	it('speaks at once when all before it have ended', async () => {
		const { relay, chunks } = quickReader();
		await relay.voice(0).end();
		await relay.voice(1).say('x');
		expect(chunks.at(-1)).toStrictEqual(['item', 1, 'x']);
	});
});

describe('a reader that has gone', () => {
	it.each<[string, () => unknown, string]>([
		['throws', () => thrown(new Error('gone')), 'gone'],
		['rejects', () => Promise.reject(new Error('closed')), 'closed'],
		['throws no error', () => thrown('odd'), 'odd'],
	])('is offered nothing more, for any item: %s', async (_, sendChunk, reason) => {
		const { relay, chunks, warn } = quickReader(sendChunk);
		const [first, second] = [relay.voice(0), relay.voice(1)];
		await first.say('a');
		await first.say('b');
		await first.end('cut off');
		await second.say('x');
		await second.end();
		expect(chunks).toStrictEqual([['begin', 0]]);
		expect(warn.mock.calls).toStrictEqual([[expect.stringContaining(reason) as string]]);
	});
});

function thrown(problem: unknown): never {
	throw problem;
}
