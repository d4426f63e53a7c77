import { Deferred, type SleepState } from '../../../nodes/shared/run/operation';
import { finishOrSleep, type Settling } from '../../../nodes/MediaTask/suspend/finishOrSuspend';

// Which items an execution is suspended for, and which are finished before.

const NOW = 1_700_000_000_000;

beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

interface Task {
	/** After so many polls it has ended; never when it does not say. */
	endsAfter?: number;
	/** Whether the gateway calls when it has ended. */
	calls?: boolean;
	/** The longest wait from now, in milliseconds. */
	left?: number;
	/** The poll that fails, counting from 1. */
	failsAt?: number;
}

/** Takes items with these tasks as far as they go; items without one have nothing to wait for. */
async function settle(tasks: Array<Task | undefined>) {
	const log: string[] = [];
	const finished: number[] = [];
	const failed: number[] = [];
	const deferred = new Map<number, Deferred>();
	for (const [index, task] of tasks.entries()) {
		const finish = () => Promise.reject(new Error('finishing is up to who asks'));
		if (!task) {
			deferred.set(index, new Deferred(finish));
			continue;
		}
		let polls = 0;
		const look = async (): Promise<SleepState | undefined> => {
			polls += 1;
			log.push(`poll ${index}`);
			await Promise.resolve();
			if (polls === task.failsAt) throw new Error('refused');
			return polls > (task.endsAfter ?? Infinity) ? undefined : { json: { polls }, memo: { index } };
		};
		const { calls = true, left = 600_000 } = task;
		const watch = () => Promise.resolve();
		deferred.set(index, new Deferred(finish, { taskId: `t${index}`, calls, until: NOW + left, look, watch }));
	}
	const settling: Settling = {
		finish: async (index) => {
			log.push(`finish ${index}`);
			await Promise.resolve();
			finished.push(index);
		},
		attempt: async (index, work) => {
			await work().catch(() => failed.push(index));
		},
	};
	const asleep = await finishOrSleep(deferred, settling);
	return { asleep, log, finished: finished.sort((a, b) => a - b), failed };
}

const indexes = (asleep: ReadonlyMap<number, unknown>) => [...asleep.keys()].sort((a, b) => a - b);

it('finishes what has nothing to be suspended for', async () => {
	const { asleep, finished, log } = await settle([undefined, undefined]);
	expect([indexes(asleep), finished]).toStrictEqual([[], [0, 1]]);
	expect(log).toStrictEqual(['finish 0', 'finish 1']);
});

it('does nothing for no items', async () => {
	const { asleep, log } = await settle([]);
	expect([indexes(asleep), log]).toStrictEqual([[], []]);
});

it('suspends for a task that goes on, with what its last poll gave', async () => {
	const { asleep, finished } = await settle([{}]);
	expect(finished).toStrictEqual([]);
	const { sleeper, ...state } = asleep.get(0) ?? {};
	expect(state).toStrictEqual({ json: { polls: 2 }, memo: { index: 0 } });
	expect(sleeper).toMatchObject({ taskId: 't0', calls: true, until: NOW + 600_000 });
});

it.each([
	[65_000, [0], []],
	[64_999, [], [0]],
])(
	'with %i ms left suspends for %j and finishes %j: n8n resumes once a minute',
	async (left, slept, done) => {
		const { asleep, finished } = await settle([{ left }]);
		expect([indexes(asleep), finished]).toStrictEqual([slept, done]);
	},
);

it('finishes what it cannot be suspended for before it polls the others', async () => {
	const { log } = await settle([{}, undefined, { left: 10 }]);
	expect(log).toStrictEqual(['finish 1', 'finish 2', 'poll 0', 'poll 0']);
});

it('polls the last task that calls once more: the call of one that ended before was lost', async () => {
	const { asleep, log } = await settle([{}, {}, { calls: false }]);
	expect(indexes(asleep)).toStrictEqual([0, 1, 2]);
	expect(log).toStrictEqual(['poll 0', 'poll 1', 'poll 2', 'poll 1']);
});

it('finishes what has ended at the first poll', async () => {
	const { asleep, finished, log } = await settle([{ endsAfter: 0 }, {}]);
	expect([indexes(asleep), finished]).toStrictEqual([[1], [0]]);
	expect(log.filter((line) => line === 'poll 0')).toHaveLength(1);
});

it('polls all others again when the last that calls has ended meanwhile', async () => {
	const { asleep, finished, log } = await settle([{ calls: false }, {}, { endsAfter: 1 }]);
	expect([indexes(asleep), finished]).toStrictEqual([[0, 1], [2]]);
	expect(log).toStrictEqual([
		...['poll 0', 'poll 1', 'poll 2'],
		...['poll 2', 'finish 2'],
		...['poll 0', 'poll 1'],
		'poll 1',
	]);
});

it('is not suspended when no task is left that calls: the others are finished', async () => {
	const { asleep, finished } = await settle([{ calls: false }, { endsAfter: 1 }, { calls: false }]);
	expect([indexes(asleep), finished]).toStrictEqual([[], [0, 1, 2]]);
});

it('finishes those that do not call, where none calls', async () => {
	const { asleep, finished, log } = await settle([{ calls: false }, { calls: false }]);
	expect([indexes(asleep), finished]).toStrictEqual([[], [0, 1]]);
	expect(log).toStrictEqual(['poll 0', 'poll 1', 'finish 0', 'finish 1']);
});

it('finishes a task whose end shows when the others are polled again', async () => {
	const { asleep, finished } = await settle([{ endsAfter: 1 }, {}, { endsAfter: 1 }]);
	expect([indexes(asleep), finished]).toStrictEqual([[1], [0, 2]]);
});

it.each([1, 2])('lets an item fail whose poll %i fails, and is suspended for the others', async (failsAt) => {
	const { asleep, failed, finished } = await settle([{}, { failsAt }]);
	expect([indexes(asleep), failed, finished]).toStrictEqual([[0], [1], []]);
});
