import { CallbackQueue, type Turn } from '../../../nodes/MediaTaskTrigger/callbackQueue';

/** A queue whose clock moves only when it sleeps, and what it logs. */
function queueOfTest() {
	const warnings: string[] = [];
	const clock = { now: 1_000_000 };
	const queue = new CallbackQueue({
		now: () => clock.now,
		sleep: async (milliseconds) => {
			clock.now += milliseconds;
			return await Promise.resolve();
		},
		warn: (line) => warnings.push(line),
	});
	/** Adds a callback for each ID. */
	const add = (ids: string[], { source = 'a', kept = 0 } = {}) =>
		ids.map((id) =>
			queue.add({ ids: [id], source, kept, passThrough: () => undefined, content: () => ({ id }) }),
		);
	return { queue, warnings, clock, add };
}

const names = (count: number, name = 'id') => Array.from({ length: count }, (_, index) => `${name}-${index}`);

/** Polls each callback once, without news; notes the IDs. */
const unknownTo =
	(queue: CallbackQueue, polled: string[]) =>
	async ({ ids: [id = ''] }: { ids: readonly string[] }, turn: Turn): Promise<string | undefined> => {
		await turn(async () => await Promise.resolve(polled.push(id)));
		queue.settle(id, false);
		return undefined;
	};

describe('the queue of callbacks', () => {
	it('checks all that wait in one call, 60 at once and then one a second', async () => {
		const { queue, clock, add } = queueOfTest();
		add(names(100));
		const polled: string[] = [];
		expect(await queue.work(0, unknownTo(queue, polled))).toBeUndefined();
		expect(polled).toStrictEqual(names(100));
		expect(clock.now).toBe(1_000_000 + 40_000);
	});

	it('ends a call with the first result, also for the callback of another call', async () => {
		const { queue, add } = queueOfTest();
		add(['a', 'b', 'c']);
		const check = async ({ ids: [id] }: { ids: readonly string[] }, turn: Turn) =>
			await turn(async () => await Promise.resolve(id === 'b' ? id : undefined));
		expect(await queue.work(0, check)).toBe('b');
		expect(await queue.work(0, check)).toBeUndefined();
	});

	it('does not charge what is given back', async () => {
		const { queue, clock, add } = queueOfTest();
		add(names(500));
		await queue.work(0, async ({ ids: [id = ''] }, turn) => {
			await turn(async () => await Promise.resolve());
			queue.refund(1);
			queue.settle(id, true);
			return undefined;
		});
		expect(clock.now).toBe(1_000_000);
	});

	it('lets the sources take turns', async () => {
		const { queue, add } = queueOfTest();
		add(names(3, 'a'), { source: 'a' });
		add(names(2, 'b'), { source: 'b' });
		add(names(1, 'c'), { source: 'c' });
		const polled: string[] = [];
		await queue.work(0, unknownTo(queue, polled));
		expect(polled).toStrictEqual(['a-0', 'b-0', 'c-0', 'a-1', 'b-1', 'a-2']);
	});

	it('gives a slot for each poll, not for the pauses between', async () => {
		const { queue, add } = queueOfTest();
		add(names(10));
		let [open, most] = [0, 0];
		let end: () => void = () => undefined;
		const pause = new Promise<void>((resolve) => (end = resolve));
		const poll = async () => {
			most = Math.max(most, (open += 1));
			await new Promise((resolve) => setImmediate(resolve));
			open -= 1;
			if (--left === 0) end();
		};
		let left = 10;
		const check = async (_: unknown, turn: Turn): Promise<undefined> => {
			await turn(poll);
			await pause;
			await turn(poll);
		};
		await Promise.all(names(10).map(async () => await queue.work(0, check)));
		expect([most, left]).toStrictEqual([4, -10]);
	});

	it('continues when a check fails', async () => {
		const { queue, add } = queueOfTest();
		add(names(10));
		const failing = async () => await Promise.reject(new Error('no credential'));
		for (let calls = 0; calls < 9; calls += 1)
			await expect(queue.work(0, failing)).rejects.toThrow('no credential');
		const polled: string[] = [];
		await queue.work(0, unknownTo(queue, polled));
		expect(polled).toStrictEqual(['id-9']);
	});

	it('checks a repeated callback again only if the first one had no result', async () => {
		const { queue, add } = queueOfTest();
		const polled: string[] = [];
		let repeats = 1;
		add(['id']);
		await queue.work(0, async ({ ids: [id = ''] }, turn) => {
			add(['id', 'id']);
			await turn(async () => await Promise.resolve(polled.push(id)));
			if (repeats === 0) queue.settle(id, true);
			repeats -= 1;
			return undefined;
		});
		expect(polled).toStrictEqual(['id', 'id']);
		expect(add(['id'])).toStrictEqual([true]);
		await queue.work(0, unknownTo(queue, polled));
		expect(polled).toHaveLength(2);
	});

	it('forgets settled IDs after ten minutes, and the oldest of ten thousand', () => {
		const { queue, clock } = queueOfTest();
		for (const id of names(10_001)) queue.settle(id, true);
		expect(['id-0', 'id-1'].map((id) => queue.isUnsettled(id))).toStrictEqual([true, false]);
		clock.now += 10 * 60_000 - 1;
		expect(queue.isUnsettled('id-1')).toBe(false);
		clock.now += 1;
		expect(queue.isUnsettled('id-1')).toBe(true);
	});
});

describe('more callbacks than can wait', () => {
	it('are rejected, and logged in one line a minute', async () => {
		const { queue, clock, warnings, add } = queueOfTest();
		expect(add(names(1_000)).every(Boolean)).toBe(true);
		expect(add(names(50, 'more')).some(Boolean)).toBe(false);
		expect(warnings).toStrictEqual([expect.stringContaining(': 1 were not checked')]);
		clock.now += 60_000;
		add(['last\nline']);
		expect(warnings[1]).toContain(': 50 were not checked');
		expect(warnings[1]).toContain('"more-1", "more-2"');
		expect(warnings[1]?.length).toBeLessThan(1_000);
		add(['very last\nline']);
		expect(warnings).toHaveLength(2);
		await queue.work(0, unknownTo(queue, []));
		expect(warnings[2]).toContain('1 were not checked');
		expect(warnings[2]).toContain('"very last\\nline"');
	});

	it('of one source make room for those of others', async () => {
		const { queue, warnings, add } = queueOfTest();
		add(names(1_000));
		expect(add(names(500, 'b'), { source: 'b' }).every(Boolean)).toBe(true);
		expect(add(['b'], { source: 'b' })).toStrictEqual([false]);
		expect(add(names(300, 'c'), { source: 'c' }).every(Boolean)).toBe(true);
		expect(warnings[0]).toContain('"id-999"');
		const polled: string[] = [];
		await queue.work(0, unknownTo(queue, polled));
		const counts = ['id', 'b', 'c'].map((name) => polled.filter((id) => id.startsWith(`${name}-`)).length);
		expect(counts.reduce((sum, one) => sum + one, 0)).toBe(1_000);
		expect(Math.min(...counts)).toBeGreaterThanOrEqual(300);
	});

	it('are those whose bodies together are too large', async () => {
		const { queue, add } = queueOfTest();
		const kept = 1024 * 1024;
		expect(add(names(9), { kept })).toStrictEqual([...Array<boolean>(8).fill(true), false]);
		expect(add(['small'])).toStrictEqual([true]);
		await queue.work(0, unknownTo(queue, []));
		expect(add(names(8, 'later'), { kept }).every(Boolean)).toBe(true);
	});
});

describe('the calls of the webhook', () => {
	/** Calls that wait for their first poll. */
	const calls = (queue: CallbackQueue, sizes: number[]) => {
		let [left, end]: [number, () => void] = [sizes.length, () => undefined];
		const ended = new Promise<void>((resolve) => (end = resolve));
		const all = sizes.map(async (size) => {
			await queue.work(size, async (_, turn) => {
				await turn(async () => await ended);
				return true;
			});
			left -= 1;
		});
		return { end: () => end(), left: () => left, all: Promise.all(all) };
	};
	const settled = async () => await new Promise((resolve) => setImmediate(resolve));

	it('end at once when nothing is left for them to check', async () => {
		const { queue, add } = queueOfTest();
		add(names(3));
		const { end, left, all } = calls(queue, Array<number>(10).fill(0));
		await settled();
		expect(left()).toBe(3);
		end();
		await all;
	});

	it.each([
		['500', 600, 0, 500],
		['few when they keep much memory', 10, 20 * 1024 * 1024, 3],
		['one, whatever memory it keeps', 3, 100 * 1024 * 1024, 1],
	])('that wait are at most %s', async (_, count, size, expected) => {
		const { queue, add } = queueOfTest();
		add(names(600));
		const { end, left, all } = calls(queue, Array<number>(count).fill(size));
		await settled();
		expect(left()).toBe(expected);
		end();
		await all;
	});

	it('that wait are at most 20 after 40 unknown IDs', async () => {
		const { queue, add } = queueOfTest();
		add(names(600));
		for (const id of names(40, 'other')) queue.settle(id, false);
		const { end, left, all } = calls(queue, Array<number>(600).fill(0));
		await settled();
		expect(left()).toBe(20);
		end();
		await all;
	});
});
