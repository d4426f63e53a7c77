import fc from 'fast-check';

import { ChunkWriter } from '../../nodes/shared/run/chunkWriter';

type Sent = [type: string, itemIndex: number, text: string | undefined];

const writerTo = (sent: Sent[]) =>
	new ChunkWriter({
		sendChunk: async (type, itemIndex, content) => {
			await Promise.resolve();
			sent.push([type, itemIndex, content]);
		},
	});

it('sends items one after the other in the order in which they began, whatever the order of their texts', async () => {
	const step = fc.record({ item: fc.nat({ max: 3 }), end: fc.boolean() });
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
			const sent: Sent[] = [];
			const chunkWriter = writerTo(sent);
			const writers = [3, 1, 0, 2].map((index) => ({
				index,
				forItem: chunkWriter.forItem(index),
				written: '',
				ended: false,
			}));
			for (const [count, { item, end }] of steps.entries()) {
				const writer = writers[item];
				if (!writer || writer.ended) continue;
				writer.written += `${count} `;
				writer.forItem.write(`${count} `);
				if (end) {
					writer.ended = true;
					writer.forItem.end();
				}
			}
			for (const { forItem, ended } of writers) if (!ended) forItem.end('failed');
			await chunkWriter.sent;
			const order = sent.map(([, index]) => index);
			expect(order.filter((index, place) => order[place - 1] !== index)).toStrictEqual([3, 1, 0, 2]);
			for (const { index, written, ended } of writers) {
				const own = sent.filter(([, of]) => of === index);
				expect(own.flatMap(([type, , text]) => (type === 'item' ? [text] : [])).join('')).toBe(written);
				expect(own[0]?.[0]).toBe('begin');
				expect(own.at(-1)?.[0]).toBe('end');
				expect(own.filter(([type]) => type === 'error')).toHaveLength(ended ? 0 : 1);
			}
		}),
		{ numRuns: 200 },
	);
});

it('sends one chunk at a time to a slow reader', async () => {
	const sent: Sent[] = [];
	let isBusy = false;
	const chunkWriter = new ChunkWriter({
		sendChunk: async (type, itemIndex, text) => {
			expect(isBusy).toBe(false);
			isBusy = true;
			await new Promise((resolve) => setImmediate(resolve));
			isBusy = false;
			sent.push([type, itemIndex, text]);
		},
	});
	const forItem = chunkWriter.forItem(0);
	for (const text of ['a', '', 'b', 'c']) forItem.write(text);
	forItem.end('');
	await chunkWriter.sent;
	expect(sent.map(([type, , text]) => text || type)).toStrictEqual(['begin', 'a', 'b', 'c', 'error', 'end']);
});

it.each<[string, () => unknown]>([
	[
		'throws',
		() => {
			throw new Error('gone');
		},
	],
	['rejects', async () => await Promise.reject(new Error('closed'))],
])('a reader that %s does not fail the item', async (_, sendChunk) => {
	const chunkWriter = new ChunkWriter({ sendChunk: () => sendChunk() as undefined });
	for (const forItem of [chunkWriter.forItem(0), chunkWriter.forItem(1)]) {
		forItem.write('a');
		forItem.end();
	}
	await expect(chunkWriter.sent).resolves.toBeUndefined();
});
