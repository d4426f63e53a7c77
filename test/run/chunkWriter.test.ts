import fc from 'fast-check';

import { ChunkWriter } from '../../nodes/shared/run/chunkWriter';

type Sent = [type: string, itemIndex: number, text: string | undefined];

function writerTo(sent: Sent[], fails = false) {
	const warnings: string[] = [];
	const chunkWriter = new ChunkWriter({
		sendChunk: async (type, itemIndex, content) => {
			await Promise.resolve();
			if (fails) throw new Error('gone');
			sent.push([type, itemIndex, content]);
		},
		logger: { warn: (message: string) => void warnings.push(message) } as never,
	});
	return { chunkWriter, warnings };
}

it('sends items one after the other in the order in which they began, whatever the order of their texts', async () => {
	const step = fc.record({ item: fc.nat({ max: 3 }), end: fc.boolean() });
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
			const sent: Sent[] = [];
			const { chunkWriter } = writerTo(sent);
			const writers = [3, 1, 0, 2].map((index) => ({
				index,
				forItem: chunkWriter.forItem(index),
				written: '',
				ended: false,
			}));
			const pending: Array<Promise<void>> = [];
			for (const [count, { item, end }] of steps.entries()) {
				const writer = writers[item];
				if (!writer || writer.ended) continue;
				writer.written += `${count} `;
				pending.push(writer.forItem.write(`${count} `));
				if (end) {
					writer.ended = true;
					pending.push(writer.forItem.end());
				}
			}
			for (const { forItem, ended } of writers) if (!ended) pending.push(forItem.end('failed'));
			await Promise.all(pending);
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

it('sends a chunk of the current item at once', async () => {
	const sent: Sent[] = [];
	const { chunkWriter } = writerTo(sent);
	const forItem = chunkWriter.forItem(0);
	await forItem.write('a');
	expect(sent).toStrictEqual([
		['begin', 0, undefined],
		['item', 0, 'a'],
	]);
});

it('sends nothing more to a closed connection, and logs it once', async () => {
	const { chunkWriter, warnings } = writerTo([], true);
	const forItem = chunkWriter.forItem(0);
	await forItem.write('a');
	await forItem.write('b');
	await forItem.end();
	expect(warnings).toStrictEqual(['The streamed response can no longer be sent on: gone']);
});
