import { Vigil } from '../../nodes/MediaTask/vigil';

/** Work that ends when it is told to. */
function held<T>() {
	let end: (value: T) => void = () => undefined;
	const ended = new Promise<T>((resolve) => (end = resolve));
	return { ended, end };
}

let count = 0;
const fresh = () => Vigil.of(`execution-${(count += 1)}`);
const sleep = () => 'sleep-1';
const yes = () => Promise.resolve(true);
const no = () => Promise.resolve(false);

describe('calls to a sleeping execution', () => {
	it('lets one of many calls at a time look, and only that one wakes', async () => {
		const vigil = fresh();
		let looks = 0;
		const look = async () => await Promise.resolve((looks += 1) > 0);
		const answers = await Promise.all(
			Array.from({ length: 50 }, async (_, item) => await vigil.answer(item, sleep, look)),
		);
		expect(answers.filter(Boolean)).toHaveLength(1);
		expect(looks).toBe(1);
	});

	it('looks once more for the calls that came meanwhile, knowing who called', async () => {
		const vigil = fresh();
		const first = held<boolean>();
		const seen: unknown[][] = [];
		const look = async (items: ReadonlySet<number | undefined>) => {
			seen.push([...items]);
			return await (seen.length === 1 ? first.ended : yes());
		};
		const one = vigil.answer(0, sleep, look);
		const others = [1, 2, 2, undefined].map(async (item) => await vigil.answer(item, sleep, look));
		expect(await Promise.all(others)).toEqual([false, false, false, false]);
		first.end(false);
		expect(await one).toBe(true);
		expect(seen).toEqual([[0], [1, 2, undefined]]);
	});

	it('looks anew for each call while the execution sleeps on, and after a look that failed', async () => {
		const vigil = fresh();
		expect(await vigil.answer(0, sleep, no)).toBe(false);
		await expect(vigil.answer(0, sleep, () => Promise.reject(new Error('no credential')))).rejects.toThrow(
			'no credential',
		);
		expect(await vigil.answer(0, sleep, yes)).toBe(true);
	});

	it('takes a repeated call for one, unless the same sleep still goes on a minute later', async () => {
		const vigil = fresh();
		const clock = jest.spyOn(Date, 'now').mockReturnValue(1_000_000);
		expect(await vigil.answer(0, sleep, yes)).toBe(true);
		clock.mockReturnValue(1_059_000);
		expect(await vigil.answer(0, sleep, yes)).toBe(false);
		expect(await vigil.answer(0, () => 'sleep-2', yes)).toBe(true);
		clock.mockReturnValue(1_200_000);
		expect(await vigil.answer(0, () => 'sleep-2', yes)).toBe(true);
		clock.mockRestore();
	});

	it('does not look where nothing of ours is slept for', async () => {
		let looks = 0;
		const answer = fresh().answer(
			0,
			() => undefined,
			async () => await Promise.resolve((looks += 1) > 0),
		);
		expect([await answer, looks]).toEqual([false, 0]);
	});

	it('remembers what it knows by execution, and not without end', () => {
		const vigil = Vigil.of('kept');
		vigil.ended.add('t1');
		expect(Vigil.of('kept')).toBe(vigil);
		for (let index = 0; index < 600; index += 1) Vigil.of(`other-${index}`);
		expect(Vigil.of('kept')).not.toBe(vigil);
	});
});
