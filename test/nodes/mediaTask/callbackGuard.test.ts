import { WakeUpGuard } from '../../../nodes/MediaTask/suspend/callbackGuard';

/** Work that ends when it is told to. */
function held<T>() {
	let end: (value: T) => void = () => undefined;
	const ended = new Promise<T>((resolve) => (end = resolve));
	return { ended, end };
}

let count = 0;
const fresh = () => WakeUpGuard.of(`execution-${(count += 1)}`);
const sleep = () => 'sleep-1';
const yes = () => Promise.resolve(true);
const no = () => Promise.resolve(false);

describe('calls to a sleeping execution', () => {
	it('lets one of many calls at a time look, and only that one wakes', async () => {
		const guard = fresh();
		let looks = 0;
		const look = async () => await Promise.resolve((looks += 1) > 0);
		const answers = await Promise.all(
			Array.from({ length: 50 }, async (_, item) => await guard.answer(item, sleep, look)),
		);
		expect(answers.filter(Boolean)).toHaveLength(1);
		expect(looks).toBe(1);
	});

	it('looks once more for the calls that came meanwhile, knowing who called', async () => {
		const guard = fresh();
		const first = held<boolean>();
		const seen: unknown[][] = [];
		const look = async (items: ReadonlySet<number | undefined>) => {
			seen.push([...items]);
			return await (seen.length === 1 ? first.ended : yes());
		};
		const one = guard.answer(0, sleep, look);
		const others = [1, 2, 2, undefined].map(async (item) => await guard.answer(item, sleep, look));
		expect(await Promise.all(others)).toStrictEqual([false, false, false, false]);
		first.end(false);
		expect(await one).toBe(true);
		expect(seen).toStrictEqual([[0], [1, 2, undefined]]);
	});

	it('looks anew for each call while the execution sleeps on, and after a look that failed', async () => {
		const guard = fresh();
		expect(await guard.answer(0, sleep, no)).toBe(false);
		await expect(guard.answer(0, sleep, () => Promise.reject(new Error('no credential')))).rejects.toThrow(
			'no credential',
		);
		expect(await guard.answer(0, sleep, yes)).toBe(true);
	});

	it('takes a repeated call for one, unless the same sleep still goes on a minute later', async () => {
		const guard = fresh();
		const clock = jest.spyOn(Date, 'now').mockReturnValue(1_000_000);
		expect(await guard.answer(0, sleep, yes)).toBe(true);
		clock.mockReturnValue(1_059_999);
		expect(await guard.answer(0, sleep, yes)).toBe(false);
		expect(await guard.answer(0, () => 'sleep-2', yes)).toBe(true);
		clock.mockReturnValue(1_119_999);
		expect(await guard.answer(0, () => 'sleep-2', yes)).toBe(true);
		clock.mockRestore();
	});

	it('does not say again who had called before a request that failed', async () => {
		const guard = fresh();
		const first = held<boolean>();
		const failing = guard.answer(
			0,
			sleep,
			async () => await first.ended.then(() => Promise.reject(new Error())),
		);
		await guard.answer(1, sleep, yes);
		first.end(true);
		await expect(failing).rejects.toThrow();
		const seen: unknown[][] = [];
		await guard.answer(2, sleep, (items) => {
			seen.push([...items]);
			return no();
		});
		expect(seen).toStrictEqual([[2]]);
	});

	it('takes the next call when nothing of ours was slept for at the one before', async () => {
		const guard = fresh();
		expect(await guard.answer(0, () => undefined, yes)).toBe(false);
		expect(await guard.answer(0, sleep, yes)).toBe(true);
	});

	it('does not look where nothing of ours is slept for', async () => {
		let looks = 0;
		const answer = fresh().answer(
			0,
			() => undefined,
			async () => await Promise.resolve((looks += 1) > 0),
		);
		expect([await answer, looks]).toStrictEqual([false, 0]);
	});

	it('remembers what it knows of the 500 executions that were called last', () => {
		const call = (name: string, count: number) => {
			for (let index = 0; index < count; index += 1) WakeUpGuard.of(`${name}-${index}`);
		};
		const [first, second] = [WakeUpGuard.of('first'), WakeUpGuard.of('second')];
		call('some', 498);
		expect(WakeUpGuard.of('first')).toBe(first);
		call('others', 1);
		expect(WakeUpGuard.of('first')).toBe(first);
		expect(WakeUpGuard.of('second')).not.toBe(second);
	});

	it('knows nothing of an execution that was called the first time', () => {
		expect([...fresh().ended]).toStrictEqual([]);
	});
});
