import type { IExecuteFunctions } from 'n8n-workflow';

import { suspendOrFinish } from '../../../nodes/MediaTask/suspend/suspension';
import { SuspendableTask } from '../../../nodes/MediaTask/suspend/suspendableTask';
import { Deferred, type ItemContext, type OperationOutput } from '../../../nodes/shared/run/operation';

// The items that an execution is suspended for, and those that are finished before.

const NOW = 1_700_000_000_000;

beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

interface Task {
	/** The number of polls after which it has ended; never by default. */
	endsAfter?: number;
	/** Whether the gateway sends a callback when it ends. */
	hasCallback?: boolean;
	/** The longest wait from now, in milliseconds. */
	left?: number;
}

const finish = () => Promise.reject(new Error('An item is finished by the item loop'));

/** A task whose polls are scripted. */
class ScriptedTask extends SuspendableTask {
	private polls = 0;

	constructor(
		private readonly index: number,
		private readonly script: Task,
		private readonly log: string[],
	) {
		const { hasCallback = true, left = 600_000 } = script;
		const callback = { url: 'https://n8n.test/', isRequested: hasCallback };
		const price = () => Promise.resolve(undefined);
		const task = { taskId: `t${index}`, model: 'm', price, callback, until: NOW + left };
		super({} as ItemContext, task, finish);
	}

	override async check(): Promise<OperationOutput | undefined> {
		const { index, script } = this;
		this.polls += 1;
		this.log.push(`poll ${index}`);
		await Promise.resolve();
		if (this.polls > (script.endsAfter ?? Infinity)) return undefined;
		return { json: { polls: this.polls } };
	}
}

/** Suspends for, or finishes, items with these tasks; `undefined` is an item without a task. */
async function settled(tasks: Array<Task | undefined>, lastUntil?: number) {
	const log: string[] = [];
	const finished: number[] = [];
	const deferred = new Map<number, Deferred>(
		tasks.map((task, index) => [index, task ? new ScriptedTask(index, task, log) : new Deferred(finish)]),
	);
	const n8n = { getContext: () => ({ aiGatewaySuspendedUntil: lastUntil }) } as unknown as IExecuteFunctions;
	const paused = await suspendOrFinish(n8n, deferred, async (index) => {
		log.push(`finish ${index}`);
		await Promise.resolve();
		finished.push(index);
	});
	const suspended = paused?.outputs ?? new Map<number, OperationOutput>();
	return { suspended, log, finished: finished.sort((a, b) => a - b) };
}

const indexes = (suspended: ReadonlyMap<number, unknown>) => [...suspended.keys()].sort((a, b) => a - b);

it('finishes items without a task', async () => {
	const { suspended, finished, log } = await settled([undefined, undefined]);
	expect([indexes(suspended), finished]).toStrictEqual([[], [0, 1]]);
	expect(log).toStrictEqual(['finish 0', 'finish 1']);
});

it('suspends for a pending task, with the result of its poll', async () => {
	const { suspended, finished } = await settled([{}]);
	expect(finished).toStrictEqual([]);
	expect(suspended.get(0)).toStrictEqual({ json: { polls: 1 } });
});

it.each([
	[65_000, [0], []],
	[64_999, [], [0]],
])('with %i ms left suspends for %j and finishes %j: n8n resumes once a minute', async (left, kept, done) => {
	const { suspended, finished } = await settled([{ left }]);
	expect([indexes(suspended), finished]).toStrictEqual([kept, done]);
});

it('finishes other items before it polls the tasks that it suspends for', async () => {
	const { log } = await settled([{}, undefined, { left: 10 }]);
	expect(log).toStrictEqual(['finish 1', 'finish 2', 'poll 0']);
});

it('finishes a task that has ended at the first poll', async () => {
	const { suspended, finished, log } = await settled([{ endsAfter: 0 }, {}]);
	expect([indexes(suspended), finished]).toStrictEqual([[1], [0]]);
	expect(log).toStrictEqual(['poll 0', 'poll 1', 'finish 0', 'poll 1']);
});

it('polls tasks again until none of them has ended meanwhile: a callback before the suspension is lost', async () => {
	const { suspended, finished, log } = await settled([
		{ hasCallback: false },
		{ endsAfter: 1 },
		{ endsAfter: 0 },
		{},
	]);
	expect([indexes(suspended), finished]).toStrictEqual([
		[0, 3],
		[1, 2],
	]);
	expect(log.filter((line) => line === 'poll 0')).toHaveLength(3);
});

it('finishes tasks when none has a callback', async () => {
	const { suspended, finished, log } = await settled([{ hasCallback: false }, { hasCallback: false }]);
	expect([indexes(suspended), finished]).toStrictEqual([[], [0, 1]]);
	expect(log).toStrictEqual(['poll 0', 'poll 1', 'finish 0', 'finish 1']);
});

it.each([
	[75_000, []],
	[1, []],
	[75_001, [0]],
	[0, [0]],
	[-1, [0]],
])('with %d ms until the timer of an earlier suspension suspends for %j', async (left, kept) => {
	const { suspended, finished } = await settled([{}], NOW + left);
	expect([indexes(suspended), finished]).toStrictEqual([kept, kept.length > 0 ? [] : [0]]);
});
