import { Vigil } from '../../nodes/MediaTask/vigil';

/** Work that ends when it is told to. */
function held<T>() {
	let end: (value: T) => void = () => undefined;
	const ended = new Promise<T>((resolve) => (end = resolve));
	return { ended, end };
}

let count = 0;
const fresh = () => Vigil.of(`sleep-${(count += 1)}`);

describe('calls to a sleeping execution', () => {
	it('lets one of many calls at a time do the work, and only that one wakes', async () => {
		const vigil = fresh();
		let works = 0;
		const work = async () => await Promise.resolve((works += 1));
		const answers = await Promise.all(
			Array.from({ length: 50 }, async () => await vigil.answer(['t'], work)),
		);
		expect(answers.filter((answer) => answer !== undefined)).toEqual([1]);
		expect(works).toBe(1);
	});

	it('works once more for the calls that came meanwhile, with what they name', async () => {
		const vigil = fresh();
		const first = held<undefined>();
		const seen: string[][] = [];
		const work = async (named: readonly string[]) => {
			seen.push([...named]);
			return await (seen.length === 1 ? first.ended : Promise.resolve('woken'));
		};
		const one = vigil.answer(['a'], work);
		const others = [vigil.answer(['b'], work), vigil.answer(['c'], work)];
		expect(await Promise.all(others)).toEqual([undefined, undefined]);
		first.end(undefined);
		expect(await one).toBe('woken');
		expect(seen).toEqual([['a'], ['b', 'c']]);
	});

	it('works anew for each call while the execution sleeps on, and after work that failed', async () => {
		const vigil = fresh();
		expect(await vigil.answer([], () => Promise.resolve(undefined))).toBeUndefined();
		await expect(vigil.answer([], () => Promise.reject(new Error('gateway down')))).rejects.toThrow(
			'gateway down',
		);
		expect(await vigil.answer([], () => Promise.resolve('woken'))).toBe('woken');
	});

	it('takes a repeated call for one, unless the execution still sleeps a minute later', async () => {
		const vigil = fresh();
		const clock = jest.spyOn(Date, 'now').mockReturnValue(1_000_000);
		const work = () => Promise.resolve('woken');
		expect(await vigil.answer([], work)).toBe('woken');
		clock.mockReturnValue(1_059_000);
		expect(await vigil.answer([], work)).toBeUndefined();
		clock.mockReturnValue(1_061_000);
		expect(await vigil.answer([], work)).toBe('woken');
		clock.mockRestore();
	});

	it('remembers what it knows by sleep, and not without end', () => {
		const vigil = Vigil.of('sleep-kept');
		vigil.ended.add('t1');
		expect(Vigil.of('sleep-kept')).toBe(vigil);
		for (let index = 0; index < 600; index += 1) Vigil.of(`other-${index}`);
		expect(Vigil.of('sleep-kept')).not.toBe(vigil);
	});
});
