import { handedOver } from '../../../nodes/ChatModel/handover';

const tick = async () => await new Promise((resolve) => setImmediate(resolve));

async function read<T>(pieces: AsyncIterable<T>): Promise<T[]> {
	const all: T[] = [];
	for await (const piece of pieces) all.push(piece);
	return all;
}

describe('pieces that are handed over', () => {
	it('arrive in order, also those of the last moment', async () => {
		const pieces = handedOver<number>(async (take) => {
			await take(1);
			await tick();
			await Promise.all([take(2), take(3)]);
		});
		expect(await read(pieces)).toStrictEqual([1, 2, 3]);
	});

	it('arrive while the work goes on', async () => {
		let isOver = false;
		const pieces = handedOver<string>(async (take) => {
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
		const pieces = handedOver<string>(async (take) => {
			await take('first');
			throw new Error('broken');
		});
		expect(await pieces.next()).toMatchObject({ value: 'first' });
		await expect(pieces.next()).rejects.toThrow('broken');
	});

	it('end the work when nobody reads any more', async () => {
		let refused: unknown;
		const pieces = handedOver<number>(async (take) => {
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
});
