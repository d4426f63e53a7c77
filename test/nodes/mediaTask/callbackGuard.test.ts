import { CallbackGuard } from '../../../nodes/MediaTask/suspend/callbackGuard';

/** Work that ends when the test resolves it. */
function held<T>() {
	let end: (value: T) => void = () => undefined;
	const ended = new Promise<T>((resolve) => (end = resolve));
	return { ended, end };
}

let count = 0;
const fresh = () => CallbackGuard.of(`execution-${(count += 1)}`);
const items = new Set(Array.from({ length: 50 }, (_, index) => index));
const suspended = (id: string) => () => ({ id, items });
const suspension = suspended('suspension-1');
const yes = () => Promise.resolve(true);
const no = () => Promise.resolve(false);

describe('the guard of a suspended execution', () => {
	it('checks for one of many callbacks at a time, and only that one resumes the execution', async () => {
		const guard = fresh();
		let checks = 0;
		const check = async () => await Promise.resolve((checks += 1) > 0);
		const replies = await Promise.all(
			Array.from({ length: 50 }, async (_, item) => await guard.handle(item, suspension, check)),
		);
		expect(replies.filter(Boolean)).toHaveLength(1);
		expect(checks).toBe(1);
	});

	it('checks again for the callbacks that arrived meanwhile, with their items', async () => {
		const guard = fresh();
		const first = held<boolean>();
		const seen: unknown[][] = [];
		const check = async (items: ReadonlySet<number>) => {
			seen.push([...items]);
			return await (seen.length === 1 ? first.ended : yes());
		};
		const one = guard.handle(0, suspension, check);
		const others = [1, 2, 2, 50, undefined].map(async (item) => await guard.handle(item, suspension, check));
		expect(await Promise.all(others)).toStrictEqual([false, false, false, false, false]);
		first.end(false);
		expect(await one).toBe(true);
		expect(seen).toStrictEqual([[0], [1, 2]]);
	});

	it('checks again for each callback while the execution stays suspended, and after a failed check', async () => {
		const guard = fresh();
		expect(await guard.handle(0, suspension, no)).toBe(false);
		await expect(
			guard.handle(0, suspension, () => Promise.reject(new Error('no credential'))),
		).rejects.toThrow('no credential');
		expect(await guard.handle(0, suspension, yes)).toBe(true);
	});

	it('ignores a repeated callback for the same suspension within a minute', async () => {
		const guard = fresh();
		const clock = jest.spyOn(Date, 'now').mockReturnValue(1_000_000);
		expect(await guard.handle(0, suspension, yes)).toBe(true);
		clock.mockReturnValue(1_059_999);
		expect(await guard.handle(0, suspension, yes)).toBe(false);
		expect(await guard.handle(0, suspended('suspension-2'), yes)).toBe(true);
		clock.mockReturnValue(1_119_999);
		expect(await guard.handle(0, suspended('suspension-2'), yes)).toBe(true);
		clock.mockRestore();
	});

	it('drops the items of callbacks before a failed check', async () => {
		const guard = fresh();
		const first = held<boolean>();
		const failing = guard.handle(
			0,
			suspension,
			async () => await first.ended.then(() => Promise.reject(new Error())),
		);
		await guard.handle(1, suspension, yes);
		first.end(true);
		await expect(failing).rejects.toThrow();
		const seen: unknown[][] = [];
		await guard.handle(2, suspension, (items) => {
			seen.push([...items]);
			return no();
		});
		expect(seen).toStrictEqual([[2]]);
	});

	it.each([[undefined], [50], [-1], [0.5], [NaN]])(
		'does not check for a callback for no item of the execution: %s',
		async (item) => {
			let checks = 0;
			const guard = fresh();
			const check = async () => await Promise.resolve((checks += 1) > 0);
			expect([await guard.handle(item, suspension, check), checks]).toStrictEqual([false, 0]);
			expect(await guard.handle(0, suspension, check)).toBe(true);
		},
	);

	it('does not even read the suspension for a callback without an item, or during a check', async () => {
		const guard = fresh();
		const first = held<boolean>();
		let reads = 0;
		const read = () => ((reads += 1), suspension());
		const check = async () => await first.ended;
		await guard.handle(undefined, read, check);
		expect(reads).toBe(0);
		const one = guard.handle(0, read, check);
		for (let count = 0; count < 300; count += 1) await guard.handle(count, read, check);
		expect(reads).toBe(1);
		first.end(true);
		expect(await one).toBe(true);
	});

	it('checks for the next callback when the execution was not suspended by this node before', async () => {
		const guard = fresh();
		expect(await guard.handle(0, () => undefined, yes)).toBe(false);
		expect(await guard.handle(0, suspension, yes)).toBe(true);
	});

	it('does not check when the execution is not suspended by this node', async () => {
		let checks = 0;
		const reply = fresh().handle(
			0,
			() => undefined,
			async () => await Promise.resolve((checks += 1) > 0),
		);
		expect([await reply, checks]).toStrictEqual([false, 0]);
	});

	it('is kept for the 500 executions with the latest callbacks', () => {
		const callBack = (name: string, count: number) => {
			for (let index = 0; index < count; index += 1) CallbackGuard.of(`${name}-${index}`);
		};
		const [first, second] = [CallbackGuard.of('first'), CallbackGuard.of('second')];
		callBack('some', 498);
		expect(CallbackGuard.of('first')).toBe(first);
		callBack('others', 1);
		expect(CallbackGuard.of('first')).toBe(first);
		expect(CallbackGuard.of('second')).not.toBe(second);
	});

	it('knows of no ended task at the first callback', () => {
		expect([...fresh().ended]).toStrictEqual([]);
	});
});
